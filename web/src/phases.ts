// What each phase of the trainer kept, and of what the growth is made.
import type { Data } from "./data";
import { el, section } from "./dom";
import { bytes, count, seconds } from "./format";
import { share, table } from "./tables";

export function phasesSection(data: Data): HTMLElement | null {
  const { phases, growth } = data.report;
  const mechanisms = growth.mechanisms.filter((part) => part.bytes > 0);
  if (phases.length < 2 && mechanisms.length === 0) return null;
  return section(
    "growth",
    "What the growth is made of",
    "",
    mechanisms.length > 0
      ? table(mechanisms, [
          { title: "Mechanism", kind: "wide", cell: (part) => part.mechanism },
          { title: "Bytes", kind: "number", cell: (part) => bytes(part.bytes) },
          { title: "Share", cell: (part) => share(part.share) },
        ])
      : null,
    phases.length > 1 ? el("h3", {}, "Phases") : null,
    phases.length > 1
      ? table(phases, [
          { title: "Phase", kind: "wide", cell: (phase) => phase.name },
          { title: "Visits", kind: "number", cell: (phase) => count(phase.count) },
          { title: "Kept", kind: "number", cell: (phase) => bytes(phase.kept_bytes) },
          { title: "Peak", kind: "number", cell: (phase) => (phase.peak_bytes === null ? "–" : bytes(phase.peak_bytes)) },
          { title: "Took", kind: "number", cell: (phase) => seconds(phase.took_s) },
          { title: "Pid", kind: "number", cell: (phase) => String(phase.pid) },
        ])
      : null,
  );
}
