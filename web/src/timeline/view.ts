// The time range that all charts show. Where it is not the whole run, the flame graph and the tables follow it.
import { jobSeries, type Data } from "../data";
import type { Range } from "../values";

type Listener = () => void;

// From the first reading of the job to the last of any series, in seconds.
export function runOf(data: Data): [number, number] {
  const first = (jobSeries(data)?.millis[0] ?? 0) / 1000;
  return [first, Math.max(first, ...data.series.map((series) => (series.millis.at(-1) ?? 0) / 1000))];
}

export class View {
  private listeners: Listener[] = [];
  from: number;
  to: number;

  constructor(
    public first: number,
    public last: number,
  ) {
    this.from = first;
    this.to = last;
  }

  get isWhole() {
    return this.from === this.first && this.to === this.last;
  }

  // The part of the run that is selected; null: all of it.
  get range(): Range | null {
    const [from, to] = [Math.max(this.from, this.first), Math.min(this.to, this.last)];
    return (from <= this.first && to >= this.last) || from >= to ? null : { from, to };
  }

  // The run has become longer. A view of the whole run stays one; a part of it that was selected stays selected. Listeners
  // are not called: the caller updates what depends on the view.
  extend(first: number, last: number) {
    const isWhole = this.isWhole;
    this.first = first;
    this.last = last;
    if (isWhole) [this.from, this.to] = [first, last];
  }

  onChange(listener: Listener) {
    this.listeners.push(listener);
  }

  set(from: number, to: number) {
    const least = Math.max(1e-3, (this.last - this.first) / 1e6);
    if (!(to - from >= least)) return; // also if one is NaN
    this.from = from;
    this.to = to;
    for (const listener of this.listeners) listener();
  }

  reset() {
    this.set(this.first, this.last);
  }

  // By a factor, around the middle; the range stays within the run.
  zoom(factor: number) {
    const middle = (this.from + this.to) / 2;
    const half = ((this.to - this.from) / 2) * factor;
    const run = this.last - this.first;
    // Halves and doubles of most numbers are not exact.
    if (2 * half >= run - 1e-9 * run) {
      this.reset();
      return;
    }
    const from = Math.min(Math.max(middle - half, this.first), this.last - 2 * half);
    this.set(from, from + 2 * half);
  }
}
