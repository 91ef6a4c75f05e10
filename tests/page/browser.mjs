// Chromium under Playwright, wherever the two are; null, and why, where one of them is not.
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { delimiter, join } from "node:path";

const WEB = new URL("../../web/", import.meta.url);
const NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

function findBrowser(playwright) {
  if (process.env.CHROMIUM) return process.env.CHROMIUM;
  for (const folder of (process.env.PATH ?? "").split(delimiter)) {
    for (const name of NAMES) if (existsSync(join(folder, name))) return join(folder, name);
  }
  const own = playwright.chromium.executablePath();
  return own && existsSync(own) ? own : null;
}

export async function launch(web = WEB) {
  let playwright;
  try {
    playwright = createRequire(new URL("package.json", web))("playwright-core");
  } catch {
    return { browser: null, why: "no playwright-core: cd web && npm ci" };
  }
  const executablePath = findBrowser(playwright);
  if (!executablePath) return { browser: null, why: "no Chromium: apt-get install chromium, or CHROMIUM=/path/to/it" };
  // The sandbox of the browser needs privileges that root in a container does not have.
  const args = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
  return { browser: await playwright.chromium.launch({ executablePath, args }), why: "" };
}
