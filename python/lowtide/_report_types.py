"""The JSON report as types, from the descriptions in src/show. For type checkers: nothing imports it in a running program.

Do not edit: `cmake --build build/dev --target docs` writes this file.
"""

from __future__ import annotations

from typing import Literal, TypedDict

from typing_extensions import NotRequired

# made from src/show, Python: begin


class Report(TypedDict):
    """What `--json` prints for a recording or a log."""

    lowtide: str  # version of the program
    schema: int  # version of this description
    source: Source  # what it was made from
    answer: Answer  # what to read first
    verdict: Verdict  # of the whole job
    processes: list[Process]  # of a recording, those that lived long enough to be judged; of a log that names them
    runs: list[Run]  # each run or restart in a log; empty for a recording
    growth: Growth  # what grew
    sites: list[Site]  # the lines that allocate, most growth first, at most 50; needs an agent
    holders: list[Holder]  # the variables that keep memory, most growth first, between the first and the last snapshot
    tensors: list[Tensors]  # tensors, between the same snapshots
    types: list[TypeCount]  # Python objects, between the same snapshots
    gpus: list[Gpu]  # the GPUs of the job
    phases: list[Phase]  # phases of the trainer, from torch or from `lowtide.phase()`; of a recording
    forecast: Forecast | None  # null when the floor does not rise or is at the limit already
    events: list[Event]  # of more than 200 the first 20 and the last 180, and a warning counts the rest
    findings: list[Finding]  # of a recording, the gravest first, faults of the measurement last
    overhead: Overhead  # what the measurement cost; of a recording
    warnings: list[Warning]  # what was not used, or was assumed
    target: NotRequired[Target]  # the process tree
    tmpfs: NotRequired[list[Tmpfs]]  # file systems in memory in which the job has files, and /dev/shm
    shared_memory: NotRequired[list[SharedMemory]]  # shared memory of the job, mapped or not, by similar names; the largest first
    short_lived: NotRequired[ShortLived]  # processes that are not listed
    trim_trials: NotRequired[list[TrimTrial]]  # with `--trim-trial`; else empty
    reconciliation: NotRequired[Reconciliation | None]  # null without a cgroup
    gate: NotRequired[Gate]  # the rules of `check`


class Source(TypedDict):
    """What the report was made from."""

    type: Literal["recording", "log", "series"]  # what it is
    path: str  # the file; `-`: standard input
    started: str | None  # when the run began, RFC 3339
    duration_s: float | None  # how long it was watched
    steps: int | None  # how many steps it made
    format: str | None  # what the log was recognised as; null: several or none
    bytes: int  # size of the input
    lines: int  # lines of a log
    command: NotRequired[str | None]  # what was run


class Answer(TypedDict):
    """The first line of the report: what, where, how fast, how sure."""

    kind: Literal["leak", "bounded", "oom", "warmup", "spikes", "stable", "inconclusive"]  # `bounded` grows to a known end; `oom` ran out of memory
    headline: str  # one line
    line: CodeLine | None  # the line of code to look at first
    variable: str | None  # the variable that holds the memory
    process: FindingProcess | None  # the processes that grow; null where the whole job is meant
    rate: AnswerRate | None  # null where memory does not grow
    confidence: float  # the chance that it is right, 0 to 1
    end_bytes: int | None  # where bounded growth ends
    fix: str | None  # what to change


class CodeLine(TypedDict):
    """A line of the job's code."""

    role: Literal["allocates", "stores", "creates"]  # what the line does with the memory
    file: str  # the source file
    line: int | None  # its line
    function: str | None  # the function around it
    source: str | None  # its text; null where the recording has no copy of the file


class FindingProcess(TypedDict):
    """The processes that a finding is about."""

    role: Literal["wrapper", "trainer", "rank", "worker", "compile-worker", "server", "other"]  # what they are there for
    pid: int | None  # the first of them
    pids: list[int]  # all of them; they behave alike


class AnswerRate(TypedDict):
    """How fast memory grows."""

    bytes_per_step: int | None  # null without steps
    bytes_per_second: int | None  # null with steps


class Verdict(TypedDict):
    """What the memory of a process, a device or the whole job does."""

    kind: Literal["leak", "warmup", "spikes", "stable", "inconclusive"]  # what it does
    confidence: float  # the chance that the kind is right, 0 to 1; if inconclusive, that it is right to leave it open
    axis: Literal["step", "time"]  # what the series was judged against: steps, where the input has them
    samples: int  # readings used
    rate: Rate | None  # how fast the floor grows
    floor: Floor  # the floor at both ends
    warmup_end: Mark | None  # where the growth stopped
    plateau_bytes: int | None  # the level after the warm-up
    spike_bytes: int | None  # how high the excursions go above the floor
    reason: str  # one sentence for people
    needs: str | None  # if inconclusive: what would settle it
    lean: Lean | None  # if inconclusive: the most likely kind
    basis: list[str]  # what the verdict is based on: `series`, and `processes`, `sites` or `holders` where these settled it


class Rate(TypedDict):
    """Growth of the floor with its 95% interval; for a warm-up: while it rose."""

    bytes: int  # growth per step or second
    per: Literal["step", "second"]  # `step` also where the input has neither steps nor times: then it is per reading
    low: int  # the lower end of the interval
    high: int  # its upper end


class Floor(TypedDict):
    """The level that memory falls back to; null without readings."""

    first_bytes: int | None  # at the beginning
    last_bytes: int | None  # at the end


class Mark(TypedDict):
    """A moment of the run."""

    step: float | None  # null where the input has no steps
    seconds: float | None  # null where the input has no times


class Lean(TypedDict):
    """The most likely kind of an inconclusive verdict."""

    kind: Literal["leak", "warmup", "spikes", "stable", "inconclusive"]  # the most likely kind
    confidence: float  # the chance that it is right, 0 to 1


class Process(TypedDict):
    """A process; workers that were respawned are one entry, with the latest pid."""

    pid: int  # its process id
    ppid: int | None  # its parent; null in a log
    role: Literal["wrapper", "trainer", "rank", "worker", "compile-worker", "server", "other"] | None  # what it is there for; null in a log
    index: NotRequired[int | None]  # its number: rank 3, worker 0
    command: str | None  # its command line
    started_s: float | None  # when it began; below 0: before the recording; null in a log
    ended_s: float | None  # when it ended
    exit: int | None  # its exit status as in a shell: 128 + n for signal n
    processes: NotRequired[int]  # how many processes the entry stands for
    verdict: Verdict  # of the memory that would go with this process alone
    peak_bytes: NotRequired[int]  # its highest reading
    growth_share: NotRequired[float | None]  # its part of the growth of the tree; null where the tree did not grow
    bytes: ProcessBytes  # its memory


class ProcessBytes(TypedDict):
    """The latest reading of a process; a log has `rss` alone."""

    rss: int  # resident memory
    pss: int | None  # the same, shared pages divided among their users
    uss: int | None  # pages of this process alone
    pss_age_s: NotRequired[float | None]  # how much older `pss` and `uss` are than the rest
    anon: int | None  # heap, stacks and other memory without a file
    file: int | None  # mapped files
    shmem: int | None  # shared memory
    swap: int | None  # swapped out


class Run(TypedDict):
    """A run or a restart inside a log."""

    name: str  # its name
    first_line: int  # its first line in the log
    last_line: int  # its last line
    verdict: Verdict  # of the first series
    series: list[RunSeries]  # the series that the verdict is of first


class RunSeries(TypedDict):
    """One series of readings in a run of a log."""

    name: str  # what was read: `process memory`, `GPU 0 used`
    pid: int | None  # the process, where the log names it
    last_bytes: int  # the last reading
    peak_bytes: int  # the highest reading
    limit_bytes: int | None  # the limit or total that the log names
    forecast: Forecast | None  # when it reaches a limit
    verdict: Verdict  # of this series


class Forecast(TypedDict):
    """When the floor, with the usual spike on top where there are several, reaches the limit."""

    limit: Literal["cgroup", "host", "gpu", "tmpfs"]  # whose limit it is; `tmpfs`: the size of a file system in memory
    path: str | None  # where a tmpfs is mounted; null for another limit
    limit_bytes: int  # the limit
    reach_bytes: int | None  # the memory of the job at which the limit is reached, if others use a part of it; null: all of it
    step: Range | None  # at which step; null without steps
    seconds: Range | None  # at which second from the start; null without times


class Range(TypedDict):
    """An estimate with its 95% interval."""

    estimate: float | None  # the most likely value
    low: float | None  # the lower end of the interval
    high: float | None  # its upper end; null: there is none


class Growth(TypedDict):
    """What the growth of the floor is made of."""

    floor_bytes: int | None  # by how much the floor grew; below 0: it fell
    explained_share: float | None  # the part that has a mechanism other than `unexplained`
    mechanisms: list[GrowthPart]  # its parts; they add up to the growth of the tree


class GrowthPart(TypedDict):
    """A part of the growth with one cause."""

    mechanism: Literal["live-objects", "allocator-retention", "copy-on-write", "shared-memory", "page-cache", "bounded-cache", "native-live", "gpu-reserve", "gpu-outside-torch", "unexplained"]  # why it grew
    bytes: int  # by how much
    share: float  # its part of the growth, 0 to 1


class Site(TypedDict):
    """A line that allocates, with all stacks of one process that lead to it."""

    pid: int  # its process
    verdict: Verdict  # of the live bytes
    live_bytes: int  # allocated here and not freed at the end, an estimate
    growth_bytes: int  # by how much that grew during the run
    error_bytes: int  # one standard error of the growth
    share: float | None  # its part of the growth of all live memory, which is less than the growth of resident memory: allocators keep free memory between blocks
    live_samples: int  # samples that the live bytes were estimated from
    allocated_bytes: int  # all that was ever allocated here
    stacks: int  # how many stacks lead to the line
    act_on: int | None  # the index of the frame to look at: the innermost call of the user's own Python code or native module
    native_function: str | None  # the C function that this line called through ctypes or cffi: `malloc`
    frames: list[Frame]  # the stack that grew most, innermost frame first
    cut: bool  # whether the stack has more frames outside


class Frame(TypedDict):
    """One call of a stack."""

    language: Literal["python", "native"]  # of the code
    function: str | None  # null where it is not known
    file: str | None  # the source file, null where it is not known
    line: int | None  # null where it is not known
    module: str | None  # of native code: the library or program


class Holder(TypedDict):
    """A Python object that keeps memory alive."""

    pid: int  # its process
    path: str  # how to reach it, as Python writes it
    type: str  # its type
    length: int | None  # its number of elements
    growth_length: int | None  # by how many elements it grew
    retained_bytes: int  # host memory that it retains
    growth_bytes: int | None  # by how much that grew
    device_bytes: int  # memory of tensors on devices that it retains
    growth_device_bytes: int | None  # by how much that grew
    share: float | None  # its part of the growth of the process, or of its memory without an earlier snapshot; host and devices together
    file: str | None  # of the frame whose variable it is
    line: int | None  # where that frame stood
    retained_objects: int  # objects that it retains
    growth_objects: int | None  # by how many these grew
    cache: str | None  # whether a cache is `bounded` or `unbounded`; null: not a cache
    bound: int | None  # of a bounded cache: its most elements
    address: int  # its address
    holder: int | None  # the index of the holder that keeps it
    depth: int  # steps of the path


class Tensors(TypedDict):
    """Tensors of one device, type and shape."""

    pid: int  # their process
    device: str  # `cpu`, `cuda:0`
    dtype: str  # type of the elements
    shape: list[int]  # size of each dimension
    count: int  # how many there are
    bytes: int  # of their elements
    growth_count: int | None  # how many more there are
    growth_bytes: int | None  # by how much the bytes grew
    requires_grad: bool  # whether gradients are computed
    storages: int  # storages behind them that no earlier row has counted
    storage_bytes: int  # of these storages


class TypeCount(TypedDict):
    """Python objects of one type."""

    pid: int  # their process
    type: str  # the type
    count: int  # how many there are
    bytes: int  # of the objects alone
    growth_count: int | None  # how many more there are
    growth_bytes: int | None  # by how much the bytes grew


class Gpu(TypedDict):
    """A GPU of the job; what torch or JAX does not report is null."""

    index: int | None  # its number
    name: str | None  # its model
    id: NotRequired[str | None]  # its UUID or bus, where the log has no index
    total_bytes: int | None  # memory of the device
    used_bytes: int | None  # used, by all processes
    pid: int | None  # the process of the job that has most on it
    process_bytes: int | None  # what that process has; what torch reserves, where the driver does not report it
    allocated_bytes: int | None  # what torch or JAX has handed out
    reserved_bytes: int | None  # what torch or JAX has from the driver
    fragmented_bytes: int | None  # free pieces between blocks in use
    outside_torch_bytes: int | None  # what the driver counts beyond `reserved_bytes`; null where the driver does not report it
    framework: NotRequired[Literal["torch", "JAX"] | None]  # whose allocator was read
    retries: NotRequired[int | None]  # times that torch returned all free memory and tried again
    ooms: NotRequired[int | None]  # allocations that failed
    pinned_bytes: NotRequired[int | None]  # pinned host memory
    ledger: NotRequired[GpuLedger | None]  # at the last snapshot; null if a part of the memory is not known
    peak_ledger: NotRequired[GpuLedger | None]  # at the snapshot with most memory, if that is another
    blocks: NotRequired[GpuBlocks | None]  # pools and lines of torch's allocator; null if they were not read
    oom: NotRequired[GpuOom | None]  # the last request that failed; null: none
    verdict: Verdict  # of the allocated memory, or of the memory outside of torch where that leaks; without torch, of the used memory


class GpuLedger(TypedDict):
    """What fills a GPU at the moment of a heap snapshot."""

    at_s: float  # seconds into the run
    parts: list[MemoryPart]  # they add up to the memory of the GPU


class MemoryPart(TypedDict):
    """A part of the memory at one moment."""

    name: str  # a variable in backticks, or a kind of memory
    bytes: int  # its size
    what: str  # what it is


class GpuBlocks(TypedDict):
    """What torch's CUDA allocator had at the last snapshot."""

    at_s: float  # seconds into the run
    allocator: str  # `native`, `cudaMallocAsync`, `pluggable`
    steps: int  # steps of the trainer until then
    recorded_steps: int  # of these, the steps with stacks
    no_stacks: str | None  # why no further steps are recorded; null: they are
    pools: list[GpuPool]  # they add up to what torch has reserved
    lines: list[GpuLine]  # most first; they add up to what torch has allocated
    peak_step: int | None  # the step that `peak_lines` is about; null: none
    peak_lines: list[GpuLine]  # the same when that step had most


class GpuPool(TypedDict):
    """A pool of torch's CUDA allocator."""

    name: str  # `default`, `CUDA graph 1`, `private pool 1`
    reserved_bytes: int  # what it has from the driver
    allocated_bytes: int  # in blocks of the job
    requested_bytes: int  # of these, before torch rounded them up
    awaiting_bytes: int  # freed by the job, and still in use by a stream
    split_bytes: int  # free, in segments that have blocks in use
    whole_bytes: int  # free, in segments that torch can return to the driver
    largest_free_bytes: int  # the largest free block
    free_blocks: int  # number of free blocks
    segments: int  # number of segments
    is_expandable: bool  # whether its segments can grow (expandable_segments)


class GpuLine(TypedDict):
    """Live memory of a GPU that the same line has allocated."""

    kind: Literal["line", "further lines", "without a stack", "before the step"]  # `line`, or what has no line
    line: CodeLine | None  # the innermost line of the user; null for other kinds
    bytes: int  # an estimate: what grows is counted for the steps that were not recorded too
    seen_bytes: int  # in blocks with this stack
    growth_per_step: int | None  # bytes; null where too few steps were recorded between two snapshots


class GpuOom(TypedDict):
    """The last request of torch that failed."""

    at: float | None  # seconds into the run
    asked_bytes: int  # what was asked for
    free_bytes: int  # what the driver had free on the GPU
    line: CodeLine | None  # the line that asked; null if it is not known
    categories: list[MemoryPart]  # what filled the GPU then; empty if the job went on, or without a snapshot


class Phase(TypedDict):
    """A phase of the training."""

    name: str  # `train`, `eval`, `checkpoint`, or the job's own word
    pid: int  # its process
    count: int  # visits
    peak_bytes: int | None  # the most that was resident at a reading in it; null without a reading
    kept_bytes: int  # allocated in it and not freed later
    took_s: float  # total time of its visits, to within the time between two readings


class Event(TypedDict):
    """Something that happened to the job."""

    kind: Literal["oom-kill", "cuda-oom", "worker-killed", "killed", "restart", "exit"]  # what happened
    at_s: float | None  # when
    line: int  # the line of the log; 0: of a recording
    text: str  # in words, or as the log has it


class Finding(TypedDict):
    """A claim about the run, with its evidence."""

    id: str  # the cause; several findings can have the same
    severity: Literal["critical", "high", "medium", "low", "info"]  # how much it matters
    title: str  # one sentence
    mechanism: Literal["live-objects", "allocator-retention", "copy-on-write", "shared-memory", "page-cache", "bounded-cache", "native-live", "gpu-reserve", "gpu-outside-torch", "unexplained"] | None  # why resident memory grew
    pid: int | None  # the process it is about
    where: Place  # the place in the code
    share: float | None  # the part of the growth of the floor that it explains
    confidence: float  # the chance that it is right, 0 to 1
    evidence: list[str]  # what was measured, a sentence each
    excluded: list[str]  # other causes, and their share of the growth
    fix: str | None  # what to do
    hint: str | None  # the fix as code
    watch: str | None  # what to expect after the fix
    ruled_out: bool  # the same as `is_benign`
    line: CodeLine | None  # the line to look at first
    variable: str | None  # the variable that holds the memory, as the code writes it
    process: FindingProcess | None  # the processes that it is about
    parts: list[MemoryPart]  # of a failed CUDA allocation: what held the memory, most first
    phase: str | None  # the phase of the trainer that keeps the memory
    source_lines: list[CodeLine]  # the lines that allocate, store and create what is held
    ruled_out_causes: list[str]  # the same as `excluded`
    example: str | None  # the same as `hint`
    expect_after_fix: str | None  # the same as `watch`
    is_benign: bool  # true: it is no fault of the job: the finding states what the cause is not


class Place(TypedDict):
    """Where in the code of the job; null where it is not known."""

    file: str | None  # the source file
    line: int | None  # its line
    function: str | None  # the function around it
    holder: str | None  # the variable that keeps the memory, as Python writes it


class Overhead(TypedDict):
    """What the measurement itself cost."""

    monitor_cpu_share: float | None  # time of the monitor, as a share of one processor
    monitor_rss_bytes: int | None  # memory of the monitor
    samples_lost: int | None  # readings of the whole job that are missing
    agent: str  # `off`, `on` or `switched-off`
    note: str | None  # why the agent was switched off, or another remark on it
    not_entered: list[str]  # processes of the job that the agent could not enter, and why; at most 100
    not_entered_count: int  # how many these are in all
    allocation_samples: int  # of the agent, in all processes
    allocation_samples_dropped: int  # of these, lost
    sampling_s: float  # time of the job spent with samples
    asking_s: float  # time of the job spent with steps, phases and counters, without the few microseconds at each step
    looks: int  # the same as `snapshots`
    snapshots: int  # heap snapshots of the Python processes
    interpreter_s: float  # the same as `asking_s`
    pauses_s: float  # the same as `snapshot_pauses_s`
    snapshot_pauses_s: float  # how long the Python processes were stopped for snapshots


class Warning(TypedDict):
    """What was in the input and was not used, or was assumed."""

    text: str  # one sentence
    count: int  # how often
    first_line: int  # the line where it was first; 0: none


class Target(TypedDict):
    """The process tree, shared pages counted once."""

    peak_bytes: int | None  # its highest reading
    last_bytes: int | None  # its last reading
    limit: Literal["cgroup", "host", "gpu", "tmpfs"] | None  # whose limit it is; `host` also where the user gave it
    limit_bytes: int | None  # the limit
    ending: Literal["unknown", "running", "closed", "cut-off"]  # how the recording ended; `cut-off`: the monitor was killed


class Tmpfs(TypedDict):
    """A file system in memory, at the last reading."""

    path: str  # where it is mounted, as the job sees it
    total_bytes: int  # its size
    used_bytes: int  # used by all files, those of other jobs too
    job_bytes: int  # used by files that the job made
    was_full: bool  # it was full when a process of the job failed


class SharedMemory(TypedDict):
    """Objects of shared memory with similar names."""

    kind: Literal["file", "segment", "memfd"]  # `file` in a tmpfs, System V `segment`, `memfd`
    name: str | None  # their names, with * for numbers
    count: int  # number of objects
    bytes: int  # their memory
    link: Literal["unknown", "creator", "name", "open", "writer"]  # how `pid` is known; `creator`: from the kernel, `name`: it is in the names, `open`: it has them open, `writer`: the only process of the job that wrote that much at that time
    pid: int | None  # the process that made or holds them; of several the one with most; null: not known
    pid_bytes: int  # of `bytes`, the part of `pid`


class ShortLived(TypedDict):
    """Processes that ended too soon to be judged one by one."""

    count: int  # those that were read at least once
    largest_bytes: int  # the most that one of them had
    unseen_at_least: int | None  # lived between two readings: at least as many
    unseen_at_most: int | None  # at most as many: the pids that the kernel gave out, which includes threads and processes of other jobs


class TrimTrial(TypedDict):
    """What happened when the allocator of a process was asked to return free memory."""

    pid: int  # its process
    at_s: float  # when
    outcome: Literal["done", "no-trim", "not-reached", "unfinished"]  # `no-trim`: the allocator has no malloc_trim; `not-reached`: no thread allocated in time
    rss_before_bytes: int | None  # resident memory before
    rss_after_bytes: int | None  # resident memory after
    given_back_bytes: int | None  # the difference; 0 where it rose meanwhile
    trim_s: float  # time in malloc_trim
    inspect_s: float | None  # time in mallinfo2, glibc 2.33 and later
    arena_bytes: int | None  # what malloc had from the kernel before
    free_bytes: int | None  # of these, in no block
    mapped_bytes: int | None  # in blocks with a mapping of their own


class Reconciliation(TypedDict):
    """Where the memory of the cgroup went: tree + cache + kernel + rest = current."""

    at_s: float  # when
    exact: bool  # whether PSS of the tree was read at that moment
    tree_bytes: int  # the process tree
    cache_bytes: int  # page cache
    kernel_bytes: int  # memory of the kernel
    current_bytes: int  # what the cgroup counts
    rest_bytes: int  # others in the cgroup, or differences of the readings


class Gate(TypedDict):
    """The rules that `check` was given."""

    outcome: Literal["kept", "broken", "undecided"]  # the worst of the rules: `kept` is pass, `broken` is fail
    result: Literal["pass", "fail", "undecided"]  # the worst of the rules
    rules: list[Rule]  # each rule


class Rule(TypedDict):
    """A rule of `check` and its result."""

    rule: Literal["no-leak", "budget", "max-growth", "max-rate", "no-oom", "expect"]  # which rule
    given: str  # as it was given: `--budget 20G`
    outcome: Literal["kept", "broken", "undecided"]  # the result: `kept` is pass, `broken` is fail
    result: Literal["pass", "fail", "undecided"]  # the result
    why: str  # one sentence with the numbers


# made from src/show, Python: end
