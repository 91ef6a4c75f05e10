# What torch's CUDA allocator has: bytes by pool, and by the line that allocated them (marks.cpp compiles and runs this
# before marks.py, with the same names).
#
# torch keeps the Python stack of a block if its history is on when the block is allocated. That takes 2.6 to 3.5 us for
# each allocation, so it is on for whole steps only, about one of ONE_OF. A block that was allocated meanwhile keeps its
# stack. It imports nothing, and raises nothing (`guarded` in marks.py).

# The agent defines the first two names before the script runs, and marks.py the others. `modules` is sys.modules.
modules = {}
report_blocks = like = print

# --- embedded from here on ---

ONE_OF = 12            # steps of which at least one is recorded
MOST_SHARE = 0.005     # of the time of all steps
STACK_S = 3.5e-6       # for the stack of one allocation (H200, torch 2.11, 40 frames)
MEASURED = 4           # recorded steps of which allocations and time are measured
MOST_LINES = 48
MOST_PEAK_LINES = 16
MOST_EVENTS = 30000    # of a step: allocations, and two for each block that is freed
PEAK_PATIENCE = 1000   # what a peak is made of is read again after so many times what it took
LARGE = 20 << 20       # what torch maps at once for large blocks with expandable_segments
BY_JOB = 'the job records the history of allocations itself'
TOO_OLD = 'this torch cannot record the stacks of allocations for single steps'


def clock():
    return modules['time'].perf_counter()


class History:
    def __init__(self):
        self.steps = 0        # whose end was seen
        self.recorded = 0     # steps
        self.one_of = ONE_OF
        self.first = 1        # step of the present `one_of` of them
        self.next = 1         # step after whose end it is switched on
        self.random = 1
        self.is_on = False
        self.is_own = False   # the present call is that of this script
        self.why_not = ''     # then it is never switched on again
        self.began = None     # seconds and allocations
        self.peaks = {}       # of the step whose events were read last, by device: its lines
        self.peak_step = 0
        self.has_events = False
        self.events_after_s = 0

    # At the end of a step, on the thread that made it.
    def end_step(self):
        self.steps += 1
        if self.is_on:
            self.stop()
        if self.steps >= self.next and not self.why_not:
            self.start()

    def start(self):
        cuda = modules.get('torch.cuda')
        if cuda is None or not cuda.is_initialized():
            self.next = self.steps + ONE_OF
            self.first = self.next
            return
        C = modules['torch']._C
        self.plan()
        self.look_for_obstacles(C)
        if self.why_not or C._cuda_isCurrentStreamCapturing():
            return
        if self.recorded < MEASURED:
            self.began = clock(), allocations(C)
        self.has_events = self.recorded > 0 and clock() >= self.events_after_s
        self.switch(True)

    def stop(self):
        self.recorded += 1
        try:
            if self.has_events:
                self.read_peaks(modules['torch']._C)
        finally:
            self.switch(False)
        if self.began is not None:
            before_s, before = self.began
            took_s = max(clock() - before_s, 1e-6)
            stacks = allocations(modules['torch']._C) - before
            self.one_of = max(self.one_of, int(stacks * STACK_S / (MOST_SHARE * took_s)) + 1)
            self.began = None

    # In some of the recorded steps torch keeps all allocations and frees. They show what the peak of the step was made of.
    def read_peaks(self, C):
        began_s = clock()
        self.has_events = False
        self.events_after_s = float('inf')  # not again after an error
        events = take_blocks(C).get('device_traces', ())
        self.peaks = {device: peak_lines(own, allocated(C, device)) for device, own in enumerate(events)
                      if 0 < len(own) < MOST_EVENTS}
        self.peak_step = self.steps
        took_s = clock() - began_s
        self.events_after_s = clock() + PEAK_PATIENCE * took_s

    # A random one of the next `one_of` steps: what the job does at every tenth step is to be seen as often as it is done.
    def plan(self):
        self.random = (self.random * 1103515245 + 12345) % 2147483648
        self.first = max(self.first + self.one_of, self.steps + 1)
        self.next = self.first + (self.random >> 8) % self.one_of

    def look_for_obstacles(self, C):
        is_on = getattr(C, '_cuda_isHistoryEnabled', None)
        record = getattr(modules.get('torch.cuda.memory'), '_record_memory_history', None)
        backend = getattr(C, '_cuda_getAllocatorBackend', lambda: 'native')()
        if backend != 'native':  # it raises an error for the rest
            self.why_not = 'the allocator of torch is %s' % backend
        elif is_on is None or record is None or getattr(C, '_cuda_record_memory_history', None) is None:
            self.why_not = TOO_OLD
        elif is_on() and not self.is_on:
            self.why_not = BY_JOB

    # What the job switches on stays on. Its stacks may have frames of C++, whose names take torch minutes.
    def watch_job(self, C):
        real = getattr(C, '_cuda_record_memory_history', None)
        if real is None:
            return

        def record(*arguments, **named):
            if not self.is_own:
                self.is_on, self.why_not = False, BY_JOB
            return real(*arguments, **named)

        C._cuda_record_memory_history = like(record, real)

    def peak_texts(self):
        out = ['peak-step %d' % self.peak_step] if self.peaks else []
        for device, (lines, before) in self.peaks.items():
            out += lines.line_texts('peak-', device, MOST_PEAK_LINES)
            out.append('peak-before %d %d 0' % (device, before))
        return out

    def switch(self, on):
        record = modules['torch.cuda.memory']._record_memory_history
        self.is_own = True
        try:
            if on and self.has_events:
                record(enabled='all', context='alloc', stacks='python', max_entries=MOST_EVENTS)
            elif on:
                record(enabled='state', context='state', stacks='python', max_entries=1)
            else:
                record(enabled=None)
            self.is_on = on
        except (TypeError, ValueError):
            self.is_on, self.why_not = False, TOO_OLD
        finally:
            self.is_own = False


def allocations(C):
    return sum(C._cuda_memoryStats(device)['allocation']['all']['allocated'] for device in range(C._cuda_getDeviceCount()))


def allocated(C, device):
    return C._cuda_memoryStats(device)['allocated_bytes']['all']['current']


# What a device had at the highest moment of a step, by line. What is live at the end of the step is known; before, it
# was less by what the events after that moment allocated, and more by what they freed.
def peak_lines(events, at_end):
    level = highest = 0
    highest_at = 0
    for number, event in enumerate(events):
        level += change(event)
        if level > highest:
            highest, highest_at = level, number + 1
    live = {}
    for event in events[:highest_at]:
        if event['action'] == 'alloc':
            live[event['addr']] = event
        elif event['action'] == 'free_requested':
            live.pop(event['addr'], None)
    lines = Blocks()
    for event in live.values():
        lines.add(0, event.get('frames'), event['size'])
    before = at_end - level + highest - sum(event['size'] for event in live.values())
    return lines, max(before, 0)


def change(event):
    action = event['action']
    return event['size'] if action == 'alloc' else -event['size'] if action == 'free_requested' else 0


# The highest count of allocated memory, as torch has it, in steps that came to their end.
class Peaks:
    def __init__(self):
        self.of_present = {}  # by device: bytes, and steps before the present one
        self.fitted = {}

    def note(self, device, peak, steps):
        known = self.of_present.get(device)
        if known is not None and known[1] < steps:
            self.fitted[device] = known
        self.of_present[device] = peak, steps

    def text(self):
        return ['peak %d %d %d' % (device, peak, steps) for device, (peak, steps) in self.fitted.items()]


class Pool:
    def __init__(self):
        self.reserved = self.allocated = self.requested = self.awaiting = 0
        self.split = self.whole = 0          # free: beside blocks in use, and in segments without any
        self.largest_free = self.free_blocks = 0
        self.beside_small = 0                # free: beside blocks that need less than a quarter of their segment
        self.mappable = 0                    # free: that expandable segments could use elsewhere
        self.segments = 0
        self.sizes = set()                   # of segments: as large as what was asked for and did not fit
        self.is_expandable = False

    def add(self, segment, add_block):
        size = segment['total_size']
        used = pieces = mappable = 0
        for block in segment['blocks']:
            length, state = block['size'], block['state']
            if state == 'inactive':
                pieces += 1
                mappable += length // LARGE * LARGE
                self.largest_free = max(self.largest_free, length)
                continue
            used += length
            if state == 'active_allocated':
                self.allocated += length
                self.requested += block.get('requested_size', length)
                add_block(block, length)
            else:
                self.awaiting += length
        free = size - used
        self.reserved += size
        self.free_blocks += pieces
        self.segments += 1
        self.is_expandable = self.is_expandable or segment.get('is_expandable', False)
        if size > LARGE:
            self.sizes.add(size)
        if used == 0:
            self.whole += free
        else:
            self.split += free
            self.mappable += mappable
            self.beside_small += free if size > LARGE and 4 * used < size else 0

    def numbers(self):
        return [self.reserved, self.allocated, self.requested, self.awaiting, self.split, self.whole, self.largest_free,
                self.free_blocks, self.beside_small, self.mappable, self.segments, min(self.sizes, default=0),
                max(self.sizes, default=0), len(self.sizes), int(self.is_expandable)]


class Blocks:
    def __init__(self):
        self.pools = {}     # by device and id
        self.lines = {}     # bytes and blocks by device, line, function and file
        self.without = {}   # without a stack, by device
        self.own = {}       # whether a file is the user's

    def add_all(self, segments):
        for segment in segments:
            device = segment['device']
            pool = self.pools.setdefault((device, *segment.get('segment_pool_id', (0, 0))), Pool())
            pool.add(segment, lambda block, length: self.add(device, block.get('frames'), length))

    def add(self, device, frames, length):
        if frames:
            frame = next((frame for frame in frames if self.is_own(frame['filename'])), frames[0])
            key, into = (device, frame['line'], frame['name'], frame['filename']), self.lines
        else:
            key, into = device, self.without
        known = into.get(key)
        if known is None:
            into[key] = [length, 1]
        else:
            known[0] += length
            known[1] += 1

    def is_own(self, file):
        known = self.own.get(file)
        if known is None:
            known = file.startswith(('<string>', '<stdin>', '<ipython-input')) or not (
                file.startswith('<') or '/site-packages/' in file or '/dist-packages/' in file or '/lib/python3.' in file or
                '/torch/nn/' in file or '/torch/_' in file or '/torch/utils/' in file or '/torch/optim/' in file)
            self.own[file] = known
        return known

    # A line of text for each pool, for the source lines with most, and for the rest.
    def text(self):
        out = []
        for key, pool in sorted(self.pools.items()):
            out.append(['pool', *key, *pool.numbers()])
        return [' '.join(map(str, words)) for words in out] + self.line_texts('', None, MOST_LINES)

    # `device`: of all lines, where it is not None.
    def line_texts(self, prefix, device, most):
        out, rest = [], {}
        lines = sorted(self.lines.items(), key=lambda item: -item[1][0])
        for (own, line, function, file), (length, count) in lines[:most]:
            out.append([prefix + 'line', own if device is None else device, length, count, line, one_word(function),
                        file.replace('\n', ' ')])
        for (own, *_), (length, count) in lines[most:]:
            known = rest.setdefault(own, [0, 0])
            known[0] += length
            known[1] += count
        for what, sums in (('other', rest), ('without', self.without)):
            out.extend([prefix + what, own if device is None else device, *sum] for own, sum in sums.items())
        return [' '.join(map(str, words)) for words in out]


def one_word(text):
    return ''.join('_' if letter.isspace() else letter for letter in text) or '?'


def take_blocks(C):
    try:
        return C._cuda_memorySnapshot(None)
    except TypeError:  # torch before 2.9 takes no argument
        return C._cuda_memorySnapshot()


class Description:
    def __init__(self):
        self.not_before_s = 0

    # `patience`: it is not made again before so many times the duration of the last one.
    def make(self, history, patience):
        report_blocks('')  # that of an earlier moment is not of this one
        cuda = modules.get('torch.cuda')
        if cuda is None or not cuda.is_initialized():
            return
        C = modules['torch']._C
        began_s = clock()
        if began_s < self.not_before_s or getattr(C, '_cuda_memorySnapshot', None) is None:
            return
        history.look_for_obstacles(C)  # the job may have switched it on
        blocks, backend = Blocks(), getattr(C, '_cuda_getAllocatorBackend', lambda: 'native')()
        if backend == 'native' and history.why_not != BY_JOB:
            blocks.add_all(take_blocks(C)['segments'])
        first = 'history %d %d %d %s' % (history.recorded, history.steps, history.one_of, history.why_not)
        report_blocks('\n'.join([first, 'backend ' + one_word(backend), *peaks.text(), *history.peak_texts(), *blocks.text(), '']))
        took_s = clock() - began_s
        self.not_before_s = clock() + patience * took_s


history, description, peaks = History(), Description(), Peaks()
