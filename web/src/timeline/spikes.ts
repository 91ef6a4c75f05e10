// Spikes: memory leaves its floor and returns to it. The highest ones are shown with the phase they happened in.
import type { Series, Span } from "../data";
import { columnAt, resample, valueAt } from "../resample";
import type { Floor } from "./floor";

export interface Spike {
  at: number;
  top: number;
  height: number;
  name: string;
}

const COLUMNS = 1200;
const MOST_NAMED = 8;

export function findSpikes(series: Series, floor: Floor, typical: number, phases: Span[], from: number, to: number) {
  const { high } = resample(series, from, to, COLUMNS);
  const found: Spike[] = [];
  let open: Spike | null = null;
  for (let column = 0; column < COLUMNS; ++column) {
    const at = columnAt(from, to, COLUMNS, column);
    const top = valueAt(high, column);
    const height = top - floor.at(at);
    if (height >= typical / 2) {
      if (!open) found.push((open = { at, top: 0, height: 0, name: "" }));
      if (height > open.height) Object.assign(open, { at, top, height });
    } else if (height < typical / 4) open = null;
  }
  const named = found.sort((a, b) => b.height - a.height).slice(0, MOST_NAMED);
  for (const spike of named) spike.name = phaseAt(phases, spike.at)?.name ?? "spike";
  return named;
}

// The innermost: the one that began last.
function phaseAt(phases: Span[], at: number): Span | undefined {
  return phases
    .filter((phase) => phase.at_s <= at && at <= phase.at_s + phase.took_s)
    .reduce<Span | undefined>((best, phase) => (!best || phase.at_s >= best.at_s ? phase : best), undefined);
}
