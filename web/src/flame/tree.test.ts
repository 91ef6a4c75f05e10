import { describe, expect, it } from "vitest";
import type { Data, Stack } from "../data";
import { dataOf, frameOf } from "../test_data";
import { buildTree, findCall, findMatches, isImport, matches, pathOf, shadeNumber, TOP_DOWN, type Call, type Options } from "./tree";

const stack = (frames: number[], growth_bytes: number, live_bytes = 0, pid = 1): Stack => ({ pid, growth_bytes, live_bytes, frames });
const frames = ["main", "train", "load", "decode"].map((name) => frameOf({ function: name }));

// "main 30 [train 20 [] load 10 []]"
const drawn = ({ name, value, children }: Call): string => `${name} ${value} [${children.map(drawn).join(" ")}]`;
const grown = (data: Data, options?: Partial<Options>) => buildTree(data, data.profile.map((one) => one.growth_bytes), { ...TOP_DOWN, ...options });
const treeOf = (profile: Stack[], options?: Partial<Options>) => grown(dataOf({ frames, profile }), options);

describe("buildTree", () => {
  it("of nothing is the root alone", () => {
    expect(treeOf([])).toEqual({ name: "all", language: null, value: 0, children: [], parent: null });
  });

  it("joins stacks where they have calls in common, outermost first", () => {
    const tree = treeOf([stack([1, 0], 20), stack([3, 2, 0], 7), stack([2, 0], 3)]);

    expect(drawn(tree)).toBe("all 30 [main 30 [train 20 [] load 10 [decode 7 []]]]");
  });

  it("keeps calls of one name under different callers apart", () => {
    expect(drawn(treeOf([stack([3, 1], 1), stack([3, 2], 2)]))).toBe("all 3 [train 1 [decode 1 []] load 2 [decode 2 []]]");
  });

  it("keeps a recursion as deep as it is", () => {
    expect(drawn(treeOf([stack([0, 0, 0], 4)]))).toBe("all 4 [main 4 [main 4 [main 4 []]]]");
  });

  it("counts the bytes that it is given", () => {
    const data = dataOf({ frames, profile: [stack([0], 5, 100), stack([1], 0, 50)] });

    expect(drawn(buildTree(data, [5, 0]))).toBe("all 5 [main 5 []]");
    expect(drawn(buildTree(data, [100, 50]))).toBe("all 150 [main 100 [] train 50 []]");
    expect(drawn(buildTree(data, [NaN]))).toBe("all 0 []");
  });

  it("bottom-up begins with the call that allocates", () => {
    const tree = treeOf([stack([3, 1, 0], 5), stack([3, 2, 0], 2)], { bottomUp: true });

    expect(drawn(tree)).toBe("all 7 [decode 7 [train 5 [main 5 []] load 2 [main 2 []]]]");
  });

  it("hides native frames, and keeps their bytes with the caller", () => {
    const mixed = [frameOf({ function: "step" }), frameOf({ function: "at::empty", language: "native" }), frameOf({ function: "malloc", language: "native" })];
    const profile = [stack([2, 1, 0], 5), stack([2], 3)];

    expect(drawn(grown(dataOf({ frames: mixed, profile }), { hideNative: true }))).toBe("all 8 [step 5 [] hidden frames only 3 []]");
  });

  it("hides frames of the import system, and keeps the modules", () => {
    const importing = [
      frameOf({ function: "<module>", file: "/job/train.py" }),
      frameOf({ function: "_find_and_load", file: "<frozen importlib._bootstrap>" }),
      frameOf({ function: "PyImport_ImportModuleLevelObject", language: "native" }),
      frameOf({ function: "<module>", file: "/lib/torch/__init__.py" }),
    ];
    const tree = grown(dataOf({ frames: importing, profile: [stack([3, 2, 1, 0], 4)] }), { hideImports: true });

    expect(drawn(tree)).toBe("all 4 [<module>  train.py 4 [<module>  __init__.py 4 []]]");
  });

  it("leaves out what shrank", () => {
    expect(drawn(treeOf([stack([0], -5), stack([1], 0), stack([2], 1)]))).toBe("all 1 [load 1 []]");
  });

  it("has a level for processes where there are several", () => {
    const tree = treeOf([stack([0], 5, 0, 41), stack([0], 6, 0, 42), stack([1], 7, 0, 41)]);

    expect(drawn(tree)).toBe("all 18 [process, pid 41 12 [main 5 [] train 7 []] process, pid 42 6 [main 6 []]]");
  });

  it("keeps Python and native code of one name apart", () => {
    const both = [frameOf({ function: "f" }), frameOf({ function: "f", language: "native" })];

    const tree = grown(dataOf({ frames: both, profile: [stack([0], 1), stack([1], 2)] }));

    expect(tree.children.map(({ language, value }) => [language, value])).toEqual([["python", 1], ["native", 2]]);
  });

  it("shows a question mark for a frame that is not there", () => {
    expect(drawn(treeOf([stack([99], 1), stack([-1], 2)]))).toBe("all 3 [? 3 []]");
  });

  it("keeps the innermost 200 frames of a very deep stack", () => {
    const many = Array.from({ length: 1000 }, (_, at) => frameOf({ function: `f${at}` }));
    const tree = grown(dataOf({ frames: many, profile: [stack(many.map((_, at) => at), 1)] }));

    const names: string[] = [];
    for (let at = tree.children[0]; at; at = at.children[0]) names.push(at.name);

    expect(names).toHaveLength(200);
    expect([names[0], names.at(-1)]).toEqual(["f199", "f0"]);
  });

  it("takes names of built-in properties as names", () => {
    const hostile = ["__proto__", "constructor", "toString"].map((name) => frameOf({ function: name }));

    const tree = grown(dataOf({ frames: hostile, profile: [stack([0], 1), stack([1], 2), stack([2], 3), stack([0], 4)] }));

    expect(drawn(tree)).toBe("all 10 [__proto__ 5 [] constructor 2 [] toString 3 []]");
  });

  it("does not change the stacks that it is given", () => {
    const profile = [stack([3, 2, 0], 7)];

    treeOf(profile);

    expect(profile).toEqual([stack([3, 2, 0], 7)]);
  });
});

describe("isImport", () => {
  it.each([
    ["<frozen importlib._bootstrap>", true],
    ["<frozen importlib._bootstrap_external>", true],
    ["/usr/lib/python3.11/importlib/__init__.py", true],
    ["/job/importlib_tools.py", false],
    ["/job/train.py", false],
    [null, false],
  ])("of %s is %s", (file, wanted) => {
    expect(isImport(frameOf({ file, function: "f" }))).toBe(wanted);
  });
});

describe("a path", () => {
  const tree = treeOf([stack([3, 1, 0], 5), stack([3, 2, 0], 2)]);

  it("leads back to its call, in another tree too", () => {
    const decode = tree.children[0]?.children[1]?.children[0];
    if (!decode) throw new Error("no decode");

    expect(pathOf(decode)).toEqual(["main", "load", "decode"]);
    expect(findCall(treeOf([stack([3, 2, 0], 9)]), pathOf(decode)).value).toBe(9);
    expect(pathOf(tree)).toEqual([]);
  });

  it("leads to the nearest caller if the call is gone", () => {
    expect(findCall(tree, ["main", "train", "gone", "decode"]).name).toBe("train");
    expect(findCall(tree, ["gone"])).toBe(tree);
  });
});

describe("findMatches", () => {
  it("counts every match, and the bytes of a match within a match once", () => {
    expect(findMatches(treeOf([stack([0, 0], 4), stack([1], 1)]), "MAIN")).toEqual({ count: 2, bytes: 4 });
  });

  it("does not find the root", () => {
    expect(findMatches(treeOf([stack([0], 4)]), "all")).toEqual({ count: 0, bytes: 0 });
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
