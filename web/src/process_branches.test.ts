import { describe, expect, it } from "vitest";
import type { Process } from "./data";
import { branches, lived, roleName } from "./process_branches";
import { processOf } from "./test_data";

const drawn = (processes: Process[]) => branches(processes).map(({ process, depth }) => `${"-".repeat(depth)}${process.pid}`);

describe("branches", () => {
  it("of nothing is nothing", () => {
    expect(drawn([])).toEqual([]);
  });

  it("puts children under their parents, whatever the order", () => {
    expect(drawn([processOf(3, 2), processOf(4, 1), processOf(1, 0), processOf(2, 1)])).toEqual(["1", "-4", "-2", "--3"]);
  });

  it("keeps the order of the report among brothers", () => {
    expect(drawn([processOf(1, null), processOf(9, 1), processOf(5, 1), processOf(7, 1)])).toEqual(["1", "-9", "-5", "-7"]);
  });

  it("begins a tree where the parent is not in the report", () => {
    expect(drawn([processOf(10, 1), processOf(20, null), processOf(11, 10)])).toEqual(["10", "-11", "20"]);
  });

  it("shows every process of a circle once", () => {
    expect(drawn([processOf(1, 2), processOf(2, 3), processOf(3, 1), processOf(9, null)])).toEqual(["9", "1", "-3", "--2"]);
  });

  it("takes its own parent for none", () => {
    expect(drawn([processOf(5, 5)])).toEqual(["5"]);
  });

  it("shows both of two processes with one pid", () => {
    expect(drawn([processOf(1, null), processOf(2, 1), processOf(2, 1), processOf(3, 2)])).toEqual(["1", "-2", "--3", "-2"]);
  });
});

describe("roleName", () => {
  it("is the role with its number", () => {
    expect(roleName("worker", 3)).toBe("worker 3");
    expect(roleName("worker", 0)).toBe("worker 0");
    expect(roleName("trainer", null)).toBe("trainer");
  });

  it("is a process where the role is not known", () => {
    expect(roleName(null, 3)).toBe("process");
    expect(roleName("", null)).toBe("process");
    expect(roleName("other", 3)).toBe("process");
  });
});

describe("lived", () => {
  it("is from its start to its end", () => {
    expect(lived(processOf(1, null, { started_s: 2, ended_s: 12 }), 100)).toBe("10.0 s");
  });

  it("is up to the end of the run where it did not end", () => {
    expect(lived(processOf(1, null, { started_s: 2 }), 100)).toBe("98.0 s");
  });

  it("is counted from the start of the run where it was there before", () => {
    expect(lived(processOf(1, null, { started_s: -50, ended_s: 10 }), 100)).toBe("10.0 s");
    expect(lived(processOf(1, null, { ended_s: 10 }), 100)).toBe("10.0 s");
  });

  it("is never less than nothing", () => {
    expect(lived(processOf(1, null, { started_s: 20, ended_s: 10 }), 100)).toBe("0 ms");
  });

  it("shows a status that is not 0", () => {
    expect(lived(processOf(1, null, { ended_s: 10, exit: 137 }), 100)).toBe("10.0 s, exit 137");
    expect(lived(processOf(1, null, { ended_s: 10, exit: 0 }), 100)).toBe("10.0 s");
  });
});
