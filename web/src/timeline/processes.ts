// The processes, one on the other: what each alone is to blame for, shared pages counted once.
import type uPlot from "uplot";
import { color, hue } from "../colors";
import type { Data, Series } from "../data";
import { bytes, count } from "../format";
import { resample } from "../resample";
import type { Figure, Picture } from "./chart";

const MOST_SHOWN = 24;
const MOST_FIGURES = 5;

export interface Layer {
  name: string;
  swatch: () => string;
  series: Series[]; // of one process, or of all those that are too small to tell
}

export function processLayers(data: Data): Layer[] {
  const all = data.series.filter((series) => series.pid !== 0 && series.name === "memory");
  const peaks = new Map(all.map((series) => [series, series.values.reduce((most, value) => Math.max(most, value), 0)]));
  all.sort((a, b) => peaks.get(b)! - peaks.get(a)!);
  const names = new Map(data.report.processes.map((process) => [process.pid, roleName(process.role, process.index ?? null)]));
  const layers = all.slice(0, MOST_SHOWN).map((series, at) => ({
    name: `${names.get(series.pid) ?? "process"} ${series.pid}`,
    swatch: () => hue(at),
    series: [series],
  }));
  const rest = all.slice(MOST_SHOWN);
  if (rest.length > 0) layers.push({ name: `${count(rest.length)} others`, swatch: () => color("muted"), series: rest });
  return layers;
}

export const roleName = (role: string | null, index: number | null) =>
  !role || role === "other" ? "process" : index === null ? role : `${role} ${index}`;

export function processPicture(layers: Layer[]): Picture {
  let own: Float64Array[] = [];
  // The sum of all is drawn first and each smaller sum over it, so that what is left to see is each one's part.
  const order = layers.map((_, at) => layers.length - 1 - at);
  return {
    label: `Memory of ${layers.length} processes over time, one on the other`,
    height: 300,
    series: order.map((at): uPlot.Series => ({
      label: layers[at]!.name,
      stroke: () => color("paper"),
      width: 0.5,
      fill: () => layers[at]!.swatch(),
      points: { show: false },
    })),
    columns(from, to, columns) {
      own = layers.map((layer) => sumOf(layer.series, from, to, columns));
      const sums: (number | null)[][] = [];
      const sum = new Float64Array(columns);
      for (const values of own) {
        for (let at = 0; at < columns; ++at) sum[at] = sum[at]! + values[at]!;
        sums.push(Array.from(sum));
      }
      return order.map((at) => sums[at]!);
    },
    top: (highest) => highest,
    figures(column): Figure[] {
      if (column === null) return [];
      return layers
        .map((layer, at) => ({ layer, value: own[at]?.[column] ?? 0 }))
        .filter(({ value }) => value > 0)
        .sort((a, b) => b.value - a.value)
        .slice(0, MOST_FIGURES)
        .map(({ layer, value }) => ({ name: layer.name, value: bytes(value), swatch: layer.swatch }));
    },
  };
}

function sumOf(series: Series[], from: number, to: number, columns: number): Float64Array {
  const sum = new Float64Array(columns);
  for (const each of series) {
    const { mean } = resample(each, from, to, columns);
    for (let at = 0; at < columns; ++at) if (!Number.isNaN(mean[at]!)) sum[at] = sum[at]! + mean[at]!;
  }
  return sum;
}
