import { describe, expect, it } from "vitest";
import { dataOf, everySecond, processOf, seriesOf } from "../test_data";
import { processLayers, processPicture } from "./processes";

const swatch = () => "";

describe("processLayers", () => {
  it("are the processes by their peak, with role and pid", () => {
    const data = dataOf({
      series: [everySecond(5, () => 10, "memory", 7), everySecond(5, (at) => (at === 2 ? 99 : 1), "memory", 8)],
      report: { processes: [processOf(8, 1, { role: "worker", index: 3 })] },
    });

    expect(processLayers(data).map(({ name }) => name)).toEqual(["worker 3 8", "process 7"]);
  });

  it("do not hold the job as a whole, nor other series", () => {
    const data = dataOf({ series: [everySecond(5, () => 10, "memory", 0), everySecond(5, () => 10, "GPU 0", 7)] });

    expect(processLayers(data)).toEqual([]);
  });

  it("put all but 24 together", () => {
    const data = dataOf({ series: Array.from({ length: 30 }, (_, at) => everySecond(3, () => 100 - at, "memory", at + 1)) });

    const layers = processLayers(data);

    expect(layers).toHaveLength(25);
    expect(layers.at(-1)?.name).toBe("6 others");
    expect(layers.at(-1)?.series.map(({ pid }) => pid)).toEqual([25, 26, 27, 28, 29, 30]);
  });

  it("do not need readings", () => {
    expect(processLayers(dataOf({ series: [seriesOf([], "memory", 3)] })).map(({ name }) => name)).toEqual(["process 3"]);
  });
});

describe("processPicture", () => {
  const layers = [
    { name: "a", swatch, series: [everySecond(10, () => 5, "memory", 1)] },
    { name: "b", swatch, series: [everySecond(10, () => 2, "memory", 2), everySecond(10, () => 1, "memory", 3)] },
    { name: "c", swatch, series: [seriesOf([[5, 4], [9, 4]], "memory", 4)] },
  ];

  it("draws the sum of all first, and each smaller sum over it", () => {
    const picture = processPicture(layers);

    expect(picture.series.map(({ label }) => label)).toEqual(["c", "b", "a"]);
    expect(picture.columns(0, 10, 2)).toEqual([
      [8, 12],
      [8, 8],
      [5, 5],
    ]);
  });

  it("names the largest under the pointer, and none that is not there", () => {
    const picture = processPicture(layers);
    picture.columns(0, 10, 2);

    expect(picture.figures(0).map(({ name, value }) => [name, value])).toEqual([["a", "5 B"], ["b", "3 B"]]);
    expect(picture.figures(1).map(({ name }) => name)).toEqual(["a", "c", "b"]);
    expect(picture.figures(null)).toEqual([]);
  });

  it("names five at most", () => {
    const picture = processPicture(Array.from({ length: 9 }, (_, at) => ({ name: String(at), swatch, series: [everySecond(4, () => at + 1)] })));
    picture.columns(0, 3, 1);

    expect(picture.figures(0).map(({ name }) => name)).toEqual(["8", "7", "6", "5", "4"]);
  });

  it("has no figures before it has columns", () => {
    expect(processPicture(layers).figures(0)).toEqual([]);
  });
});
