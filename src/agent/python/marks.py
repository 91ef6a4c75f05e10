# What runs in the job's interpreter to learn of steps and phases (marks.cpp compiles and runs it).
#
# It imports nothing, and does not touch torch before the import of torch has ended. No hook raises, and each costs
# a dictionary and a call of C. It must run with Python 3.9 and later.

# The agent defines these names before the script runs. `modules` is sys.modules. The last three are of gpu_blocks.py.
modules = {}
report_step = report_phase = report_device = report_pinned = report_oom = report_end = report_profile = print
history = description = peaks = None

# --- embedded from here on ---

steps = {}          # of every optimizer, by id: the one that steps most often counts
unhooked = {}       # by id: optimizers that have not called a hook yet
MOST_UNHOOKED = 8
most = 0            # steps told
own_steps = False   # the job calls lowtide.step() itself
phase = ''
hooked = False
PATIENCE = 500                # the blocks of GPUs are described again after so many times what it took
PATIENCE_AFTER_FAILURE = 20
exits = None        # the module that reports the end
observed = False
stepping = False
largest = 1         # modules that one call of train() or eval() has switched, at most
switching = 0       # modules that the present one has switched
main_thread = modules['_thread'].get_ident()
this_thread = modules['_thread'].get_ident
own_pid = modules['posix'].getpid
jax_owner = own_pid()  # the process that has made the backends of JAX
profile_after_s = 0    # not before, or it would take more than a five hundredth of the time


def enter(name, again=False):  # again: back from a phase within it
    global phase
    if name != phase:
        phase = name
        report_phase(name, again)


def note_step(optimizer):  # by its id: it must not live longer for our sake
    unhooked.pop(optimizer, None)
    note_steps(optimizer, 1)


def note_steps(optimizer, done):
    global most
    if own_steps:
        return
    if len(steps) > 10000:
        steps.clear()
    count = steps.get(optimizer, 0) + done
    steps[optimizer] = count
    if count > most:
        most = count
        report_step(count, False)
        end_step()
        if phase == '' or phase == 'eval':
            enter('train')


def step(number=None):
    global most, own_steps
    try:
        most = most + 1 if number is None else int(number)
    except (TypeError, ValueError, OverflowError):
        return
    own_steps = True
    report_step(most, True)
    end_step()


class phase_of:
    def __init__(self, name):
        self.name = str(name)

    def __enter__(self):
        self.before = phase
        enter(self.name)
        return self

    def __exit__(self, *error):
        enter(self.before, True)


def compiling():  # of torch, where it has one
    return False


def like(wrapper, real):
    for name in ('__name__', '__qualname__', '__doc__', '__module__', '__annotations__'):
        try:
            setattr(wrapper, name, getattr(real, name))
        except AttributeError:
            pass
    wrapper.__wrapped__ = real
    return wrapper


def watch_modules(Module):
    real = Module.train

    # A module switches its children by the same call. One that is small beside the largest, a frozen layer or
    # a teacher, is no change of phase; nor is one that was in that mode before.
    def train(self, mode=True):
        global switching, largest
        if compiling() or this_thread() != main_thread:
            return real(self, mode)
        if switching:
            switching += 1
            return real(self, mode)
        before = getattr(self, 'training', mode)
        switching = 1
        try:
            return real(self, mode)
        finally:
            switched, switching = switching, 0
            if switched > largest:
                largest = switched
            if most and before != mode and 2 * switched >= largest:
                enter('train' if mode else 'eval')

    Module.train = like(train, real)


def watch_saves(torch):
    real = torch.save

    def save(*arguments, **named):
        if compiling() or this_thread() != main_thread:
            return real(*arguments, **named)
        before = phase
        enter('checkpoint')
        try:
            return real(*arguments, **named)
        finally:
            enter(before, True)

    torch.save = like(save, real)
    save.__module__ = 'torch'  # where pickle finds this one


def watch_class(kind):
    real = kind.__dict__.get('step')
    if real is None or not callable(real) or getattr(real, 'lowtide', False):
        return

    def step(self, *arguments, **named):
        global stepping
        if stepping:  # the step of a class below, which calls this one
            return real(self, *arguments, **named)
        stepping = True
        try:
            result = real(self, *arguments, **named)
        finally:
            stepping = False
        note_step(id(self))
        return result

    step = like(step, real)
    step.__dict__.update(getattr(real, '__dict__', {}))
    step.lowtide = True
    kind.step = step


def watch_every_class(Optimizer):  # before torch 2 there is no hook for all of them
    kinds = []

    def look(kind):
        for below in kind.__subclasses__():
            kinds.append(below)
            watch_class(below)
            look(below)

    look(Optimizer)
    real = Optimizer.__init__

    def __init__(self, *arguments, **named):
        for kind in type(self).__mro__:
            if kind is Optimizer:
                break
            watch_class(kind)
        real(self, *arguments, **named)

    Optimizer.__init__ = like(__init__, real)
    watch_wrapped(kinds)


# A learning rate schedule puts a function of its own before an optimizer's step, which has the real one from then on:
# where it came before us, the class is no longer asked. The collector looks in C: a loop over all objects would count
# references up and down, and in a forked worker copy every page that it shares.
def watch_wrapped(kinds):
    collector = modules.get('gc')
    if collector is None:
        return
    for item in collector.get_referrers(*kinds):
        if type(item) in kinds and 'step' in item.__dict__:
            watch_instance(item)


def watch_instance(optimizer):
    real, key = optimizer.step, id(optimizer)

    def step(*arguments, **named):
        result = real(*arguments, **named)
        note_step(key)
        return result

    step = like(step, real)
    step.__dict__.update(real.__dict__)
    optimizer.step = step


# A step in compiled code calls no hook, because a hook would be part of the graph. So optimizers that have called none
# are compared whenever the monitor asks: each step adds one to the version of their own count of steps, or, where they
# have no such count, of a parameter. With backends other than inductor it may add two, so there no step is counted.
class Unhooked:
    def __init__(self, optimizer):
        self.alive = modules['_weakref'].ref(optimizer)
        self.source, self.version = version_of(optimizer)


def version_of(optimizer):
    parameter = optimizer.param_groups[0]['params'][0]
    count = optimizer.state.get(parameter, {}).get('step')
    if count is None:
        return 'parameter', parameter._version
    return 'count', getattr(count, '_version', count)


def remember(optimizer):
    for key in [key for key, known in unhooked.items() if known.alive() is None]:
        del unhooked[key]
    if len(unhooked) < MOST_UNHOOKED:
        unhooked[id(optimizer)] = Unhooked(optimizer)


def watch_creation(kind):
    real = kind.__init__

    def __init__(self, *arguments, **named):
        real(self, *arguments, **named)
        if not compiling():
            guarded(lambda: remember(self))()

    kind.__init__ = like(__init__, real)


def compiles_with_inductor():
    backends = getattr(modules.get('torch._dynamo.eval_frame'), 'cached_backends', {}).values()
    names = [type(backend).__name__ for backend in backends if backend is not None]
    return bool(names) and all(name == '_TorchCompileInductorWrapper' for name in names)


def steps_since(known, optimizer):
    source, version = version_of(optimizer)
    before = known.version if source == known.source else 0  # the count begins with the first step
    known.source, known.version = source, version
    return version - before


def count_compiled():
    for key, known in list(unhooked.items()):
        optimizer = known.alive()
        if optimizer is None:
            continue
        with modules['torch']._C.DisableTorchFunction():  # a mode of the job must not see this
            done = guarded(lambda: steps_since(known, optimizer))()
        if done and 0 < done < 10000:  # a loaded state starts again
            note_steps(key, done)


def hook(torch, optimizers):
    global compiling
    # What is being compiled must not meet a function of lowtide: with fullgraph that would be an error.
    compiling = getattr(getattr(torch, 'compiler', None), 'is_compiling', compiling)
    register = getattr(optimizers, 'register_optimizer_step_post_hook', None)
    if register is not None:
        register(lambda optimizer, arguments, named: None if compiling() else note_step(id(optimizer)))
    else:
        watch_every_class(optimizers.Optimizer)
    if register is not None and callable(getattr(torch, 'compile', None)):
        watch_creation(optimizers.Optimizer)
    watch_modules(torch.nn.Module)
    watch_saves(torch)
    history.watch_job(torch._C)


def is_whole(module):
    return not getattr(getattr(module, '__spec__', None), '_initializing', False)


# Whether an exception came out of a signal handler of the job, which ran in the middle of this: then it is the job's,
# and goes on to it. A handler is given the frame that it interrupts.
def is_of_job(error):
    trace, frames = error.__traceback__, []
    while trace is not None:
        frames.append(trace.tb_frame)
        trace = trace.tb_next
    return any(value is frame for outer in frames for value in outer.f_locals.values() for frame in frames)


def guarded(work):
    def call(*arguments):
        try:
            return work(*arguments)
        except Exception as error:
            if is_of_job(error):
                raise
            return None

    return call


# Where the job has not imported it, we make one of our own beside sys.modules, over which the job may loop just now.
# Not before Python 3.10: there the callbacks belong to the module that was made last, and the job's would be lost.
def register_end():
    global exits
    atexit = modules.get('atexit') or exits
    if atexit is None and modules['sys'].version_info >= (3, 10):
        atexit = modules['_imp'].create_builtin(type(modules['sys'].__spec__)('atexit', None, origin='built-in'))
        modules['_imp'].exec_builtin(atexit)
    if atexit is not None and atexit is not exits and is_whole(atexit):
        exits = atexit
        atexit.register(end)


def end():  # the counters as they are when the last snapshot is taken
    count()
    describe(0)
    profile()
    report_end()


def prepare_snapshot():
    count()
    describe(PATIENCE)
    profile()


def poll():
    global hooked
    register_end()
    torch = modules.get('torch')
    optimizers = modules.get('torch.optim.optimizer')
    if hooked or torch is None or optimizers is None or not is_whole(torch):
        return hooked
    hooked = True
    hook(torch, optimizers)
    return True


def current(stats, name):
    return stats[name]['all']['current']


def is_backward(frame):
    while frame is not None:
        if frame.f_code.co_name in ('backward', 'grad') and frame.f_globals.get('__name__') == 'torch.autograd':
            return True
        frame = frame.f_back
    return False


# The frame that asked for the memory. A thread of autograd has none: then the thread asked that waits for autograd,
# if there is only one.
def asking_frame():
    sys = modules['sys']
    try:
        return sys._getframe(3)
    except ValueError:
        waiting = [frame for frame in sys._current_frames().values() if is_backward(frame)]
        return waiting[0] if len(waiting) == 1 else None


# The Python frames that asked for the memory, innermost first: line, function and file of each.
def stack():
    lines = []
    try:
        frame = asking_frame()
        while frame is not None and len(lines) < 64:
            code = frame.f_code
            name = getattr(code, 'co_qualname', code.co_name).replace(' ', '_')
            lines.append('%d %s %s' % (frame.f_lineno or 0, name, code.co_filename))
            frame = frame.f_back
    except Exception:
        pass  # the failure itself is reported all the same
    return ' | '.join(lines)


def watch_ooms(torch):  # once CUDA is up: torch knows only its own devices
    global observed
    attach = getattr(torch._C, '_cuda_attach_out_of_memory_observer', None)
    if not observed and attach is not None:
        observed = True
        attach(lambda device, wanted, total, free: (count(), describe(PATIENCE_AFTER_FAILURE), report_oom(wanted, free, stack())))


def count_torch(torch):
    watch_ooms(torch)
    for device in range(torch._C._cuda_getDeviceCount()):
        stats = torch._C._cuda_memoryStats(device)
        report_device(device, current(stats, 'allocated_bytes'), current(stats, 'reserved_bytes'),
                    current(stats, 'inactive_split_bytes'), stats['num_alloc_retries'], stats['num_ooms'], 0)
        peaks.note(device, stats['allocated_bytes']['all'].get('peak', 0), most)
    pinned = getattr(torch._C, '_cuda_hostMemoryStats', None)
    if pinned is not None:
        report_pinned(pinned().get('allocated_bytes', {}).get('current', 0))


# JAX takes most of a GPU when it starts, so only its own count shows what arrays need. Backends that the job has made
# are asked; none is made here. A forked child has those of its parent, perhaps with a lock that nobody opens.
def jax_clients():
    global jax_owner
    bridge = modules.get('jax._src.xla_bridge')
    backends = getattr(bridge, '_backends', None)
    if not backends:
        jax_owner = own_pid()
    if not backends or jax_owner != own_pid() or not is_whole(bridge):
        return []
    return list(backends.values())


def count_jax():
    for client in jax_clients():
        if client.platform == 'cpu':
            continue
        for device in client.local_devices():
            stats = device.memory_stats()
            if stats:
                used = stats.get('bytes_in_use', 0)
                report_device(device.local_hardware_id, used, max(used, stats.get('pool_bytes', 0)), 0, 0, 0, 1)


def describe(patience):
    description.make(history, patience)


# What JAX keeps anyway: live bytes by the Python stack that made them, in the format of pprof. 1.3 us for each array
# (H200, JAX 0.11).
def profile():
    global profile_after_s
    report_profile(b'')  # that of an earlier moment is not of this one
    clock = modules['time'].perf_counter
    for client in jax_clients():
        if client.platform == 'cpu' or clock() < profile_after_s:
            continue
        began_s = clock()
        report_profile(client.heap_profile())
        profile_after_s = clock() + 500 * (clock() - began_s)


def count():
    if unhooked and not own_steps and compiles_with_inductor():
        count_compiled()
    cuda = modules.get('torch.cuda')
    if hooked and cuda is not None and cuda.is_initialized():
        count_torch(modules['torch'])
    else:
        count_jax()

register_end, poll, count, end_step = guarded(register_end), guarded(poll), guarded(count), guarded(history.end_step)
describe, profile = guarded(describe), guarded(profile)

# For the package `lowtide`, whose step() and phase() look for it. Not a module: the job may be in the middle of
# a loop over sys.modules.
modules['sys']._lowtide = {'step': step, 'phase': phase_of}
