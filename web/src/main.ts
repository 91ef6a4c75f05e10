import "uplot/dist/uPlot.min.css";
import "./style.css";
import { readData, type Data } from "./data";
import { el } from "./dom";
import { keepPlace } from "./keep_place";
import { keepUp } from "./live";
import { patch } from "./patch";
import { Pictures } from "./pictures";
import { showProcessTree } from "./process_tree";
import { watchScrollable } from "./scrollable";
import { themeButton } from "./theme";
import { runOf, View } from "./timeline/view";

// The parts of the page that need no script, as the server wrote them.
function patchSummary(page: Document) {
  const [old, next] = [document.querySelector("main"), page.querySelector("main")];
  if (old && next) patch(old, next);
  document.title = page.title;
}

function main() {
  let data = readData();
  const view = new View(...runOf(data));
  const host = document.getElementById("pictures");
  const pictures = host ? new Pictures(host, view, data.baseline !== null) : null;
  const scrollable = watchScrollable();
  const show = (next: Data) => {
    data = next;
    view.extend(...runOf(data));
    pictures?.show(data);
    showProcessTree(data, view.range);
    scrollable.check();
  };

  host?.setAttribute("data-own", "");
  document.querySelector(".masthead")?.append(themeButton());
  view.onChange(() => {
    showProcessTree(data, view.range);
    scrollable.check();
  });
  show(data);

  const lost = el("p", { class: "lost", role: "status", hidden: true, "data-own": true }, "No answer from lowtide. The page shows the last state.");
  document.querySelector("main")?.prepend(lost);
  keepUp(data, {
    update(page, next) {
      keepPlace(() => {
        patchSummary(page);
        show(next);
      });
    },
    isLost: (isLost) => (lost.hidden = !isLost),
  });
  document.documentElement.dataset["ready"] = "";
}

main();
