// A sparkline: a curve in a table cell.
import { HEIGHT, sparkPaths, WIDTH } from "./curve";
import type { Curve } from "./data";
import { svg } from "./dom";
import { bytes } from "./format";

export function sparkline(curve: Curve): SVGElement | null {
  const paths = sparkPaths(curve);
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
