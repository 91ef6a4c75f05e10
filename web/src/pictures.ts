// The sections that scripts add, in their order. Each is made when there is data for it, and updated after that.
import type { Data } from "./data";
import type { Part } from "./dom";
import { differenceSection } from "./flame/diff_section";
import { flameSection } from "./flame/section";
import { patch } from "./patch";
import { phasesSection } from "./phases";
import { holdersSection, sitesSection, tensorsSection, typesSection } from "./sites";
import { timeline } from "./timeline/section";
import type { View } from "./timeline/view";
import type { Range } from "./values";

type Make = (data: Data, view: View) => Part | null;

// A section that follows from data and range alone: it is made again, and the one in the page is patched.
const plain =
  (make: (data: Data, range: Range | null) => HTMLElement | null): Make =>
  (first, view) => {
    let data = first;
    const element = make(data, view.range);
    if (!element) return null;
    const draw = () => {
      const next = make(data, view.range);
      element.hidden = next === null;
      if (next) patch(element, next);
    };
    view.onChange(draw);
    const update = (next: Data) => {
      data = next;
      draw();
    };
    return { element, show: () => undefined, update };
  };

const REPORT: Make[] = [
  timeline,
  plain(phasesSection),
  plain(sitesSection),
  plain(holdersSection),
  flameSection,
  plain(tensorsSection),
  plain(typesSection),
];

const COMPARISON: Make[] = [differenceSection];

export class Pictures {
  private readonly makers: Make[];
  private readonly parts: (Part | null)[];

  constructor(
    private readonly host: HTMLElement,
    private readonly view: View,
    isComparison: boolean,
  ) {
    this.makers = isComparison ? COMPARISON : REPORT;
    this.parts = this.makers.map(() => null);
  }

  show(data: Data) {
    const fresh: Part[] = [];
    for (const [at, part] of this.parts.entries()) {
      if (part) {
        part.update(data);
        continue;
      }
      const made = this.makers[at]?.(data, this.view) ?? null;
      if (!made) continue;
      const next = this.parts.slice(at + 1).find((other) => other !== null);
      this.host.insertBefore(made.element, next?.element ?? null);
      this.parts[at] = made;
      fresh.push(made);
    }
    for (const part of fresh) part.show();
  }
}
