// What lowtide wrote into the page: see docs/page.md.

export interface Verdict {
  kind: "leak" | "warmup" | "spikes" | "stable" | "inconclusive";
  confidence: number;
  floor: { first_bytes: number | null; last_bytes: number | null };
  warmup_end: { step: number | null; seconds: number | null } | null;
  plateau_bytes: number | null;
  spike_bytes: number | null;
  reason: string;
}

export interface Frame {
  language: "python" | "native";
  function: string | null;
  file: string | null;
  line: number | null;
  module: string | null;
}

export interface Process {
  pid: number;
  ppid: number | null;
  role: string | null;
  index?: number | null;
  command: string | null;
  started_s: number | null;
  ended_s: number | null;
  exit: number | null;
  processes?: number;
  verdict: Verdict;
  peak_bytes?: number;
  growth_share?: number | null;
  bytes: { rss: number | null; pss: number | null; uss: number | null };
}

export interface Site {
  pid: number;
  verdict: Verdict;
  live_bytes: number;
  growth_bytes: number;
  error_bytes: number;
  share: number | null;
  stacks: number;
  act_on: number | null;
  native_function: string | null;
  frames: Frame[];
  cut: boolean;
}

export interface Holder {
  pid: number;
  path: string;
  type: string;
  length: number | null;
  growth_length: number | null;
  retained_bytes: number;
  growth_bytes: number | null;
  device_bytes: number;
  growth_device_bytes: number | null;
  share: number | null;
  file: string | null;
  line: number | null;
  cache: string | null;
  bound: number | null;
}

export interface Tensors {
  pid: number;
  device: string;
  dtype: string;
  shape: number[];
  count: number;
  bytes: number;
  growth_count: number | null;
  growth_bytes: number | null;
  requires_grad: boolean;
}

export interface TypeCount {
  pid: number;
  type: string;
  count: number;
  bytes: number;
  growth_count: number | null;
  growth_bytes: number | null;
}

export interface Phase {
  name: string;
  pid: number;
  count: number;
  peak_bytes: number | null;
  kept_bytes: number;
  took_s: number;
}

export interface Range {
  estimate: number | null;
  low: number | null;
  high: number | null;
}

export interface Forecast {
  limit: string;
  limit_bytes: number;
  step: Range | null;
  seconds: Range | null;
}

export interface Report {
  lowtide: string;
  source: { duration_s: number | null; steps: number | null; command?: string | null };
  verdict: Verdict;
  processes: Process[];
  growth: { floor_bytes: number | null; mechanisms: { mechanism: string; bytes: number; share: number }[] };
  sites: Site[];
  holders: Holder[];
  tensors: Tensors[];
  types: TypeCount[];
  gpus: { index: number | null; name: string | null; total_bytes: number | null }[];
  phases: Phase[];
  forecast: Forecast | null;
}

export interface Span {
  pid: number; // 0: of the whole job
  track: string;
  name: string;
  at_s: number;
  took_s: number;
}

export interface Stack {
  pid: number;
  growth_bytes: number;
  live_bytes: number;
  frames: number[]; // of `frames`, innermost first
}

export type Course = [number, number][]; // seconds, bytes

interface Written {
  report: Report;
  times: string[];
  counters: { pid: number; name: string; times: number; values: string }[];
  readings: number;
  thinned: boolean;
  spans: Span[];
  processes: { pid: number; name: string }[];
  frames: Frame[];
  profile: Stack[];
  site_courses: Course[];
  holder_courses: Course[];
  limit_bytes: number | null;
  again_s: number | null; // when a page that is served comes anew
}

export interface Series {
  pid: number; // 0: of the whole job
  name: string;
  millis: Uint32Array;
  values: Float32Array;
}

export interface Data extends Omit<Written, "times" | "counters"> {
  series: Series[];
}

// Newer browsers have it built in, ten times as fast.
const fromBase64 = (Uint8Array as unknown as { fromBase64?: (text: string) => Uint8Array }).fromBase64;

function bytesOf(text: string): ArrayBuffer {
  if (fromBase64) return fromBase64.call(Uint8Array, text).buffer as ArrayBuffer;
  const raw = atob(text);
  const bytes = new Uint8Array(raw.length);
  for (let at = 0; at < raw.length; ++at) bytes[at] = raw.charCodeAt(at);
  return bytes.buffer;
}

export function readData(): Data {
  const element = document.getElementById("lowtide-data");
  const data = parseData(element?.textContent ?? "");
  element?.remove(); // tens of megabytes of text that nobody needs any more
  return data;
}

export function parseData(text: string): Data {
  const { times, counters, ...rest } = JSON.parse(text) as Written;
  const moments = times.map((text) => new Uint32Array(bytesOf(text)));
  const series = counters.map(({ pid, name, times: index, values }) => ({
    pid,
    name,
    millis: moments[index] ?? new Uint32Array(),
    values: new Float32Array(bytesOf(values)),
  }));
  return { ...rest, series };
}
