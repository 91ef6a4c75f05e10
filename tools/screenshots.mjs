// Makes the pictures in docs/examples from docs/examples/train.py: the page in Chromium, the screen in tmux.
//
// usage: node tools/screenshots.mjs LOWTIDE [PYTHON]     PYTHON: one that has torch
import { execFileSync, spawnSync } from "node:child_process";
import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { launch } from "../tests/page/browser.mjs";

const [lowtide, python = "/usr/bin/python3"] = process.argv.slice(2);
const examples = resolve(import.meta.dirname, "../docs/examples");
const folder = mkdtempSync(join(tmpdir(), "lowtide-screenshots-"));
const SCREEN = { columns: 100, rows: 30, seconds: 26 };
const PALETTE = ["#1d1f21", "#e06c75", "#98c379", "#e5c07b", "#61afef", "#c678dd", "#56b6c2", "#d7dae0"];

const tmux = (...words) => execFileSync("tmux", ["-S", join(folder, "tmux"), ...words], { encoding: "utf8", cwd: folder });

async function recordOnScreen() {
  copyFileSync(join(examples, "train.py"), join(folder, "train.py"));
  tmux("-f", "/dev/null", "-u", "new-session", "-d", "-x", String(SCREEN.columns), "-y", String(SCREEN.rows),
    resolve(lowtide), "run", "--screen", "--output", join(folder, "train.lowtide"), "--", python, "train.py", ";", "set-option", "-g", "status", "off");
  await sleep(SCREEN.seconds * 1000);
  const screen = tmux("capture-pane", "-p", "-e");
  while (spawnSync("tmux", ["-S", join(folder, "tmux"), "has-session"]).status === 0) {
    tmux("send-keys", "q"); // the screen waits for a key after the job has ended
    await sleep(1000);
  }
  return screen;
}

// Fonts have braille letters of other widths.
const escaped = (text) =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replace(/[\u2800-\u28ff]/g, '<i style="display:inline-block;width:1ch;font-style:normal;transform:scaleX(.82);transform-origin:0 0">$&</i>');

// The escape sequences of tmux for colours, bold, dim and reverse, as HTML.
function toHtml(screen) {
  let style = {};
  const parts = screen.split(/\x1b\[([\d;]*)m/);
  const body = parts.map((part, at) => {
    if (at % 2 === 0) {
      const [front, back] = style.reverse ? [style.back ?? PALETTE[0], style.front ?? PALETTE[7]] : [style.front, style.back];
      const css = [front && `color:${front}`, back && `background:${back}`, style.bold && "font-weight:bold", style.dim && "opacity:.6"];
      return `<span style="${css.filter(Boolean).join(";")}">${escaped(part)}</span>`;
    }
    for (const code of (part || "0").split(";").map(Number)) {
      if (code === 0) style = {};
      else if (code === 1) style.bold = true;
      else if (code === 2) style.dim = true;
      else if (code === 7) style.reverse = true;
      else if (code >= 30 && code <= 37) style.front = PALETTE[code - 30];
      else if (code >= 40 && code <= 47) style.back = PALETTE[code - 40];
      else if (code >= 90 && code <= 97) style.front = PALETTE[code - 90];
      else if (code === 39) delete style.front;
      else if (code === 49) delete style.back;
    }
    return "";
  });
  return `<pre style="display:inline-block;margin:0;padding:12px;font:14px/1.25 'DejaVu Sans Mono',monospace;background:${PALETTE[0]};color:${PALETTE[7]}">${body.join("")}</pre>`;
}

async function main() {
  const screen = await recordOnScreen();
  const { browser, why } = await launch();
  if (!browser) throw new Error(why);
  try {
    const terminal = await browser.newPage();
    await terminal.setContent(toHtml(screen));
    await terminal.locator("pre").screenshot({ path: join(examples, "screen.png") });

    const file = join(folder, "page.html");
    execFileSync(lowtide, ["report", "--html", file, join(folder, "train.lowtide")]);
    for (const [name, colorScheme, selector] of [["page.png", "light", null], ["page-timeline-dark.png", "dark", "#timeline"]]) {
      const page = await browser.newPage({ viewport: { width: 1280, height: 1000 }, colorScheme });
      await page.goto(pathToFileURL(file).href);
      await page.waitForSelector("html[data-ready]", { state: "attached" });
      await (selector ? page.locator(selector) : page).screenshot({ path: join(examples, name) });
    }
  } finally {
    await browser.close();
    rmSync(folder, { recursive: true });
  }
}

await main();
