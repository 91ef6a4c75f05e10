import { describe, expect, it, vi } from "vitest";
import { dataOf, seriesOf } from "../test_data";
import { runOf, View } from "./view";

describe("View", () => {
  it("begins with the whole run", () => {
    const view = new View(10, 110);

    expect([view.from, view.to, view.isWhole]).toEqual([10, 110, true]);
  });

  it("informs everyone about a change, and of each only once", () => {
    const view = new View(0, 100);
    const listeners = [vi.fn(), vi.fn()];
    for (const listener of listeners) view.onChange(listener);

    view.set(20, 30);

    expect([view.from, view.to, view.isWhole]).toEqual([20, 30, false]);
    for (const listener of listeners) expect(listener).toHaveBeenCalledTimes(1);
  });

  it("is not the whole run where one end is", () => {
    const view = new View(0, 100);

    view.set(0, 50);
    expect(view.isWhole).toBe(false);
    view.set(50, 100);
    expect(view.isWhole).toBe(false);
  });

  it("goes back to the whole run", () => {
    const view = new View(0, 100);
    view.set(20, 30);

    view.reset();

    expect([view.from, view.to, view.isWhole]).toEqual([0, 100, true]);
  });

  it.each([
    ["is empty", 50, 50],
    ["is reversed", 60, 40],
    ["is shorter than a millisecond", 50, 50.0009],
    ["begins nowhere", NaN, 50],
    ["ends nowhere", 50, NaN],
  ])("does not take a stretch that %s", (_, from, to) => {
    const view = new View(0, 100);
    const listener = vi.fn();
    view.onChange(listener);

    view.set(from, to);

    expect([view.from, view.to]).toEqual([0, 100]);
    expect(listener).not.toHaveBeenCalled();
  });

  it("of a long run goes down to a millionth of it", () => {
    const view = new View(1e6, 2e6);

    view.set(1e6, 1e6 + 0.9);
    expect(view.isWhole).toBe(true);
    view.set(1e6, 1e6 + 1);
    expect([view.from, view.to]).toEqual([1e6, 1e6 + 1]);
  });

  it("may look beyond the end, to the limit", () => {
    const view = new View(0, 100);

    view.set(0, 250);

    expect([view.from, view.to]).toEqual([0, 250]);
  });

  it("zooms around the middle", () => {
    const view = new View(0, 100);

    view.zoom(0.5);
    expect([view.from, view.to]).toEqual([25, 75]);
    view.zoom(0.5);
    expect([view.from, view.to]).toEqual([37.5, 62.5]);
    view.zoom(2);
    expect([view.from, view.to]).toEqual([25, 75]);
  });

  it.each([[0, 100], [0.1, 0.7], [0.3, 7.9], [0.024, 50.742], [0.203, 78.899]])("of %s to %s is whole after zooming in and out", (first, last) => {
    const view = new View(first, last);

    view.zoom(0.5);
    expect(view.isWhole).toBe(false);
    view.zoom(2);
    expect(view.isWhole).toBe(true);
  });

  it("does not zoom out beyond either end", () => {
    const view = new View(100, 200);

    view.set(100, 120);
    view.zoom(2);
    expect([view.from, view.to]).toEqual([100, 140]);
    view.set(190, 200);
    view.zoom(2);
    expect([view.from, view.to]).toEqual([180, 200]);
    view.zoom(100);
    expect(view.isWhole).toBe(true);
  });

  it("comes back into the run from beyond the end", () => {
    const view = new View(0, 100);

    view.set(100, 200);
    view.zoom(0.5);

    expect([view.from, view.to]).toEqual([50, 100]);
  });

  it("has a range where it is not the whole run", () => {
    const view = new View(10, 110);

    expect(view.range).toBeNull();
    view.set(20, 30);
    expect(view.range).toEqual({ from: 20, to: 30 });
    view.set(20, 300);
    expect(view.range).toEqual({ from: 20, to: 110 });
    view.set(10, 300); // the forecast
    expect(view.range).toBeNull();
  });

  it("of the whole run stays that when the run becomes longer", () => {
    const view = new View(0, 100);

    view.extend(0, 105);

    expect([view.from, view.to, view.isWhole]).toEqual([0, 105, true]);
  });

  it("of a selected range stays there when the run becomes longer", () => {
    const view = new View(0, 100);
    view.set(50, 100);

    view.extend(0, 105);

    expect([view.from, view.to, view.isWhole]).toEqual([50, 100, false]);
  });
});

describe("runOf", () => {
  it("is from the first reading of the job to the last of any series", () => {
    const job = seriesOf([[2, 1], [8, 1]], "memory of the job", 0);

    expect(runOf(dataOf({ series: [job, seriesOf([[1, 1], [9, 1]], "memory", 4)] }))).toEqual([2, 9]);
    expect(runOf(dataOf())).toEqual([0, 0]);
  });
});
