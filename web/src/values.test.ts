import { describe, expect, it } from "vitest";
import type { Curve, Site, Stack } from "./data";
import { dataOf, everySecond, frameOf, seriesOf, verdictOf } from "./test_data";
import { growthIn, liveIn, peakOf, siteBytes, sitesOfStacks, stackBytes } from "./values";

const keep = frameOf({ function: "keep", file: "/job/train.py", line: 7 });
const load = frameOf({ function: "load", file: "/job/data.py", line: 3 });
const malloc = frameOf({ function: "malloc", language: "native", module: "libc.so.6" });
const site = (frames: Site["frames"], act_on: number, some: Partial<Site> = {}): Site => ({
  pid: 1, verdict: verdictOf(), live_bytes: 0, growth_bytes: 0, error_bytes: 0, share: null, live_samples: 0,
  allocated_bytes: 0, stacks: 1, act_on, native_function: null, frames, cut: false, ...some,
});
const stack = (frames: number[], growth_bytes: number, live_bytes: number, pid = 1): Stack => ({ pid, growth_bytes, live_bytes, frames });

// keep() grows by 10 a second to the end; load() holds 60 until second 5, and nothing after it.
const curve: Curve = [[0, 0], [10, 100]];
const data = dataOf({
  frames: [malloc, keep, load],
  profile: [stack([0, 1], 75, 75), stack([1], 25, 25), stack([0, 2, 1], 0, 0), stack([0], 5, 5), stack([1], 9, 9, 2)],
  site_curves: [curve, [[0, 60], [5, 60], [5.01, 0], [10, 0]]],
  report: { sites: [site([malloc, keep], 1, { live_bytes: 100, growth_bytes: 90 }), site([malloc, load], 1)] },
  series: [seriesOf([[0, 100], [4, 500], [8, 300]], "memory of the job", 0)],
});

describe("peakOf", () => {
  it("is the highest reading of the process tree", () => {
    expect(peakOf(data, null)).toEqual({ at: 4, bytes: 500 });
    expect(peakOf(data, { from: 5, to: 9 })).toEqual({ at: 8, bytes: 300 });
    expect(peakOf(dataOf({ series: [everySecond(3, () => 1, "memory", 7)] }), null)).toBeNull();
  });
});

describe("a range of a curve", () => {
  it("has its growth and its end", () => {
    expect(growthIn(curve, { from: 2, to: 5 })).toBe(30);
    expect(liveIn(curve, { from: 2, to: 5 })).toBe(50);
  });

  it("beyond the last point keeps it, and holds nothing if the process ended before", () => {
    expect(growthIn(curve, { from: 8, to: 20 })).toBe(20);
    expect([growthIn(curve, { from: 11, to: 20 }), liveIn(curve, { from: 11, to: 20 })]).toEqual([0, 0]);
    expect(growthIn([], { from: 0, to: 1 })).toBe(0);
  });
});

describe("sitesOfStacks", () => {
  it("is the innermost frame that is a line of the report, in the same process", () => {
    expect(sitesOfStacks(data)).toEqual([0, 0, 1, null, null]);
  });
});

describe("siteBytes", () => {
  it("are those of the report for the whole run", () => {
    expect(siteBytes(data, "growth", null)).toEqual([90, 0]);
    expect(siteBytes(data, "live", null)).toEqual([100, 0]);
  });

  it("follow the curve within a range", () => {
    expect(siteBytes(data, "growth", { from: 2, to: 4 })).toEqual([20, 0]);
    expect(siteBytes(data, "live", { from: 2, to: 4 })).toEqual([40, 60]);
  });

  it("show what was live at the peak, although it is gone at the end", () => {
    expect(siteBytes(data, "peak", null)).toEqual([40, 60]);
    expect(siteBytes(data, "peak", { from: 6, to: 9 })).toEqual([80, 0]);
  });
});

describe("stackBytes", () => {
  it("are those of the stacks for the whole run", () => {
    expect(stackBytes(data, "growth", null)).toEqual([75, 25, 0, 5, 9]);
    expect(stackBytes(data, "live", null)).toEqual([75, 25, 0, 5, 9]);
  });

  it("are not live at the end if the process ended before", () => {
    const { series } = data;
    const ended = { ...data, series: [...series, seriesOf([[0, 9], [3, 9]], "memory", 2)] };

    expect(stackBytes(ended, "live", null)).toEqual([75, 25, 0, 5, 0]);
    expect(stackBytes(ended, "growth", null)).toEqual([75, 25, 0, 5, 9]);
  });

  it("divide the bytes of a line among its stacks", () => {
    expect(stackBytes(data, "growth", { from: 0, to: 4 })).toEqual([30, 10, 0, 0, 0]);
    expect(stackBytes(data, "peak", null)).toEqual([30, 10, 60, 0, 0]);
  });
});
