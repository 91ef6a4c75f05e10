// The colours of style.css, for canvases.

const known = new Map<string, string>();
let probe: HTMLElement | null = null;

// Reads the computed value of a colour.
function probeElement(): HTMLElement {
  if (probe) return probe;
  probe = document.createElement("i");
  probe.hidden = true;
  document.body.append(probe);
  return probe;
}

// In the current theme: "rgb(1, 2, 3)".
export function color(name: string): string {
  const found = known.get(name);
  if (found !== undefined) return found;
  const element = probeElement();
  element.style.color = `var(--${name})`;
  const value = getComputedStyle(element).color;
  known.set(name, value);
  return value;
}

export const forgetColors = () => {
  known.clear();
};

export function withAlpha(ink: string, alpha: number): string {
  const [red = 0, green = 0, blue = 0] = ink.match(/[\d.]+/g)?.map(Number) ?? [];
  return `rgba(${red}, ${green}, ${blue}, ${alpha})`;
}

// For things without a colour of their own: processes, phases and GPUs. If there are more things than hues, the others are
// drawn together in grey, so two things never share a colour.
export const HUES = 12;
export const hue = (at: number) => color(at < HUES ? `hue-${at}` : "muted");
