// The floor as it is drawn: a morphological opening of the low edge, first the lowest value within a window, then the highest of
// these. Spikes shorter than the window are removed, a ramp stays a ramp. The verdict does not use this approximation.
import type { Series } from "../data";
import { columnAt, resample, valueAt } from "../resample";

const COLUMNS = 800;
const HALF_WINDOW = 24;

export class Floor {
  private readonly values: Float64Array;

  constructor(
    series: Series,
    private readonly from: number,
    private readonly to: number,
  ) {
    this.values = opened(resample(series, from, to, COLUMNS).low);
  }

  at(seconds: number): number {
    const place = ((seconds - this.from) / (this.to - this.from)) * COLUMNS - 0.5;
    if (place < -0.5 || place > COLUMNS - 0.5) return NaN;
    const left = Math.min(Math.max(Math.floor(place), 0), COLUMNS - 1);
    const right = Math.min(left + 1, COLUMNS - 1);
    const share = Math.min(1, Math.max(0, place - left));
    const [before, after] = [valueAt(this.values, left), valueAt(this.values, right)];
    // Between the last column of the series and the first column without it, the nearer one is used.
    if (Number.isNaN(before) || Number.isNaN(after)) return share < 0.5 ? before : after;
    return before * (1 - share) + after * share;
  }

  columns(from: number, to: number, count: number): Float64Array {
    return Float64Array.from({ length: count }, (_, column) => this.at(columnAt(from, to, count, column)));
  }

  get last(): number {
    return this.values.findLast((value) => !Number.isNaN(value)) ?? NaN;
  }
}

function opened(low: Float64Array): Float64Array {
  const first = low.findIndex((value) => !Number.isNaN(value));
  const last = low.findLastIndex((value) => !Number.isNaN(value));
  if (first < 0) return low;
  const room = 2 * HALF_WINDOW;
  // Beyond its ends the series is continued by point reflection, so that a ramp stays a ramp. If it ends in a spike, it is
  // mirrored instead.
  const isRamp = { [first]: endsOrdinarily(low, first, 1), [last]: endsOrdinarily(low, last, -1) };
  const beyond = (end: number, inwards: number) => {
    const mirrored = valueAt(low, Math.min(Math.max(inwards, first), last));
    return isRamp[end] ? 2 * valueAt(low, end) - mirrored : mirrored;
  };
  const wide = Float64Array.from({ length: last - first + 1 + 2 * room }, (_, place) => {
    const at = place - room + first;
    if (at < first) return beyond(first, 2 * first - at);
    return at > last ? beyond(last, 2 * last - at) : valueAt(low, at);
  });
  const floor = extreme(extreme(wide, Math.min), Math.max);
  return low.map((value, at) => (Number.isNaN(value) ? NaN : Math.min(value, valueAt(floor, at - first + room))));
}

// Whether the end continues the trend of its neighbours, and is not far above it.
function endsOrdinarily(low: Float64Array, end: number, inwards: 1 | -1): boolean {
  const level = (from: number) => {
    const near = Array.from({ length: HALF_WINDOW }, (_, at) => valueAt(low, end + inwards * (from + at)));
    const known = near.filter((value) => !Number.isNaN(value)).sort((a, b) => a - b);
    return known[known.length >> 1] ?? valueAt(low, end);
  };
  const rise = level(0) - level(HALF_WINDOW);
  return valueAt(low, end) - level(0) <= Math.max(rise, 0) + 0.02 * level(0);
}

// The extreme value of each column's neighbourhood.
function extreme(values: Float64Array, pick: (a: number, b: number) => number): Float64Array {
  return values.map((value, at) => {
    let out = value;
    for (let other = Math.max(0, at - HALF_WINDOW); other <= Math.min(at + HALF_WINDOW, values.length - 1); ++other) {
      const near = valueAt(values, other);
      if (!Number.isNaN(near)) out = pick(out, near);
    }
    return out;
  });
}
