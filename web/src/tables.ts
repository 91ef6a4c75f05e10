// Tables of what a report lists, longest part first, the rest behind a button.
import { el } from "./dom";
import { percent } from "./format";

export type Cell = Node | string | null;

export interface Column<Row> {
  title: string;
  kind?: "number" | "wide";
  cell: (row: Row, index: number) => Cell | Cell[];
}

const FIRST_ROWS = 12;

export function table<Row>(rows: Row[], columns: Column<Row>[]): HTMLElement {
  const body = el("tbody");
  const add = (from: number, to: number) => {
    for (const [at, row] of rows.slice(from, to).entries()) body.append(rowOf(row, from + at, columns));
  };
  add(0, FIRST_ROWS);
  const head = el("thead", {}, el("tr", {}, ...columns.map((column) => el("th", { class: column.kind ?? "" }, column.title))));
  const box = el("div", { class: "scroll" }, el("table", {}, head, body));
  if (rows.length <= FIRST_ROWS) return box;
  const more = el("button", { type: "button", class: "more" }, `Show all ${rows.length}`);
  more.addEventListener("click", () => {
    add(FIRST_ROWS, rows.length);
    more.remove();
  });
  return el("div", {}, box, more);
}

function rowOf<Row>(row: Row, index: number, columns: Column<Row>[]): HTMLElement {
  return el(
    "tr",
    {},
    ...columns.map((column) => {
      const cells = column.cell(row, index);
      return el("td", { class: column.kind ?? "" }, ...(Array.isArray(cells) ? cells : [cells]));
    }),
  );
}

export function share(value: number | null): HTMLElement | null {
  if (value === null || value <= 0) return null;
  const bar = el("i");
  bar.style.width = `${Math.min(100, value * 100)}%`;
  return el("span", { class: "share" }, el("span", {}, bar), percent(value));
}

export const verdictChip = (kind: string) => el("b", { class: `chip ${kind}` }, kind);
