import { describe, expect, it } from "vitest";
import { bytesAt, sharesAtPeak } from "./process_shares";
import { dataOf, processOf, seriesOf } from "./test_data";

describe("bytesAt", () => {
  const series = seriesOf([[1.001, 10], [3.001, 30]]);

  it("is a reading, or on the line between two", () => {
    expect(bytesAt(series, 1.001)).toBe(10);
    expect(bytesAt(series, 2.001)).toBe(20);
    expect(bytesAt(series, 3.001)).toBe(30);
  });

  it("is nothing before the process began and after it ended", () => {
    expect(bytesAt(series, 1)).toBe(0);
    expect(bytesAt(series, 3.1)).toBe(0);
    expect(bytesAt(seriesOf([]), 1)).toBe(0);
  });
});

describe("sharesAtPeak", () => {
  const data = dataOf({
    report: { processes: [processOf(1, null), processOf(2, 1)] },
    series: [
      seriesOf([[0, 100], [5, 297], [9, 200]], "memory of the job", 0),
      seriesOf([[0, 90], [5, 10]], "memory", 1),
      seriesOf([[4, 5], [5, 9]], "memory", 2),
      seriesOf([[4, 5], [5, 8]], "memory", 3),
    ],
  });

  it("adds up to the process tree", () => {
    const shares = sharesAtPeak(data, null);

    expect(shares).toEqual({ at: 5, tree: 297, processes: new Map([[1, 10], [2, 9]]), others: 8, shared: 270 });
  });

  it("follows the peak of a range", () => {
    expect(sharesAtPeak(data, { from: 0, to: 1 })).toEqual({ at: 0, tree: 100, processes: new Map([[1, 90], [2, 0]]), others: 0, shared: 10 });
  });

  it("adds up although a process that exits was last read before the peak", () => {
    const exiting = dataOf({
      report: { processes: [processOf(1, null, { ended_s: 9 }), processOf(2, null)] },
      series: [seriesOf([[0, 20], [8, 100]], "memory of the job", 0), seriesOf([[0, 10], [7, 42]], "memory", 1), seriesOf([[0, 10], [8, 60]], "memory", 2)],
    });

    expect(sharesAtPeak(exiting, null)).toEqual({ at: 8, tree: 100, processes: new Map([[2, 60], [1, 40]]), others: 0, shared: 0 });
  });

  it("needs readings of the tree", () => {
    expect(sharesAtPeak(dataOf(), null)).toBeNull();
  });
});
