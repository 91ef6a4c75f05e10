// Light or dark: what the system says, until the reader says otherwise.
import { forgetColors } from "./colors";
import { el } from "./dom";
import { before, onLeave } from "./live";

type Listener = () => void;
const listeners: Listener[] = [];
const system = matchMedia("(prefers-color-scheme: dark)");

export const onThemeChange = (listener: Listener) => listeners.push(listener);

const isDark = () => {
  const chosen = document.documentElement.dataset["theme"];
  return chosen ? chosen === "dark" : system.matches;
};

export function themeButton(): HTMLElement {
  const was = before().theme;
  if (was) document.documentElement.dataset["theme"] = was;
  onLeave((chosen) => {
    const theme = document.documentElement.dataset["theme"];
    if (theme) chosen.theme = theme;
  });
  const button = el("button", { class: "theme", type: "button", title: "Light or dark" });
  const show = () => {
    button.textContent = isDark() ? "Light" : "Dark";
    forgetColors();
    for (const listener of listeners) listener();
  };
  button.addEventListener("click", () => {
    document.documentElement.dataset["theme"] = isDark() ? "light" : "dark";
    show();
  });
  system.addEventListener("change", show);
  // Paper is white; canvases must be drawn anew for it.
  addEventListener("beforeprint", () => {
    document.documentElement.dataset["print"] = "";
    show();
  });
  addEventListener("afterprint", () => {
    delete document.documentElement.dataset["print"];
    show();
  });
  show();
  return button;
}
