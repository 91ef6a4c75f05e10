// What a line or a stack allocated: over the whole run, over a part of it, or at the peak.
//
// Only lines have a curve over time, a stack has not. The bytes of a line are divided among its stacks in the proportions
// of the whole run. A stack that belongs to none of the report's lines has no bytes in a part of the run.
import { curveAt, curveIn, isWithin } from "./curve";
import { jobSeries, type Curve, type Data, type Frame } from "./data";
import { endedEarly } from "./process_series";
import { lowerBound } from "./resample";

export interface Range {
  from: number; // seconds
  to: number;
}

export type Value = "growth" | "live" | "peak";

export interface Moment {
  at: number;
  bytes: number;
}

// The highest reading of the process tree; null without readings.
export function peakOf(data: Data, range: Range | null): Moment | null {
  const job = jobSeries(data);
  if (!job) return null;
  const begin = range ? lowerBound(job.millis, range.from * 1000) : 0;
  const end = range ? lowerBound(job.millis, range.to * 1000 + 1) : job.millis.length;
  let best: Moment | null = null;
  for (let at = begin; at < end; ++at) {
    const bytes = job.values[at] ?? NaN;
    if (bytes > (best?.bytes ?? -Infinity)) best = { at: (job.millis[at] ?? 0) / 1000, bytes };
  }
  return best;
}

// From the first to the last value within the range; 0 where there is none.
export function growthIn(curve: Curve, { from, to }: Range): number {
  const part = curveIn(curve, from, to);
  return (part.at(-1)?.[1] ?? 0) - (part[0]?.[1] ?? 0);
}

// What was live at the end of the range; 0 where the process ended before it began.
export const liveIn = (curve: Curve, { from, to }: Range) => curveIn(curve, from, to).at(-1)?.[1] ?? 0;

const lineKey = (frame: Frame) =>
  JSON.stringify(frame.language === "python" ? [frame.file, frame.line, frame.function] : [frame.function, frame.module]);

// For each stack the index of its line in `report.sites`: that of its innermost frame that is such a line.
export function sitesOfStacks(data: Data): (number | null)[] {
  const known = new Map<string, number>();
  data.report.sites.forEach((site, at) => {
    const frame = site.frames[site.act_on ?? 0];
    if (!frame) return;
    const key = `${site.pid} ${lineKey(frame)}`;
    if (!known.has(key)) known.set(key, at);
  });
  const keys = data.frames.map(lineKey);
  return data.profile.map((stack) => {
    for (const frame of stack.frames) {
      const found = known.get(`${stack.pid} ${keys[frame] ?? ""}`);
      if (found !== undefined) return found;
    }
    return null;
  });
}

// The bytes of each line. `growth` may be negative.
export function siteBytes(data: Data, value: Value, range: Range | null): number[] {
  const peak = value === "peak" ? peakOf(data, range) : null;
  return data.report.sites.map((site, at) => {
    const curve = data.site_curves[at] ?? [];
    if (value === "peak") return peak && isWithin(curve, peak.at) ? curveAt(curve, peak.at) : 0;
    if (!range) return value === "growth" ? site.growth_bytes : site.live_bytes;
    return value === "growth" ? growthIn(curve, range) : liveIn(curve, range);
  });
}

// The bytes of each stack. A process that has ended holds nothing at the end of the run.
export function stackBytes(data: Data, value: Value, range: Range | null): number[] {
  const whole = (at: number) => data.profile[at]?.[value === "growth" ? "growth_bytes" : "live_bytes"] ?? 0;
  if (value === "growth" && !range) return data.profile.map((_, at) => whole(at));
  if (value === "live" && !range) {
    const ended = endedEarly(data);
    return data.profile.map(({ pid }, at) => (ended.has(pid) ? 0 : whole(at)));
  }
  const lines = sitesOfStacks(data);
  const bytes = siteBytes(data, value, range);
  const sums = new Map<number, { weight: number; stacks: number }>();
  const weight = (at: number) => Math.max(0, whole(at));
  lines.forEach((line, at) => {
    if (line === null) return;
    const sum = sums.get(line) ?? { weight: 0, stacks: 0 };
    sums.set(line, { weight: sum.weight + weight(at), stacks: sum.stacks + 1 });
  });
  return lines.map((line, at) => {
    const sum = line === null ? undefined : sums.get(line);
    if (line === null || !sum) return 0;
    return (bytes[line] ?? 0) * (sum.weight > 0 ? weight(at) / sum.weight : 1 / sum.stacks);
  });
}
