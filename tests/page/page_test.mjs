// Pages in a real browser, opened from disk with the network off: that of a real recording, and that of a fixed one, of
// which every word is known.
//
// usage: node page_test.mjs LOWTIDE [--keep FOLDER] [NAME...]     exit 77: something that it needs is missing
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { launch } from "./browser.mjs";

const SKIPPED = 77;
const LIMIT_MS = 60_000; // what takes longer than this, on a machine that is merely busy, hangs
const ATTACK = 'img src=x onerror="window.attacked=1"';

const REASONS = [
  "Live memory from trainer.py:631 in validate grew by 396 MB, 0 of 551 sampled blocks freed; 70% of the growth of the process tree.",
  "The job would have reached the limit (4.00 GB) at step 1,618 (1,617 to 1,620), 5.1 min later.",
];

const skip = (why) => {
  console.log(`SKIPPED page: ${why}`);
  process.exit(SKIPPED);
};

// Errors, and requests for anything but the page itself, are complaints. A test expects none.
async function open(browser, address, options = {}) {
  const context = await browser.newContext({ offline: true, viewport: { width: 1280, height: 900 }, ...options });
  context.setDefaultTimeout(LIMIT_MS);
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

const job = (page) => page.locator("#timeline .chart").first();
const readout = (page) => job(page).locator(".readout").innerText();

async function until(isTrue) {
  for (const began = performance.now(); !isTrue(); await new Promise((done) => setTimeout(done, 100))) {
    assert.ok(performance.now() - began < LIMIT_MS, `not within ${LIMIT_MS} ms: ${isTrue}`);
  }
}

// Resolves when what scripts have changed so far is drawn.
const drawn = (page) => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));

// The exit status of a process that was started. One that does not end is killed.
async function ended(child) {
  if (child.exitCode === null && child.signalCode === null) {
    await once(child, "exit", { signal: AbortSignal.timeout(LIMIT_MS) }).catch((error) => {
      child.kill("SIGKILL");
      throw error;
    });
  }
  return child.exitCode;
}

const button = (page, name) => page.getByRole("button", { name, exact: true });
const frames = (page) => page.locator("#flame .frame");

// The colours of a screenshot within a box, most frequent first.
async function colorsIn(browser, screenshot, box) {
  const page = await browser.newPage();
  try {
    return await page.evaluate(
      async ({ base64, x, y, width, height }) => {
        const image = new Image();
        image.src = `data:image/png;base64,${base64}`;
        await image.decode();
        const canvas = Object.assign(document.createElement("canvas"), { width, height });
        const context = canvas.getContext("2d");
        context.drawImage(image, -x, -y);
        const { data } = context.getImageData(0, 0, width, height);
        const seen = new Map();
        for (let at = 0; at < data.length; at += 4) {
          const color = data.slice(at, at + 3).join(",");
          seen.set(color, (seen.get(color) ?? 0) + 1);
        }
        return [...seen].sort((a, b) => b[1] - a[1]).map(([color]) => color);
      },
      { base64: screenshot.toString("base64"), ...Object.fromEntries(Object.entries(box).map(([name, value]) => [name, Math.floor(value)])) },
    );
  } finally {
    await page.close();
  }
}

// As WCAG 2 has it, of two colours as in "rgb(1, 2, 3)".
function contrast(...colors) {
  const [darker, lighter] = colors
    .map((text) => {
      const [red, green, blue] = text.match(/[\d.]+/g).map((part) => (part / 255 <= 0.03928 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4));
      return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
    })
    .sort((a, b) => a - b);
  return (lighter + 0.05) / (darker + 0.05);
}

async function selectRange(page, from, to) {
  await job(page).scrollIntoViewIfNeeded();
  await over(page, from, async (box) => {
    await page.mouse.down();
    await page.mouse.move(box.x + to * box.width, box.y + box.height / 2, { steps: 4 });
    await page.mouse.up();
  });
}

async function over(page, share, act) {
  const box = await job(page).locator(".u-over").boundingBox();
  await page.mouse.move(box.x + share * box.width, box.y + box.height / 2);
  if (act) await act(box);
}

const tests = {
  async opens_from_disk_without_a_request_or_an_error(at) {
    for (const address of [at.address, at.fixed]) {
      const page = await open(at.browser, address);
      await page.locator("footer").scrollIntoViewIfNeeded();
      await drawn(page);
      assert.deepEqual(page.complaints, []);
      for (const id of ["verdict", "timeline", "sites", "flame", "processes"]) {
        assert.equal(await page.locator(`#${id}`).count(), 1, id);
      }
    }
    const page = await open(at.browser, at.fixed);
    assert.equal(await page.locator("#findings").count(), 1, "findings");
    assert.equal(await page.locator("#verdict .kind").innerText(), "LEAK");
  },

  async no_part_of_it_names_an_address(at) {
    const text = readFileSync(fileURLToPath(at.address), "utf8");
    assert.doesNotMatch(text, /(src|href)=["']?(https?:)?\/\//);
    assert.doesNotMatch(text, /@import|url\(\s*["']?http/);
    assert.match(text, /default-src 'none'/);
    assert.match(text, /connect-src 'none'/);
  },

  async summary_is_readable_without_scripts(at) {
    const page = await open(at.browser, at.fixed, { javaScriptEnabled: false });
    assert.equal(await page.locator("#verdict .kind").innerText(), "LEAK");
    assert.equal(await page.locator("#verdict h2").innerText(), "trainer.py:631");
    assert.deepEqual(await page.locator("#verdict .reason").allInnerTexts(), REASONS);
    assert.equal(await page.locator(".finding").count(), 2);
    assert.ok(await page.locator("noscript").first().isVisible());
    assert.ok((await page.locator("#process-table tr").count()) >= 2);
  },

  async hover_shows_the_moment(at) {
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

  async drag_selects_a_range_and_double_click_resets_it(at) {
    const page = await open(at.browser, at.address);
    await job(page).scrollIntoViewIfNeeded();
    const reset = button(page, "Reset");
    assert.ok(await reset.isDisabled());
    await selectRange(page, 0.3, 0.45);
    assert.ok(await reset.isEnabled());
    await page.mouse.move(2, 2);
    const closer = await readout(page);
    await over(page, 0.5, (box) => page.mouse.dblclick(box.x + 0.5 * box.width, box.y + box.height / 2));
    assert.ok(await reset.isDisabled());
    await page.mouse.move(2, 2);
    assert.notEqual(await readout(page), closer);
    await button(page, "Zoom in").click();
    assert.ok(await reset.isEnabled());
    await button(page, "Zoom out").click();
    assert.ok(await reset.isDisabled());
    assert.deepEqual(page.complaints, []);
  },

  async range_filters_the_flame_graph_and_the_tables(at) {
    const page = await open(at.browser, at.address);
    const total = () => page.locator("#flame-details").innerText();
    const growth = () => page.locator("#sites tbody tr").first().locator("td").nth(2).innerText();
    const [wholeTotal, wholeGrowth] = [await total(), await growth()];
    assert.match(wholeTotal, /^Growth: [\d.]+ MB$/);
    await selectRange(page, 0.3, 0.6);
    assert.match(await total(), /^Growth from \d+:\d\d to \d+:\d\d: [\d.]+ MB$/);
    assert.notEqual(await growth(), wholeGrowth);
    assert.match(await page.locator("#sites .note").innerText(), /Time range: \d+:\d\d to \d+:\d\d/);
    await button(page, "Reset").click();
    assert.deepEqual([await total(), await growth()], [wholeTotal, wholeGrowth]);
    assert.deepEqual(page.complaints, []);
  },

  async flame_graph_shows_the_peak_and_turns_around(at) {
    const page = await open(at.browser, at.address);
    const row = (number) => page.locator("#flame .flame-row").nth(number).innerText();
    await page.getByLabel("Live at the peak").check();
    assert.match(await page.locator("#flame-details").innerText(), /^Live memory at the peak \([\d.]+ MB at \d+:\d\d\): [\d.]+ MB/);
    await page.getByLabel("Live at the end").check();
    const native = await page.locator("#flame .frame[class*=native]").count();
    assert.ok(native > 0);
    const outermost = await row(1);
    await page.getByLabel("Bottom-up").check();
    assert.notEqual(await row(1), outermost);
    await page.getByLabel("Hide native code").check();
    assert.equal(await page.locator("#flame .frame[class*=native]").count(), 0);
    assert.match(await row(1), /keep_/);
    assert.deepEqual(page.complaints, []);
  },

  async flame_graph_is_used_by_keyboard(at) {
    const page = await open(at.browser, at.address);
    assert.equal(await page.locator("#flame [role=treeitem][tabindex='0']").count(), 1);
    const label = () => page.evaluate(() => document.activeElement.getAttribute("aria-label"));
    await page.locator("#flame [tabindex='0']").focus();
    assert.match(await label(), /^all: [\d.]+ MB, 100%$/);
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    const zoomed = await label();
    assert.doesNotMatch(zoomed, /^all:/);
    await page.keyboard.press("Enter");
    assert.equal(await label(), zoomed);
    assert.ok((await page.locator("#flame .frame.above").count()) >= 1);
    assert.ok(await button(page, "Reset zoom").isEnabled());
    await page.keyboard.press("Escape");
    await page.keyboard.press("Escape");
    assert.equal(await page.locator("#flame .frame.above").count(), 0);
    await page.keyboard.press("Home");
    assert.match(await label(), /^all:/);
    assert.deepEqual(page.complaints, []);
  },

  async processes_and_shared_memory_add_up_to_the_process_tree(at) {
    const page = await open(at.browser, at.address);
    const cells = await page.locator("#process-table tbody tr").evaluateAll((rows) => rows.map((row) => [row.dataset.key, row.cells[2].textContent]));
    const megabytes = (text) => Number(/([\d.]+) ([kMG])B/.exec(text)?.[1] ?? 0) * { k: 1e-3, M: 1, G: 1e3 }[/[kMG](?=B)/.exec(text)?.[0] ?? "M"];
    const tree = megabytes(cells.find(([key]) => key === "tree")[1]);
    const parts = cells.filter(([key]) => key !== "tree").reduce((sum, [, text]) => sum + megabytes(text), 0);
    assert.ok(cells.length >= 3, JSON.stringify(cells));
    assert.ok(tree > 0 && Math.abs(tree - parts) < 0.01 * tree, JSON.stringify(cells)); // each is rounded to three digits
    // In the table, the row of a parent has the pages that it shares with its worker; the chart has them as a band.
    assert.match(await page.locator("#timeline .legend[aria-label=Processes]").innerText(), /shared/);
  },

  async forecast_shows_the_limit(at) {
    const unlimited = await open(at.browser, writeFixed(at, "unlimited"));
    assert.equal(await button(unlimited, "Show forecast").isVisible(), false);
    const page = await open(at.browser, at.fixed);
    const ahead = button(page, "Show forecast");
    assert.ok(await ahead.isVisible());
    const before = await readout(page);
    await ahead.click();
    assert.notEqual(await readout(page), before);
    assert.deepEqual([...unlimited.complaints, ...page.complaints], []);
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
    assert.ok(await page.locator(`#flame .frame[aria-label*="onerror"]`).count());
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
    for (const width of [320, 375]) {
      const page = await open(at.browser, at.address, { viewport: { width, height: 812 }, deviceScaleFactor: 2 });
      assert.ok((await page.evaluate(() => document.scrollingElement.scrollWidth)) <= width, `at ${width}`);
      assert.deepEqual(page.complaints, []);
    }
  },

  async uses_a_wide_screen(at) {
    const page = await open(at.browser, at.address, { viewport: { width: 3840, height: 2000 } });
    for (const selector of ["#timeline .chart", "#flame .flame", "main"]) {
      const { width } = await page.locator(selector).first().boundingBox();
      assert.ok(width > 0.85 * 3840, `${selector}: ${width}`);
    }
  },

  // Which of them a recording shows is chance: axe sees only those.
  async every_shade_of_a_frame_can_be_read(at) {
    const shades = ["root", ...[0, 1, 2, 3].flatMap((n) => [`python-${n}`, `native-${n}`]), ...[1, 2, 3].flatMap((n) => [`more-${n}`, `less-${n}`]), "above", "found"];
    for (const colorScheme of ["light", "dark"]) {
      const page = await open(at.browser, at.fixed, { colorScheme });
      const colors = await page.evaluate(
        (names) =>
          names.map((name) => {
            const frame = Object.assign(document.createElement("div"), { className: `frame ${name}` });
            document.querySelector("#flame .flame").append(frame);
            const { color, backgroundColor } = getComputedStyle(frame);
            frame.remove();
            return [name, color, backgroundColor];
          }),
        shades,
      );
      for (const [name, ink, ground] of colors) assert.ok(contrast(ink, ground) >= 4.5, `${name}, ${colorScheme}: ${ink} on ${ground}`);
    }
  },

  async axe_finds_nothing_serious(at) {
    const { source } = createRequire(new URL("../../web/package.json", import.meta.url))("axe-core");
    const views = [[320, "light"], [390, "light"], [1280, "light"], [1280, "dark"], [3840, "light"]];
    for (const [width, colorScheme] of views) {
      const page = await open(at.browser, at.address, { viewport: { width, height: 900 }, colorScheme, bypassCSP: true });
      await page.addScriptTag({ content: source });
      const found = await page.evaluate(async () => {
        const { violations } = await window.axe.run(document, { resultTypes: ["violations"] });
        return violations
          .filter(({ impact }) => impact === "serious" || impact === "critical")
          .map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.target.join(" ")).slice(0, 5).join(", ")} ${nodes[0].failureSummary}`);
      });
      assert.deepEqual(found, [], `${width} px, ${colorScheme}`);
      await page.context().close();
    }
  },

  async served_page_is_patched_and_interrupts_nobody(at) {
    const [recording, end] = [join(at.folder, "live.lowtide"), join(at.folder, "end")];
    rmSync(end, { force: true }); // of an earlier test with --keep
    const script = `import os, time\nkept = []\ndef keep():\n    kept.append(bytearray(b"x") * 300_000)\nwhile not os.path.exists(${JSON.stringify(end)}):\n    keep(); time.sleep(0.02)`;
    const job = spawn(at.lowtide, ["run", "--quiet", "--interval", "100ms", "--output", recording, "--", "python3", "-c", script], { stdio: "ignore" });
    let server;
    try {
      await until(() => spawnSync(at.lowtide, ["report", "--json", recording], { encoding: "utf8" }).stdout.includes('"growth_bytes"'));
      server = spawn(at.lowtide, ["serve", recording]);
      const [address] = await once(server.stdout, "data");
      const page = await open(at.browser, String(address).trim(), { offline: false, colorScheme: "light" });
      await page.waitForSelector("#timeline .chart");
      await page.waitForSelector("#sites details");
      await page.waitForSelector("#flame .frame");
      await page.evaluate(() => (window.isSamePage = true));
      await button(page, "Dark").click();
      await button(page, "Zoom in").click();
      await page.locator("#sites summary").first().click();
      await page.locator("#flame-search").fill("kee");
      await page.locator("#flame-search").evaluate((field) => field.scrollIntoView({ block: "center", behavior: "instant" })); // only what is seen keeps its place
      const state = () =>
        page.evaluate(() => ({
          isSamePage: window.isSamePage === true,
          theme: document.documentElement.dataset.theme,
          focus: document.activeElement.id,
          place: document.activeElement.getBoundingClientRect().top,
          search: document.querySelector("#flame-search").value,
          open: document.querySelectorAll("#sites details[open]").length,
          range: document.querySelector("#sites .note").textContent,
        }));
      const before = await state();
      assert.equal(before.focus, "flame-search");
      assert.equal(before.open, 1);
      assert.match(before.range, /Time range/);
      const facts = () => page.locator(".masthead .facts").innerText();
      const [first, firstTree] = [await facts(), await page.locator("#process-table tr[data-key=tree]").innerText()];
      await page.waitForFunction((text) => document.querySelector(".masthead .facts").innerText !== text, first);
      const { place, ...after } = await state();
      const { place: placeBefore, ...unchanged } = before;
      assert.deepEqual(after, unchanged);
      assert.ok(Math.abs(place - placeBefore) < 2, `moved from ${placeBefore} to ${place}`); // pages scroll by whole pixels
      await page.keyboard.type("p"); // typing goes on
      assert.equal((await state()).search, "keep");
      await button(page, "Reset").click();
      assert.notEqual(await page.locator("#process-table tr[data-key=tree]").innerText(), firstTree);
      assert.match(await facts(), /still running/);
      writeFileSync(end, "");
      await page.waitForFunction(() => !document.body.innerText.includes("still running"));
      assert.ok((await state()).isSamePage);
      assert.deepEqual(page.complaints, []);
    } finally {
      writeFileSync(end, "");
      server?.kill("SIGINT");
      await ended(job);
    }
  },

  async comparison_has_a_differential_flame_graph(at) {
    const before = makeRecording(at, "site-two");
    const [page, label] = await openComparison(at, before, makeRecording(at, "site-leak"));
    assert.equal(await page.locator("#verdict h2").innerText(), "Worse: it still leaks, faster than before.");
    assert.equal(await label("log_batch", "less-3"), "log_batch  logger.py: 293 MB before, 0 B after (−293 MB)");
    assert.equal(await label("validate", "more-3"), "validate  trainer.py: 0 B before, 446 MB after (+446 MB)");
    assert.deepEqual(page.complaints, []);
    const [attacked, labelOfAttack] = await openComparison(at, before, join(at.folder, "job.lowtide"));
    assert.match(await labelOfAttack("keep_", "more-3"), /: 0 B before, [\d.]+ MB after \(\+[\d.]+ MB\)/);
    assert.equal(await attacked.evaluate(() => window.attacked), undefined);
    assert.deepEqual(attacked.complaints, []);
  },

  // Paper is narrower than the window, and scripts have no time to draw again once its layout has begun.
  async charts_are_complete_on_paper(at) {
    const page = await open(at.browser, at.address, { colorScheme: "dark" });
    const PAPER = 718; // pixels: A4 within the margins of the browser
    await page.emulateMedia({ media: "print" });
    const seen = await page.evaluate(async (paper) => {
      dispatchEvent(new Event("beforeprint"));
      await null;
      document.body.style.width = `${paper}px`;
      const right = (selector) => [...document.querySelectorAll(selector)].map((one) => Math.round(one.getBoundingClientRect().right));
      return {
        ground: getComputedStyle(document.body).backgroundColor,
        charts: right(".plot canvas"),
        frames: right("#flame .frame"),
        widest: Math.max(...[...document.querySelectorAll("#flame .frame")].map((one) => one.getBoundingClientRect().width)),
      };
    }, PAPER);
    assert.equal(seen.ground, "rgb(255, 255, 255)");
    assert.ok(seen.charts.length >= 2 && Math.max(...seen.charts) <= PAPER, JSON.stringify(seen.charts));
    assert.ok(Math.min(...seen.charts) > 0.9 * PAPER, JSON.stringify(seen.charts));
    assert.ok(seen.frames.length > 3 && Math.max(...seen.frames) <= PAPER, JSON.stringify(seen.frames));
    assert.ok(seen.widest > 0.9 * PAPER);
    await page.evaluate(() => {
      document.body.style.width = "";
      dispatchEvent(new Event("afterprint"));
    });
    const paper = await page.pdf({ format: "A4" });
    assert.ok(paper.length > 20_000);
    assert.deepEqual(page.complaints, []);
  },

  async flame_graph_is_in_a_full_page_screenshot(at) {
    const page = await open(at.browser, at.address, { colorScheme: "light" });
    const box = await page.locator("#flame .flame").boundingBox();
    const colors = await colorsIn(at.browser, await page.screenshot({ fullPage: true }), box);
    assert.notEqual(colors[0], "252,251,249", "the flame graph is blank");
    assert.ok(colors.length > 10, `${colors.length} colours`);
  },
};

// The recording of a scenario, of which all is known.
function makeRecording(at, scenario) {
  const recording = join(at.folder, `${scenario}.lowtide`);
  rmSync(recording, { force: true }); // of an earlier test
  const made = spawnSync(join(dirname(at.lowtide), "make_recording"), [scenario, recording], { encoding: "utf8", timeout: LIMIT_MS });
  assert.equal(made.status, 0, made.stderr);
  return recording;
}

// The page of a recording; where it is.
function writePage(at, recording, name, ...options) {
  const page = join(at.folder, `${name}.html`);
  const told = spawnSync(at.lowtide, ["report", "--quiet", ...options, "--html", page, recording], { encoding: "utf8", timeout: LIMIT_MS });
  if (told.stderr.includes("has no page")) skip("this lowtide was built without the page");
  assert.ok([0, 1, 4].includes(told.status), told.stderr);
  return pathToFileURL(page).href;
}

const writeFixed = (at, name, ...options) => writePage(at, makeRecording(at, "site-leak"), name, ...options);

// The page that compares two recordings, and the label of the first frame with a name and a shade.
async function openComparison(at, before, after) {
  const page = join(at.folder, "compare.html");
  const compared = spawnSync(at.lowtide, ["compare", "--html", page, before, after], { encoding: "utf8", timeout: LIMIT_MS });
  assert.equal(compared.status, 0, compared.stderr);
  assert.match(compared.stdout, /^wrote .*compare\.html \([\d.]+ kB\)$/m);
  const shown = await open(at.browser, pathToFileURL(page).href);
  await shown.getByLabel("Live at the end").check();
  return [shown, (name, shade) => shown.locator(`#flame .frame.${shade}[aria-label*="${name}"]`).first().getAttribute("aria-label")];
}

// Whether a report has what the tests look at: a leak and a worker, over a time that can be divided.
function isEnough(text) {
  if (!text) return false;
  const { verdict, sites, processes, source } = JSON.parse(text);
  return verdict.samples >= 70 && source.steps >= 100 && processes.length >= 2 && sites.some((site) => site.growth_bytes > 10e6);
}

async function record(at) {
  const [recording, finish, errors] = ["job.lowtide", "finish", "job.err"].map((name) => join(at.folder, name));
  rmSync(finish, { force: true }); // of an earlier test with --keep
  const words = ["python3", fileURLToPath(new URL("job.py", import.meta.url)), `<${ATTACK}>`, finish];
  const job = spawn(at.lowtide, ["run", "--quiet", "--interval", "100ms", "--output", recording, "--", ...words], {
    stdio: ["ignore", openSync(join(at.folder, "job.log"), "w"), openSync(errors, "w")], // steps are read from an output that is a file
  });
  try {
    await until(() => isEnough(spawnSync(at.lowtide, ["report", "--json", recording], { encoding: "utf8", timeout: LIMIT_MS }).stdout));
  } finally {
    writeFileSync(finish, "");
  }
  assert.equal(await ended(job), 0, readFileSync(errors, "utf8"));
  return writePage(at, recording, "job");
}

async function main([lowtide, ...words]) {
  const keep = words[0] === "--keep" ? words.splice(0, 2)[1] : null;
  const { browser, why } = await launch();
  if (!browser) skip(why);
  if (keep) mkdirSync(keep, { recursive: true });
  const folder = keep ?? mkdtempSync(join(tmpdir(), "lowtide-page-"));
  let failed = 0;
  try {
    const at = { browser, lowtide, folder };
    at.fixed = writeFixed(at, "fixed", "--limit", "4GB");
    at.address = await record(at);
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
