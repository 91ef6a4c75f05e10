// A curve as small as a word.
import type { Course, Series } from "./data";
import { svg } from "./dom";
import { bytes } from "./format";
import { orNull, resample } from "./resample";

const WIDTH = 96;
const HEIGHT = 24;
const COLUMNS = 48;

export function sparkline(course: Course): SVGElement | null {
  if (course.length < 2) return null;
  const first = course[0]![0];
  const span = course.at(-1)![0] - first || 1;
  const top = Math.max(...course.map(([, value]) => value)) || 1;
  const points = course.map(([at, value]) => {
    const x = 1 + ((at - first) / span) * (WIDTH - 4);
    const y = HEIGHT - 2 - (value / top) * (HEIGHT - 5);
    return `${x.toFixed(1)} ${y.toFixed(1)}`;
  });
  const [lastX, lastY] = points.at(-1)!.split(" ") as [string, string];
  const words = `from ${bytes(course[0]![1])} to ${bytes(course.at(-1)![1])}`;
  return svg(
    "svg",
    { class: "spark", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, width: WIDTH, height: HEIGHT, role: "img", "aria-label": words },
    svg("title", {}, words),
    svg("path", { class: "area", d: `M${points[0]!.split(" ")[0]} ${HEIGHT - 1}L${points.join("L")}L${lastX} ${HEIGHT - 1}Z` }),
    svg("path", { class: "line", d: `M${points.join("L")}` }),
    svg("circle", { cx: lastX, cy: lastY, r: 2 }),
  );
}

// Over the whole run, so that curves of several processes can be compared.
export function courseOf(series: Series, from: number, to: number): Course {
  return orNull(resample(series, from, to, COLUMNS).mean).flatMap((value, at): Course => {
    return value === null ? [] : [[from + (at * (to - from)) / COLUMNS, value]];
  });
}
