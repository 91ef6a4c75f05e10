// A curve as small as a word: its points and paths.
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

// Of at least two points; null of fewer.
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

// Over the whole run, so that curves of several processes can be compared.
export function courseOf(series: Series, from: number, to: number): Course {
  return orNull(resample(series, from, to, COLUMNS).mean).flatMap((value, at): Course => {
    return value === null ? [] : [[from + (at * (to - from)) / COLUMNS, value]];
  });
}
