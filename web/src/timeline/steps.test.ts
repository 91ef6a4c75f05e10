import { describe, expect, it } from "vitest";
import { everySecond, seriesOf } from "../test_data";
import { apart, Steps, type Tick } from "./steps";

describe("Steps.at", () => {
  const steps = new Steps(seriesOf([[1, 10], [2, 20], [3, 30]]));

  it.each([
    [0, null],
    [0.9, null],
    [1, 10],
    [1.5, 10],
    [2, 20],
    [3, 30],
    [1000, 30],
  ])("%d s is step %s", (at, step) => {
    expect(steps.at(at)).toBe(step);
  });

  it("is null without a step", () => {
    expect(new Steps(seriesOf([])).at(5)).toBeNull();
  });
});

describe("Steps.ticks", () => {
  const steps = new Steps(everySecond(1001, (at) => 7 * at));

  it("are round, in order, where the step was first reached", () => {
    expect(steps.ticks(0, 1000, 7)).toEqual([0, 1000, 2000, 3000, 4000, 5000, 6000, 7000].map((step) => ({ step, at: Math.ceil(step / 7) })));
  });

  it("lie within the stretch", () => {
    const ticks = steps.ticks(100, 200, 10);

    expect(ticks.map(({ step }) => step)).toEqual([700, 800, 900, 1000, 1100, 1200, 1300, 1400]);
    for (const { at } of ticks) expect(at >= 100 && at <= 200).toBe(true);
  });

  it.each([1, 2, 3, 5, 10, 30])("are not many more than %d", (most) => {
    expect(steps.ticks(0, 1000, most).length).toBeLessThanOrEqual(most + 1);
  });

  it("are whole steps", () => {
    const ticks = new Steps(seriesOf([[0, 0], [1, 1], [2, 2]])).ticks(0, 2, 100);

    expect(ticks.map(({ step }) => step)).toEqual([0, 1, 2]);
  });

  it("need two readings", () => {
    expect(new Steps(seriesOf([[0, 0], [4, 2]])).ticks(0, 4, 2)).toEqual([0, 1, 2].map((step) => ({ step, at: step === 0 ? 0 : 4 })));
  });

  it("are none where there is nothing to count", () => {
    expect(new Steps(seriesOf([])).ticks(0, 10, 5)).toEqual([]);
    expect(new Steps(seriesOf([[1, 5]])).ticks(0, 10, 5)).toEqual([]);
    expect(new Steps(seriesOf([[1, 5], [2, 5]])).ticks(0, 10, 5)).toEqual([]);
    expect(new Steps(seriesOf([[1, 9], [2, 5]])).ticks(0, 10, 5)).toEqual([]);
    expect(new Steps(seriesOf([[1, NaN], [2, NaN]])).ticks(0, 10, 5)).toEqual([]);
    expect(steps.ticks(2000, 3000, 5)).toEqual([]);
  });

  it("come to an end for hostile numbers", () => {
    expect(new Steps(seriesOf([[0, 0], [1, Infinity]])).ticks(0, 1, 5)).toEqual([]);
    expect(new Steps(seriesOf([[0, -3e38], [1, 3e38]])).ticks(0, 1, 4).length).toBeLessThan(10);
    expect(steps.ticks(0, 1000, 0).length).toBeLessThanOrEqual(2);
  });
});

describe("apart", () => {
  const ticks = (...places: number[]): Tick[] => places.map((at) => ({ step: at, at }));
  const kept = (...places: number[]) => apart(ticks(...places), ({ at }) => at, 10).map(({ at }) => at);

  it("keeps the first, and those far enough from the one before", () => {
    expect(kept(0, 20, 40)).toEqual([0, 20, 40]);
    expect(kept(0, 5, 30, 35, 60)).toEqual([0, 30, 60]);
    expect(kept(0, 10)).toEqual([0]);
    expect(kept()).toEqual([]);
  });
});
