// What lowtide writes into the page, from the descriptions in src/show. Do not edit: `cmake --build build/dev --target docs`
// writes this file.

// made from src/show, TypeScript: begin

// What the scripts of the page read.
export interface PageData {
  report: Report; // the report, as `--json` prints it
  times: string[]; // base64 of uint32, little-endian: milliseconds from the start
  counters: Counter[]; // memory over time
  readings: number; // number of readings in the recording
  thinned: boolean; // whether `counters` has fewer than that
  spans: Span[]; // phases, events and other stretches of time
  processes: NamedProcess[]; // the names of the processes
  frames: Frame[]; // the frames of `profile`, each once
  profile: Stack[]; // stacks that allocated memory
  baseline: Baseline | null; // the run before a change; null if nothing is compared
  site_curves: [number, number][][]; // seconds and bytes of each of `report.sites`
  holder_curves: [number, number][][]; // seconds and bytes of each of `report.holders`
  growth_words: string[]; // what to call each of `report.growth.mechanisms`
  limit_bytes: number | null; // the limit of the job
  again_s: number | null; // after how many seconds the page of a running job, served by `lowtide serve`, fetches itself again; else null
}

// What `--json` prints for a recording or a log.
export interface Report {
  lowtide: string; // version of the program
  schema: number; // version of this description
  source: Source; // what it was made from
  answer: Answer; // what to read first
  verdict: Verdict; // of the whole job
  processes: Process[]; // of a recording, those that lived long enough to be judged; of a log that names them
  runs: Run[]; // each run or restart in a log; empty for a recording
  growth: Growth; // what grew
  sites: Site[]; // the lines that allocate, most growth first, at most 50; needs an agent
  holders: Holder[]; // the variables that keep memory, most growth first, between the first and the last snapshot
  tensors: Tensors[]; // tensors, between the same snapshots
  types: TypeCount[]; // Python objects, between the same snapshots
  gpus: Gpu[]; // the GPUs of the job
  phases: Phase[]; // phases of the trainer, from torch or from `lowtide.phase()`; of a recording
  forecast: Forecast | null; // null when the floor does not rise or is at the limit already
  events: Event[]; // of more than 200 the first 20 and the last 180, and a warning counts the rest
  findings: Finding[]; // of a recording, the gravest first, faults of the measurement last
  overhead: Overhead; // what the measurement cost; of a recording
  warnings: Warning[]; // what was not used, or was assumed
  target?: Target; // the process tree
  tmpfs?: Tmpfs[]; // file systems in memory in which the job has files, and /dev/shm
  shared_memory?: SharedMemory[]; // shared memory of the job, mapped or not, by similar names; the largest first
  short_lived?: ShortLived; // processes that are not listed
  trim_trials?: TrimTrial[]; // with `--trim-trial`; else empty
  reconciliation?: Reconciliation | null; // null without a cgroup
  gate?: Gate; // the rules of `check`
}

// What the report was made from.
export interface Source {
  type: "recording" | "log" | "series"; // what it is
  path: string; // the file; `-`: standard input
  started: string | null; // when the run began, RFC 3339
  duration_s: number | null; // how long it was watched
  steps: number | null; // how many steps it made
  format: string | null; // what the log was recognised as; null: several or none
  bytes: number; // size of the input
  lines: number; // lines of a log
  command?: string | null; // what was run
}

// The first line of the report: what, where, how fast, how sure.
export interface Answer {
  kind: "leak" | "bounded" | "oom" | "warmup" | "spikes" | "stable" | "inconclusive"; // `bounded` grows to a known end; `oom` ran out of memory
  headline: string; // one line
  line: CodeLine | null; // the line of code to look at first
  variable: string | null; // the variable that holds the memory
  process: FindingProcess | null; // the processes that grow; null where the whole job is meant
  rate: AnswerRate | null; // null where memory does not grow
  confidence: number; // the chance that it is right, 0 to 1
  end_bytes: number | null; // where bounded growth ends
  fix: string | null; // what to change
}

// A line of the job's code.
export interface CodeLine {
  role: "allocates" | "stores" | "creates"; // what the line does with the memory
  file: string; // the source file
  line: number | null; // its line
  function: string | null; // the function around it
  source: string | null; // its text; null where the recording has no copy of the file
}

// The processes that a finding is about.
export interface FindingProcess {
  role: "wrapper" | "trainer" | "rank" | "worker" | "compile-worker" | "server" | "other"; // what they are there for
  pid: number | null; // the first of them
  pids: number[]; // all of them; they behave alike
}

// How fast memory grows.
export interface AnswerRate {
  bytes_per_step: number | null; // null without steps
  bytes_per_second: number | null; // null with steps
}

// What the memory of a process, a device or the whole job does.
export interface Verdict {
  kind: "leak" | "warmup" | "spikes" | "stable" | "inconclusive"; // what it does
  confidence: number; // the chance that the kind is right, 0 to 1; if inconclusive, that it is right to leave it open
  axis: "step" | "time"; // what the series was judged against: steps, where the input has them
  samples: number; // readings used
  rate: Rate | null; // how fast the floor grows
  floor: Floor; // the floor at both ends
  warmup_end: Mark | null; // where the growth stopped
  plateau_bytes: number | null; // the level after the warm-up
  spike_bytes: number | null; // how high the excursions go above the floor
  reason: string; // one sentence for people
  needs: string | null; // if inconclusive: what would settle it
  lean: Lean | null; // if inconclusive: the most likely kind
  basis: string[]; // what the verdict is based on: `series`, and `processes`, `sites` or `holders` where these settled it
}

// Growth of the floor with its 95% interval; for a warm-up: while it rose.
export interface Rate {
  bytes: number; // growth per step or second
  per: "step" | "second"; // `step` also where the input has neither steps nor times: then it is per reading
  low: number; // the lower end of the interval
  high: number; // its upper end
}

// The level that memory falls back to; null without readings.
export interface Floor {
  first_bytes: number | null; // at the beginning
  last_bytes: number | null; // at the end
}

// A moment of the run.
export interface Mark {
  step: number | null; // null where the input has no steps
  seconds: number | null; // null where the input has no times
}

// The most likely kind of an inconclusive verdict.
export interface Lean {
  kind: "leak" | "warmup" | "spikes" | "stable" | "inconclusive"; // the most likely kind
  confidence: number; // the chance that it is right, 0 to 1
}

// A process; workers that were respawned are one entry, with the latest pid.
export interface Process {
  pid: number; // its process id
  ppid: number | null; // its parent; null in a log
  role: "wrapper" | "trainer" | "rank" | "worker" | "compile-worker" | "server" | "other" | null; // what it is there for; null in a log
  index?: number | null; // its number: rank 3, worker 0
  command: string | null; // its command line
  started_s: number | null; // when it began; below 0: before the recording; null in a log
  ended_s: number | null; // when it ended
  exit: number | null; // its exit status as in a shell: 128 + n for signal n
  processes?: number; // how many processes the entry stands for
  verdict: Verdict; // of the memory that would go with this process alone
  peak_bytes?: number; // its highest reading
  growth_share?: number | null; // its part of the growth of the tree; null where the tree did not grow
  bytes: ProcessBytes; // its memory
}

// The latest reading of a process; a log has `rss` alone.
export interface ProcessBytes {
  rss: number; // resident memory
  pss: number | null; // the same, shared pages divided among their users
  uss: number | null; // pages of this process alone
  pss_age_s?: number | null; // how much older `pss` and `uss` are than the rest
  anon: number | null; // heap, stacks and other memory without a file
  file: number | null; // mapped files
  shmem: number | null; // shared memory
  swap: number | null; // swapped out
}

// A run or a restart inside a log.
export interface Run {
  name: string; // its name
  first_line: number; // its first line in the log
  last_line: number; // its last line
  verdict: Verdict; // of the first series
  series: RunSeries[]; // the series that the verdict is of first
}

// One series of readings in a run of a log.
export interface RunSeries {
  name: string; // what was read: `process memory`, `GPU 0 used`
  pid: number | null; // the process, where the log names it
  last_bytes: number; // the last reading
  peak_bytes: number; // the highest reading
  limit_bytes: number | null; // the limit or total that the log names
  forecast: Forecast | null; // when it reaches a limit
  verdict: Verdict; // of this series
}

// When the floor, with the usual spike on top where there are several, reaches the limit.
export interface Forecast {
  limit: "cgroup" | "host" | "gpu" | "tmpfs"; // whose limit it is; `tmpfs`: the size of a file system in memory
  path: string | null; // where a tmpfs is mounted; null for another limit
  limit_bytes: number; // the limit
  reach_bytes: number | null; // the memory of the job at which the limit is reached, if others use a part of it; null: all of it
  step: Range | null; // at which step; null without steps
  seconds: Range | null; // at which second from the start; null without times
}

// An estimate with its 95% interval.
export interface Range {
  estimate: number | null; // the most likely value
  low: number | null; // the lower end of the interval
  high: number | null; // its upper end; null: there is none
}

// What the growth of the floor is made of.
export interface Growth {
  floor_bytes: number | null; // by how much the floor grew; below 0: it fell
  explained_share: number | null; // the part that has a mechanism other than `unexplained`
  mechanisms: GrowthPart[]; // its parts; they add up to the growth of the tree
}

// A part of the growth with one cause.
export interface GrowthPart {
  mechanism: "live-objects" | "allocator-retention" | "copy-on-write" | "shared-memory" | "page-cache" | "bounded-cache" | "native-live" | "gpu-reserve" | "gpu-outside-torch" | "unexplained"; // why it grew
  bytes: number; // by how much
  share: number; // its part of the growth, 0 to 1
}

// A line that allocates, with all stacks of one process that lead to it.
export interface Site {
  pid: number; // its process
  verdict: Verdict; // of the live bytes
  live_bytes: number; // allocated here and not freed at the end, an estimate
  growth_bytes: number; // by how much that grew during the run
  error_bytes: number; // one standard error of the growth
  share: number | null; // its part of the growth of all live memory, which is less than the growth of resident memory: allocators keep free memory between blocks
  live_samples: number; // samples that the live bytes were estimated from
  allocated_bytes: number; // all that was ever allocated here
  stacks: number; // how many stacks lead to the line
  act_on: number | null; // the index of the frame to look at: the innermost call of the user's own Python code or native module
  native_function: string | null; // the C function that this line called through ctypes or cffi: `malloc`
  frames: Frame[]; // the stack that grew most, innermost frame first
  cut: boolean; // whether the stack has more frames outside
}

// One call of a stack.
export interface Frame {
  language: "python" | "native"; // of the code
  function: string | null; // null where it is not known
  file: string | null; // the source file, null where it is not known
  line: number | null; // null where it is not known
  module: string | null; // of native code: the library or program
}

// A Python object that keeps memory alive.
export interface Holder {
  pid: number; // its process
  path: string; // how to reach it, as Python writes it
  type: string; // its type
  length: number | null; // its number of elements
  growth_length: number | null; // by how many elements it grew
  retained_bytes: number; // host memory that it retains
  growth_bytes: number | null; // by how much that grew
  device_bytes: number; // memory of tensors on devices that it retains
  growth_device_bytes: number | null; // by how much that grew
  share: number | null; // its part of the growth of the process, or of its memory without an earlier snapshot; host and devices together
  file: string | null; // of the frame whose variable it is
  line: number | null; // where that frame stood
  retained_objects: number; // objects that it retains
  growth_objects: number | null; // by how many these grew
  cache: string | null; // whether a cache is `bounded` or `unbounded`; null: not a cache
  bound: number | null; // of a bounded cache: its most elements
  address: number; // its address
  holder: number | null; // the index of the holder that keeps it
  depth: number; // steps of the path
}

// Tensors of one device, type and shape.
export interface Tensors {
  pid: number; // their process
  device: string; // `cpu`, `cuda:0`
  dtype: string; // type of the elements
  shape: number[]; // size of each dimension
  count: number; // how many there are
  bytes: number; // of their elements
  growth_count: number | null; // how many more there are
  growth_bytes: number | null; // by how much the bytes grew
  requires_grad: boolean; // whether gradients are computed
  storages: number; // storages behind them that no earlier row has counted
  storage_bytes: number; // of these storages
}

// Python objects of one type.
export interface TypeCount {
  pid: number; // their process
  type: string; // the type
  count: number; // how many there are
  bytes: number; // of the objects alone
  growth_count: number | null; // how many more there are
  growth_bytes: number | null; // by how much the bytes grew
}

// A GPU of the job; what torch or JAX does not report is null.
export interface Gpu {
  index: number | null; // its number
  name: string | null; // its model
  id?: string | null; // its UUID or bus, where the log has no index
  total_bytes: number | null; // memory of the device
  used_bytes: number | null; // used, by all processes
  pid: number | null; // the process of the job that has most on it
  process_bytes: number | null; // what that process has; what torch reserves, where the driver does not report it
  allocated_bytes: number | null; // what torch or JAX has handed out
  reserved_bytes: number | null; // what torch or JAX has from the driver
  fragmented_bytes: number | null; // free pieces between blocks in use
  outside_torch_bytes: number | null; // what the driver counts beyond `reserved_bytes`; null where the driver does not report it
  framework?: "torch" | "JAX" | null; // whose allocator was read
  retries?: number | null; // times that torch returned all free memory and tried again
  ooms?: number | null; // allocations that failed
  pinned_bytes?: number | null; // pinned host memory
  ledger?: GpuLedger | null; // at the last snapshot; null if a part of the memory is not known
  peak_ledger?: GpuLedger | null; // at the snapshot with most memory, if that is another
  blocks?: GpuBlocks | null; // pools and lines of torch's allocator; null if they were not read
  oom?: GpuOom | null; // the last request that failed; null: none
  verdict: Verdict; // of the allocated memory, or of the memory outside of torch where that leaks; without torch, of the used memory
}

// What fills a GPU at the moment of a heap snapshot.
export interface GpuLedger {
  at_s: number; // seconds into the run
  parts: MemoryPart[]; // they add up to the memory of the GPU
}

// A part of the memory at one moment.
export interface MemoryPart {
  name: string; // a variable in backticks, or a kind of memory
  bytes: number; // its size
  what: string; // what it is
}

// What torch's CUDA allocator had at the last snapshot.
export interface GpuBlocks {
  at_s: number; // seconds into the run
  allocator: string; // `native`, `cudaMallocAsync`, `pluggable`
  steps: number; // steps of the trainer until then
  recorded_steps: number; // of these, the steps with stacks
  no_stacks: string | null; // why no further steps are recorded; null: they are
  pools: GpuPool[]; // they add up to what torch has reserved
  lines: GpuLine[]; // most first; they add up to what torch has allocated
  peak_step: number | null; // the step that `peak_lines` is about; null: none
  peak_lines: GpuLine[]; // the same when that step had most
}

// A pool of torch's CUDA allocator.
export interface GpuPool {
  name: string; // `default`, `CUDA graph 1`, `private pool 1`
  reserved_bytes: number; // what it has from the driver
  allocated_bytes: number; // in blocks of the job
  requested_bytes: number; // of these, before torch rounded them up
  awaiting_bytes: number; // freed by the job, and still in use by a stream
  split_bytes: number; // free, in segments that have blocks in use
  whole_bytes: number; // free, in segments that torch can return to the driver
  largest_free_bytes: number; // the largest free block
  free_blocks: number; // number of free blocks
  segments: number; // number of segments
  is_expandable: boolean; // whether its segments can grow (expandable_segments)
}

// Live memory of a GPU that the same line has allocated.
export interface GpuLine {
  kind: "line" | "further lines" | "without a stack" | "before the step"; // `line`, or what has no line
  line: CodeLine | null; // the innermost line of the user; null for other kinds
  bytes: number; // an estimate: what grows is counted for the steps that were not recorded too
  seen_bytes: number; // in blocks with this stack
  growth_per_step: number | null; // bytes; null where too few steps were recorded between two snapshots
}

// The last request of torch that failed.
export interface GpuOom {
  at: number | null; // seconds into the run
  asked_bytes: number; // what was asked for
  free_bytes: number; // what the driver had free on the GPU
  line: CodeLine | null; // the line that asked; null if it is not known
  categories: MemoryPart[]; // what filled the GPU then; empty if the job went on, or without a snapshot
}

// A phase of the training.
export interface Phase {
  name: string; // `train`, `eval`, `checkpoint`, or the job's own word
  pid: number; // its process
  count: number; // visits
  peak_bytes: number | null; // the most that was resident at a reading in it; null without a reading
  kept_bytes: number; // allocated in it and not freed later
  took_s: number; // total time of its visits, to within the time between two readings
}

// Something that happened to the job.
export interface Event {
  kind: "oom-kill" | "cuda-oom" | "worker-killed" | "killed" | "restart" | "exit"; // what happened
  at_s: number | null; // when
  line: number; // the line of the log; 0: of a recording
  text: string; // in words, or as the log has it
}

// A claim about the run, with its evidence.
export interface Finding {
  id: string; // the cause; several findings can have the same
  severity: "critical" | "high" | "medium" | "low" | "info"; // how much it matters
  title: string; // one sentence
  mechanism: "live-objects" | "allocator-retention" | "copy-on-write" | "shared-memory" | "page-cache" | "bounded-cache" | "native-live" | "gpu-reserve" | "gpu-outside-torch" | "unexplained" | null; // why resident memory grew
  pid: number | null; // the process it is about
  where: Place; // the place in the code
  share: number | null; // the part of the growth of the floor that it explains
  confidence: number; // the chance that it is right, 0 to 1
  evidence: string[]; // what was measured, a sentence each
  excluded: string[]; // other causes, and their share of the growth
  fix: string | null; // what to do
  hint: string | null; // the fix as code
  watch: string | null; // what to expect after the fix
  ruled_out: boolean; // the same as `is_benign`
  line: CodeLine | null; // the line to look at first
  variable: string | null; // the variable that holds the memory, as the code writes it
  process: FindingProcess | null; // the processes that it is about
  parts: MemoryPart[]; // of a failed CUDA allocation: what held the memory, most first
  phase: string | null; // the phase of the trainer that keeps the memory
  source_lines: CodeLine[]; // the lines that allocate, store and create what is held
  ruled_out_causes: string[]; // the same as `excluded`
  example: string | null; // the same as `hint`
  expect_after_fix: string | null; // the same as `watch`
  is_benign: boolean; // true: it is no fault of the job: the finding states what the cause is not
}

// Where in the code of the job; null where it is not known.
export interface Place {
  file: string | null; // the source file
  line: number | null; // its line
  function: string | null; // the function around it
  holder: string | null; // the variable that keeps the memory, as Python writes it
}

// What the measurement itself cost.
export interface Overhead {
  monitor_cpu_share: number | null; // time of the monitor, as a share of one processor
  monitor_rss_bytes: number | null; // memory of the monitor
  samples_lost: number | null; // readings of the whole job that are missing
  agent: string; // `off`, `on` or `switched-off`
  note: string | null; // why the agent was switched off, or another remark on it
  not_entered: string[]; // processes of the job that the agent could not enter, and why; at most 100
  not_entered_count: number; // how many these are in all
  allocation_samples: number; // of the agent, in all processes
  allocation_samples_dropped: number; // of these, lost
  sampling_s: number; // time of the job spent with samples
  asking_s: number; // time of the job spent with steps, phases and counters, without the few microseconds at each step
  looks: number; // the same as `snapshots`
  snapshots: number; // heap snapshots of the Python processes
  interpreter_s: number; // the same as `asking_s`
  pauses_s: number; // the same as `snapshot_pauses_s`
  snapshot_pauses_s: number; // how long the Python processes were stopped for snapshots
}

// What was in the input and was not used, or was assumed.
export interface Warning {
  text: string; // one sentence
  count: number; // how often
  first_line: number; // the line where it was first; 0: none
}

// The process tree, shared pages counted once.
export interface Target {
  peak_bytes: number | null; // its highest reading
  last_bytes: number | null; // its last reading
  limit: "cgroup" | "host" | "gpu" | "tmpfs" | null; // whose limit it is; `host` also where the user gave it
  limit_bytes: number | null; // the limit
  ending: "unknown" | "running" | "closed" | "cut-off"; // how the recording ended; `cut-off`: the monitor was killed
}

// A file system in memory, at the last reading.
export interface Tmpfs {
  path: string; // where it is mounted, as the job sees it
  total_bytes: number; // its size
  used_bytes: number; // used by all files, those of other jobs too
  job_bytes: number; // used by files that the job made
  was_full: boolean; // it was full when a process of the job failed
}

// Objects of shared memory with similar names.
export interface SharedMemory {
  kind: "file" | "segment" | "memfd"; // `file` in a tmpfs, System V `segment`, `memfd`
  name: string | null; // their names, with * for numbers
  count: number; // number of objects
  bytes: number; // their memory
  link: "unknown" | "creator" | "name" | "open" | "writer"; // how `pid` is known; `creator`: from the kernel, `name`: it is in the names, `open`: it has them open, `writer`: the only process of the job that wrote that much at that time
  pid: number | null; // the process that made or holds them; of several the one with most; null: not known
  pid_bytes: number; // of `bytes`, the part of `pid`
}

// Processes that ended too soon to be judged one by one.
export interface ShortLived {
  count: number; // those that were read at least once
  largest_bytes: number; // the most that one of them had
  unseen_at_least: number | null; // lived between two readings: at least as many
  unseen_at_most: number | null; // at most as many: the pids that the kernel gave out, which includes threads and processes of other jobs
}

// What happened when the allocator of a process was asked to return free memory.
export interface TrimTrial {
  pid: number; // its process
  at_s: number; // when
  outcome: "done" | "no-trim" | "not-reached" | "unfinished"; // `no-trim`: the allocator has no malloc_trim; `not-reached`: no thread allocated in time
  rss_before_bytes: number | null; // resident memory before
  rss_after_bytes: number | null; // resident memory after
  given_back_bytes: number | null; // the difference; 0 where it rose meanwhile
  trim_s: number; // time in malloc_trim
  inspect_s: number | null; // time in mallinfo2, glibc 2.33 and later
  arena_bytes: number | null; // what malloc had from the kernel before
  free_bytes: number | null; // of these, in no block
  mapped_bytes: number | null; // in blocks with a mapping of their own
}

// Where the memory of the cgroup went: tree + cache + kernel + rest = current.
export interface Reconciliation {
  at_s: number; // when
  exact: boolean; // whether PSS of the tree was read at that moment
  tree_bytes: number; // the process tree
  cache_bytes: number; // page cache
  kernel_bytes: number; // memory of the kernel
  current_bytes: number; // what the cgroup counts
  rest_bytes: number; // others in the cgroup, or differences of the readings
}

// The rules that `check` was given.
export interface Gate {
  outcome: "kept" | "broken" | "undecided"; // the worst of the rules: `kept` is pass, `broken` is fail
  result: "pass" | "fail" | "undecided"; // the worst of the rules
  rules: Rule[]; // each rule
}

// A rule of `check` and its result.
export interface Rule {
  rule: "no-leak" | "budget" | "max-growth" | "max-rate" | "no-oom" | "expect"; // which rule
  given: string; // as it was given: `--budget 20G`
  outcome: "kept" | "broken" | "undecided"; // the result: `kept` is pass, `broken` is fail
  result: "pass" | "fail" | "undecided"; // the result
  why: string; // one sentence with the numbers
}

// A series of readings.
export interface Counter {
  pid: number; // its process; 0: the whole job
  kind: "process" | "job" | "resident" | "gpu" | "steps"; // memory of a `process`, of the whole `job` or of a `gpu`, or the `steps` of the job; `resident` memory is not in the page
  name: string; // name of the series, for people
  times: number; // index of its times in `times`
  values: string; // base64 of float32, little-endian
}

// A stretch of time.
export interface Span {
  pid: number; // its process; 0: the whole job
  track: string; // phases, events, snapshots, not recorded, verdict
  name: string; // its name
  at_s: number; // its start
  took_s: number; // its duration; 0: a moment
}

// The name of a process.
export interface NamedProcess {
  pid: number; // the process
  name: string; // its name
}

// A stack that allocated memory.
export interface Stack {
  pid: number; // its process
  growth_bytes: number; // growth of its live memory
  live_bytes: number; // its live memory at the end
  frames: number[]; // indices in `frames`, innermost first
}

// The run before a change, of `compare --html`.
export interface Baseline {
  profile: Stack[]; // stacks that allocated memory
  growth_scale: number; // what its growth is multiplied by, so that both runs have the same length
}

// made from src/show, TypeScript: end
