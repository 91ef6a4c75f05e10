// One chart over time: axes, zoom by dragging, hover, theme, size. What it shows is a Picture.
import uPlot from "uplot";
import { color } from "../colors";
import { el } from "../dom";
import { bytes, clock, count } from "../format";
import { columnAt } from "../resample";
import { onThemeChange } from "../theme";
import { apart, type Steps, type Tick } from "./steps";
import type { View } from "./view";

export interface Figure {
  name: string;
  value: string;
  swatch?: () => string;
}

export interface Picture {
  shape: string; // a picture of another shape has other series or colours
  label: string; // for screen readers
  height: number;
  series: uPlot.Series[];
  bands?: uPlot.Band[];
  // A list of values for each of `series`.
  columns(from: number, to: number, count: number): (number | null)[][];
  // What the vertical axis must reach.
  top(highest: number): number;
  // What is shown beside the time while the pointer is at a column; null: nowhere.
  figures(column: number | null): Figure[];
  drawBelow?(chart: uPlot): void;
  drawAbove?(chart: uPlot): void;
}

const HEADROOM = 1.1; // for text above the highest value
const STEP_WIDTH = 72;
const PRINT_WIDTH = 900; // style.css scales it to the width of the paper, whatever that is
const HOUR = 3600;
// Distances between two marks of the time axis.
const TIME_STEPS = [
  0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800,
  ...[1, 2, 3, 6, 12, 24, 48, 96, 168, 336, 720].map((hours) => hours * HOUR),
];
const FONT = "12px system-ui, sans-serif";

export class Chart {
  readonly element = el("figure", { class: "chart" });
  private readonly readout = el("p", { class: "readout", "aria-live": "off" });
  private readonly host = el("div", { class: "plot" });
  private plot: uPlot | null = null;

  constructor(
    private readonly view: View,
    private picture: Picture,
    private steps: Steps | null,
  ) {
    this.host.setAttribute("role", "img");
    this.element.append(this.readout, this.host);
    view.onChange(() => {
      this.update();
    });
    onThemeChange(() => this.plot?.redraw(false, true));
    // Layout for paper leaves scripts no time to draw again, so the size is set before.
    addEventListener("beforeprint", () => {
      this.resize(PRINT_WIDTH);
    });
    addEventListener("afterprint", () => {
      this.resize(this.width());
    });
  }

  // Once it is in the page and has a width.
  show() {
    this.draw();
    new ResizeObserver(() => {
      this.resize(this.width());
    }).observe(this.host);
  }

  // Another picture in the same place.
  replace(picture: Picture, steps: Steps | null) {
    const isSame = picture.shape === this.picture.shape && (steps === null) === (this.steps === null);
    this.picture = picture;
    this.steps = steps;
    if (!this.plot) return;
    if (isSame) this.update();
    else this.draw();
  }

  private draw() {
    this.host.style.minHeight = `${this.picture.height}px`; // uPlot sets its size later, and the page must not move then
    this.plot?.destroy();
    this.plot = new uPlot(this.options(), this.data(), this.host);
    this.describe();
  }

  private resize(width: number) {
    if (!this.plot || width <= 0 || width === this.plot.width) return;
    this.plot.setSize({ width, height: this.picture.height });
    this.update();
  }

  private width() {
    return Math.floor(this.host.getBoundingClientRect().width);
  }

  private columnCount() {
    return Math.max(200, Math.min(4800, (this.plot?.width ?? this.width()) * Math.min(2, devicePixelRatio)));
  }

  private data(): uPlot.AlignedData {
    const { from, to } = this.view;
    const columns = Math.floor(this.columnCount());
    const x = Float64Array.from({ length: columns }, (_, column) => columnAt(from, to, columns, column));
    return [x, ...this.picture.columns(from, to, columns)] as uPlot.AlignedData;
  }

  private update() {
    this.plot?.setData(this.data());
    this.describe();
  }

  private describe() {
    this.host.setAttribute("aria-label", this.picture.label);
    const column = this.plot?.cursor.idx ?? null;
    const at = column === null ? null : this.plot?.data[0][column];
    const { from, to } = this.view;
    const when = at == null ? `${clock(from)} to ${clock(to)}` : clock(at, (to - from) / 1000);
    const step = at == null ? null : (this.steps?.at(at) ?? null);
    const figures = [
      { name: at == null ? "" : "at", value: when },
      ...(step === null ? [] : [{ name: "step", value: count(step) }]),
      ...this.picture.figures(column),
    ];
    this.readout.replaceChildren(
      ...figures.map((figure: Figure) => {
        return el("span", {}, figure.swatch ? colored(figure.swatch()) : null, figure.name ? `${figure.name} ` : null, el("b", {}, figure.value));
      }),
    );
  }

  private options(): uPlot.Options {
    const { view, picture } = this; // of its shape: what may change later is read from `this`
    const ink = () => color("muted");
    const grid = { stroke: () => color("hairline"), width: 1 };
    const axes: uPlot.Axis[] = [
      { stroke: ink, grid, ticks: grid, font: FONT, size: 32, incrs: TIME_STEPS, values: (_, at, __, ___, gap) => at.map((s) => clock(s, gap)), space: 60 },
      { stroke: ink, grid, ticks: { show: false }, font: FONT, size: 68, values: (_, at) => at.map(bytes), space: 44 },
    ];
    if (this.steps) axes.push(stepAxis(() => this.steps, ink));
    return {
      width: Math.max(this.width(), 200),
      height: picture.height,
      legend: { show: false },
      padding: [12, 24, 0, 0],
      series: [{}, ...picture.series],
      ...(picture.bands ? { bands: picture.bands } : {}),
      axes,
      scales: {
        x: { time: false, range: () => [view.from, view.to] },
        // Without values there is no highest one.
        y: { range: (_: uPlot, __: number, highest: number | null) => [0, this.picture.top(highest ?? 0) * HEADROOM || 1] },
      },
      cursor: {
        y: false,
        points: { size: 7 },
        drag: { x: true, y: false, setScale: false },
        // Hovering is shared between the charts; a drag reaches the others through the view.
        sync: { key: "run", setSeries: false, filters: { pub: (type) => type === "mousemove" || type === "mouseleave" } },
        bind: { dblclick: () => () => (view.reset(), null) },
      },
      hooks: {
        drawClear: [(plot) => this.picture.drawBelow?.(plot)],
        draw: [(plot) => this.picture.drawAbove?.(plot)],
        setCursor: [
          () => {
            this.describe();
          },
        ],
        setSelect: [
          (plot) => {
            this.zoomToSelection(plot);
          },
        ],
      },
    };
  }

  private zoomToSelection(plot: uPlot) {
    const { left, width } = plot.select;
    if (width < 4) return;
    const from = plot.posToVal(left, "x");
    const to = plot.posToVal(left + width, "x");
    plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
    this.view.set(from, to);
  }
}

function colored(background: string): HTMLElement {
  const swatch = el("i");
  swatch.style.background = background;
  return swatch;
}

function stepAxis(steps: () => Steps | null, stroke: () => string): uPlot.Axis {
  let ticks: Tick[] = [];
  return {
    scale: "x",
    // eslint-disable-next-line @typescript-eslint/no-unsafe-enum-assignment -- Side.Top, which has no value at run time
    side: 0,
    stroke,
    font: FONT,
    size: 30,
    grid: { show: false },
    ticks: { stroke: () => color("hairline"), width: 1, size: 5 },
    splits: (plot, _axis, from, to) => {
      const all = steps()?.ticks(from, to, Math.max(3, Math.floor(plot.width / 120))) ?? [];
      ticks = apart(all, (tick) => plot.valToPos(tick.at, "x"), STEP_WIDTH);
      return ticks.map((tick) => tick.at);
    },
    values: (_, splits) => splits.map((at) => `step ${count(ticks.find((tick) => tick.at === at)?.step ?? 0)}`),
  };
}
