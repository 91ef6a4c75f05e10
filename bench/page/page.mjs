#!/usr/bin/env node
// How long the page of a long run takes to open and to answer.
//
// usage: page.mjs [--samples 1000000] [--processes 20] [--rounds 5] [--check]     --check: exit 1 past 2 s
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";

const HERE = fileURLToPath(new URL(".", import.meta.url));
const LOWTIDE = process.env.LOWTIDE ?? join(HERE, "../../src/cli/lowtide");
const WEB = pathToFileURL("@PROJECT_SOURCE_DIR@/web/");
const { launch } = await import(pathToFileURL("@PROJECT_SOURCE_DIR@/tests/page/browser.mjs").href);
const MOST_MILLIS = 2000;

const { values: words } = parseArgs({
  options: {
    samples: { type: "string", default: "1000000" },
    processes: { type: "string", default: "20" },
    rounds: { type: "string", default: "5" },
    check: { type: "boolean", default: false },
  },
});

const median = (all) => all.sort((a, b) => a - b)[all.length >> 1];

function timed(command, ...rest) {
  const began = performance.now();
  const ran = spawnSync(command, rest, { encoding: "utf8", maxBuffer: 1 << 28 });
  if (![0, 1, 4].includes(ran.status)) throw new Error(`${command}: ${ran.stderr}`);
  return (performance.now() - began) / 1000;
}

// To the first frame with everything in it; and from a click to the frame that shows it.
async function measure(browser, file) {
  const context = await browser.newContext({ offline: true, viewport: { width: 1440, height: 900 } });
  const page = await context.newPage();
  await page.goto(pathToFileURL(file).href, { waitUntil: "commit" });
  await page.waitForSelector("html[data-ready]", { state: "attached", timeout: 60_000 });
  const opened = await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => setTimeout(() => done(performance.now())))));
  const zoomed = await page.evaluate(async () => {
    const button = [...document.querySelectorAll("button")].find((each) => each.textContent === "Zoom in");
    const took = [];
    for (let round = 0; round < 6; ++round) {
      const began = performance.now();
      button.click();
      await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
      took.push(performance.now() - began);
    }
    return Math.max(...took);
  });
  await context.close();
  return { opened, zoomed };
}

const { browser, why } = await launch(WEB);
if (!browser) {
  console.log(`SKIPPED page: ${why}`);
  process.exit(77);
}
const folder = mkdtempSync(join(tmpdir(), "lowtide-bench-page-"));
let isSlow = false;
try {
  const recording = join(folder, "long.lowtide");
  console.log(`${Number(words.samples).toLocaleString("en-US")} samples x ${words.processes} processes`);
  console.log(`recording written in ${timed(join(HERE, "long_run"), "recording", recording, words.samples, words.processes).toFixed(1)} s, ${(statSync(recording).size / 1e6).toFixed(1)} MB`);
  const made = {
    "of the recording": [LOWTIDE, "report", "--quiet", "--html", join(folder, "a.html"), recording],
    "of every reading": [join(HERE, "long_run"), "page", join(folder, "b.html"), words.samples, words.processes],
  };
  for (const [name, command] of Object.entries(made)) {
    const took = timed(...command);
    const file = command.find((word) => word.endsWith(".html"));
    const rounds = [];
    for (let round = 0; round < Number(words.rounds); ++round) rounds.push(await measure(browser, file));
    const opened = median(rounds.map((round) => round.opened));
    const zoomed = median(rounds.map((round) => round.zoomed));
    isSlow ||= opened > MOST_MILLIS;
    console.log(`page ${name}: ${(statSync(file).size / 1e6).toFixed(1)} MB, made in ${took.toFixed(1)} s, opens in ${Math.round(opened)} ms, zooms in ${Math.round(zoomed)} ms at most`);
  }
} finally {
  await browser.close();
  rmSync(folder, { recursive: true });
}
process.exit(words.check && isSlow ? 1 : 0);
