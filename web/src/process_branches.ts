// The processes as rows of a tree, and their text.
import type { Process } from "./data";
import { seconds } from "./format";

export interface Branch {
  process: Process;
  depth: number;
}

export const roleName = (role: string | null, index: number | null) =>
  !role || role === "other" ? "process" : index === null ? role : `${role} ${index}`;

// Children are below their parents. Siblings keep the order of the report, which is by growth.
export function branches(processes: Process[]): Branch[] {
  const pids = new Set(processes.map((process) => process.pid));
  const children = new Map<number | null, Process[]>();
  for (const process of processes) {
    const parent = process.ppid !== null && pids.has(process.ppid) && process.ppid !== process.pid ? process.ppid : null;
    children.set(parent, [...(children.get(parent) ?? []), process]);
  }
  const out: Branch[] = [];
  const seen = new Set<Process>();
  const visit = (process: Process, depth: number) => {
    if (seen.has(process)) return;
    seen.add(process);
    out.push({ process, depth });
    for (const child of children.get(process.pid) ?? []) visit(child, depth + 1);
  };
  for (const root of children.get(null) ?? []) visit(root, 0);
  for (const process of processes) visit(process, 0); // pids that were used twice may form a cycle
  return out;
}

// How long it lived until `end`, the last moment of the run.
export function lived(process: Process, end: number): string {
  const took = (process.ended_s ?? end) - Math.max(0, process.started_s ?? 0);
  const status = process.exit ? `, exit ${process.exit}` : "";
  return `${seconds(Math.max(0, took))}${status}`;
}
