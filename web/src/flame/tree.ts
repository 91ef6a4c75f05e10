// The stacks, joined where they have calls in common. The flame graph draws this tree.
import type { Data, Frame, Stack } from "../data";
import { frameWords } from "../frames";
import { processNames } from "./process_names";

export interface Call {
  name: string;
  language: "python" | "native" | null; // null: not code, but all of it, or a process
  value: number;
  children: Call[];
  parent: Call | null;
}

export interface Options {
  bottomUp: boolean; // the call that allocates comes first, its callers below it
  hideImports: boolean;
  hideNative: boolean;
  mergeProcesses: boolean; // processes of one role together
}

export const TOP_DOWN: Options = { bottomUp: false, hideImports: false, hideNative: false, mergeProcesses: false };

const MOST_FRAMES = 200;
const ROOT = "all";

// The same name always has the same shade.
export function shadeNumber(name: string, shades: number): number {
  let sum = 0;
  for (const letter of name) sum = (sum * 31 + letter.charCodeAt(0)) % 997;
  return sum % shades;
}

// Plain text, not a pattern: what is typed must not be able to hang the page.
export const matches = (name: string, term: string) => name.toLowerCase().includes(term.toLowerCase());

// Frames of the import system itself, not of the module that is imported.
export function isImport(frame: Frame): boolean {
  if (frame.language === "native") return /^_?PyImport_|^import_(find_and_load|name|from)/.test(frame.function ?? "");
  return /^<frozen (importlib|zipimport)|importlib\/(__init__|_bootstrap(_external)?)\.py$/.test(frame.file ?? "");
}

export type Step = Pick<Call, "name" | "language">;

const callOf = ({ name, language }: Step, parent: Call | null): Call => ({ name, language, value: 0, children: [], parent });

export class TreeBuilder {
  readonly root = callOf({ name: ROOT, language: null }, null);
  private readonly index = new Map<Call, Map<string, Call>>();

  // Adds the bytes to every call on the way, and shows each of them to `visit`.
  add(path: Step[], bytes: number, visit: (call: Call) => void = () => undefined) {
    let call = this.root;
    call.value += bytes;
    visit(call);
    for (const step of path) {
      call = this.child(call, step);
      call.value += bytes;
      visit(call);
    }
  }

  private child(parent: Call, step: Step): Call {
    let known = this.index.get(parent);
    if (!known) this.index.set(parent, (known = new Map<string, Call>()));
    const key = `${step.language ?? ""}${step.name}`;
    let found = known.get(key);
    if (!found) {
      found = callOf(step, parent);
      known.set(key, found);
      parent.children.push(found);
    }
    return found;
  }
}

// The calls of each stack, from the top of the graph down. `processOf` is null where processes have no level.
export function pathsOf(
  data: Pick<Data, "frames">,
  profile: Stack[],
  options: Options,
  nameOf: (frame: Frame) => string,
  processOf: ((pid: number) => string) | null,
): Step[][] {
  const steps = data.frames.map((frame): Step => ({ name: nameOf(frame), language: frame.language }));
  const isHidden = data.frames.map((frame) => (options.hideNative && frame.language === "native") || (options.hideImports && isImport(frame)));
  return profile.map((stack) => {
    const shown = stack.frames.slice(0, MOST_FRAMES).filter((frame) => !isHidden[frame]);
    const path = shown.map((frame): Step => steps[frame] ?? { name: "?", language: "native" });
    // Hidden frames do not hide the memory.
    if (path.length === 0 && stack.frames.length > 0) path.push({ name: "hidden frames only", language: null });
    if (processOf) path.push({ name: processOf(stack.pid), language: null });
    return options.bottomUp ? path : path.reverse();
  });
}

// `bytes` has a number for each stack; stacks without a positive one are left out.
export function buildTree(data: Data, bytes: ArrayLike<number>, options: Options = TOP_DOWN): Call {
  const builder = new TreeBuilder();
  const paths = pathsOf(data, data.profile, options, frameWords, processNames(data, options.mergeProcesses));
  paths.forEach((path, at) => {
    const size = bytes[at] ?? 0;
    if (size > 0) builder.add(path, size);
  });
  return builder.root;
}

// The names from the root down to the call; the root itself is not in it.
export function pathOf(call: Call): string[] {
  const names: string[] = [];
  for (let at = call; at.parent; at = at.parent) names.unshift(at.name);
  return names;
}

// The call at a path, or the deepest caller on the path that is still there.
export function findCall(root: Call, path: string[]): Call {
  let at = root;
  for (const name of path) {
    const next = at.children.find((child) => child.name === name);
    if (!next) return at;
    at = next;
  }
  return at;
}

// How many calls match, and the bytes below them; a match within a match is not added again.
export function findMatches(root: Call, term: string): { count: number; bytes: number } {
  const found = { count: 0, bytes: 0 };
  const visit = (call: Call, isWithin: boolean) => {
    const isMatch = call.parent !== null && matches(call.name, term);
    if (isMatch) ++found.count;
    if (isMatch && !isWithin) found.bytes += call.value;
    for (const child of call.children) visit(child, isWithin || isMatch);
  };
  visit(root, false);
  return found;
}
