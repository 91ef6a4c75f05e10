import { describe, expect, it } from "vitest";
import type { Stack } from "../data";
import { dataOf, frameOf } from "../test_data";
import { cellsOf, neighbour, type Cell } from "./cells";
import { buildTree, findCall } from "./tree";

const frames = ["main", "train", "load", "decode"].map((name) => frameOf({ function: name }));
const profile: Stack[] = [
  { pid: 1, growth_bytes: 20, live_bytes: 0, frames: [1, 0] },
  { pid: 1, growth_bytes: 60, live_bytes: 0, frames: [3, 2, 0] },
  { pid: 1, growth_bytes: 20, live_bytes: 0, frames: [0] },
];
const tree = buildTree(dataOf({ frames, profile }), [20, 60, 20]);
const words = ({ call, row, left, width }: Cell) => `${row} ${call.name} ${left} ${width}`;
const cellOf = (cells: Cell[], name: string) => {
  const found = cells.find((cell) => cell.call.name === name);
  if (!found) throw new Error(name);
  return found;
};

describe("cellsOf", () => {
  it("are shares of the width, widest first", () => {
    expect(cellsOf(tree).map(words)).toEqual(["0 all 0 1", "1 main 0 1", "2 load 0 0.6", "3 decode 0 0.6", "2 train 0.6 0.2"]);
  });

  it("of a zoomed call fill the width, below its callers", () => {
    const load = findCall(tree, ["main", "load"]);

    expect(cellsOf(load).map(words)).toEqual(["0 all 0 1", "1 main 0 1", "2 load 0 1", "3 decode 0 1"]);
  });

  it("leave out what nobody could see", () => {
    const small = buildTree(dataOf({ frames, profile }), [1, 100_000, 0]);

    expect(cellsOf(small).map(({ call }) => call.name)).toEqual(["all", "main", "load", "decode"]);
  });

  it("of an empty tree are its root", () => {
    expect(cellsOf(buildTree(dataOf(), [])).map(words)).toEqual(["0 all 0 1"]);
  });
});

describe("neighbour", () => {
  const cells = cellsOf(tree);
  const from = (name: string, key: string) => neighbour(cells, cellOf(cells, name), key)?.call.name ?? null;

  it("is the widest call below, the caller, or the next in the row", () => {
    expect(from("main", "ArrowDown")).toBe("load");
    expect(from("load", "ArrowUp")).toBe("main");
    expect(from("load", "ArrowRight")).toBe("train");
    expect(from("train", "ArrowLeft")).toBe("load");
    expect(from("decode", "Home")).toBe("all");
  });

  it("is none beyond the edges, and for other keys", () => {
    expect(from("decode", "ArrowDown")).toBeNull();
    expect(from("all", "ArrowUp")).toBeNull();
    expect(from("train", "ArrowRight")).toBeNull();
    expect(from("load", "ArrowLeft")).toBeNull();
    expect(from("main", "x")).toBeNull();
  });
});
