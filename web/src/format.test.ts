import { describe, expect, it } from "vitest";
import { bytes, clock, count, fileName, growth, percent, seconds } from "./format";

describe("bytes", () => {
  it.each([
    [0, "0 B"],
    [1, "1 B"],
    [999, "999 B"],
    [1000, "1.00 kB"],
    [1234, "1.23 kB"],
    [9_994, "9.99 kB"],
    [9_995, "10.0 kB"],
    [99_949, "99.9 kB"],
    [99_950, "100 kB"],
    [999_499, "999 kB"],
    [1.5e6, "1.50 MB"],
    [3.93e9, "3.93 GB"],
    [2e12, "2.00 TB"],
    [2e15, "2.00 PB"],
  ])("%d has three digits and a unit: %s", (value, words) => {
    expect(bytes(value)).toBe(words);
  });

  it("goes to the next unit where rounding would make a fourth digit", () => {
    expect(bytes(999.5)).toBe("1.00 kB");
    expect(bytes(999_500)).toBe("1.00 MB");
  });

  it("has no unit above petabytes", () => {
    expect(bytes(1e18)).toBe("1000 PB");
    expect(bytes(Infinity)).toBe("Infinity PB");
  });

  it("writes a minus sign, not a hyphen", () => {
    expect(bytes(-1500)).toBe("−1.50 kB");
  });

  it("writes a dash for what is not known", () => {
    expect(bytes(NaN)).toBe("–");
  });
});

describe("growth", () => {
  it("has its sign", () => {
    expect(growth(1500)).toBe("+1.50 kB");
    expect(growth(-1500)).toBe("−1.50 kB");
    expect(growth(0)).toBe("0 B");
  });
});

describe("count", () => {
  it("groups thousands, whatever the language of the browser", () => {
    expect(count(0)).toBe("0");
    expect(count(999)).toBe("999");
    expect(count(1_234_567)).toBe("1,234,567");
    expect(count(-1234)).toBe("-1,234");
  });

  it("rounds", () => {
    expect(count(2.5)).toBe("3");
    expect(count(1999.7)).toBe("2,000");
  });
});

describe("percent", () => {
  it("rounds to whole numbers", () => {
    expect(percent(0)).toBe("0%");
    expect(percent(0.004)).toBe("0%");
    expect(percent(0.126)).toBe("13%");
  });

  it("is 100% only of all of it", () => {
    expect(percent(0.994)).toBe("99%");
    expect(percent(0.999)).toBe(">99%");
    expect(percent(1)).toBe("100%");
    expect(percent(7)).toBe("100%");
  });
});

describe("seconds", () => {
  it.each([
    [0, "0 ms"],
    [0.0126, "13 ms"],
    [0.999, "999 ms"],
    [1, "1.0 s"],
    [119.94, "119.9 s"],
    [120, "2.0 min"],
    [5399, "90.0 min"],
    [5400, "1.5 h"],
    [172_799, "48.0 h"],
    [172_800, "2.0 days"],
    [8_640_000, "100.0 days"],
  ])("%d is %s", (value, words) => {
    expect(seconds(value)).toBe(words);
  });
});

describe("clock", () => {
  it.each([
    [0, "0:00"],
    [5, "0:05"],
    [59.4, "0:59"],
    [750, "12:30"],
    [3599, "59:59"],
    [11_045, "3:04:05"],
    [86_399, "23:59:59"],
    [86_400, "1 d 0:00"],
    [2 * 86_400 + 3 * 3600 + 4 * 60 + 59, "2 d 3:04"],
  ])("%d is %s", (value, words) => {
    expect(clock(value)).toBe(words);
  });

  it("carries what is rounded up", () => {
    expect(clock(59.5)).toBe("1:00");
    expect(clock(3599.6)).toBe("1:00:00");
    expect(clock(86_399.9)).toBe("1 d 0:00");
  });

  it("has as many digits as neighbours on the axis need, three at most", () => {
    expect(clock(1.24, 0.5)).toBe("1.2 s");
    expect(clock(1.234, 0.02)).toBe("1.23 s");
    expect(clock(1.23456, 0.001)).toBe("1.235 s");
    expect(clock(1.23456, 1e-9)).toBe("1.235 s");
    expect(clock(1.23456, 0)).toBe("1.235 s");
  });
});

describe("fileName", () => {
  it("is what follows the last slash", () => {
    expect(fileName("/usr/lib/python3/train.py")).toBe("train.py");
    expect(fileName("train.py")).toBe("train.py");
    expect(fileName("/folder/")).toBe("");
    expect(fileName("")).toBe("");
  });
});
