// The run over time: all pictures, what can be done with them, and what their colours mean.
import { hue } from "../colors";
import type { Data } from "../data";
import { el, section } from "../dom";
import { count } from "../format";
import { before, onLeave } from "../live";
import { onThemeChange } from "../theme";
import { Chart } from "./chart";
import { gpuPicture } from "./gpus";
import { jobPicture } from "./job";
import { processLayers, processPicture } from "./processes";
import { Steps } from "./steps";
import { View } from "./view";

const AHEAD = 1.04; // of the way to the limit
const PHASE_HUES = [5, 1, 3, 7, 6, 8]; // none that could be taken for a leak

interface Part {
  element: HTMLElement;
  show: () => void;
}

export function timeline(data: Data): Part | null {
  const job = data.series.find((series) => series.pid === 0 && series.name === "memory of the job");
  const began = job?.millis[0];
  if (!job || began === undefined || job.millis.length < 2) return null;
  const ends = data.series.map((series) => (series.millis.at(-1) ?? 0) / 1000);
  const view = new View(began / 1000, Math.max(...ends));
  const stepSeries = data.series.find((series) => series.pid === 0 && series.name === "step");
  const steps = stepSeries ? new Steps(stepSeries) : null;

  const phases = [...new Set(data.spans.filter((span) => span.track === "phases").map((span) => span.name))];
  const phaseColor = (name: string) => hue(PHASE_HUES[phases.indexOf(name) % PHASE_HUES.length] ?? 0);
  const charts: Chart[] = [];
  const add = (chart: Chart) => (charts.push(chart), chart.element);

  const layers = processLayers(data);
  const gpus = gpuPicture(data);
  const element = section(
    "timeline",
    "Memory over time",
    "Anonymous and shared memory of the job, pages that processes share counted once. Drag to look closer, double-click for all of it.",
    buttons(data, view),
    add(new Chart(view, jobPicture(data, job, view, phaseColor), steps)),
    phases.length > 0 ? legend(phases.map((name) => ({ name, swatch: () => phaseColor(name) })), "Phases") : null,
    layers.length > 1 ? el("h3", {}, "By process") : null,
    layers.length > 1 ? add(new Chart(view, processPicture(layers), steps)) : null,
    layers.length > 1 ? legend(layers, "Processes") : null,
    gpus ? el("h3", {}, "GPU") : null,
    gpus ? add(new Chart(view, gpus, steps)) : null,
    data.thinned ? el("p", { class: "note", id: "thinned" }, thinnedWords(data)) : null,
  );
  onLeave((chosen) => {
    if (!view.isWhole) Object.assign(chosen, { from: view.from, to: view.to });
  });
  const show = () => {
    for (const chart of charts) chart.show();
    const { from, to } = before();
    if (from !== undefined && to !== undefined) view.set(from, to);
  };
  return { element, show };
}

const thinnedWords = (data: Data) =>
  `The recording has ${count(data.readings)} readings. This page holds the lowest and the highest of each short stretch of them; nothing that stands out is lost.`;

function buttons(data: Data, view: View): HTMLElement {
  const reached = data.report.forecast?.seconds?.estimate ?? null;
  const button = (words: string, act: () => void) => el("button", { type: "button", click: act }, words);
  const whole = button("All of it", () => {
    view.reset();
  });
  view.onChange(() => (whole.disabled = view.isWhole));
  whole.disabled = true;
  return el(
    "div",
    { class: "buttons" },
    button("Closer", () => {
      view.zoom(0.5);
    }),
    button("Further", () => {
      view.zoom(2);
    }),
    whole,
    reached !== null && reached > view.last && data.limit_bytes !== null
      ? button("Ahead to the limit", () => {
          view.set(view.first, view.first + (reached - view.first) * AHEAD);
        })
      : null,
  );
}

function legend(entries: { name: string; swatch: () => string }[], label: string): HTMLElement {
  const swatches: (() => void)[] = [];
  const list = el("ul", { class: "legend", "aria-label": label });
  for (const { name, swatch } of entries) {
    const box = el("i");
    swatches.push(() => (box.style.background = swatch()));
    list.append(el("li", {}, box, name));
  }
  const paint = () => {
    for (const each of swatches) each();
  };
  onThemeChange(paint);
  paint();
  return list;
}
