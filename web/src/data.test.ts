import { afterEach, describe, expect, it, vi } from "vitest";
import { parseData } from "./data";
import { dataOf } from "./test_data";

// As lowtide writes it: little endian.
function base64(values: number[], put: (view: DataView, at: number, value: number) => void): string {
  const view = new DataView(new ArrayBuffer(4 * values.length));
  values.forEach((value, at) => {
    put(view, 4 * at, value);
  });
  return btoa(String.fromCharCode(...new Uint8Array(view.buffer)));
}

const times = (...values: number[]) => base64(values, (view, at, value) => { view.setUint32(at, value, true); });
const floats = (...values: number[]) => base64(values, (view, at, value) => { view.setFloat32(at, value, true); });
const counter = (index: number, values: string, name = "memory", pid = 7) => ({ pid, kind: "process", name, times: index, values });

function written(parts: { times: string[]; counters: ReturnType<typeof counter>[] }): string {
  const { series, ...rest } = dataOf({ readings: 3, limit_bytes: 5e9 });
  expect(series).toEqual([]);
  return JSON.stringify({ ...rest, ...parts });
}

describe("parseData", () => {
  it("reads times and values", () => {
    const data = parseData(written({ times: [times(0, 1000, 4_294_967_295)], counters: [counter(0, floats(1.5, -2, 3e38))] }));

    expect(data.series).toHaveLength(1);
    expect(data.series[0]).toMatchObject({ pid: 7, kind: "process", name: "memory" });
    expect(Array.from(data.series[0]?.millis ?? [])).toEqual([0, 1000, 4_294_967_295]);
    expect(Array.from(data.series[0]?.values ?? [])).toEqual([1.5, -2, Math.fround(3e38)]);
  });

  it("lets several series have the same times, without a copy", () => {
    const { series } = parseData(written({ times: [times(1), times(2)], counters: [counter(1, floats(1), "a"), counter(1, floats(2), "b"), counter(0, floats(3), "c")] }));

    expect(series.map(({ name, millis }) => [name, millis[0]])).toEqual([["a", 2], ["b", 2], ["c", 1]]);
    expect(series[0]?.millis).toBe(series[1]?.millis);
  });

  it("hands on the rest, and not what the series were made of", () => {
    const data = parseData(written({ times: [], counters: [] }));

    expect(data).toMatchObject({ readings: 3, limit_bytes: 5e9, series: [] });
    expect(Object.keys(data)).not.toContain("times");
    expect(Object.keys(data)).not.toContain("counters");
  });

  it("takes times that are not there for none", () => {
    const { series } = parseData(written({ times: [], counters: [counter(5, floats(1))] }));

    expect(series[0]?.millis).toHaveLength(0);
  });

  it("reads an empty series", () => {
    const { series } = parseData(written({ times: [""], counters: [counter(0, "")] }));

    expect([series[0]?.millis.length, series[0]?.values.length]).toEqual([0, 0]);
  });

  it("refuses what is no data", () => {
    expect(() => parseData("")).toThrow(SyntaxError);
    expect(() => parseData("{}")).toThrow(TypeError);
    expect(() => parseData(written({ times: ["!"], counters: [] }))).toThrow();
    expect(() => parseData(written({ times: [btoa("abc")], counters: [] }))).toThrow(RangeError);
  });

  it("takes hostile names as they are", () => {
    const name = "</script><script>alert(1)</script>";

    expect(parseData(written({ times: [], counters: [counter(0, "", name)] })).series[0]?.name).toBe(name);
  });
});

describe("parseData where the browser reads base64 itself", () => {
  afterEach(() => {
    Reflect.deleteProperty(Uint8Array, "fromBase64");
    vi.resetModules();
  });

  it("reads the same", async () => {
    const fromBase64 = vi.fn((text: string) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0)));
    Object.defineProperty(Uint8Array, "fromBase64", { value: fromBase64, configurable: true });
    vi.resetModules();
    const { parseData: parse } = await import("./data");

    const { series } = parse(written({ times: [times(5, 6)], counters: [counter(0, floats(7, 8))] }));

    expect(fromBase64).toHaveBeenCalledTimes(2);
    expect(Array.from(series[0]?.millis ?? [])).toEqual([5, 6]);
    expect(Array.from(series[0]?.values ?? [])).toEqual([7, 8]);
  });
});
