// The page of a real recording in a real browser, opened from disk with the network off.
//
// usage: node page_test.mjs LOWTIDE [--keep FOLDER] [NAME...]     exit 77: something that it needs is not here
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { launch } from "./browser.mjs";

const SKIPPED = 77;
const ATTACK = 'img src=x onerror="window.attacked=1"';

const skip = (why) => {
  console.log(`SKIPPED page: ${why}`);
  process.exit(SKIPPED);
};

// What a visitor of the page would notice and we must not: errors, and any request but for the file itself.
async function open(browser, address, options = {}) {
  const context = await browser.newContext({ offline: true, viewport: { width: 1280, height: 900 }, ...options });
  const page = await context.newPage();
  page.complaints = [];
  page.on("console", (message) => ["error", "warning"].includes(message.type()) && page.complaints.push(message.text()));
  page.on("pageerror", (error) => page.complaints.push(String(error)));
  page.on("request", (request) => {
    if (!request.url().startsWith(address) && !request.url().startsWith("data:")) page.complaints.push(`request: ${request.url()}`);
  });
  await page.goto(address);
  if (options.javaScriptEnabled !== false) await page.waitForSelector("html[data-ready]", { state: "attached" });
  return page;
}

// On a busy machine the run may be too short for one.
const findingsOf = (at) => JSON.parse(spawnSync(at.lowtide, ["report", "--json", join(at.folder, "job.lowtide")], { encoding: "utf8" }).stdout).findings.filter((one) => !one.ruled_out); // those are in a list of their own

const job = (page) => page.locator("#timeline .chart").first();
const readout = (page) => job(page).locator(".readout").innerText();

async function over(page, share, act) {
  const box = await job(page).locator(".u-over").boundingBox();
  await page.mouse.move(box.x + share * box.width, box.y + box.height / 2);
  if (act) await act(box);
}

const tests = {
  async opens_from_disk_without_a_request_or_an_error(at) {
    const page = await open(at.browser, at.address);
    await page.locator("footer").scrollIntoViewIfNeeded();
    await page.waitForTimeout(300);
    assert.deepEqual(page.complaints, []);
    for (const id of ["verdict", "timeline", "sites", "flame", "processes"]) {
      assert.equal(await page.locator(`#${id}`).count(), 1, id);
    }
    assert.equal(await page.locator("#findings").count(), findingsOf(at).length > 0 ? 1 : 0, "findings");
    assert.match(await page.locator("#verdict .kind").innerText(), /leak|inconclusive/i); // on a busy machine it stays open
  },

  async nothing_of_it_names_an_address(at) {
    const text = readFileSync(fileURLToPath(at.address), "utf8");
    assert.doesNotMatch(text, /(src|href)=["']?(https?:)?\/\//);
    assert.doesNotMatch(text, /@import|url\(\s*["']?http/);
    assert.match(text, /default-src 'none'/);
  },

  async summary_is_readable_without_scripts(at) {
    const page = await open(at.browser, at.address, { javaScriptEnabled: false });
    assert.match(await page.locator("#verdict h2").innerText(), /\w+/);
    assert.equal(await page.locator(".finding").count(), findingsOf(at).length);
    assert.ok(await page.locator("noscript").first().isVisible());
    assert.ok((await page.locator("#process-table tr").count()) >= 2);
  },

  async hover_tells_the_moment(at) {
    const page = await open(at.browser, at.address);
    await job(page).scrollIntoViewIfNeeded();
    const before = await readout(page);
    await over(page, 0.5);
    const during = await readout(page);
    assert.notEqual(during, before);
    assert.match(during, /memory\s+[\d.]+ MB/);
    assert.match(during, /floor\s+[\d.]+ MB/);
    assert.match(during, /step\s+\d+/);
    assert.deepEqual(page.complaints, []);
  },

  async drag_looks_closer_and_double_click_goes_back(at) {
    const page = await open(at.browser, at.address);
    await job(page).scrollIntoViewIfNeeded();
    const whole = page.getByRole("button", { name: "All of it" }).first();
    assert.ok(await whole.isDisabled());
    await over(page, 0.3, async (box) => {
      await page.mouse.down();
      await page.mouse.move(box.x + 0.45 * box.width, box.y + box.height / 2, { steps: 4 });
      await page.mouse.up();
    });
    assert.ok(await whole.isEnabled());
    await page.mouse.move(2, 2);
    const closer = await readout(page);
    await over(page, 0.5, (box) => page.mouse.dblclick(box.x + 0.5 * box.width, box.y + box.height / 2));
    assert.ok(await whole.isDisabled());
    await page.mouse.move(2, 2);
    assert.notEqual(await readout(page), closer);
    await page.getByRole("button", { name: "Closer" }).click();
    assert.ok(await whole.isEnabled());
    assert.deepEqual(page.complaints, []);
  },

  async forecast_shows_the_limit(at) {
    const page = await open(at.browser, at.address);
    const ahead = page.getByRole("button", { name: "Ahead to the limit" });
    const isForecast = (await page.locator("#verdict").innerText()).includes("is reached");
    assert.equal(await ahead.count(), isForecast ? 1 : 0);
    if (!isForecast) return; // a busy machine may leave it open
    const before = await readout(page);
    await ahead.click();
    assert.notEqual(await readout(page), before);
    assert.deepEqual(page.complaints, []);
  },

  async search_finds_in_the_flame_graph(at) {
    const page = await open(at.browser, at.address);
    await page.locator("#flame").scrollIntoViewIfNeeded();
    await page.locator("#flame-search").fill("KEEP_");
    await page.waitForFunction(() => /found/.test(document.querySelector("#flame-details").textContent));
    assert.match(await page.locator("#flame-details").innerText(), /[1-9]\d* found, [\d.]+ MB/);
    await page.locator("#flame-search").fill("(((");
    await page.waitForFunction(() => /^0 found/.test(document.querySelector("#flame-details").textContent));
    assert.deepEqual(page.complaints, []);
  },

  async dark_follows_the_system_and_the_button(at) {
    const ground = (page) => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const light = await open(at.browser, at.address, { colorScheme: "light" });
    const dark = await open(at.browser, at.address, { colorScheme: "dark" });
    assert.notEqual(await ground(light), await ground(dark));
    await light.getByRole("button", { name: "Dark" }).click();
    assert.equal(await ground(light), await ground(dark));
    assert.deepEqual([...light.complaints, ...dark.complaints], []);
  },

  async hostile_names_are_shown_as_text(at) {
    const page = await open(at.browser, at.address);
    for (const part of await page.locator("#sites summary").all()) await part.click();
    const text = await page.locator("main").innerText();
    assert.ok(text.includes(ATTACK), "the name is not shown");
    assert.equal(await page.locator("img").count(), 0);
    assert.equal(await page.evaluate(() => window.attacked), undefined);
    assert.ok(await page.locator(`#flame .frame[name*="onerror"]`).count());
    assert.deepEqual(page.complaints, []);
  },

  async no_text_can_become_markup(at) {
    const page = await open(at.browser, at.address);
    const refused = await page.evaluate(() => {
      try {
        document.createElement("p").innerHTML = "<b>x</b>";
        return false;
      } catch {
        return true;
      }
    });
    assert.ok(refused);
  },

  async fits_a_phone(at) {
    const page = await open(at.browser, at.address, { viewport: { width: 375, height: 812 }, deviceScaleFactor: 2 });
    assert.ok((await page.evaluate(() => document.scrollingElement.scrollWidth)) <= 375);
    assert.deepEqual(page.complaints, []);
  },

  async served_page_keeps_up_with_a_job_and_keeps_what_was_chosen(at) {
    const job = spawn("python3", ["-c", "import time\nkept = []\nwhile True:\n    kept.append(bytes(200_000)); time.sleep(0.1)"]);
    const server = spawn(at.lowtide, ["serve", "--output", join(at.folder, "live.lowtide"), String(job.pid)]);
    try {
      const [address] = await once(server.stdout, "data");
      const page = await open(at.browser, String(address).trim(), { offline: false, colorScheme: "light" });
      await page.waitForEvent("load"); // a recording that has just begun has no curve
      await page.waitForSelector("#timeline .chart");
      await page.getByRole("button", { name: "Dark" }).click();
      await page.getByRole("button", { name: "Closer" }).click();
      const before = await readout(page);
      await page.waitForEvent("load");
      await page.waitForSelector("html[data-ready]", { state: "attached" });
      assert.equal(await page.evaluate(() => document.documentElement.dataset["theme"]), "dark");
      assert.ok(await page.getByRole("button", { name: "All of it" }).first().isEnabled());
      await page.getByRole("button", { name: "All of it" }).first().click();
      assert.notEqual(await readout(page), before);
      assert.match(await page.locator("body").innerText(), /the run goes on/);
      job.kill();
      await page.waitForFunction(() => !document.body.innerText.includes("the run goes on"), null, { timeout: 30_000 });
      assert.deepEqual(page.complaints, []);
    } finally {
      job.kill();
      server.kill("SIGINT");
    }
  },

  async prints(at) {
    const page = await open(at.browser, at.address, { colorScheme: "dark" });
    const paper = await page.pdf({ format: "A4" });
    assert.ok(paper.length > 20_000);
    assert.deepEqual(page.complaints, []);
  },
};

function record(lowtide, folder) {
  const recording = join(folder, "job.lowtide");
  const script = fileURLToPath(new URL("job.py", import.meta.url));
  const ran = spawnSync(lowtide, ["run", "--quiet", "--interval", "100ms", "--output", recording, "--", "python3", script, `<${ATTACK}>`], {
    encoding: "utf8",
    stdio: ["ignore", openSync(join(folder, "job.log"), "w"), "pipe"], // steps are read from an output that is a file
  });
  assert.equal(ran.status, 0, ran.stderr);
  const page = join(folder, "job.html");
  const told = spawnSync(lowtide, ["report", "--quiet", "--html", page, recording], { encoding: "utf8" });
  if (told.stderr.includes("has no page")) skip("this lowtide was built without the page");
  assert.ok([0, 1, 4].includes(told.status), told.stderr);
  return pathToFileURL(page).href;
}

async function main([lowtide, ...words]) {
  const keep = words[0] === "--keep" ? words.splice(0, 2)[1] : null;
  const { browser, why } = await launch();
  if (!browser) skip(why);
  if (keep) mkdirSync(keep, { recursive: true });
  const folder = keep ?? mkdtempSync(join(tmpdir(), "lowtide-page-"));
  let failed = 0;
  try {
    const at = { browser, lowtide, folder, address: record(lowtide, folder) };
    for (const name of words.length > 0 ? words : Object.keys(tests)) {
      const began = performance.now();
      let result = "ok";
      try {
        await tests[name](at);
      } catch (error) {
        console.error(error);
        result = "failed";
        ++failed;
      }
      console.log(`${result.padEnd(8)}${name}  ${((performance.now() - began) / 1000).toFixed(1)} s`);
    }
  } finally {
    await browser.close();
    if (!keep) rmSync(folder, { recursive: true });
  }
  console.log(`${(words.length || Object.keys(tests).length) - failed} passed, ${failed} failed, 0 skipped`);
  process.exit(failed > 0 ? 1 : 0);
}

await main(process.argv.slice(2));
