// Text and order of the rows of the tables of sites, holders, tensors and types.
import type { Holder, Tensors, TypeCount } from "./data";
import { count, fileName } from "./format";

// "1,200 (+200) of 2,048": the number of elements, its growth, and its limit.
export function lengthWords(holder: Pick<Holder, "length" | "growth_length" | "bound">): string {
  if (holder.length === null) return "–";
  const more = holder.growth_length ? ` (${signedCount(holder.growth_length)})` : "";
  return `${count(holder.length)}${more}${holder.bound ? ` of ${count(holder.bound)}` : ""}`;
}

// "dict, lru cache, trainer.py:12"
export function whereWords(holder: Pick<Holder, "type" | "cache" | "file" | "line">): string {
  const cache = holder.cache ? `, ${holder.cache} cache` : "";
  const line = holder.line ? `:${holder.line}` : "";
  return `${holder.type}${cache}${holder.file ? `, ${fileName(holder.file)}${line}` : ""}`;
}

export const signedCount = (value: number) => (value > 0 ? `+${count(value)}` : count(value));

// A dash if nothing changed, or nothing is known.
export const moved = (value: number | null, words: (value: number) => string) => (value ? words(value) : "–");

// By growth, then by size.
export const byGrowth = (tensors: Tensors[]) =>
  [...tensors].sort((a, b) => (b.growth_bytes ?? 0) - (a.growth_bytes ?? 0) || b.bytes - a.bytes);

export const grown = (types: TypeCount[]) => types.filter((row) => (row.growth_bytes ?? 0) > 0);
