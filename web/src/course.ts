// A sparkline: its points and paths.
import type { Course, Series } from "./data";
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
export function sparkPaths(course: Course): SparkPaths | null {
  const [first, last] = [course[0], course.at(-1)];
  if (!first || !last || course.length < 2) return null;
  const span = last[0] - first[0] || 1;
  const top = course.reduce((most, [, value]) => Math.max(most, value), -Infinity) || 1;
  const x = (at: number) => (1 + ((at - first[0]) / span) * (WIDTH - 4)).toFixed(1);
  const y = (value: number) => (HEIGHT - 2 - (value / top) * (HEIGHT - 5)).toFixed(1);
  const points = course.map(([at, value]) => `${x(at)} ${y(value)}`).join("L");
  return {
    line: `M${points}`,
    area: `M${x(first[0])} ${HEIGHT - 1}L${points}L${x(last[0])} ${HEIGHT - 1}Z`,
    last: { x: x(last[0]), y: y(last[1]) },
    firstBytes: first[1],
    lastBytes: last[1],
  };
}

// Over the same time for all processes, so that their curves can be compared.
export function courseOf(series: Series, from: number, to: number): Course {
  return orNull(resample(series, from, to, COLUMNS).mean).flatMap((value, at): Course => {
    return value === null ? [] : [[from + (at * (to - from)) / COLUMNS, value]];
  });
}

// The value at a moment: on the line between two points. Before the first and after the last it is theirs.
export function courseAt(course: Course, at: number): number {
  const [first, last] = [course[0], course.at(-1)];
  if (!first || !last) return 0;
  if (at <= first[0]) return first[1];
  if (at >= last[0]) return last[1];
  const next = course.findIndex(([moment]) => moment > at);
  const [before, after] = [course[next - 1] ?? first, course[next] ?? last];
  return before[1] + ((at - before[0]) / (after[0] - before[0])) * (after[1] - before[1]);
}

// Whether the course was still being read at a moment: a process that has ended holds nothing.
export function isWithin(course: Course, at: number): boolean {
  const [first, last] = [course[0], course.at(-1)];
  if (!first || !last) return false;
  const gap = course.length > 1 ? (2 * (last[0] - first[0])) / (course.length - 1) : Infinity;
  return at >= first[0] - gap && at <= last[0] + gap;
}

// The part of the course within a time range, with its values at both ends.
export function courseIn(course: Course, from: number, to: number): Course {
  const [first, last] = [course[0], course.at(-1)];
  if (!first || !last || last[0] <= from || first[0] >= to) return [];
  const [begin, end] = [Math.max(from, first[0]), Math.min(to, last[0])];
  return [[begin, courseAt(course, begin)], ...course.filter(([at]) => at > begin && at < end), [end, courseAt(course, end)]];
}
