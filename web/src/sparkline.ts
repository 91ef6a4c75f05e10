// A sparkline: a curve in a table cell.
import { HEIGHT, sparkPaths, WIDTH } from "./course";
import type { Course } from "./data";
import { svg } from "./dom";
import { bytes } from "./format";

export function sparkline(course: Course): SVGElement | null {
  const paths = sparkPaths(course);
  if (!paths) return null;
  const words = `from ${bytes(paths.firstBytes)} to ${bytes(paths.lastBytes)}`;
  return svg(
    "svg",
    { class: "spark", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, width: WIDTH, height: HEIGHT, role: "img", "aria-label": words },
    svg("title", {}, words),
    svg("path", { class: "area", d: paths.area }),
    svg("path", { class: "line", d: paths.line }),
    svg("circle", { cx: paths.last.x, cy: paths.last.y, r: 2 }),
  );
}
