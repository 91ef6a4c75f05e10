// A sparkline: its points and paths.
import type { Curve, Series } from "./data";
import { orNull, resample } from "./resample";

export const WIDTH = 96;
export const HEIGHT = 24;
const COLUMNS = 48;

export interface SparkPaths {
  line: string;
  area: string; // below the line
  last: { x: string; y: string };
  firstBytes: number;
  lastBytes: number;
}

// Null for fewer than two points.
export function sparkPaths(curve: Curve): SparkPaths | null {
  const [first, last] = [curve[0], curve.at(-1)];
  if (!first || !last || curve.length < 2) return null;
  const span = last[0] - first[0] || 1;
  const top = curve.reduce((most, [, value]) => Math.max(most, value), -Infinity) || 1;
  const x = (at: number) => (1 + ((at - first[0]) / span) * (WIDTH - 4)).toFixed(1);
  const y = (value: number) => (HEIGHT - 2 - (value / top) * (HEIGHT - 5)).toFixed(1);
  const points = curve.map(([at, value]) => `${x(at)} ${y(value)}`).join("L");
  return {
    line: `M${points}`,
    area: `M${x(first[0])} ${HEIGHT - 1}L${points}L${x(last[0])} ${HEIGHT - 1}Z`,
    last: { x: x(last[0]), y: y(last[1]) },
    firstBytes: first[1],
    lastBytes: last[1],
  };
}

// Over the same time for all processes, so that their curves can be compared.
export function curveOf(series: Series, from: number, to: number): Curve {
  return orNull(resample(series, from, to, COLUMNS).mean).flatMap((value, at): Curve => {
    return value === null ? [] : [[from + (at * (to - from)) / COLUMNS, value]];
  });
}

// The value at a moment: on the line between two points. Before the first and after the last it is theirs.
export function curveAt(curve: Curve, at: number): number {
  const [first, last] = [curve[0], curve.at(-1)];
  if (!first || !last) return 0;
  if (at <= first[0]) return first[1];
  if (at >= last[0]) return last[1];
  const next = curve.findIndex(([moment]) => moment > at);
  const [before, after] = [curve[next - 1] ?? first, curve[next] ?? last];
  return before[1] + ((at - before[0]) / (after[0] - before[0])) * (after[1] - before[1]);
}

// Whether the curve was still being read at a moment: a process that has ended holds nothing.
export function isWithin(curve: Curve, at: number): boolean {
  const [first, last] = [curve[0], curve.at(-1)];
  if (!first || !last) return false;
  const gap = curve.length > 1 ? (2 * (last[0] - first[0])) / (curve.length - 1) : Infinity;
  return at >= first[0] - gap && at <= last[0] + gap;
}

// The part of the curve within a time range, with its values at both ends.
export function curveIn(curve: Curve, from: number, to: number): Curve {
  const [first, last] = [curve[0], curve.at(-1)];
  if (!first || !last || last[0] <= from || first[0] >= to) return [];
  const [begin, end] = [Math.max(from, first[0]), Math.min(to, last[0])];
  return [[begin, curveAt(curve, begin)], ...curve.filter(([at]) => at > begin && at < end), [end, curveAt(curve, end)]];
}
