// A chart with its heading and legend. It is hidden while there is nothing to show.
import { el } from "../dom";
import { onThemeChange } from "../theme";
import { Chart, type Picture } from "./chart";
import type { Steps } from "./steps";
import type { View } from "./view";

export interface LegendEntry {
  name: string;
  swatch: () => string;
}

export class Strip {
  readonly element = el("div", { hidden: true });
  private readonly legend: HTMLElement;
  private readonly host = el("div");
  private chart: Chart | null = null;
  private isShown = false;
  private entries: LegendEntry[] = [];

  constructor(
    private readonly view: View,
    title: string,
    legendLabel: string,
  ) {
    this.legend = el("ul", { class: "legend", "aria-label": legendLabel });
    this.element.append(...(title ? [el("h3", {}, title)] : []), this.host, this.legend);
    onThemeChange(() => {
      this.paintLegend();
    });
  }

  update(picture: Picture | null, steps: Steps | null, legend: LegendEntry[] = []) {
    this.element.hidden = picture === null;
    this.entries = legend;
    this.paintLegend();
    if (!picture) return;
    if (this.chart) {
      this.chart.replace(picture, steps);
      return;
    }
    this.chart = new Chart(this.view, picture, steps);
    this.host.append(this.chart.element);
    if (this.isShown) this.chart.show();
  }

  // Once it is in the page and has a width.
  show() {
    this.isShown = true;
    this.chart?.show();
  }

  private paintLegend() {
    this.legend.hidden = this.entries.length === 0;
    this.legend.replaceChildren(
      ...this.entries.map(({ name, swatch }) => {
        const box = el("i");
        box.style.background = swatch();
        return el("li", {}, box, name);
      }),
    );
  }
}
