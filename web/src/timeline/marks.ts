// What is drawn on a chart besides its series: phases, events, lines with a name.
import type uPlot from "uplot";
import { color } from "../colors";
import type { Span } from "../data";

const scale = () => devicePixelRatio;

function onCanvas(plot: uPlot, draw: (context: CanvasRenderingContext2D) => void) {
  const { ctx, bbox } = plot;
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  ctx.font = `${12 * scale()}px system-ui, sans-serif`;
  ctx.lineWidth = scale();
  draw(ctx);
  ctx.restore();
}

const x = (plot: uPlot, seconds: number) => plot.valToPos(seconds, "x", true);
const y = (plot: uPlot, value: number) => plot.valToPos(value, "y", true);

// Time spans as bands over the whole height. A span narrower than a pixel is one pixel wide; several in one pixel are drawn once.
export function shade(plot: uPlot, spans: Span[], fill: (span: Span) => string) {
  const { min = 0, max = 0 } = plot.scales["x"] as { min?: number; max?: number };
  onCanvas(plot, (context) => {
    let drawn = -Infinity;
    for (const span of spans) {
      if (span.at_s > max || span.at_s + span.took_s < min) continue;
      const left = x(plot, span.at_s);
      const right = Math.max(x(plot, span.at_s + span.took_s), left + scale());
      if (right <= drawn) continue;
      context.fillStyle = fill(span);
      context.fillRect(Math.max(left, drawn), plot.bbox.top, right - Math.max(left, drawn), plot.bbox.height);
      drawn = right;
    }
  });
}

export function levelLine(plot: uPlot, value: number, name: string, ink: string, fromSeconds = -Infinity) {
  onCanvas(plot, (context) => {
    const at = Math.round(y(plot, value));
    const left = Math.max(plot.bbox.left, fromSeconds === -Infinity ? -Infinity : x(plot, fromSeconds));
    context.strokeStyle = context.fillStyle = color(ink);
    context.setLineDash([5 * scale(), 4 * scale()]);
    context.beginPath();
    context.moveTo(left, at);
    context.lineTo(plot.bbox.left + plot.bbox.width, at);
    context.stroke();
    // The text is below a line over the whole width, where events have no text, and above a line that begins later.
    const isWhole = left === plot.bbox.left;
    context.textAlign = isWhole ? "left" : "right";
    if (isWhole) context.fillText(name, left + 6 * scale(), at + 15 * scale());
    else context.fillText(name, plot.bbox.left + plot.bbox.width - 6 * scale(), at - 6 * scale());
  });
}

interface Taken {
  left: number;
  right: number;
  row: number;
}

const ROWS = 3;
const GAP = 8; // between two texts of a row

// The first row that has room between `left` and `right`; null: none has.
export function freeRow(taken: Taken[], left: number, right: number): number | null {
  for (let row = 0; row < ROWS; ++row) {
    if (!taken.some((one) => one.row === row && one.left < right + GAP && left < one.right + GAP)) return row;
  }
  return null;
}

const MOST_LETTERS = 40;

export const shortened = (name: string) => (name.length > MOST_LETTERS ? `${name.slice(0, MOST_LETTERS - 1)}…` : name);

// A moment as a line with text beside it. Text that would overlap other text is left out.
export class Moments {
  private taken: Taken[] = [];

  constructor(private readonly plot: uPlot) {}

  draw(seconds: number, name: string, ink: string) {
    const { plot } = this;
    onCanvas(plot, (context) => {
      const at = Math.round(x(plot, seconds));
      if (at < plot.bbox.left - 1 || at > plot.bbox.left + plot.bbox.width + 1) return;
      context.strokeStyle = context.fillStyle = color(ink);
      context.setLineDash([2 * scale(), 3 * scale()]);
      context.beginPath();
      context.moveTo(at, plot.bbox.top);
      context.lineTo(at, plot.bbox.top + plot.bbox.height);
      context.stroke();
      const words = shortened(name);
      const width = context.measureText(words).width;
      const isRoomRight = at + width + 10 * scale() < plot.bbox.left + plot.bbox.width;
      const left = isRoomRight ? at + 5 * scale() : at - 5 * scale() - width;
      const row = freeRow(this.taken, left, left + width);
      if (row === null) return;
      this.taken.push({ left, right: left + width, row });
      context.textAlign = "left";
      context.fillText(words, left, plot.bbox.top + (14 + 16 * row) * scale());
    });
  }
}

// A point with text above it; only the point if the text would overlap other text.
export function tag(plot: uPlot, seconds: number, value: number, words: string, ink: string, taken: [number, number][]) {
  onCanvas(plot, (context) => {
    const at = x(plot, seconds);
    const top = y(plot, value);
    context.fillStyle = color(ink);
    context.beginPath();
    context.arc(at, top, 3 * scale(), 0, 2 * Math.PI);
    context.fill();
    const half = context.measureText(words).width / 2;
    const middle = Math.min(Math.max(at, plot.bbox.left + half + 4), plot.bbox.left + plot.bbox.width - half - 4);
    if (taken.some(([left, right]) => middle - half < right && left < middle + half)) return;
    taken.push([middle - half - 8 * scale(), middle + half + 8 * scale()]);
    context.textAlign = "center";
    context.fillText(words, middle, Math.max(top - 8 * scale(), plot.bbox.top + 12 * scale()));
  });
}

// A forecast from one point to another, with its earliest and latest end.
export function cone(plot: uPlot, from: [number, number], to: [number, number], low: number, high: number, ink: string) {
  onCanvas(plot, (context) => {
    const [x0, y0] = [x(plot, from[0]), y(plot, from[1])];
    const top = y(plot, to[1]);
    context.fillStyle = context.strokeStyle = color(ink);
    context.globalAlpha = 0.15;
    context.beginPath();
    context.moveTo(x0, y0);
    context.lineTo(x(plot, low), top);
    context.lineTo(Math.min(x(plot, high), 1e6), top);
    context.closePath();
    context.fill();
    context.globalAlpha = 1;
    context.lineWidth = 2 * scale();
    context.setLineDash([6 * scale(), 5 * scale()]);
    context.beginPath();
    context.moveTo(x0, y0);
    context.lineTo(x(plot, to[0]), top);
    context.stroke();
  });
}
