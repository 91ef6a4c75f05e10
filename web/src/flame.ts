// The flame graph: from the outermost call down to the one that allocates, as wide as what it left.
import flamegraph, { type FlameNode } from "d3-flame-graph";
import { select } from "d3-selection";
import { color } from "./colors";
import type { Data } from "./data";
import { el, section } from "./dom";
import { buildTree, matches, shadeNumber, type Call, type Value } from "./flame_tree";
import { bytes, percent } from "./format";
import { before, onLeave } from "./live";
import { onThemeChange } from "./theme";

const ROW = 22;
const SHADES = 4; // --python-0 ... --native-3 in style.css

type Node = FlameNode<Call>;

function shadeOf(node: Node): string {
  if (node.highlight) return color("found");
  if (node.data.language === null) return color("flame-root");
  return color(`${node.data.language}-${shadeNumber(node.data.name, SHADES)}`);
}

export function flameSection(data: Data): { element: HTMLElement; show: () => void } | null {
  const usual: Value = data.profile.some((stack) => stack.growth_bytes > 0) ? "growth_bytes" : "live_bytes";
  if (data.profile.length === 0) return null;
  let value = usual;
  let root = buildTree(data, value);
  const host = el("div", { class: "flame" });
  const details = el("p", { class: "readout", id: "flame-details" });
  const search = el("input", { type: "search", id: "flame-search", placeholder: "Search: function or file", "aria-label": "Search the flame graph" });

  search.value = before().search ?? "";
  onLeave((chosen) => (chosen.search = search.value));

  const words = (node: Node) => `${node.data.name}: ${bytes(node.data.value)}, ${percent(node.data.value / (root.value || 1))}`;
  const rest = () => `${value === "growth_bytes" ? "Grown" : "Alive"}: ${bytes(root.value)} in all`;
  const chart = flamegraph<Call>()
    .cellHeight(ROW)
    .inverted(true)
    .minFrameSize(2)
    .sort((a, b) => b.value - a.value)
    .resetHeightOnZoom(true)
    .setColorMapper(shadeOf)
    .setLabelHandler(words)
    .setDetailsHandler((text) => (details.textContent = text ?? found ?? rest()))
    .setSearchMatch((node, term) => matches(node.data.name, term))
    .setSearchHandler((results, sum) => {
      found = `${results.length} found, ${bytes(sum)}, ${percent(sum / (root.value || 1))}`;
      details.textContent = found;
    });
  let found: string | null = null;

  const motion = matchMedia("(prefers-reduced-motion: reduce)").matches ? 0 : 250;
  const width = () => Math.max(240, Math.floor(host.getBoundingClientRect().width));
  const draw = () => {
    host.replaceChildren();
    chart.width(width()).height(null).transitionDuration(0);
    select(host).datum(root).call(chart);
    chart.transitionDuration(motion);
    details.textContent = rest();
    look();
  };
  const look = () => {
    const term = search.value.trim();
    if (term) {
      chart.search(term);
      return;
    }
    found = null;
    chart.clear();
    details.textContent = rest();
  };
  let waiting = 0;
  search.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(look, 120);
  });

  const choice = (name: Value, label: string) => {
    const radio = el("input", { type: "radio", name: "flame-value", checked: name === value });
    radio.addEventListener("change", () => {
      value = name;
      root = buildTree(data, value);
      draw();
    });
    return el("label", {}, radio, label);
  };
  const zoomOut = () => {
    chart.resetZoom();
  };
  const controls = el(
    "div",
    { class: "buttons" },
    search,
    usual === "growth_bytes" ? choice("growth_bytes", "what grew") : null,
    usual === "growth_bytes" ? choice("live_bytes", "what is alive") : null,
    el("button", { type: "button", click: zoomOut }, "All of it"),
  );
  const element = section(
    "flame",
    "Where it comes from",
    "Calls from the outermost, at the top, to the one that allocates. Click to look closer. Python is coloured, native code is grey.",
    controls,
    details,
    host,
  );
  const show = () => {
    draw();
    onThemeChange(() => {
      chart.update();
    });
    let last = width();
    new ResizeObserver(() => {
      if (width() !== last) draw();
      last = width();
    }).observe(host);
  };
  return { element, show };
}
