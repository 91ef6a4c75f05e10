// The memory of the process tree at its peak, divided: what each process had alone, and what the processes shared.
import type { Data, Series } from "./data";
import { processSeries } from "./process_series";
import { lowerBound, valueAt } from "./resample";
import { peakOf, type Range } from "./values";

export interface Shares {
  at: number; // seconds
  tree: number;
  processes: Map<number, number>; // those of the report, by pid
  others: number; // processes that the report does not list: earlier ones that were replaced
  shared: number; // the rest
}

// Between two readings on the line that joins them; 0 before the first and after the last.
export function bytesAt({ millis, values }: Series, seconds: number): number {
  const at = Math.round(seconds * 1000);
  const next = lowerBound(millis, at);
  const after = valueAt(values, next);
  if (valueAt(millis, next) === at) return after;
  if (next === 0 || next >= millis.length) return 0;
  const [from, to] = [valueAt(millis, next - 1), valueAt(millis, next)];
  const before = valueAt(values, next - 1);
  return before + ((at - from) / (to - from)) * (after - before);
}

// Null without readings of the tree.
export function sharesAtPeak(data: Data, range: Range | null): Shares | null {
  const peak = peakOf(data, range);
  if (!peak) return null;
  const listed = new Set(data.report.processes.map((process) => process.pid));
  const processes = new Map<number, number>();
  let others = 0;
  let sum = 0;
  // What was not read at the peak is at most what the process tree has left for it.
  const readUntil = new Map(data.series.filter((series) => series.kind === "process").map(({ pid, millis }) => [pid, millis.at(-1) ?? 0]));
  const isRead = ({ pid }: Series) => (readUntil.get(pid) ?? 0) >= Math.round(peak.at * 1000);
  for (const series of processSeries(data).sort((a, b) => Number(isRead(b)) - Number(isRead(a)))) {
    const value = bytesAt(series, peak.at);
    const bytes = isRead(series) ? value : Math.min(value, Math.max(0, peak.bytes - sum));
    sum += bytes;
    if (listed.has(series.pid)) processes.set(series.pid, (processes.get(series.pid) ?? 0) + bytes);
    else others += bytes;
  }
  return { at: peak.at, tree: Math.max(peak.bytes, sum), processes, others, shared: Math.max(0, peak.bytes - sum) };
}
