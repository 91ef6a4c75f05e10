import { describe, expect, it } from "vitest";
import { freeRow, shortened } from "./marks";

describe("freeRow", () => {
  const at = (row: number, left: number, right: number) => ({ row, left, right });

  it("is the first where nothing is written yet", () => {
    expect(freeRow([], 0, 50)).toBe(0);
  });

  it("is the next where the words would touch", () => {
    expect(freeRow([at(0, 0, 50)], 57, 100)).toBe(1);
    expect(freeRow([at(0, 100, 150)], 50, 93)).toBe(1);
    expect(freeRow([at(0, 0, 50), at(1, 0, 50)], 20, 30)).toBe(2);
  });

  it("is the same where there is a gap", () => {
    expect(freeRow([at(0, 0, 50)], 58, 100)).toBe(0);
    expect(freeRow([at(0, 100, 150)], 50, 92)).toBe(0);
  });

  it("fills a row above that has room again", () => {
    expect(freeRow([at(0, 0, 50), at(1, 20, 200)], 100, 120)).toBe(0);
  });

  it("is none where all are taken", () => {
    expect(freeRow([at(0, 0, 50), at(1, 0, 50), at(2, 0, 50)], 10, 20)).toBeNull();
  });
});

describe("shortened", () => {
  it("keeps forty letters", () => {
    expect(shortened("")).toBe("");
    expect(shortened("x".repeat(40))).toBe("x".repeat(40));
  });

  it("cuts a longer name", () => {
    expect(shortened("x".repeat(41))).toBe(`${"x".repeat(39)}…`);
    expect(shortened("y".repeat(100_000))).toHaveLength(40);
  });
});
