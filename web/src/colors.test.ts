import { describe, expect, it } from "vitest";
import { withAlpha } from "./colors";

describe("withAlpha", () => {
  it.each([
    ["rgb(1, 2, 3)", "rgba(1, 2, 3, 0.5)"],
    ["rgba(10, 20, 30, 0.9)", "rgba(10, 20, 30, 0.5)"],
    ["rgb(1.5 2.5 3.5)", "rgba(1.5, 2.5, 3.5, 0.5)"],
    ["rgb(7)", "rgba(7, 0, 0, 0.5)"],
    ["", "rgba(0, 0, 0, 0.5)"],
    ["transparent", "rgba(0, 0, 0, 0.5)"],
  ])("of %s is %s", (ink, wanted) => {
    expect(withAlpha(ink, 0.5)).toBe(wanted);
  });
});
