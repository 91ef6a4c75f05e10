// The flame graph of a comparison: what a change did to each call.
import type { Data } from "../data";
import { el, section, type Part } from "../dom";
import { bytes } from "../format";
import { buildDifference, changeShade, changeWords, type Change, type Field } from "./diff_tree";
import { choices, frameToggles, searchBox } from "./controls";
import { FlameGraph } from "./graph";
import { findMatches, type Call, type Options } from "./tree";

const NONE: Change = { before: 0, after: 0 };

export function differenceSection(data: Data): Part | null {
  const { baseline } = data;
  if (!baseline || (data.profile.length === 0 && baseline.profile.length === 0)) return null;
  let field: Field = "growth_bytes";
  const options: Options = { bottomUp: false, hideImports: false, hideNative: false, mergeProcesses: true };
  let shown = buildDifference(data, field, options);
  const changeOf = (call: Call) => shown.changes.get(call) ?? NONE;
  const details = el("p", { class: "readout", id: "flame-details" });
  const search = searchBox(() => {
    graph.search(search.value.trim());
    details.textContent = summary();
  });
  const graph = new FlameGraph(
    shown.root,
    (call) => {
      details.textContent = call ? graph.words(call) : summary();
      reset.disabled = !graph.isZoomed;
    },
    { shadeOf: (call) => changeShade(changeOf(call)), wordsOf: (call) => `${call.name}: ${changeWords(changeOf(call))}` },
  );
  const summary = () => {
    const term = search.value.trim();
    if (!term) return `${field === "growth_bytes" ? "Growth" : "Live at the end"}: ${changeWords(changeOf(shown.root))}`;
    const found = findMatches(shown.root, term);
    return `${found.count} found, ${bytes(found.bytes)}`;
  };
  const draw = () => {
    shown = buildDifference(data, field, options);
    graph.draw(shown.root);
    graph.search(search.value.trim());
    details.textContent = summary();
  };
  const what = choices<Field>([["growth_bytes", "Growth"], ["live_bytes", "Live at the end"]], field, (name) => {
    field = name;
    draw();
  });
  const reset = el("button", { type: "button", disabled: true }, "Reset zoom");
  reset.addEventListener("click", () => {
    graph.reset();
    reset.disabled = true;
  });
  const scaled = Math.abs(baseline.growth_scale - 1) > 0.005 ? " The growth before the change is scaled to the length of the run after it." : "";
  const element = section(
    "flame",
    "Differential flame graph",
    `Each bar is a call; its width is the larger of its memory before and after the change. Red: more memory after the change. Blue: less. Line numbers are left out, and all processes are merged.${scaled}`,
    el("div", { class: "buttons" }, search, what, el("span", { class: "choices" }, ...frameToggles(options, draw)), reset),
    details,
    graph.element,
  );
  draw();
  return { element, show: () => undefined, update: () => undefined };
}
