// What allocates, what keeps, and which objects there are.
import type { Data, Frame, Site } from "./data";
import { el, section } from "./dom";
import { frameParts } from "./frames";
import { bytes, count, growth } from "./format";
import { byGrowth, grown, lengthWords, moved, signedCount, whereWords } from "./site_words";
import { sparkline } from "./sparkline";
import { share, table, verdictChip, type Cell } from "./tables";

function place(site: Site): Cell {
  const frame = site.frames[site.act_on ?? 0];
  if (!frame) return "an unknown place";
  const { name, place: where } = frameParts(frame);
  const words = [el("code", {}, where || name), where ? ` in ${name}` : null];
  return el("details", {}, el("summary", {}, ...words), stack(site));
}

function stack(site: Site): HTMLElement {
  const line = (frame: Frame, index: number) => {
    const { name, place: where } = frameParts(frame);
    return el("li", { class: `${frame.language}${index === site.act_on ? " act" : ""}` }, name, where ? el("span", {}, ` ${where}`) : null);
  };
  return el("ol", { class: "stack" }, ...site.frames.map(line), site.cut ? el("li", {}, "…") : null);
}

export function sitesSection(data: Data): HTMLElement | null {
  const { sites } = data.report;
  if (sites.length === 0) return null;
  return section(
    "sites",
    "What allocates",
    "Lines by the memory that came from them and is still there, estimated from samples. Innermost call first in each stack.",
    table(sites, [
      { title: "Line", kind: "wide", cell: place },
      { title: "Alive over time", cell: (_, index) => sparkline(data.site_courses[index] ?? []) },
      { title: "Growth", kind: "number", cell: (site) => (site.growth_bytes > site.error_bytes ? growth(site.growth_bytes) : "–") },
      { title: "Share", cell: (site) => share(site.share) },
      { title: "Alive", kind: "number", cell: (site) => bytes(site.live_bytes) },
      { title: "Verdict", cell: (site) => verdictChip(site.verdict.kind) },
      { title: "Pid", kind: "number", cell: (site) => String(site.pid) },
    ]),
  );
}

export function holdersSection(data: Data): HTMLElement | null {
  const { holders } = data.report;
  if (holders.length === 0) return null;
  return section(
    "holders",
    "What keeps it",
    "Variables by what would go with them, from looks at all objects of the interpreter.",
    table(holders, [
      { title: "Variable", kind: "wide", cell: (holder) => [el("code", {}, holder.path), el("span", { class: "sub" }, whereWords(holder))] },
      { title: "At each look", cell: (_, index) => sparkline(data.holder_courses[index] ?? []) },
      { title: "Growth", kind: "number", cell: (holder) => growth((holder.growth_bytes ?? 0) + (holder.growth_device_bytes ?? 0)) },
      { title: "Share", cell: (holder) => share(holder.share) },
      { title: "Keeps", kind: "number", cell: (holder) => bytes(holder.retained_bytes + holder.device_bytes) },
      { title: "Length", kind: "number", cell: lengthWords },
      { title: "Pid", kind: "number", cell: (holder) => String(holder.pid) },
    ]),
  );
}

export function tensorsSection(data: Data): HTMLElement | null {
  const rows = byGrowth(data.report.tensors);
  if (rows.length === 0) return null;
  return section(
    "tensors",
    "Tensors",
    "Those that look alike together, at the last look.",
    table(rows, [
      { title: "Shape", kind: "wide", cell: (row) => el("code", {}, `[${row.shape.join(", ")}]`) },
      { title: "Type", cell: (row) => `${row.dtype}${row.requires_grad ? ", grad" : ""}` },
      { title: "Device", cell: (row) => row.device },
      { title: "Count", kind: "number", cell: (row) => count(row.count) },
      { title: "More", kind: "number", cell: (row) => moved(row.growth_count, signedCount) },
      { title: "Bytes", kind: "number", cell: (row) => bytes(row.bytes) },
      { title: "Growth", kind: "number", cell: (row) => moved(row.growth_bytes, growth) },
      { title: "Pid", kind: "number", cell: (row) => String(row.pid) },
    ]),
  );
}

export function typesSection(data: Data): HTMLElement | null {
  const rows = grown(data.report.types);
  if (rows.length === 0) return null;
  return section(
    "types",
    "Python objects",
    "Types of which there was more at the last look than at the first.",
    table(rows, [
      { title: "Type", kind: "wide", cell: (row) => el("code", {}, row.type) },
      { title: "Count", kind: "number", cell: (row) => count(row.count) },
      { title: "More", kind: "number", cell: (row) => moved(row.growth_count, signedCount) },
      { title: "Bytes", kind: "number", cell: (row) => bytes(row.bytes) },
      { title: "Growth", kind: "number", cell: (row) => moved(row.growth_bytes, growth) },
      { title: "Pid", kind: "number", cell: (row) => String(row.pid) },
    ]),
  );
}
