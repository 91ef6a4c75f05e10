// GPU memory: what the driver counts, and what torch has allocated and reserved of it.
import { hue } from "../colors";
import type { Data, Series } from "../data";
import { bytes } from "../format";
import { orNull, resample, type Columns } from "../resample";
import type { Picture } from "./chart";
import { levelLine } from "./marks";

const MOST_LINES = 16;

export function gpuPicture(data: Data): Picture | null {
  const all = data.series.filter((series) => series.name.startsWith("GPU ")).slice(0, MOST_LINES);
  if (all.length === 0) return null;
  const nameOf = (series: Series) => (series.pid === 0 ? series.name : `${series.name}, pid ${series.pid}`);
  const totals = data.report.gpus.map((gpu) => gpu.total_bytes ?? 0).filter((total) => total > 0);
  const total = totals.length > 0 ? Math.min(...totals) : null;
  let shown: Columns[] = [];
  return {
    label: "Memory of the GPUs over time",
    height: 240,
    series: all.map((series, at) => ({ label: nameOf(series), stroke: () => hue(at), width: 1.5, points: { show: false } })),
    columns(from, to, count) {
      shown = all.map((series) => resample(series, from, to, count));
      return shown.map((columns) => orNull(columns.high));
    },
    top: (highest) => (total !== null && highest > total / 3 ? Math.max(highest, total) : highest),
    figures: (column) =>
      all.flatMap((series, at) => {
        const value = column === null ? NaN : (shown[at]?.high[column] ?? NaN);
        return column !== null && Number.isNaN(value)
          ? []
          : [{ name: nameOf(series), value: column === null ? "" : bytes(value), swatch: () => hue(at) }];
      }),
    drawAbove: (plot) => {
      if (total !== null) levelLine(plot, total, `GPU memory ${bytes(total)}`, "limit");
    },
  };
}
