// Where each call of the tree is drawn, as shares of the width: the picture needs no size in pixels, so it fits a
// phone, a wide screen and paper alike.
import type { Call } from "./tree";

export interface Cell {
  call: Call;
  row: number;
  left: number; // 0 to 1
  width: number; // 0 to 1
}

const LEAST = 0.0005; // of the width: narrower than a pixel or two on any screen

// The calls that lead to `zoom` over the whole width, and everything below it, widest first.
export function cellsOf(zoom: Call): Cell[] {
  const cells: Cell[] = [];
  const above: Call[] = [];
  for (let at = zoom.parent; at; at = at.parent) above.unshift(at);
  above.forEach((call, row) => cells.push({ call, row, left: 0, width: 1 }));
  const visit = (call: Call, row: number, left: number) => {
    const width = zoom.value > 0 ? call.value / zoom.value : 1;
    if (width < LEAST) return;
    cells.push({ call, row, left, width });
    let next = left;
    for (const child of [...call.children].sort((a, b) => b.value - a.value)) {
      visit(child, row + 1, next);
      next += zoom.value > 0 ? child.value / zoom.value : 0;
    }
  };
  visit(zoom, above.length, 0);
  return cells;
}

// Where an arrow key leads: down to the widest call below, up to the caller, left and right within the row.
export function neighbour(cells: Cell[], from: Cell, key: string): Cell | null {
  if (key === "ArrowDown") return cells.find((cell) => cell.call.parent === from.call) ?? null;
  if (key === "ArrowUp") return cells.find((cell) => cell.call === from.call.parent) ?? null;
  if (key === "Home") return cells[0] ?? null;
  const row = cells.filter((cell) => cell.row === from.row).sort((a, b) => a.left - b.left);
  const at = row.indexOf(from);
  if (key === "ArrowLeft") return row[at - 1] ?? null;
  if (key === "ArrowRight") return row[at + 1] ?? null;
  return null;
}
