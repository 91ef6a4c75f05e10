import { describe, expect, it } from "vitest";
import { dataOf, processOf } from "../test_data";
import { largestGroup, processNames } from "./process_names";

const dataOfPids = (pids: number[]) =>
  dataOf({
    profile: pids.map((pid) => ({ pid, growth_bytes: 1, live_bytes: 1, frames: [] })),
    report: {
      processes: [
        processOf(1, null, { role: "trainer" }),
        processOf(2, 1, { role: "worker", index: 0 }),
        processOf(3, 1, { role: "worker", index: 1 }),
      ],
    },
  });

describe("processNames", () => {
  it("are not needed for one process", () => {
    expect(processNames(dataOfPids([2, 2]), false)).toBeNull();
  });

  it("name role and pid", () => {
    const name = processNames(dataOfPids([1, 2, 9]), false);

    expect([1, 2, 9].map((pid) => name?.(pid))).toEqual(["trainer, pid 1", "worker 0, pid 2", "process, pid 9"]);
  });

  it("merged are one name for equal workers, and stay apart where a role has one process", () => {
    const name = processNames(dataOfPids([1, 2, 3]), true);

    expect([1, 2, 3].map((pid) => name?.(pid))).toEqual(["trainer, pid 1", "2 workers", "2 workers"]);
  });
});

describe("largestGroup", () => {
  it("counts the processes of one role that have stacks", () => {
    expect(largestGroup(dataOfPids([1, 2, 3, 3]))).toBe(2);
    expect(largestGroup(dataOfPids([1, 2]))).toBe(1);
    expect(largestGroup(dataOf())).toBe(0);
  });
});
