// The memory of the process tree: its lowest and highest value at each moment, the floor below, limits and events.
import uPlot from "uplot";
import { color, withAlpha } from "../colors";
import type { Data, Series, Span } from "../data";
import { bytes } from "../format";
import { orNull, resample, valueAt, type Columns } from "../resample";
import type { Figure, Picture } from "./chart";
import { Floor } from "./floor";
import { cone, levelLine, Moments, shade, tag } from "./marks";
import { findSpikes } from "./spikes";
import type { View } from "./view";

const SHOWN_BELOW_LIMIT = 0.35; // of the limit: from there on the axis reaches up to it

export function jobPicture(data: Data, series: Series, view: View, phaseColor: (name: string) => string): Picture {
  const { verdict, forecast } = data.report;
  const floor = new Floor(series, view.first, view.last);
  const phases = data.spans.filter((span) => span.track === "phases" && span.took_s > 0);
  const outages = data.spans.filter((span) => span.track === "not recorded");
  const moments = data.spans.filter((span) => span.track === "events");
  const spikes = verdict.spike_bytes ? findSpikes(series, floor, verdict.spike_bytes, phases, view.first, view.last) : [];
  const isLeak = verdict.kind === "leak";
  const floorInk = isLeak ? "leak" : "floor";
  const reached = forecast?.seconds?.estimate ?? null;
  const { low: earliest = null, high: latest = null } = forecast?.seconds ?? {};
  const limit = data.limit_bytes;
  let shown: { columns: Columns; floor: Float64Array } | null = null;

  const isAhead = () => view.to > view.last + 1e-6;

  return {
    shape: floorInk,
    label: `Memory of the process tree over time. The floor goes from ${bytes(verdict.floor.first_bytes ?? 0)} to ${bytes(verdict.floor.last_bytes ?? 0)}`,
    height: 340,
    series: [
      { label: "highest", stroke: () => color("line"), width: 1.25, points: { show: false } },
      { label: "lowest", stroke: () => color("line"), width: 1.25, points: { show: false } },
      { label: "floor", stroke: () => color(floorInk), width: 2, fill: () => withAlpha(color(floorInk), 0.12), points: { show: false } },
    ],
    bands: [{ series: [1, 2], fill: () => withAlpha(color("line"), 0.35) }],
    columns(from, to, count) {
      shown = { columns: resample(series, from, to, count), floor: floor.columns(from, to, count) };
      return [orNull(shown.columns.high), orNull(shown.columns.low), orNull(shown.floor)];
    },
    top(highest) {
      if (limit === null) return highest;
      return isAhead() || highest >= SHOWN_BELOW_LIMIT * limit ? Math.max(highest, limit) : highest;
    },
    figures(column): Figure[] {
      if (!shown) return [];
      const { high, low } = shown.columns;
      if (column === null) {
        const peak = high.reduce((most, value) => (value > most ? value : most), 0);
        return [{ name: "peak", value: bytes(peak) }];
      }
      const [highest, lowest] = [valueAt(high, column), valueAt(low, column)];
      if (Number.isNaN(highest)) return [];
      const isRange = highest - lowest > 0.005 * highest;
      return [
        { name: "memory", value: isRange ? `${bytes(lowest)} to ${bytes(highest)}` : bytes(highest), swatch: () => color("line") },
        { name: "floor", value: bytes(valueAt(shown.floor, column)), swatch: () => color(floorInk) },
      ];
    },
    drawBelow(plot) {
      shade(plot, phases, (span: Span) => withAlpha(phaseColor(span.name), 0.12));
      shade(plot, outages, () => withAlpha(color("muted"), 0.25));
    },
    drawAbove(plot: uPlot) {
      if (limit !== null) levelLine(plot, limit, `limit ${bytes(limit)}`, "limit");
      if (verdict.plateau_bytes) {
        levelLine(plot, verdict.plateau_bytes, `plateau ${bytes(verdict.plateau_bytes)}`, "floor", verdict.warmup_end?.seconds ?? -Infinity);
      }
      const words = new Moments(plot);
      if (verdict.warmup_end?.seconds != null) words.draw(verdict.warmup_end.seconds, "warm-up ended", "floor");
      if (isAhead() && reached !== null && limit !== null) {
        cone(plot, [view.last, floor.last], [reached, limit], earliest ?? reached, latest ?? reached, floorInk);
        words.draw(reached, "limit reached", floorInk);
      }
      for (const moment of moments) words.draw(moment.at_s, moment.name, "event");
      const taken: [number, number][] = [];
      for (const spike of spikes) tag(plot, spike.at, spike.top, `${spike.name} +${bytes(spike.height)}`, "event", taken);
    },
  };
}
