// What the flame graph calls the processes of its stacks.
import type { Data } from "../data";
import { count } from "../format";
import { roleName } from "../process_branches";

type Named = Data["report"]["processes"][number];

const roleOf = (process: Named | undefined) => roleName(process?.role ?? null, null);

// Null: there is only one process, which needs no level in the graph.
export function processNames(data: Data, isMerged: boolean): ((pid: number) => string) | null {
  const pids = new Set(data.profile.map((stack) => stack.pid));
  if (pids.size < 2) return null;
  const known = new Map(data.report.processes.map((process) => [process.pid, process]));
  const alone = (pid: number) => {
    const process = known.get(pid);
    return `${roleName(process?.role ?? null, process?.index ?? null)}, pid ${pid}`;
  };
  if (!isMerged) return alone;
  const sizes = new Map<string, number>();
  for (const pid of pids) sizes.set(roleOf(known.get(pid)), (sizes.get(roleOf(known.get(pid))) ?? 0) + 1);
  return (pid) => {
    const role = roleOf(known.get(pid));
    const size = sizes.get(role) ?? 1;
    return size < 2 ? alone(pid) : `${count(size)} ${role === "process" ? "processes" : `${role}s`}`;
  };
}

// How many processes the largest group of one role has.
export function largestGroup(data: Data): number {
  const known = new Map(data.report.processes.map((process) => [process.pid, process]));
  const sizes = new Map<string, number>();
  for (const pid of new Set(data.profile.map((stack) => stack.pid))) {
    const role = roleOf(known.get(pid));
    sizes.set(role, (sizes.get(role) ?? 0) + 1);
  }
  return Math.max(0, ...sizes.values());
}
