import { describe, expect, it } from "vitest";
import { everySecond, seriesOf } from "../test_data";
import { Floor } from "./floor";

const END = 1000;
const flat = (at: number, spikes: [number, number][], height = 1000) => (spikes.some(([from, to]) => from <= at && at < to) ? height : 100);

describe("Floor", () => {
  it("of a constant is the constant", () => {
    const floor = new Floor(everySecond(END + 1, () => 100), 0, END);

    for (const at of [0, 1, 500, 999, END]) expect(floor.at(at)).toBe(100);
    expect(floor.last).toBe(100);
  });

  it("of a ramp is the ramp", () => {
    const floor = new Floor(everySecond(END + 1, (at) => 1000 + 10 * at), 0, END);

    // Within a column of 1.25 s, to both ends.
    for (let at = 0; at <= END; at += 3.7) expect(Math.abs(floor.at(at) - (1000 + 10 * at))).toBeLessThan(12.6);
  });

  it("lies on a line between two columns", () => {
    const floor = new Floor(seriesOf([[2000, 0], [2800, 800]]), 2000, 2800);

    for (let at = 2100; at < 2700; at += 0.3) expect(floor.at(at)).toBeCloseTo(at - 2000, 0);
    expect(floor.at(2400.25) - floor.at(2400)).toBeCloseTo(0.25, 2);
  });

  it("of a falling ramp is the ramp", () => {
    const floor = new Floor(everySecond(END + 1, (at) => 20_000 - 10 * at), 0, END);

    for (let at = 0; at <= END; at += 3.7) expect(Math.abs(floor.at(at) - (20_000 - 10 * at))).toBeLessThan(12.6);
  });

  it("does not follow spikes that are shorter than its window", () => {
    const floor = new Floor(everySecond(END + 1, (at) => flat(at, [[200, 215], [600, 640]])), 0, END);

    for (const at of [190, 205, 214, 230, 610, 635, 700]) expect(floor.at(at)).toBeCloseTo(100);
  });

  it("follows a rise that stays for longer than its window", () => {
    const floor = new Floor(everySecond(END + 1, (at) => flat(at, [[400, 700]])), 0, END);

    expect(floor.at(300)).toBe(100);
    expect(floor.at(550)).toBe(1000);
    expect(floor.at(800)).toBe(100);
  });

  it("does not follow a spike at either end", () => {
    const floor = new Floor(everySecond(END + 1, (at) => flat(at, [[0, 10], [990, 1001]])), 0, END);

    expect(floor.at(2)).toBe(100);
    expect(floor.at(998)).toBe(100);
    expect(floor.last).toBe(100);
  });

  it("of a ramp that ends a little above its line is still the ramp", () => {
    const floor = new Floor(everySecond(END + 1, (at) => 1000 + 10 * at + (at > 995 ? 50 : 0)), 0, END);

    expect(floor.at(990)).toBeGreaterThan(1000 + 9900 - 13);
  });

  it("does not take a spike at the end for its neighbours, in whatever order they are", () => {
    const floor = new Floor(everySecond(END + 1, (at) => (at > 996 ? 900 : 100 + ((at * 7) % 5))), 0, END);

    expect(floor.at(999)).toBeLessThan(106);
  });

  it("is never above what was read", () => {
    const value = (at: number) => 1000 + 300 * Math.sin(at / 9) + 200 * Math.sin(at / 2.3) + at;
    const floor = new Floor(everySecond(END + 1, value), 0, END);

    for (let at = 5; at < END; at += 5) expect(floor.at(at)).toBeLessThanOrEqual(Math.max(value(at - 2), value(at), value(at + 2)));
  });

  it("is not there beyond the run", () => {
    const floor = new Floor(everySecond(END + 1, () => 100), 0, END);

    expect(floor.at(-1)).toBeNaN();
    expect(floor.at(END + 1)).toBeNaN();
    expect(floor.at(NaN)).toBeNaN();
  });

  it("begins and ends with the series", () => {
    const floor = new Floor(seriesOf(Array.from({ length: 201 }, (_, at) => [400 + at, 50])), 0, END);

    expect(floor.at(300)).toBeNaN();
    expect(floor.at(500)).toBe(50);
    expect(floor.at(700)).toBeNaN();
    expect(floor.last).toBe(50);
  });

  it("is known up to the last reading, between two columns too", () => {
    const floor = new Floor(seriesOf(Array.from({ length: 201 }, (_, at) => [400 + at, 50])), 0, END);

    for (let at = 400.1; at < 600; at += 0.7) expect(floor.at(at)).toBe(50);
  });

  it("of nothing is nothing", () => {
    const floor = new Floor(seriesOf([]), 0, END);

    expect(floor.at(500)).toBeNaN();
    expect(floor.last).toBeNaN();
  });

  it("of one reading is that reading", () => {
    const floor = new Floor(seriesOf([[500, 7]]), 0, END);

    expect(floor.at(500)).toBe(7);
    expect(floor.last).toBe(7);
  });

  it("gives its columns as its moments", () => {
    const floor = new Floor(everySecond(END + 1, (at) => 10 * at), 0, END);

    expect(Array.from(floor.columns(100, 500, 4))).toEqual([150, 250, 350, 450].map((at) => floor.at(at)));
  });
});
