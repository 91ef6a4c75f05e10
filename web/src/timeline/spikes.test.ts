import { describe, expect, it } from "vitest";
import type { Span } from "../data";
import { everySecond, seriesOf } from "../test_data";
import { Floor } from "./floor";
import { findSpikes } from "./spikes";

const END = 1200;
const phase = (name: string, at_s: number, took_s: number): Span => ({ pid: 0, track: "phases", name, at_s, took_s });

// 100, with spikes of 5 s.
function spikesOf(tops: [number, number][], typical = 400, phases: Span[] = []) {
  const series = everySecond(END + 1, (at) => tops.find(([from]) => from <= at && at < from + 5)?.[1] ?? 100);
  return findSpikes(series, new Floor(series, 0, END), typical, phases, 0, END);
}

describe("findSpikes", () => {
  it("finds them, the highest first, with height above the floor", () => {
    const found = spikesOf([[200, 600], [500, 1100], [800, 800]]);

    expect(found.map(({ top, height }) => [top, height])).toEqual([[1100, 1000], [800, 700], [600, 500]]);
    expect(found.map(({ at }) => at)).toEqual([500.5, 800.5, 200.5]);
  });

  it("finds none in a flat series, a ramp, or nothing", () => {
    expect(spikesOf([])).toEqual([]);
    const ramp = everySecond(END + 1, (at) => 1000 + 10 * at);
    expect(findSpikes(ramp, new Floor(ramp, 0, END), 400, [], 0, END)).toEqual([]);
    const nothing = seriesOf([]);
    expect(findSpikes(nothing, new Floor(nothing, 0, END), 400, [], 0, END)).toEqual([]);
  });

  it("leaves out what is less than half as high as is typical", () => {
    expect(spikesOf([[200, 299], [500, 300]], 400).map(({ top }) => top)).toEqual([300]);
  });

  it("takes two tops without a return to the floor as one", () => {
    const series = everySecond(END + 1, (at) => (at < 300 || at >= 330 ? 100 : at < 310 ? 600 : at < 320 ? 200 : 900));

    const found = findSpikes(series, new Floor(series, 0, END), 400, [], 0, END);

    expect(found.map(({ top }) => top)).toEqual([900]);
  });

  it("takes two tops with a return to the floor between them as two", () => {
    const series = everySecond(END + 1, (at) => (at < 300 || at >= 330 ? 100 : at < 310 ? 600 : at < 320 ? 199 : 900));

    const found = findSpikes(series, new Floor(series, 0, END), 400, [], 0, END);

    expect(found.map(({ top }) => top)).toEqual([900, 600]);
  });

  it("names eight at most", () => {
    const tops = Array.from({ length: 11 }, (_, at): [number, number] => [100 + 90 * at, 1000 + at]);

    expect(spikesOf(tops).map(({ top }) => top)).toEqual([1010, 1009, 1008, 1007, 1006, 1005, 1004, 1003]);
  });

  it("has the name of the innermost phase that it fell into", () => {
    const phases = [phase("train", 0, END), phase("eval", 190, 30), phase("checkpoint", 195, 20), phase("later", 300, 50)];

    expect(spikesOf([[200, 1000]], 400, phases).map(({ name }) => name)).toEqual(["checkpoint"]);
  });

  it("falls into a phase that begins or ends with it", () => {
    const at = spikesOf([[200, 1000]])[0]?.at ?? NaN;

    expect(spikesOf([[200, 1000]], 400, [phase("begins", at, 10)]).map(({ name }) => name)).toEqual(["begins"]);
    expect(spikesOf([[200, 1000]], 400, [phase("ends", at - 8, 8)]).map(({ name }) => name)).toEqual(["ends"]);
  });

  it("is called a spike outside of all phases", () => {
    expect(spikesOf([[200, 1000]], 400, [phase("eval", 300, 10)]).map(({ name }) => name)).toEqual(["spike"]);
  });
});
