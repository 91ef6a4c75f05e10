// Light or dark: the system's choice, until the reader makes another.
import { forgetColors } from "./colors";
import { el } from "./dom";

type Listener = () => void;
const listeners: Listener[] = [];
const system = matchMedia("(prefers-color-scheme: dark)");

export const onThemeChange = (listener: Listener) => listeners.push(listener);

const isDark = () => {
  const chosen = document.documentElement.dataset["theme"];
  return chosen ? chosen === "dark" : system.matches;
};

export function themeButton(): HTMLElement {
  const button = el("button", { class: "theme", type: "button", title: "Light or dark", "data-own": true });
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
  // Paper is white; canvases are drawn again for it.
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
