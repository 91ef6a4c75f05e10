// What allocates, what holds the memory, and which objects there are.
import { curveIn } from "./curve";
import type { Curve, Data, Frame, Site } from "./data";
import { el, section } from "./dom";
import { frameParts, frameWords } from "./frames";
import { bytes, clock, count, growth } from "./format";
import { byGrowth, grown, lengthWords, moved, signedCount, whereWords } from "./site_words";
import { sparkline } from "./sparkline";
import { share, table, verdictChip, type Cell } from "./tables";
import { growthIn, siteBytes, type Range } from "./values";

function place(site: Site): Cell {
  const frame = site.frames[site.act_on ?? 0];
  if (!frame) return "unknown";
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

const sum = (values: number[]) => values.reduce((total, value) => total + Math.max(0, value), 0);

// States the time range above a table.
const rangeText = (range: Range | null) => (range ? ` Time range: ${clock(range.from)} to ${clock(range.to)}.` : "");

const partOf = (curve: Curve, range: Range | null) => (range ? curveIn(curve, range.from, range.to) : curve);

export function sitesSection(data: Data, range: Range | null): HTMLElement | null {
  const { sites } = data.report;
  if (sites.length === 0) return null;
  const [grew, live, peak] = (["growth", "live", "peak"] as const).map((value) => siteBytes(data, value, range)) as [number[], number[], number[]];
  const total = sum(grew);
  const rows = sites.map((site, at) => ({
    site,
    curve: partOf(data.site_curves[at] ?? [], range),
    growth: grew[at] ?? 0,
    live: live[at] ?? 0,
    peak: peak[at] ?? 0,
    share: range ? (total > 0 ? (grew[at] ?? 0) / total : null) : site.share,
  }));
  if (range) rows.sort((a, b) => b.growth - a.growth);
  return section(
    "sites",
    "Top allocation sites",
    `Live memory by the line that allocated it, estimated from samples. Select a line to see its stack, innermost call first.${rangeText(range)}`,
    table(
      "Top allocation sites",
      rows,
      [
        { title: "Line", kind: "wide", cell: ({ site }) => place(site) },
        { title: "Live over time", cell: ({ curve }) => sparkline(curve) },
        { title: "Growth", kind: "number", cell: (row) => (row.growth > row.site.error_bytes ? growth(row.growth) : "–") },
        { title: "Share", cell: (row) => share(row.share) },
        { title: "At the peak", kind: "number", cell: (row) => bytes(row.peak) },
        { title: range ? "Live" : "Live at the end", kind: "number", cell: (row) => bytes(row.live) },
        { title: "Verdict", cell: ({ site }) => verdictChip(site.verdict.kind) },
        { title: "Pid", kind: "number", cell: ({ site }) => String(site.pid) },
      ],
      ({ site }) => `${site.pid} ${frameWords(site.frames[site.act_on ?? 0] ?? null)}`,
    ),
  );
}

export function holdersSection(data: Data, range: Range | null): HTMLElement | null {
  const { holders } = data.report;
  if (holders.length === 0) return null;
  const rows = holders.map((holder, at) => {
    const curve = data.holder_curves[at] ?? [];
    const whole = (holder.growth_bytes ?? 0) + (holder.growth_device_bytes ?? 0);
    return { holder, curve: partOf(curve, range), growth: range ? growthIn(curve, range) : whole };
  });
  const total = sum(rows.map((row) => row.growth));
  if (range) rows.sort((a, b) => b.growth - a.growth);
  return section(
    "holders",
    "Variables that hold the memory",
    `What each variable retains, from snapshots of the Python heap.${rangeText(range)}`,
    table(
      "Variables that hold the memory",
      rows,
      [
        { title: "Variable", kind: "wide", cell: ({ holder }) => [el("code", {}, holder.path), el("span", { class: "sub" }, whereWords(holder))] },
        { title: "At each snapshot", cell: ({ curve }) => sparkline(curve) },
        { title: "Growth", kind: "number", cell: (row) => growth(row.growth) },
        { title: "Share", cell: (row) => share(range ? (total > 0 ? row.growth / total : null) : row.holder.share) },
        { title: "Retains", kind: "number", cell: ({ holder }) => bytes(holder.retained_bytes + holder.device_bytes) },
        { title: "Length", kind: "number", cell: ({ holder }) => lengthWords(holder) },
        { title: "Pid", kind: "number", cell: ({ holder }) => String(holder.pid) },
      ],
      ({ holder }) => `${holder.pid} ${holder.path}`,
    ),
  );
}

export function tensorsSection(data: Data): HTMLElement | null {
  const rows = byGrowth(data.report.tensors);
  if (rows.length === 0) return null;
  return section(
    "tensors",
    "Tensors",
    "Tensors of one shape, type and device are counted together, at the last snapshot.",
    table("Tensors", rows, [
      { title: "Shape", kind: "wide", cell: (row) => el("code", {}, `[${row.shape.join(", ")}]`) },
      { title: "Type", cell: (row) => `${row.dtype}${row.requires_grad ? ", grad" : ""}` },
      { title: "Device", cell: (row) => row.device },
      { title: "Count", kind: "number", cell: (row) => count(row.count) },
      { title: "Change", kind: "number", cell: (row) => moved(row.growth_count, signedCount) },
      { title: "Bytes", kind: "number", cell: (row) => bytes(row.bytes) },
      { title: "Growth", kind: "number", cell: (row) => moved(row.growth_bytes, growth) },
      { title: "Pid", kind: "number", cell: (row) => String(row.pid) },
    ], (row) => `${row.pid} ${row.device} ${row.dtype} ${row.shape.join(",")} ${row.requires_grad}`),
  );
}

export function typesSection(data: Data): HTMLElement | null {
  const rows = grown(data.report.types);
  if (rows.length === 0) return null;
  return section(
    "types",
    "Python objects",
    "Types that had more objects at the last snapshot than at the first.",
    table("Python objects", rows, [
      { title: "Type", kind: "wide", cell: (row) => el("code", {}, row.type) },
      { title: "Count", kind: "number", cell: (row) => count(row.count) },
      { title: "Change", kind: "number", cell: (row) => moved(row.growth_count, signedCount) },
      { title: "Bytes", kind: "number", cell: (row) => bytes(row.bytes) },
      { title: "Growth", kind: "number", cell: (row) => moved(row.growth_bytes, growth) },
      { title: "Pid", kind: "number", cell: (row) => String(row.pid) },
    ], (row) => `${row.pid} ${row.type}`),
  );
}
