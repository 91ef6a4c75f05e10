import { describe, expect, it } from "vitest";
import { endedEarly, processSeries } from "./process_series";
import { dataOf, processOf, seriesOf } from "./test_data";

const tree = seriesOf([[0, 100], [50, 300]], "memory of the job", 0);
const pointsOf = (ended_s: number | null, listed = true) =>
  processSeries(
    dataOf({
      report: { processes: listed ? [processOf(1, null, { ended_s })] : [] },
      series: [tree, seriesOf([[0, 10], [48, 20]], "memory", 1), seriesOf([[0, 5]], "resident", 1, "resident")],
    }),
  ).map(({ millis, values }) => [[...millis], [...values]]);

describe("processSeries", () => {
  it("keeps the last value until the process ended, as the process tree does", () => {
    expect(pointsOf(49)).toEqual([[[0, 48_000, 49_000], [10, 20, 20]]]);
  });

  it("ends with the process tree", () => {
    expect(pointsOf(52)).toEqual([[[0, 48_000, 50_000], [10, 20, 20]]]);
    expect(pointsOf(null)).toEqual([[[0, 48_000, 50_000], [10, 20, 20]]]);
  });

  it("ends with the last reading if that is the end, or the end is not known", () => {
    expect(pointsOf(48)).toEqual([[[0, 48_000], [10, 20]]]);
    expect(pointsOf(null, false)).toEqual([[[0, 48_000], [10, 20]]]);
  });

  it("does not need readings", () => {
    expect(processSeries(dataOf({ series: [tree, seriesOf([], "memory", 1)] }))).toEqual([seriesOf([], "memory", 1)]);
  });
});

describe("endedEarly", () => {
  it("are processes that ended while the job went on", () => {
    const data = dataOf({
      report: { processes: [processOf(2, 1, { ended_s: 49.5 })] },
      series: [tree, seriesOf([[0, 1], [50, 1]], "memory", 1), seriesOf([[0, 1], [48, 1]], "memory", 2), seriesOf([[0, 1], [9, 1]], "memory", 3)],
    });

    expect([...endedEarly(data)]).toEqual([3]);
    expect(endedEarly(dataOf()).size).toBe(0);
  });
});
