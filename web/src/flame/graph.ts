// The flame graph as elements: one per call, as wide as its share. A tree for the keyboard and for screen readers:
// arrow keys move, Enter zooms in, Escape zooms out.
import { el } from "../dom";
import { bytes, percent } from "../format";
import { cellsOf, neighbour, type Cell } from "./cells";
import { findCall, matches, pathOf, shadeNumber, type Call } from "./tree";

const SHADES = 4; // --python-0 ... --native-3 in style.css

// Class and text of a call.
export interface Look {
  shadeOf: (call: Call) => string;
  wordsOf: (call: Call, root: Call) => string;
}

const LANGUAGES: Look = {
  shadeOf: (call) => (call.language === null ? "root" : `${call.language}-${shadeNumber(call.name, SHADES)}`),
  wordsOf: (call, root) => `${call.name}: ${bytes(call.value)}, ${percent(call.value / (root.value || 1))}`,
};

export class FlameGraph {
  readonly element = el("div", { class: "flame", role: "tree", "aria-label": "Flame graph" });
  private cells: Cell[] = [];
  private zoom: Call;
  private term = "";
  private current: Call; // the one that Tab leads to
  private readonly elements = new Map<Call, HTMLElement>();

  // `describe` is given the call under the pointer or with the focus; null: none.
  constructor(
    private root: Call,
    describe: (call: Call | null) => void,
    private readonly look = LANGUAGES,
  ) {
    this.zoom = this.current = root;
    const { element } = this;
    element.addEventListener("click", (event) => {
      const cell = this.cellOf(event.target);
      if (cell) this.zoomTo(cell.call);
    });
    element.addEventListener("keydown", (event) => {
      this.handleKey(event);
    });
    element.addEventListener("focusin", (event) => {
      const cell = this.cellOf(event.target);
      if (cell) this.makeCurrent(cell.call);
      describe(cell?.call ?? null);
    });
    element.addEventListener("mouseover", (event) => {
      describe(this.cellOf(event.target)?.call ?? null);
    });
    for (const end of ["mouseleave", "focusout"]) {
      element.addEventListener(end, () => {
        describe(null);
      });
    }
  }

  get isZoomed() {
    return this.zoom !== this.root;
  }

  // A new tree; zoom and focus stay with the calls of the same path.
  draw(root: Call) {
    const [zoom, current] = [pathOf(this.zoom), pathOf(this.current)];
    this.root = root;
    this.zoom = findCall(root, zoom);
    this.current = findCall(root, current);
    this.render();
  }

  search(term: string) {
    this.term = term;
    for (const [call, element] of this.elements) element.classList.toggle("found", this.isFound(call));
  }

  zoomTo(call: Call) {
    this.zoom = call;
    this.current = call;
    this.render();
  }

  reset() {
    this.zoomTo(this.root);
  }

  words(call: Call) {
    return this.look.wordsOf(call, this.root);
  }

  private isFound(call: Call) {
    return this.term !== "" && call.parent !== null && matches(call.name, this.term);
  }

  private cellOf(target: EventTarget | null): Cell | undefined {
    return this.cells.find((cell) => this.elements.get(cell.call) === target);
  }

  private makeCurrent(call: Call) {
    this.elements.get(this.current)?.setAttribute("tabindex", "-1");
    this.current = call;
    this.elements.get(call)?.setAttribute("tabindex", "0");
  }

  private handleKey(event: KeyboardEvent) {
    const from = this.cellOf(event.target);
    if (!from || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Enter" || event.key === " ") this.zoomTo(from.call);
    else if (event.key === "Escape") this.zoomTo(this.zoom.parent ?? this.root);
    else {
      const next = neighbour(this.cells, from, event.key);
      if (!next) return;
      this.elements.get(next.call)?.focus();
    }
    event.preventDefault();
  }

  private render() {
    const hadFocus = this.element.contains(document.activeElement);
    this.cells = cellsOf(this.zoom);
    this.elements.clear();
    if (!this.cells.some((cell) => cell.call === this.current)) this.current = this.zoom;
    const rows: HTMLElement[] = [];
    for (const cell of this.cells) {
      const row = (rows[cell.row] ??= el("div", { class: "flame-row", role: "none" }));
      row.append(this.elementOf(cell));
    }
    this.element.replaceChildren(...rows);
    if (hadFocus) this.elements.get(this.current)?.focus({ preventScroll: true });
  }

  private elementOf({ call, row, left, width }: Cell): HTMLElement {
    const element = el(
      "div",
      {
        class: `frame ${this.look.shadeOf(call)}${this.isFound(call) ? " found" : ""}${row < this.rowOfZoom() ? " above" : ""}`,
        role: "treeitem",
        tabindex: call === this.current ? 0 : -1,
        "aria-level": row + 1,
        "aria-label": this.words(call),
      },
      call.name,
    );
    element.style.left = `${left * 100}%`;
    element.style.width = `${width * 100}%`;
    this.elements.set(call, element);
    return element;
  }

  private rowOfZoom() {
    return pathOf(this.zoom).length;
  }
}
