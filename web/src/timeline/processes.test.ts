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

    expect(processLayers(data).layers.map(({ name }) => name)).toEqual(["worker 3, pid 8", "process, pid 7"]);
  });

  it("do not hold the job as a whole, nor other series", () => {
    const data = dataOf({ series: [everySecond(5, () => 10, "step", 0, "steps"), everySecond(5, () => 10, "GPU 0", 7, "gpu")] });

    expect(processLayers(data)).toEqual({ layers: [], tree: null });
  });

  it("are as many as there are colours, and one for the others", () => {
    const data = dataOf({ series: Array.from({ length: 16 }, (_, at) => everySecond(3, () => 100 - at, "memory", at + 1)) });

    const { layers } = processLayers(data);

    expect(layers).toHaveLength(13);
    expect(layers.at(-1)?.name).toBe("4 other processes");
    expect(layers.at(-1)?.series.map(({ pid }) => pid)).toEqual([13, 14, 15, 16]);
  });

  it("do not need readings", () => {
    expect(processLayers(dataOf({ series: [seriesOf([], "memory", 3)] })).layers.map(({ name }) => name)).toEqual(["process, pid 3"]);
  });
});

describe("processPicture", () => {
  const layers = [
    { name: "a", swatch, series: [everySecond(10, () => 5, "memory", 1)] },
    { name: "b", swatch, series: [everySecond(10, () => 2, "memory", 2), everySecond(10, () => 1, "memory", 3)] },
    { name: "c", swatch, series: [seriesOf([[5, 4], [9, 4]], "memory", 4)] },
  ];

  it("draws the sum of all first, and each smaller sum over it", () => {
    const picture = processPicture({ layers, tree: null });

    expect(picture.series.map(({ label }) => label)).toEqual(["c", "b", "a"]);
    expect(picture.columns(0, 10, 2)).toEqual([
      [8, 12],
      [8, 8],
      [5, 5],
    ]);
  });

  it("names the largest under the pointer, and none that is not there", () => {
    const picture = processPicture({ layers, tree: null });
    picture.columns(0, 10, 2);

    expect(picture.figures(0).map(({ name, value }) => [name, value])).toEqual([["a", "5 B"], ["b", "3 B"]]);
    expect(picture.figures(1).map(({ name }) => name)).toEqual(["a", "c", "b"]);
    expect(picture.figures(null)).toEqual([]);
  });

  it("names five at most", () => {
    const picture = processPicture({
      layers: Array.from({ length: 9 }, (_, at) => ({ name: String(at), swatch, series: [everySecond(4, () => at + 1)] })),
      tree: null,
    });
    picture.columns(0, 3, 1);

    expect(picture.figures(0).map(({ name }) => name)).toEqual(["8", "7", "6", "5", "4"]);
  });

  it("has no figures before it has columns", () => {
    expect(processPicture({ layers, tree: null }).figures(0)).toEqual([]);
  });

  it("adds up to the process tree: the rest is shared", () => {
    const picture = processPicture({ layers, tree: everySecond(10, (at) => (at < 5 ? 20 : 30), "memory of the job", 0) });

    const columns = picture.columns(0, 10, 2);

    expect(picture.series.map(({ label }) => label)).toEqual(["c", "b", "a", "shared"]);
    expect(columns[0]).toEqual([20, 30]);
    expect(columns.at(-1)).toEqual([12, 18]);
    expect(picture.figures(0).map(({ name, value }) => [name, value])).toEqual([["shared", "12 B"], ["a", "5 B"], ["b", "3 B"]]);
  });

  it("has no negative shared part where readings disagree", () => {
    const picture = processPicture({ layers, tree: everySecond(10, () => 1, "memory of the job", 0) });

    expect(picture.columns(0, 10, 2).at(-1)).toEqual([0, 0]);
  });
});
