import { describe, expect, it } from "vitest";
import type { Tensors, TypeCount } from "./data";
import { byGrowth, grown, lengthWords, moved, signedCount, whereWords } from "./site_words";

describe("lengthWords", () => {
  it.each([
    [{ length: null, growth_length: 5, bound: 9 }, "–"],
    [{ length: 0, growth_length: null, bound: null }, "0"],
    [{ length: 1200, growth_length: null, bound: null }, "1,200"],
    [{ length: 1200, growth_length: 0, bound: null }, "1,200"],
    [{ length: 1200, growth_length: 200, bound: null }, "1,200 (+200)"],
    [{ length: 1200, growth_length: -200, bound: null }, "1,200 (-200)"],
    [{ length: 1200, growth_length: 200, bound: 2048 }, "1,200 (+200) of 2,048"],
  ])("of %o is %s", (holder, words) => {
    expect(lengthWords(holder)).toBe(words);
  });
});

describe("whereWords", () => {
  it.each([
    [{ type: "dict", cache: null, file: null, line: null }, "dict"],
    [{ type: "dict", cache: "lru", file: null, line: 12 }, "dict, lru cache"],
    [{ type: "list", cache: null, file: "/src/train.py", line: null }, "list, train.py"],
    [{ type: "dict", cache: "lru", file: "/src/train.py", line: 12 }, "dict, lru cache, train.py:12"],
  ])("of %o is %s", (holder, words) => {
    expect(whereWords(holder)).toBe(words);
  });
});

describe("signedCount", () => {
  it("has a plus where it is more", () => {
    expect(signedCount(1500)).toBe("+1,500");
    expect(signedCount(-1500)).toBe("-1,500");
    expect(signedCount(0)).toBe("0");
  });
});

describe("moved", () => {
  it("is a dash where nothing moved or nothing is known", () => {
    expect(moved(null, String)).toBe("–");
    expect(moved(0, String)).toBe("–");
    expect(moved(-3, String)).toBe("-3");
  });
});

describe("byGrowth", () => {
  const tensor = (device: string, bytes: number, growth_bytes: number | null): Tensors => ({
    pid: 1, device, dtype: "float32", shape: [], count: 1, bytes, growth_count: null, growth_bytes, requires_grad: false,
    storages: 1, storage_bytes: bytes,
  });

  it("has what grew most first, then the largest; what shrank last", () => {
    const tensors = [tensor("a", 9, -1), tensor("b", 5, null), tensor("c", 7, 0), tensor("d", 1, 3)];

    expect(byGrowth(tensors).map(({ device }) => device)).toEqual(["d", "c", "b", "a"]);
    expect(tensors.map(({ device }) => device)).toEqual(["a", "b", "c", "d"]);
  });

  it("of nothing is nothing", () => {
    expect(byGrowth([])).toEqual([]);
  });
});

describe("grown", () => {
  const type = (name: string, growth_bytes: number | null): TypeCount => ({ pid: 1, type: name, count: 1, bytes: 1, growth_count: null, growth_bytes });

  it("has only what grew", () => {
    expect(grown([type("a", 1), type("b", 0), type("c", null), type("d", -1)]).map((row) => row.type)).toEqual(["a"]);
  });
});
