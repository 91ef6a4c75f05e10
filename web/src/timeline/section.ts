// The run over time: all charts, their buttons and legends.
import { color, hue } from "../colors";
import { jobSeries, type Data } from "../data";
import { el, section, type Part } from "../dom";
import { count } from "../format";
import { gpuPicture } from "./gpus";
import { jobPicture } from "./job";
import { processLayers, processPicture, SHARED } from "./processes";
import { Steps } from "./steps";
import { Strip, type LegendEntry } from "./strip";
import type { View } from "./view";

const AHEAD = 1.04; // of the way to the limit
const PHASE_HUES = [5, 1, 3, 7, 6, 8]; // none that could be taken for a leak

export function timeline(first: Data, view: View): Part | null {
  if ((jobSeries(first)?.millis.length ?? 0) < 2) return null;
  const job = new Strip(view, "", "Phases");
  const processes = new Strip(view, "By process", "Processes");
  const gpus = new Strip(view, "GPU", "GPUs");
  const buttons = new Buttons(view);
  const thinned = el("p", { class: "note", id: "thinned" });

  const update = (data: Data) => {
    const series = jobSeries(data);
    if (!series) return;
    const stepSeries = data.series.find((one) => one.kind === "steps");
    const steps = stepSeries ? new Steps(stepSeries) : null;
    const phases = phaseLegend(data);
    const phaseColor = (name: string) => (phases.find((entry) => entry.name === name) ?? OTHER_PHASES).swatch();
    job.update(jobPicture(data, series, view, phaseColor), steps, phases);
    const stacked = processLayers(data);
    const isCrowd = stacked.layers.length > 1;
    processes.update(isCrowd ? processPicture(stacked) : null, steps, isCrowd ? [SHARED, ...stacked.layers] : []);
    gpus.update(gpuPicture(data), steps);
    buttons.update(data);
    thinned.hidden = !data.thinned;
    thinned.textContent = thinnedText(data);
  };
  update(first);
  const element = section(
    "timeline",
    "Memory over time",
    "Anonymous and shared memory of the process tree; shared pages are counted once (PSS). Drag to select a time range, double-click to show the whole run. The flame graph and the tables follow the range.",
    buttons.element,
    job.element,
    processes.element,
    gpus.element,
    thinned,
  );
  const show = () => {
    for (const strip of [job, processes, gpus]) strip.show();
  };
  return { element, show, update };
}

const OTHER_PHASES: LegendEntry = { name: "other phases", swatch: () => color("muted") };

function phaseLegend(data: Data): LegendEntry[] {
  const names = [...new Set(data.spans.filter((span) => span.track === "phases").map((span) => span.name))];
  const entries = PHASE_HUES.slice(0, names.length).map((number, at) => ({ name: names[at] ?? "", swatch: () => hue(number) }));
  return names.length > entries.length ? [...entries, OTHER_PHASES] : entries;
}

const thinnedText = (data: Data) =>
  `The recording has ${count(data.readings)} readings. This page has the lowest and the highest of each short interval, so no peak is lost.`;

class Buttons {
  readonly element: HTMLElement;
  private readonly forecast: HTMLButtonElement;
  private reached: number | null = null;

  constructor(private readonly view: View) {
    const button = (text: string, act: () => void) => el("button", { type: "button", click: act }, text);
    const reset = button("Reset", () => {
      view.reset();
    });
    this.forecast = button("Show forecast", () => {
      if (this.reached !== null) view.set(view.first, view.first + (this.reached - view.first) * AHEAD);
    });
    view.onChange(() => (reset.disabled = view.isWhole));
    reset.disabled = true;
    this.element = el(
      "div",
      { class: "buttons" },
      button("Zoom in", () => {
        view.zoom(0.5);
      }),
      button("Zoom out", () => {
        view.zoom(2);
      }),
      reset,
      this.forecast,
    );
  }

  update(data: Data) {
    this.reached = data.report.forecast?.seconds?.estimate ?? null;
    this.forecast.hidden = this.reached === null || this.reached <= this.view.last || data.limit_bytes === null;
  }
}
