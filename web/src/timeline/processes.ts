// The processes, stacked: the memory that each has alone, and below them the memory that they share. Together they are the
// memory of the process tree.
import type uPlot from "uplot";
import { color, hue, HUES } from "../colors";
import { jobSeries, type Data, type Series } from "../data";
import { bytes, count } from "../format";
import { roleName } from "../process_branches";
import { processSeries } from "../process_series";
import { resample, valueAt } from "../resample";
import type { Figure, Picture } from "./chart";

const MOST_FIGURES = 5;

export interface Layer {
  name: string;
  swatch: () => string;
  series: Series[]; // of one process, or of all those that have no colour of their own
}

export interface Stacked {
  layers: Layer[]; // of processes alone
  tree: Series | null; // the memory of the process tree, shared pages counted once
}

export const SHARED: Pick<Layer, "name" | "swatch"> = { name: "shared", swatch: () => color("shared") };

export function processLayers(data: Data): Stacked {
  const all = processSeries(data);
  const peaks = new Map(all.map((series) => [series, series.values.reduce((most, value) => Math.max(most, value), 0)]));
  const peak = (series: Series) => peaks.get(series) ?? 0;
  all.sort((a, b) => peak(b) - peak(a));
  const names = new Map(data.report.processes.map((process) => [process.pid, roleName(process.role, process.index ?? null)]));
  const layers = all.slice(0, HUES).map((series, at) => ({
    name: `${names.get(series.pid) ?? "process"}, pid ${series.pid}`,
    swatch: () => hue(at),
    series: [series],
  }));
  const rest = all.slice(HUES);
  if (rest.length > 0) layers.push({ name: `${count(rest.length)} other ${rest.length > 1 ? "processes" : "process"}`, swatch: () => color("others"), series: rest });
  return { layers, tree: jobSeries(data) ?? null };
}

export function processPicture({ layers: processes, tree }: Stacked): Picture {
  const layers = tree ? [{ ...SHARED, series: [] }, ...processes] : processes;
  let own: Float64Array[] = [];
  // The sum of all is drawn first and each smaller sum over it, so that the part of each stays visible.
  return {
    shape: layers.map((layer) => layer.name).join("\n"),
    label: `Memory of ${processes.length} processes over time, stacked${tree ? ", with the memory that they share" : ""}`,
    height: 300,
    series: [...layers].reverse().map((layer): uPlot.Series => ({
      label: layer.name,
      stroke: () => color("paper"),
      width: 0.5,
      fill: () => layer.swatch(),
      points: { show: false },
    })),
    columns(from, to, columns) {
      own = processes.map((layer) => sumOf(layer.series, from, to, columns));
      if (tree) own.unshift(sharedOf(sumOf([tree], from, to, columns), own));
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

// The part of the tree that no process has alone.
function sharedOf(tree: Float64Array, own: Float64Array[]): Float64Array {
  return tree.map((value, at) => Math.max(0, value - own.reduce((sum, values) => sum + valueAt(values, at), 0)));
}
