// Stacks put together by what they have in common.
import type { Data } from "./data";
import { frameWords } from "./frames";

export type Value = "growth_bytes" | "live_bytes";

export interface Call {
  name: string;
  language: "python" | "native" | null;
  value: number;
  children: Call[];
}

const MOST_FRAMES = 200;

// One of `shades` shades by name: the same name always has the same one.
export function shadeNumber(name: string, shades: number): number {
  let sum = 0;
  for (const letter of name) sum = (sum * 31 + letter.charCodeAt(0)) % 997;
  return sum % shades;
}

// Plain text, not a pattern: what is typed must not be able to hang the page.
export const matches = (name: string, term: string) => name.toLowerCase().includes(term.toLowerCase());

export function buildTree(data: Data, value: Value): Call {
  const root: Call = { name: "all", language: null, value: 0, children: [] };
  const index = new Map<Call, Map<string, Call>>();
  const child = (parent: Call, name: string, language: Call["language"]) => {
    let known = index.get(parent);
    if (!known) index.set(parent, (known = new Map<string, Call>()));
    const key = `${language ?? ""}${name}`;
    let found = known.get(key);
    if (!found) {
      found = { name, language, value: 0, children: [] };
      known.set(key, found);
      parent.children.push(found);
    }
    return found;
  };
  const words = data.frames.map(frameWords);
  const isCrowd = new Set(data.profile.map((stack) => stack.pid)).size > 1;
  for (const stack of data.profile) {
    const bytes = stack[value];
    if (bytes <= 0) continue;
    root.value += bytes;
    let at = root;
    if (isCrowd) {
      at = child(root, `process ${stack.pid}`, null);
      at.value += bytes;
    }
    for (const frame of stack.frames.slice(0, MOST_FRAMES).reverse()) {
      at = child(at, words[frame] ?? "?", data.frames[frame]?.language ?? "native");
      at.value += bytes;
    }
  }
  return root;
}
