import { describe, expect, it } from "vitest";
import type { Stack } from "../data";
import { dataOf, frameOf } from "../test_data";
import { buildDifference, changeShade, changeWords } from "./diff_tree";
import { TOP_DOWN, type Call } from "./tree";

const frames = [
  frameOf({ function: "main", file: "/job/train.py", line: 1 }),
  frameOf({ function: "keep", file: "/job/train.py", line: 7 }),
  frameOf({ function: "keep", file: "/job/train.py", line: 9 }),
  frameOf({ function: "load", file: "/job/data.py", line: 3 }),
];
const stack = (frames: number[], growth_bytes: number, live_bytes = 0, pid = 1): Stack => ({ pid, growth_bytes, live_bytes, frames });
const data = dataOf({
  frames,
  profile: [stack([2, 0], 10, 100, 7), stack([3, 0], 30, 30, 7)],
  baseline: { profile: [stack([1, 0], 90, 90), stack([1, 0], 10, 10, 2)], growth_scale: 0.5 },
});

describe("buildDifference", () => {
  const drawn = (field: "growth_bytes" | "live_bytes") => {
    const { root, changes } = buildDifference(data, field, TOP_DOWN);
    const words = (call: Call): string => {
      const { before, after } = changes.get(call) ?? { before: NaN, after: NaN };
      return `${call.name} ${call.value} ${before}>${after} [${call.children.map(words).join(" ")}]`;
    };
    return words(root);
  };

  it("joins calls of both runs, although lines and pids differ", () => {
    expect(drawn("live_bytes")).toBe(
      "all 130 100>130 [main  train.py 130 100>130 [keep  train.py 100 100>100 [] load  data.py 30 0>30 []]]",
    );
  });

  it("scales growth to runs of the same length", () => {
    expect(drawn("growth_bytes")).toBe("all 80 50>40 [main  train.py 80 50>40 [keep  train.py 50 50>10 [] load  data.py 30 0>30 []]]");
  });
});

describe("a change", () => {
  it("has words and a shade", () => {
    expect(changeWords({ before: 12e6, after: 3e6 })).toBe("12.0 MB before, 3.00 MB after (−9.00 MB)");
    expect(changeWords({ before: 0, after: 3e6 })).toBe("0 B before, 3.00 MB after (+3.00 MB)");
    expect(changeShade({ before: 0, after: 1 })).toBe("more-3");
    expect(changeShade({ before: 100, after: 60 })).toBe("less-2");
    expect(changeShade({ before: 100, after: 110 })).toBe("more-1");
    expect(changeShade({ before: 100, after: 101 })).toBe("same");
    expect(changeShade({ before: 0, after: 0 })).toBe("same");
  });
});
