// Elements of the page. Text only ever becomes text: the job's names are hostile.
import type { Data } from "./data";

// A section of the page.
export interface Part {
  element: HTMLElement;
  show: () => void; // once it is in the page and has a width
  update: (data: Data) => void;
}

type Child = Node | string | null;
type Attributes = Record<string, string | number | boolean | ((event: Event) => void)>;

function fill(element: Element, attributes: Attributes, children: Child[]) {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name, value);
    else if (typeof value === "boolean") element.toggleAttribute(name, value);
    else element.setAttribute(name, String(value));
  }
  element.append(...children.filter((child) => child !== null));
}

export function el<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  fill(element, attributes, children);
  return element;
}

export function svg(tag: string, attributes: Attributes = {}, ...children: Child[]): SVGElement {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  fill(element, attributes, children);
  return element;
}

export function section(id: string, title: string, note: string, ...children: Child[]): HTMLElement {
  return el("section", { id }, el("h2", {}, title), note ? el("p", { class: "note" }, note) : null, ...children);
}
