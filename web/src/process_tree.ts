// The processes as the tree they are, in the place of the plain table.
import type { Data, Process } from "./data";
import { el } from "./dom";
import { bytes, seconds } from "./format";
import { courseOf, sparkline } from "./sparkline";
import { share, table, verdictChip } from "./tables";
import { roleName } from "./timeline/processes";

interface Branch {
  process: Process;
  depth: number;
}

export function showProcessTree(data: Data) {
  const host = document.getElementById("process-table");
  if (!host || data.report.processes.length === 0) return;
  const end = Math.max(1e-3, ...data.series.map((series) => (series.millis.at(-1) ?? 0) / 1000));
  const courses = new Map(
    data.series.filter((series) => series.name === "memory").map((series) => [series.pid, series] as const),
  );
  const spark = (pid: number) => {
    const series = courses.get(pid);
    return series ? sparkline(courseOf(series, 0, end)) : null;
  };
  host.replaceWith(
    table(branches(data.report.processes), [
      { title: "Process", kind: "wide", cell: ({ process, depth }) => [indent(depth), title(process)] },
      { title: "Memory over time", cell: ({ process }) => spark(process.pid) },
      { title: "Peak", kind: "number", cell: ({ process }) => (process.peak_bytes === undefined ? "–" : bytes(process.peak_bytes)) },
      { title: "PSS", kind: "number", cell: ({ process }) => (process.bytes.pss === null ? "–" : bytes(process.bytes.pss)) },
      { title: "Share of growth", cell: ({ process }) => share(process.growth_share ?? null) },
      { title: "Verdict", cell: ({ process }) => verdictChip(process.verdict.kind) },
      { title: "Lived", kind: "number", cell: ({ process }) => lived(process, end) },
    ]),
  );
}

// Children under their parents; the order of the report, which is by growth, among brothers.
function branches(processes: Process[]): Branch[] {
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
  for (const process of processes) visit(process, 0); // a circle of pids that were used twice
  return out;
}

function indent(depth: number): HTMLElement | null {
  if (depth === 0) return null;
  const mark = el("span", { class: "branch" }, "└");
  mark.style.marginLeft = `${Math.min(depth - 1, 12) * 1.25}em`;
  return mark;
}

function title(process: Process): HTMLElement {
  const many = (process.processes ?? 1) > 1 ? `, ${process.processes} one after the other` : "";
  return el(
    "span",
    { class: "process" },
    el("b", {}, roleName(process.role, process.index ?? null)),
    ` ${process.pid}${many}`,
    el("span", { class: "sub" }, process.command ?? ""),
  );
}

function lived(process: Process, end: number): string {
  const took = (process.ended_s ?? end) - Math.max(0, process.started_s ?? 0);
  const status = process.exit ? `, exit ${process.exit}` : "";
  return `${seconds(Math.max(0, took))}${status}`;
}
