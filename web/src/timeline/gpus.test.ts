import { describe, expect, it } from "vitest";
import type { Gpu } from "../data";
import { dataOf, everySecond, seriesOf, verdictOf } from "../test_data";
import { gpuPicture } from "./gpus";

const gpu = (total_bytes: number | null): Gpu => ({
  index: 0, name: null, total_bytes, used_bytes: null, pid: null, process_bytes: null, allocated_bytes: null,
  reserved_bytes: null, fragmented_bytes: null, outside_torch_bytes: null, verdict: verdictOf(),
});
const used = everySecond(10, () => 50, "GPU 0 used", 0, "gpu");
const reserved = seriesOf([[5, 20], [9, 20]], "GPU 0 reserved", 7, "gpu");

describe("gpuPicture", () => {
  it("is none without a GPU", () => {
    expect(gpuPicture(dataOf({ series: [everySecond(5, () => 1)] }))).toBeNull();
  });

  it("names the process of what torch counts", () => {
    const picture = gpuPicture(dataOf({ series: [used, reserved] }));

    expect(picture?.series.map(({ label }) => label)).toEqual(["GPU 0 used", "GPU 0 reserved, pid 7"]);
  });

  it("draws as many lines as there are colours, and counts the others", () => {
    const series = Array.from({ length: 40 }, (_, at) => everySecond(3, () => 1, `GPU ${at}`, 0, "gpu"));

    const picture = gpuPicture(dataOf({ series }));

    expect(picture?.series).toHaveLength(12);
    expect(picture?.figures(null).at(-1)?.name).toBe("28 more in the JSON report");
  });

  it("has null where a series is not there, and no figure", () => {
    const picture = gpuPicture(dataOf({ series: [used, reserved] }));

    expect(picture?.columns(0, 10, 2)).toEqual([[50, 50], [null, 20]]);
    expect(picture?.figures(0).map(({ name, value }) => [name, value])).toEqual([["GPU 0 used", "50 B"]]);
    expect(picture?.figures(1)).toHaveLength(2);
    expect(picture?.figures(null).map(({ value }) => value)).toEqual(["", ""]);
  });

  it("reaches up to the memory of the smallest GPU once a third of it is used", () => {
    const picture = gpuPicture(dataOf({ series: [used], report: { gpus: [gpu(300), gpu(120), gpu(null)] } }));

    expect(picture?.top(40)).toBe(40);
    expect(picture?.top(41)).toBe(120);
    expect(picture?.top(130)).toBe(130);
  });

  it("reaches as high as it is where no total is known", () => {
    expect(gpuPicture(dataOf({ series: [used], report: { gpus: [gpu(null), gpu(0)] } }))?.top(50)).toBe(50);
  });
});
