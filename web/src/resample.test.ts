import { describe, expect, it } from "vitest";
import { columnAt, lowerBound, orNull, resample, valueAt } from "./resample";
import { everySecond, seriesOf } from "./test_data";

const list = (values: Float64Array) => Array.from(values);

describe("valueAt", () => {
  it("is NaN beyond the ends", () => {
    expect(valueAt([5, 6], 1)).toBe(6);
    expect(valueAt([5, 6], 2)).toBeNaN();
    expect(valueAt([5, 6], -1)).toBeNaN();
    expect(valueAt([], 0)).toBeNaN();
  });
});

describe("lowerBound", () => {
  const millis = Uint32Array.of(10, 20, 20, 30);

  it.each([
    [0, 0],
    [10, 0],
    [11, 1],
    [20, 1],
    [21, 3],
    [30, 3],
    [31, 4],
    [Infinity, 4],
    [-Infinity, 0],
  ])("of %d is index %d", (at, index) => {
    expect(lowerBound(millis, at)).toBe(index);
  });

  it("is 0 in an empty list", () => {
    expect(lowerBound(new Uint32Array(), 5)).toBe(0);
  });

  it("agrees with a plain search in a long list", () => {
    const long = Uint32Array.from({ length: 1001 }, (_, at) => 3 * at);
    for (let at = -1; at < 3010; at += 7) expect(lowerBound(long, at)).toBe(long.filter((each) => each < at).length);
  });
});

describe("columnAt", () => {
  it("is the middle of the column", () => {
    expect(columnAt(0, 10, 5, 0)).toBe(1);
    expect(columnAt(0, 10, 5, 4)).toBe(9);
    expect(columnAt(100, 102, 1, 0)).toBe(101);
  });
});

describe("resample", () => {
  it("gives lowest, highest and mean of each column", () => {
    const series = seriesOf([[0, 4], [0.5, 1], [0.9, 10], [1, 7], [1.5, 9]]);

    const { low, high, mean } = resample(series, 0, 2, 2);

    expect(list(low)).toEqual([1, 7]);
    expect(list(high)).toEqual([10, 9]);
    expect(list(mean)).toEqual([5, 8]);
  });

  it("of nothing is nothing", () => {
    for (const values of Object.values(resample(seriesOf([]), 0, 10, 3)) as Float64Array[]) expect(list(values)).toEqual([NaN, NaN, NaN]);
  });

  it("of one reading is one column", () => {
    for (const values of Object.values(resample(seriesOf([[5, 42]]), 0, 9, 3)) as Float64Array[]) expect(list(values)).toEqual([NaN, 42, NaN]);
  });

  it("is not there before the series begins and after it ends", () => {
    const { mean } = resample(seriesOf([[4, 1], [5, 1]]), 0, 10, 10);

    expect(list(mean).map((value) => !Number.isNaN(value))).toEqual([false, false, false, false, true, true, false, false, false, false]);
  });

  it("joins two readings by a line", () => {
    const { low, high, mean } = resample(seriesOf([[0.5, 0], [4.5, 40]]), 0, 5, 5);

    expect(list(mean)).toEqual([0, 10, 20, 30, 40]);
    expect(list(low)).toEqual(list(mean));
    expect(list(high)).toEqual(list(mean));
  });

  it("follows the line between readings on either side of the stretch", () => {
    const { mean } = resample(seriesOf([[0, 1000], [1, 10], [10, 100], [11, 1000]]), 4, 6, 2);

    expect(mean[0]).toBeCloseTo(45);
    expect(mean[1]).toBeCloseTo(55);
  });

  it("shows of a longer series what lies in the stretch", () => {
    const { low, high } = resample(everySecond(10, (at) => 10 * at), 4, 8, 2);

    expect(list(low)).toEqual([40, 60]);
    expect(list(high)).toEqual([50, 70]);
  });

  it("puts each reading into its own column", () => {
    const { low, high } = resample(everySecond(1000, (at) => at), 0, 1000, 1000);

    expect(list(low)).toEqual(Array.from({ length: 1000 }, (_, at) => at));
    expect(list(high)).toEqual(list(low));
  });

  it("joins readings that do not begin at zero, also downwards", () => {
    expect(list(resample(seriesOf([[0.5, 50], [4.5, 10]]), 0, 5, 5).mean)).toEqual([50, 40, 30, 20, 10]);
  });

  it("shows nothing of a stretch before or after the series", () => {
    const series = seriesOf([[100, 1], [200, 2]]);

    expect(list(resample(series, 0, 50, 4).mean)).toEqual([NaN, NaN, NaN, NaN]);
    expect(list(resample(series, 300, 400, 4).mean)).toEqual([NaN, NaN, NaN, NaN]);
  });

  it("follows the line up to a reading at the end of the stretch", () => {
    expect(list(resample(seriesOf([[0.5, 0], [4, 35]]), 0, 4, 4).mean)).toEqual([0, 10, 20, 30]);
  });

  it("leaves a reading at the end of the stretch to the next one", () => {
    const { high } = resample(seriesOf([[0, 1], [0.5, 1], [1, 1000]]), 0, 1, 2);

    expect(list(high)).toEqual([1, 1]);
  });

  it("loses neither the spike nor the dip of a million readings", () => {
    const millis = Uint32Array.from({ length: 1_000_000 }, (_, at) => at);
    const values = new Float32Array(1_000_000).fill(100);
    values[123_456] = 9000;
    values[654_321] = 3;

    const { low, high, mean } = resample({ pid: 0, kind: "process", name: "", millis, values }, 0, 1000, 500);

    expect(Math.max(...high)).toBe(9000);
    expect(high.indexOf(9000)).toBe(61);
    expect(Math.min(...low)).toBe(3);
    expect(low.indexOf(3)).toBe(327);
    expect(mean[0]).toBe(100);
  });

  it("works up to the last time that can be written", () => {
    const { mean } = resample(seriesOf([[4_294_967.295, 5]]), 4_294_967, 4_294_968, 1);

    expect(list(mean)).toEqual([5]);
  });

  it("of a reading that is no number goes on with the others", () => {
    const { low, high, mean } = resample(seriesOf([[0, NaN], [0.1, 2], [0.2, NaN], [0.3, 4], [1.5, 3]]), 0, 2, 2);

    expect(list(low)).toEqual([2, 3]);
    expect(list(high)).toEqual([4, 3]);
    expect(list(mean)).toEqual([3, 3]);
  });

  it("of an empty stretch or of no columns ends, with nothing", () => {
    const series = everySecond(10, (at) => at);

    expect(list(resample(series, 5, 5, 3).mean)).toEqual([NaN, NaN, NaN]);
    expect(list(resample(series, 0, 9, 0).mean)).toEqual([]);
  });
});

describe("orNull", () => {
  it("has null for what is not there, and keeps zero", () => {
    expect(orNull(Float64Array.of(0, NaN, -1, Infinity))).toEqual([0, null, -1, Infinity]);
    expect(orNull(new Float64Array())).toEqual([]);
  });
});
