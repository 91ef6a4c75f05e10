// The memory that each process has alone, from its start to its end.
import { jobSeries, type Data, type Series } from "./data";

const EXIT_MS = 1000; // of the last processes of a job, which do not end at the same moment

// The last reading of a process can be older than its end: while it exits, it cannot be read. Until then the memory of
// the process tree counts it with its last value, and so does this.
export function processSeries(data: Data): Series[] {
  const treeEnd = jobSeries(data)?.millis.at(-1) ?? 0;
  const ends = new Map(data.report.processes.map(({ pid, ended_s }) => [pid, ended_s === null ? Infinity : ended_s * 1000]));
  return data.series
    .filter((series) => series.kind === "process")
    .map((series) => held(series, Math.floor(Math.min(treeEnd, ends.get(series.pid) ?? 0))));
}

// Processes that ended while the job went on, such as workers that were replaced.
export function endedEarly(data: Data): Set<number> {
  const treeEnd = jobSeries(data)?.millis.at(-1) ?? 0;
  const lastOf = new Map(processSeries(data).map(({ pid, millis }) => [pid, millis.at(-1) ?? 0]));
  return new Set([...lastOf].filter(([, last]) => last < treeEnd - EXIT_MS).map(([pid]) => pid));
}

function held(series: Series, until: number): Series {
  const [last, value] = [series.millis.at(-1), series.values.at(-1)];
  if (last === undefined || value === undefined || until <= last) return series;
  const millis = new Uint32Array(series.millis.length + 1);
  const values = new Float32Array(millis.length);
  millis.set(series.millis);
  values.set(series.values);
  millis[millis.length - 1] = until;
  values[values.length - 1] = value;
  return { ...series, millis, values };
}
