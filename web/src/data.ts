// What lowtide wrote into the page: see docs/page.md.

import type { Counter, PageData } from "./report_types";

export type * from "./report_types";

export type Curve = [number, number][]; // seconds, bytes

export type SeriesKind = Counter["kind"];

export interface Series {
  pid: number; // 0: the whole job
  kind: SeriesKind;
  name: string;
  millis: Uint32Array;
  values: Float32Array;
}

export interface Data extends Omit<PageData, "times" | "counters"> {
  series: Series[];
}

// The memory of the process tree.
export const jobSeries = (data: Data) => data.series.find((series) => series.kind === "job");

// Newer browsers have it built in, ten times as fast.
const fromBase64 = (Uint8Array as unknown as { fromBase64?: (text: string) => Uint8Array }).fromBase64;

function bytesOf(text: string): ArrayBuffer {
  if (fromBase64) return fromBase64.call(Uint8Array, text).buffer as ArrayBuffer;
  const raw = atob(text);
  const bytes = new Uint8Array(raw.length);
  for (let at = 0; at < raw.length; ++at) bytes[at] = raw.charCodeAt(at);
  return bytes.buffer;
}

export function readData(): Data {
  const element = document.getElementById("lowtide-data");
  const data = parseData(element?.textContent ?? "");
  element?.remove(); // frees up to tens of megabytes
  return data;
}

export function parseData(text: string): Data {
  const { times, counters, ...rest } = JSON.parse(text) as PageData;
  const moments = times.map((text) => new Uint32Array(bytesOf(text)));
  const series = counters.map(({ pid, kind, name, times: index, values }) => ({
    pid,
    kind,
    name,
    millis: moments[index] ?? new Uint32Array(),
    values: new Float32Array(bytesOf(values)),
  }));
  return { ...rest, series };
}
