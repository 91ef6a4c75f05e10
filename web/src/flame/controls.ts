// The controls of a flame graph.
import { el } from "../dom";
import type { Options } from "./tree";

const SEARCH_DELAY_MS = 120;

// Calls `act` when the reader pauses.
export function searchBox(act: () => void): HTMLInputElement {
  const box = el("input", { type: "search", id: "flame-search", placeholder: "Search: function or file", "aria-label": "Search the flame graph" });
  let waiting = 0;
  box.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(act, SEARCH_DELAY_MS);
  });
  return box;
}

// What the width of a bar means: one of several.
export function choices<Name extends string>(names: [Name, string][], first: Name, act: (name: Name) => void): HTMLElement {
  const group = el("span", { class: "choices", role: "radiogroup", "aria-label": "What the flame graph shows" });
  for (const [name, label] of names) {
    const radio = el("input", { type: "radio", name: "flame-value", value: name, checked: name === first });
    radio.addEventListener("change", () => {
      act(name);
    });
    group.append(el("label", {}, radio, label));
  }
  return group;
}

// Changes one of the options, then calls `act`.
export function toggle(options: Options, name: keyof Options, label: string, act: () => void): HTMLElement {
  const box = el("input", { type: "checkbox", name: `flame-${name}`, checked: options[name] });
  box.addEventListener("change", () => {
    options[name] = box.checked;
    act();
  });
  return el("label", {}, box, label);
}

export const frameToggles = (options: Options, act: () => void) => [
  toggle(options, "bottomUp", "Bottom-up", act),
  toggle(options, "hideImports", "Hide imports", act),
  toggle(options, "hideNative", "Hide native code", act),
];
