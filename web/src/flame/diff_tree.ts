// Two runs as one tree: what each call had before a change and after it.
//
// A bar is as wide as the larger of the two, so that memory that is gone can be seen as well. Line numbers and pids differ
// between two runs of a program, so names have no lines, and all processes are merged.
import type { Data, Frame, Stack } from "../data";
import { frameParts } from "../frames";
import { bytes, growth } from "../format";
import { pathsOf, TreeBuilder, type Call, type Options, type Step } from "./tree";

export type Field = "growth_bytes" | "live_bytes";

export interface Change {
  before: number;
  after: number;
}

export interface Difference {
  root: Call;
  changes: Map<Call, Change>;
}

const withoutLine = (frame: Frame) => {
  const { name, place } = frameParts({ ...frame, line: null });
  return place ? `${name}  ${place}` : name;
};

const keyOf = (path: Step[]) => JSON.stringify(path.map((step) => [step.language, step.name]));

export function buildDifference(data: Data, field: Field, options: Options): Difference {
  const before = data.baseline?.profile ?? [];
  const scale = field === "growth_bytes" ? (data.baseline?.growth_scale ?? 1) : 1;
  const paths = (profile: Stack[]) => pathsOf(data, profile, options, withoutLine, null);
  const stacks = new Map<string, { path: Step[] } & Change>();
  const put = (profile: Stack[], side: keyof Change, factor: number) => {
    paths(profile).forEach((path, at) => {
      const size = Math.max(0, (profile[at]?.[field] ?? 0) * factor);
      if (size === 0) return;
      const key = keyOf(path);
      const stack = stacks.get(key) ?? { path, before: 0, after: 0 };
      stack[side] += size;
      stacks.set(key, stack);
    });
  };
  put(before, "before", scale);
  put(data.profile, "after", 1);
  const builder = new TreeBuilder();
  const changes = new Map<Call, Change>();
  for (const stack of stacks.values()) {
    builder.add(stack.path, Math.max(stack.before, stack.after), (call) => {
      const change = changes.get(call) ?? { before: 0, after: 0 };
      changes.set(call, { before: change.before + stack.before, after: change.after + stack.after });
    });
  }
  return { root: builder.root, changes };
}

// "12 MB before, 3 MB after (−9 MB)"
export function changeWords({ before, after }: Change): string {
  return `${bytes(before)} before, ${bytes(after)} after (${growth(after - before)})`;
}

// "more-3": much more memory than before; "less-1": a little less; "same".
export function changeShade({ before, after }: Change): string {
  const most = Math.max(before, after);
  const share = most > 0 ? (after - before) / most : 0;
  if (Math.abs(share) < 0.05) return "same";
  const strength = Math.abs(share) > 0.66 ? 3 : Math.abs(share) > 0.33 ? 2 : 1;
  return `${share > 0 ? "more" : "less"}-${strength}`;
}
