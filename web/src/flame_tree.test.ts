import { describe, expect, it } from "vitest";
import type { Stack } from "./data";
import { buildTree, matches, shadeNumber, type Call } from "./flame_tree";
import { dataOf, frameOf } from "./test_data";

const stack = (frames: number[], growth_bytes: number, live_bytes = 0, pid = 1): Stack => ({ pid, growth_bytes, live_bytes, frames });
const frames = ["main", "train", "load", "decode"].map((name) => frameOf({ function: name }));

// "main 30 [train 20 [] load 10 []]"
const drawn = ({ name, value, children }: Call): string => `${name} ${value} [${children.map(drawn).join(" ")}]`;
const treeOf = (profile: Stack[], value: "growth_bytes" | "live_bytes" = "growth_bytes") => buildTree(dataOf({ frames, profile }), value);

describe("buildTree", () => {
  it("of nothing is the root alone", () => {
    expect(treeOf([])).toEqual({ name: "all", language: null, value: 0, children: [] });
  });

  it("puts stacks together by what they have in common, outermost first", () => {
    const tree = treeOf([stack([1, 0], 20), stack([3, 2, 0], 7), stack([2, 0], 3)]);

    expect(drawn(tree)).toBe("all 30 [main 30 [train 20 [] load 10 [decode 7 []]]]");
  });

  it("keeps calls of one name under different callers apart", () => {
    expect(drawn(treeOf([stack([3, 1], 1), stack([3, 2], 2)]))).toBe("all 3 [train 1 [decode 1 []] load 2 [decode 2 []]]");
  });

  it("keeps a recursion as deep as it is", () => {
    expect(drawn(treeOf([stack([0, 0, 0], 4)]))).toBe("all 4 [main 4 [main 4 [main 4 []]]]");
  });

  it("counts what was asked for", () => {
    const profile = [stack([0], 5, 100), stack([1], 0, 50)];

    expect(drawn(treeOf(profile))).toBe("all 5 [main 5 []]");
    expect(drawn(treeOf(profile, "live_bytes"))).toBe("all 150 [main 100 [] train 50 []]");
  });

  it("leaves out what shrank", () => {
    expect(drawn(treeOf([stack([0], -5), stack([1], 0), stack([2], 1)]))).toBe("all 1 [load 1 []]");
  });

  it("has a level for processes where there are several", () => {
    const tree = treeOf([stack([0], 5, 0, 41), stack([0], 6, 0, 42), stack([1], 7, 0, 41)]);

    expect(drawn(tree)).toBe("all 18 [process 41 12 [main 5 [] train 7 []] process 42 6 [main 6 []]]");
  });

  it("keeps Python and native code of one name apart", () => {
    const both = [frameOf({ function: "f" }), frameOf({ function: "f", language: "native" })];

    const tree = buildTree(dataOf({ frames: both, profile: [stack([0], 1), stack([1], 2)] }), "growth_bytes");

    expect(tree.children.map(({ language, value }) => [language, value])).toEqual([["python", 1], ["native", 2]]);
  });

  it("shows a question mark for a frame that is not there", () => {
    expect(drawn(treeOf([stack([99], 1), stack([-1], 2)]))).toBe("all 3 [? 3 []]");
  });

  it("keeps the innermost 200 frames of a very deep stack", () => {
    const many = Array.from({ length: 1000 }, (_, at) => frameOf({ function: `f${at}` }));
    const tree = buildTree(dataOf({ frames: many, profile: [stack(many.map((_, at) => at), 1)] }), "growth_bytes");

    const names: string[] = [];
    for (let at = tree.children[0]; at; at = at.children[0]) names.push(at.name);

    expect(names).toHaveLength(200);
    expect([names[0], names.at(-1)]).toEqual(["f199", "f0"]);
  });

  it("takes names of built-in properties as names", () => {
    const hostile = ["__proto__", "constructor", "toString"].map((name) => frameOf({ function: name }));

    const tree = buildTree(dataOf({ frames: hostile, profile: [stack([0], 1), stack([1], 2), stack([2], 3), stack([0], 4)] }), "growth_bytes");

    expect(drawn(tree)).toBe("all 10 [__proto__ 5 [] constructor 2 [] toString 3 []]");
  });

  it("does not change the stacks that it is given", () => {
    const profile = [stack([3, 2, 0], 7)];

    treeOf(profile);

    expect(profile).toEqual([stack([3, 2, 0], 7)]);
  });
});

describe("shadeNumber", () => {
  it("is the same for the same name, and one of the shades", () => {
    for (const name of ["", "main", "main2", "ß", "🦊", "x".repeat(100_000)]) {
      const shade = shadeNumber(name, 4);
      expect([0, 1, 2, 3]).toContain(shade);
      expect(shadeNumber(name, 4)).toBe(shade);
    }
  });

  it("depends on the name", () => {
    expect(new Set(Array.from({ length: 50 }, (_, at) => shadeNumber(`function_${at}`, 4))).size).toBe(4);
  });
});

describe("matches", () => {
  it("finds a piece, in capitals or not", () => {
    expect(matches("Trainer.validate  trainer.py:631", "VALIDATE")).toBe(true);
    expect(matches("Trainer.validate", "train.")).toBe(false);
  });

  it("takes signs of patterns as they are", () => {
    expect(matches("f(a+)+$", "(a+)+$")).toBe(true);
    expect(matches("aaaa", "a.*")).toBe(false);
    expect(matches("x", "[")).toBe(false);
  });
});
