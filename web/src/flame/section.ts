// The section of the flame graph: what it counts, how it is turned, and what is searched for.
import type { Data } from "../data";
import { el, section, type Part } from "../dom";
import { bytes, clock, percent } from "../format";
import type { View } from "../timeline/view";
import { peakOf, stackBytes, type Value } from "../values";
import { choices, frameToggles, searchBox, toggle } from "./controls";
import { FlameGraph } from "./graph";
import { largestGroup } from "./process_names";
import { buildTree, findMatches, type Options } from "./tree";

const MANY = 4; // equal processes: more than this are merged at first
const NOTE =
  "Each bar is a call; its width is the memory allocated below it. Select a time range in the chart above to see only that part of the run. Click a bar, or press Enter, to zoom in; arrow keys move. Python is coloured, native code is grey.";

export function flameSection(first: Data, view: View): Part | null {
  if (first.profile.length === 0) return null;
  let data = first;
  let value: Value = (["growth", "live"] as const).find((one) => stackBytes(data, one, null).some((size) => size > 0)) ?? "peak";
  const options: Options = { bottomUp: false, hideImports: false, hideNative: false, mergeProcesses: largestGroup(data) > MANY };
  const tree = () => buildTree(data, stackBytes(data, value, view.range), options);
  let root = tree();

  const details = el("p", { class: "readout", id: "flame-details" });
  const reset = el("button", { type: "button", disabled: true }, "Reset zoom");
  const graph = new FlameGraph(root, (call) => {
    details.textContent = call ? graph.words(call) : summary();
    reset.disabled = !graph.isZoomed;
  });
  const search = searchBox(() => {
    graph.search(search.value.trim());
    details.textContent = summary();
  });
  const summary = () => {
    const term = search.value.trim();
    if (!term) return totalText(data, value, view, root.value);
    const found = findMatches(root, term);
    return `${found.count} found, ${bytes(found.bytes)}, ${percent(found.bytes / (root.value || 1))}`;
  };
  const draw = () => {
    root = tree();
    graph.draw(root);
    graph.search(search.value.trim());
    details.textContent = summary();
    reset.disabled = !graph.isZoomed;
    merge.hidden = largestGroup(data) < 2;
  };
  reset.addEventListener("click", () => {
    graph.reset();
    reset.disabled = true;
  });

  const merge = toggle(options, "mergeProcesses", "Merge equal processes", draw);
  const what = choices<Value>([["growth", "Growth"], ["live", "Live at the end"], ["peak", "Live at the peak"]], value, (name) => {
    value = name;
    draw();
  });
  const turns = el("span", { class: "choices" }, ...frameToggles(options, draw), merge);
  view.onChange(draw);
  draw();
  const element = section("flame", "Flame graph", NOTE, el("div", { class: "buttons" }, search, what, turns, reset), details, graph.element);
  const update = (next: Data) => {
    data = next;
    draw();
  };
  return { element, show: () => undefined, update };
}

function totalText(data: Data, value: Value, { range }: View, total: number): string {
  if (value === "growth") return `Growth${range ? ` from ${clock(range.from)} to ${clock(range.to)}` : ""}: ${bytes(total)}`;
  if (value === "live") return `Live memory${range ? ` at ${clock(range.to)}` : ""}: ${bytes(total)}`;
  const peak = peakOf(data, range);
  return `Live memory at the peak${peak ? ` (${bytes(peak.bytes)} at ${clock(peak.at)})` : ""}: ${bytes(total)} from sampled allocations`;
}
