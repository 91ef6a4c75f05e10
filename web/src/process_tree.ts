// The processes as a tree, in the place of the plain table.
import { curveIn, curveOf } from "./curve";
import { jobSeries, type Data, type Process } from "./data";
import { el } from "./dom";
import { bytes, clock } from "./format";
import { patch } from "./patch";
import { branches, lived, roleName } from "./process_branches";
import { sharesAtPeak } from "./process_shares";
import { sparkline } from "./sparkline";
import { share, table, verdictChip, type Cell } from "./tables";
import type { Range } from "./values";

const ID = "process-table";

interface Row {
  key: string;
  name: Cell[];
  curve: Cell;
  atPeak: number | null;
  process: Process | null; // null: not a process, but a sum
}

export function showProcessTree(data: Data, range: Range | null) {
  const old = document.getElementById(ID);
  if (!old || data.report.processes.length === 0) return;
  const next = processTree(data, range);
  if (old.hasAttribute("data-own")) patch(old, next);
  else old.replaceWith(next);
}

function processTree(data: Data, range: Range | null): HTMLElement {
  const end = Math.max(1e-3, ...data.series.map((series) => (series.millis.at(-1) ?? 0) / 1000));
  const { from, to } = range ?? { from: 0, to: end };
  const series = new Map(data.series.filter((one) => one.kind === "process").map((one) => [one.pid, one] as const));
  const job = jobSeries(data);
  const spark = (one: (typeof data.series)[number] | undefined) => (one ? sparkline(curveIn(curveOf(one, 0, end), from, to)) : null);
  const shares = sharesAtPeak(data, range);
  const rows = branches(data.report.processes).map(({ process, depth }): Row => ({
    key: String(process.pid),
    name: [indent(depth), title(process)],
    curve: spark(series.get(process.pid)),
    atPeak: shares?.processes.get(process.pid) ?? null,
    process,
  }));
  const sum = (key: string, name: string, atPeak: number, curve: Cell = null): Row => ({ key, name: [el("b", {}, name)], curve, atPeak, process: null });
  if (shares) {
    if (shares.others > 0) rows.unshift(sum("others", "other processes", shares.others));
    if (shares.shared > 0) rows.unshift(sum("shared", "shared, counted once", shares.shared));
    rows.unshift(sum("tree", "process tree", shares.tree, spark(job)));
  }
  const of = (cell: (process: Process) => Cell) => (row: Row) => (row.process ? cell(row.process) : null);
  const box = table(
    "Processes",
    rows,
    [
      { title: "Process", kind: "wide", cell: ({ name }) => name },
      { title: "Memory over time", cell: ({ curve }) => curve },
      {
        title: shares ? `At the peak (${clock(shares.at)})` : "At the peak",
        kind: "number",
        cell: ({ atPeak }) => (atPeak === null ? "–" : bytes(atPeak)),
      },
      { title: "Own peak", kind: "number", cell: of((process) => (process.peak_bytes === undefined ? "–" : bytes(process.peak_bytes))) },
      { title: "PSS", kind: "number", cell: of((process) => (process.bytes.pss === null ? "–" : bytes(process.bytes.pss))) },
      { title: "Share of growth", cell: of((process) => share(process.growth_share ?? null)) },
      { title: "Verdict", cell: of((process) => verdictChip(process.verdict.kind)) },
      { title: "Lifetime", kind: "number", cell: of((process) => lived(process, end)) },
    ],
    ({ key }) => key,
  );
  box.id = ID;
  box.setAttribute("data-own", "");
  return box;
}

function indent(depth: number): HTMLElement | null {
  if (depth === 0) return null;
  const mark = el("span", { class: "branch", "aria-hidden": "true" }, "└");
  mark.style.marginLeft = `${Math.min(depth - 1, 12) * 1.25}em`;
  return mark;
}

function title(process: Process): HTMLElement {
  const { processes = 1 } = process;
  const many = processes > 1 ? `, respawned ${processes - 1} ${processes > 2 ? "times" : "time"}` : "";
  return el(
    "span",
    { class: "process" },
    el("b", {}, roleName(process.role, process.index ?? null)),
    ` ${process.pid}${many}`,
    el("span", { class: "sub" }, process.command ?? ""),
  );
}
