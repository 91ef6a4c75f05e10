// The processes as the tree they are, in the place of the plain table.
import { courseOf } from "./course";
import type { Data, Process } from "./data";
import { el } from "./dom";
import { bytes } from "./format";
import { branches, lived, roleName } from "./process_branches";
import { sparkline } from "./sparkline";
import { share, table, verdictChip } from "./tables";

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

function indent(depth: number): HTMLElement | null {
  if (depth === 0) return null;
  const mark = el("span", { class: "branch" }, "└");
  mark.style.marginLeft = `${Math.min(depth - 1, 12) * 1.25}em`;
  return mark;
}

function title(process: Process): HTMLElement {
  const { processes = 1 } = process;
  const many = processes > 1 ? `, ${processes} one after the other` : "";
  return el(
    "span",
    { class: "process" },
    el("b", {}, roleName(process.role, process.index ?? null)),
    ` ${process.pid}${many}`,
    el("span", { class: "sub" }, process.command ?? ""),
  );
}
