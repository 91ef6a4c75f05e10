// What the reader chose, as it is kept while a page is loaded again.

export interface Chosen {
  theme?: string;
  search?: string;
  from?: number;
  to?: number;
}

// Of text that another page of this origin may have written: only what has the right type is taken.
export function parseChosen(text: string | null): Chosen {
  const chosen: Chosen = {};
  let written: unknown;
  try {
    written = JSON.parse(text ?? "{}");
  } catch {
    return chosen;
  }
  if (typeof written !== "object" || written === null) return chosen;
  const { theme, search, from, to } = written as Record<string, unknown>;
  if (theme === "light" || theme === "dark") chosen.theme = theme;
  if (typeof search === "string") chosen.search = search;
  if (typeof from === "number" && typeof to === "number" && from < to) Object.assign(chosen, { from, to });
  return chosen;
}
