import { describe, expect, it } from "vitest";
import { curveOf, HEIGHT, sparkPaths, WIDTH } from "./curve";
import type { Curve } from "./data";
import { everySecond, seriesOf } from "./test_data";

const numbers = (path: string) => Array.from(path.matchAll(/-?[\d.]+|NaN|Infinity/g), ([text]) => Number(text));

describe("sparkPaths", () => {
  it("are none of fewer than two points", () => {
    expect(sparkPaths([])).toBeNull();
    expect(sparkPaths([[1, 5]])).toBeNull();
  });

  it("go from the left to the right edge, as high as the largest value", () => {
    expect(sparkPaths([[10, 0], [15, 50], [20, 100]])).toEqual({
      line: "M1.0 22.0L47.0 12.5L93.0 3.0",
      area: "M1.0 23L1.0 22.0L47.0 12.5L93.0 3.0L93.0 23Z",
      last: { x: "93.0", y: "3.0" },
      firstBytes: 0,
      lastBytes: 100,
    });
  });

  it.each<[string, Curve]>([
    ["nothing but zeros", [[0, 0], [1, 0]]],
    ["one moment", [[5, 1], [5, 2]]],
    ["huge values", [[0, 1], [1e9, 1e300]]],
  ])("lie within the picture for %s", (_, curve) => {
    const { line, area, last } = sparkPaths(curve) ?? { line: "NaN", area: "NaN", last: { x: "NaN", y: "NaN" } };
    for (const number of [...numbers(line), ...numbers(area)]) {
      expect(number).toBeGreaterThanOrEqual(0);
      expect(number).toBeLessThanOrEqual(WIDTH);
    }
    expect(Number(last.y)).toBeLessThanOrEqual(HEIGHT);
  });

  it("take a very long curve", () => {
    const curve = Array.from({ length: 300_000 }, (_, at): [number, number] => [at, at % 8]);

    expect(sparkPaths(curve)?.last).toEqual({ x: "93.0", y: "3.0" });
  });
});

describe("curveOf", () => {
  it("has at most 48 points, over the whole run", () => {
    const curve = curveOf(everySecond(1000, (at) => at), 0, 960);

    expect(curve).toHaveLength(48);
    expect(curve[0]).toEqual([0, 9.5]);
    expect(curve[47]).toEqual([940, 949.5]);
  });

  it("begins and ends with the series", () => {
    const curve = curveOf(seriesOf(Array.from({ length: 101 }, (_, at) => [500 + at, 7])), 0, 960);

    expect(curve[0]).toEqual([500, 7]);
    expect(curve.at(-1)).toEqual([600, 7]);
  });

  it("has moments of the run, wherever that begins", () => {
    const curve = curveOf(seriesOf([[1000, 1], [1480, 3]]), 1000, 1480);

    expect(curve[0]).toEqual([1000, 1]);
    expect(curve[47]?.[0]).toBe(1470);
  });

  it("of nothing is nothing", () => {
    expect(curveOf(seriesOf([]), 0, 10)).toEqual([]);
  });
});
