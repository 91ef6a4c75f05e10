// The causes of the growth, and how much each phase of the training retained.
import type { Data } from "./data";
import { el, section } from "./dom";
import { bytes, count, seconds } from "./format";
import { share, table } from "./tables";

export function phasesSection(data: Data): HTMLElement | null {
  const { phases, growth } = data.report;
  const mechanisms = growth.mechanisms
    .map((part, at) => ({ ...part, words: data.growth_words[at] ?? part.mechanism }))
    .filter((part) => part.bytes > 0);
  if (phases.length < 2 && mechanisms.length === 0) return null;
  return section(
    "growth",
    "Causes of the growth",
    "",
    mechanisms.length > 0
      ? table("Causes of the growth", mechanisms, [
          { title: "Cause", kind: "wide", cell: (part) => part.words },
          { title: "Bytes", kind: "number", cell: (part) => bytes(part.bytes) },
          { title: "Share", cell: (part) => share(part.share) },
        ], (part) => part.mechanism)
      : null,
    phases.length > 1 ? el("h3", {}, "Phases") : null,
    phases.length > 1
      ? table("Phases", phases, [
          { title: "Phase", kind: "wide", cell: (phase) => phase.name },
          { title: "Visits", kind: "number", cell: (phase) => count(phase.count) },
          { title: "Retained", kind: "number", cell: (phase) => bytes(phase.kept_bytes) },
          { title: "Peak", kind: "number", cell: (phase) => (phase.peak_bytes === null ? "–" : bytes(phase.peak_bytes)) },
          { title: "Duration", kind: "number", cell: (phase) => (phase.took_s > 0 ? seconds(phase.took_s) : "–") },
          { title: "Pid", kind: "number", cell: (phase) => String(phase.pid) },
        ], (phase) => `${phase.pid} ${phase.name}`)
      : null,
  );
}
