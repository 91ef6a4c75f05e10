// A series in as many columns as the chart has: lowest, highest and mean of each.
import type { Series } from "./data";

export interface Columns {
  low: Float64Array; // NaN before the series begins and after it ends
  high: Float64Array;
  mean: Float64Array;
}

// NaN beyond the ends.
export const valueAt = (values: ArrayLike<number>, index: number) => values[index] ?? NaN;

// The first index whose time is not before `at`.
export function lowerBound(millis: Uint32Array, at: number): number {
  let low = 0;
  let high = millis.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (valueAt(millis, middle) < at) low = middle + 1;
    else high = middle;
  }
  return low;
}

export const columnAt = (from: number, to: number, count: number, column: number) =>
  from + ((column + 0.5) * (to - from)) / count;

export function resample(series: Series, from: number, to: number, count: number): Columns {
  const low = new Float64Array(count).fill(NaN);
  const high = new Float64Array(count).fill(NaN);
  const mean = new Float64Array(count).fill(NaN);
  const { millis, values } = series;
  const perMilli = count / ((to - from) * 1000);
  const begin = lowerBound(millis, from * 1000);
  let column = -1;
  let sum = 0;
  let readings = 0;
  let at = begin;
  for (; at < millis.length; ++at) {
    const place = Math.floor((valueAt(millis, at) - from * 1000) * perMilli);
    if (place >= count) break;
    const value = valueAt(values, at);
    if (Number.isNaN(value)) continue;
    if (place !== column) {
      if (column >= 0) mean[column] = sum / readings;
      column = place;
      sum = 0;
      readings = 0;
      low[place] = high[place] = value;
    } else if (value < valueAt(low, place)) low[place] = value;
    else if (value > valueAt(high, place)) high[place] = value;
    sum += value;
    ++readings;
  }
  if (column >= 0) mean[column] = sum / readings;
  joinGaps(series, from, to, count, begin, at, { low, high, mean });
  return { low, high, mean };
}

// Columns between two readings lie on the line that joins them.
function joinGaps(series: Series, from: number, to: number, count: number, begin: number, end: number, into: Columns) {
  const { millis, values } = series;
  const place = (index: number) => ((valueAt(millis, index) / 1000 - from) / (to - from)) * count - 0.5;
  const before = begin > 0 ? { at: place(begin - 1), value: valueAt(values, begin - 1) } : null;
  const after = end < millis.length ? { at: place(end), value: valueAt(values, end) } : null;
  let last = before;
  const join = (next: { at: number; value: number }, upTo: number) => {
    if (!last) return;
    for (let column = Math.max(0, Math.floor(last.at) + 1); column < upTo; ++column) {
      if (!Number.isNaN(valueAt(into.mean, column))) continue;
      const share = Math.min(1, Math.max(0, (column - last.at) / (next.at - last.at)));
      into.low[column] = into.high[column] = into.mean[column] = last.value + share * (next.value - last.value);
    }
  };
  for (let column = 0; column < count; ++column) {
    const value = valueAt(into.mean, column);
    if (Number.isNaN(value)) continue;
    join({ at: column, value }, column);
    last = { at: column, value };
  }
  if (after) join(after, count);
}

// uPlot has null for a missing value.
export const orNull = (values: Float64Array) => Array.from(values, (value) => (Number.isNaN(value) ? null : value));
