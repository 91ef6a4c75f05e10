// Tables of what a report lists. The first rows are shown; a button shows the others.
import { el } from "./dom";
import { percent } from "./format";

export type Cell = Node | string | null;

export interface Column<Row> {
  title: string;
  kind?: "number" | "wide";
  cell: (row: Row, index: number) => Cell | Cell[];
}

const FIRST_ROWS = 12; // style.css hides the others

// `label` names the table for screen readers. `keyOf` identifies the rows when the table is made again.
export function table<Row>(label: string, rows: Row[], columns: Column<Row>[], keyOf: (row: Row) => string): HTMLElement {
  const head = el("thead", {}, el("tr", {}, ...columns.map((column) => el("th", { class: column.kind ?? "", scope: "col" }, column.title))));
  const body = el("tbody", {}, ...rows.map((row, index) => rowOf(row, index, columns, keyOf(row))));
  const box = el("div", { class: "scroll", role: "region", "aria-label": label }, el("table", {}, head, body));
  const outer = el("div", { class: "table" }, box);
  if (rows.length <= FIRST_ROWS) return outer;
  const more = el("button", { type: "button", class: "more" }, `Show all ${rows.length}`);
  more.addEventListener("click", () => {
    more.parentElement?.setAttribute("data-chosen-all", "");
  });
  outer.classList.add("long");
  outer.append(more);
  return outer;
}

function rowOf<Row>(row: Row, index: number, columns: Column<Row>[], key: string): HTMLElement {
  return el(
    "tr",
    { "data-key": key },
    ...columns.map((column) => {
      const cells = column.cell(row, index);
      return el("td", { class: column.kind ?? "" }, ...(Array.isArray(cells) ? cells : [cells]));
    }),
  );
}

export function share(value: number | null): HTMLElement | null {
  if (value === null || value < 0.005) return null; // 0%
  const bar = el("i");
  bar.style.width = `${Math.min(100, value * 100)}%`;
  return el("span", { class: "share" }, el("span", {}, bar), percent(value));
}

export const verdictChip = (kind: string) => el("b", { class: `chip ${kind}` }, kind);
