import "uplot/dist/uPlot.min.css";
import "./style.css";
import { readData } from "./data";
import { phasesSection } from "./phases";
import { showProcessTree } from "./process_tree";
import { flameSection } from "./flame";
import { keepUp } from "./live";
import { holdersSection, sitesSection, tensorsSection, typesSection } from "./sites";
import { themeButton } from "./theme";
import { timeline } from "./timeline/section";

function main() {
  const data = readData();
  keepUp(data);
  document.querySelector(".masthead")?.append(themeButton());
  const pictures = document.getElementById("pictures");
  const over = timeline(data);
  const flame = flameSection(data);
  const parts = [
    over?.element,
    phasesSection(data),
    sitesSection(data),
    holdersSection(data),
    flame?.element,
    tensorsSection(data),
    typesSection(data),
  ];
  pictures?.append(...parts.filter((part) => part != null));
  showProcessTree(data);
  over?.show();
  flame?.show();
  document.documentElement.dataset["ready"] = "";
}

main();
