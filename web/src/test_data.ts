// Small inputs for the tests; not part of the page.
import type { Data, Frame, Process, Series, SeriesKind, Verdict } from "./data";

// Points as [seconds, value].
export const seriesOf = (
  points: [number, number][],
  name = "memory",
  pid = 1,
  kind: SeriesKind = pid === 0 ? "job" : "process",
): Series => ({
  pid,
  kind,
  name,
  millis: Uint32Array.from(points, ([at]) => Math.round(at * 1000)),
  values: Float32Array.from(points, ([, value]) => value),
});

// A value for each second.
export const everySecond = (length: number, value: (at: number) => number, name?: string, pid?: number, kind?: SeriesKind) =>
  seriesOf(Array.from({ length }, (_, at) => [at, value(at)]), name, pid, kind);

export const verdictOf = (some: Partial<Verdict> = {}): Verdict => ({
  kind: "stable",
  confidence: 1,
  axis: "time",
  samples: 0,
  rate: null,
  floor: { first_bytes: null, last_bytes: null },
  warmup_end: null,
  plateau_bytes: null,
  spike_bytes: null,
  reason: "",
  needs: null,
  lean: null,
  basis: [],
  ...some,
});

export const frameOf = (some: Partial<Frame> = {}): Frame => ({
  language: "python",
  function: null,
  file: null,
  line: null,
  module: null,
  ...some,
});

export const processOf = (pid: number, ppid: number | null, some: Partial<Process> = {}): Process => ({
  pid,
  ppid,
  role: null,
  command: null,
  started_s: null,
  ended_s: null,
  exit: null,
  verdict: verdictOf(),
  bytes: { rss: 0, pss: null, uss: null, anon: null, file: null, shmem: null, swap: null },
  ...some,
});

export const dataOf = ({ report, ...some }: Partial<Omit<Data, "report">> & { report?: Partial<Data["report"]> } = {}): Data => ({
  report: {
    lowtide: "0",
    schema: 1,
    source: { type: "recording", path: "", started: null, duration_s: null, steps: null, format: null, bytes: 0, lines: 0 },
    answer: {
      kind: "stable",
      headline: "",
      line: null,
      variable: null,
      process: null,
      rate: null,
      confidence: 0,
      end_bytes: null,
      fix: null,
    },
    verdict: verdictOf(),
    processes: [],
    runs: [],
    growth: { floor_bytes: null, explained_share: null, mechanisms: [] },
    sites: [],
    holders: [],
    tensors: [],
    types: [],
    gpus: [],
    phases: [],
    forecast: null,
    events: [],
    findings: [],
    overhead: {
      monitor_cpu_share: null,
      monitor_rss_bytes: null,
      samples_lost: null,
      agent: "off",
      note: null,
      not_entered: [],
      not_entered_count: 0,
      allocation_samples: 0,
      allocation_samples_dropped: 0,
      sampling_s: 0,
      asking_s: 0,
      looks: 0,
      snapshots: 0,
      interpreter_s: 0,
      pauses_s: 0,
      snapshot_pauses_s: 0,
    },
    warnings: [],
    ...report,
  },
  series: [],
  readings: 0,
  thinned: false,
  spans: [],
  processes: [],
  frames: [],
  profile: [],
  baseline: null,
  site_curves: [],
  holder_curves: [],
  growth_words: [],
  limit_bytes: null,
  again_s: null,
  ...some,
});
