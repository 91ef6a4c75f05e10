// Numbers as lowtide writes them everywhere: three significant digits and a unit.

const UNITS = ["B", "kB", "MB", "GB", "TB", "PB"];

export function bytes(value: number): string {
  if (Number.isNaN(value)) return "–";
  const sign = value < 0 ? "−" : "";
  let size = Math.abs(value);
  let unit = 0;
  while (size >= 999.5 && unit + 1 < UNITS.length) {
    size /= 1000;
    ++unit;
  }
  const digits = unit === 0 || size >= 99.95 ? 0 : size >= 9.995 ? 1 : 2;
  return `${sign}${size.toFixed(digits)} ${UNITS[unit]}`;
}

export const growth = (value: number) => (value > 0 ? `+${bytes(value)}` : bytes(value));

export const count = (value: number) => Math.round(value).toLocaleString("en-US");

// 100% is all of it, not almost all. The same rule as format_share() in src/base/units.cpp.
export function percent(share: number): string {
  if (share < 0.995) return `${Math.round(share * 100)}%`;
  return share < 0.9995 ? ">99%" : "100%";
}

export function seconds(value: number): string {
  if (value < 1) return `${Math.round(value * 1000)} ms`;
  if (value < 120) return `${value.toFixed(1)} s`;
  if (value < 5400) return `${(value / 60).toFixed(1)} min`;
  if (value < 172_800) return `${(value / 3600).toFixed(1)} h`;
  return `${(value / 86_400).toFixed(1)} days`;
}

// A moment on the time axis: 0:05, 12:30, 3:04:05, 2 d 3:04.
export function clock(value: number, step = 1): string {
  if (step < 1) return `${value.toFixed(Math.min(3, Math.ceil(-Math.log10(step))))} s`;
  const whole = Math.round(value);
  const two = (n: number) => String(n).padStart(2, "0");
  const days = Math.floor(whole / 86_400);
  const hours = Math.floor(whole / 3600) % 24;
  const minutes = Math.floor(whole / 60) % 60;
  if (days > 0) return `${days} d ${hours}:${two(minutes)}`;
  if (hours > 0) return `${hours}:${two(minutes)}:${two(whole % 60)}`;
  return `${minutes}:${two(whole % 60)}`;
}

export const fileName = (path: string) => path.slice(path.lastIndexOf("/") + 1);
