// The trainer's steps on the time axis.
import type { Series } from "../data";
import { lowerBound, valueAt } from "../resample";

export interface Tick {
  step: number;
  at: number; // seconds
}

export class Steps {
  constructor(private readonly series: Series) {}

  // The step at a moment; null before the first.
  at(seconds: number): number | null {
    const index = lowerBound(this.series.millis, seconds * 1000 + 1) - 1;
    return this.series.values[index] ?? null;
  }

  // Round step numbers within the range, about `most` of them, with their moments.
  ticks(from: number, to: number, most: number): Tick[] {
    const { millis, values } = this.series;
    const begin = lowerBound(millis, from * 1000);
    const end = lowerBound(millis, to * 1000 + 1);
    if (end - begin < 2) return [];
    const first = valueAt(values, begin);
    const last = valueAt(values, end - 1);
    if (!(last > first)) return [];
    const gap = roundUp((last - first) / Math.max(1, most));
    const out: Tick[] = [];
    let index = begin;
    for (let step = Math.ceil(first / gap) * gap; step <= last; step += gap) {
      while (index < end && valueAt(values, index) < step) ++index;
      if (index < end) out.push({ step, at: valueAt(millis, index) / 1000 });
    }
    return out;
  }
}

// Steps need not be even in time. Leaves out ticks whose text would overlap the text of the tick before.
export function apart(ticks: Tick[], placeOf: (tick: Tick) => number, least: number): Tick[] {
  let before = -Infinity;
  return ticks.filter((tick) => {
    const place = placeOf(tick);
    const isApart = place - before > least;
    before = place;
    return isApart;
  });
}

// 1, 2 or 5 times a power of ten.
function roundUp(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  const factor = [1, 2, 5, 10].find((each) => each * power >= value * 0.999) ?? 10;
  return Math.max(1, factor * power);
}
