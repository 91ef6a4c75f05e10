// The processes, one on the other: what each alone is to blame for, shared pages counted once.
import type uPlot from "uplot";
import { color, hue } from "../colors";
import type { Data, Series } from "../data";
import { bytes, count } from "../format";
import { roleName } from "../process_branches";
import { resample, valueAt } from "../resample";
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
  const peak = (series: Series) => peaks.get(series) ?? 0;
  all.sort((a, b) => peak(b) - peak(a));
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

export function processPicture(layers: Layer[]): Picture {
  let own: Float64Array[] = [];
  // The sum of all is drawn first and each smaller sum over it, so that what is left to see is each one's part.
  return {
    label: `Memory of ${layers.length} processes over time, one on the other`,
    height: 300,
    series: [...layers].reverse().map((layer): uPlot.Series => ({
      label: layer.name,
      stroke: () => color("paper"),
      width: 0.5,
      fill: () => layer.swatch(),
      points: { show: false },
    })),
    columns(from, to, columns) {
      own = layers.map((layer) => sumOf(layer.series, from, to, columns));
      const sums: (number | null)[][] = [];
      const sum = new Float64Array(columns);
      for (const values of own) {
        for (let at = 0; at < columns; ++at) sum[at] = valueAt(sum, at) + valueAt(values, at);
        sums.push(Array.from(sum));
      }
      return sums.reverse();
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
    mean.forEach((value, at) => {
      if (!Number.isNaN(value)) sum[at] = valueAt(sum, at) + value;
    });
  }
  return sum;
}
