// GPU memory: what the driver reports, and what torch has allocated and reserved of it.
import { hue, HUES } from "../colors";
import type { Data, Series } from "../data";
import { bytes } from "../format";
import { orNull, resample, type Columns } from "../resample";
import type { Picture } from "./chart";
import { levelLine } from "./marks";

export function gpuPicture(data: Data): Picture | null {
  const every = data.series.filter((series) => series.kind === "gpu");
  const all = every.slice(0, HUES); // each has a colour of its own
  if (all.length === 0) return null;
  const left = every.length - all.length;
  const nameOf = (series: Series) => (series.pid === 0 ? series.name : `${series.name}, pid ${series.pid}`);
  const totals = data.report.gpus.map((gpu) => gpu.total_bytes ?? 0).filter((total) => total > 0);
  const total = totals.length > 0 ? Math.min(...totals) : null;
  let shown: Columns[] = [];
  return {
    shape: all.map(nameOf).join("\n"),
    label: "GPU memory over time",
    height: 240,
    series: all.map((series, at) => ({ label: nameOf(series), stroke: () => hue(at), width: 1.5, points: { show: false } })),
    columns(from, to, count) {
      shown = all.map((series) => resample(series, from, to, count));
      return shown.map((columns) => orNull(columns.high));
    },
    top: (highest) => (total !== null && highest > total / 3 ? Math.max(highest, total) : highest),
    figures: (column) => [
      ...all.flatMap((series, at) => {
        const value = column === null ? NaN : (shown[at]?.high[column] ?? NaN);
        return column !== null && Number.isNaN(value)
          ? []
          : [{ name: nameOf(series), value: column === null ? "" : bytes(value), swatch: () => hue(at) }];
      }),
      ...(left > 0 ? [{ name: `${left} more in the JSON report`, value: "" }] : []),
    ],
    drawAbove: (plot) => {
      if (total !== null) levelLine(plot, total, `GPU memory ${bytes(total)}`, "limit");
    },
  };
}
