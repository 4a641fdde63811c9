// Clicks through the HTML report and the page of a project in a real browser; see README.md.
//
//   node pages.mjs WATERTIGHT MANY_FINDINGS [DIRECTORY FOR SCREENSHOTS]
//
// PLAYWRIGHT names the directory of playwright-core, CHROMIUM the browser.
import assert from "node:assert/strict";
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync, openSync, closeSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { createRequire } from "node:module";
import { fileURLToPath, pathToFileURL } from "node:url";

const [watertight, many, shots] = process.argv.slice(2).map((path) => path && resolve(path));
const require = createRequire(join(process.env.PLAYWRIGHT || process.cwd(), "x.js"));
const { chromium } = require("playwright-core");
const here = dirname(fileURLToPath(import.meta.url));
const work = mkdtempSync(join(tmpdir(), "watertight-browser-"));
if (shots) mkdirSync(shots, { recursive: true });

const browser = await chromium.launch({ executablePath: process.env.CHROMIUM || "/usr/bin/chromium", args: ["--no-sandbox"] });

/** A page that is watched: errors, requests to elsewhere and executed markup fail the test. */
const open = async (url, { width = 1440, height = 900, scheme = "light" } = {}) => {
  const context = await browser.newContext({ viewport: { width, height }, colorScheme: scheme });
  const page = await context.newPage();
  page.trouble = [];
  page.on("pageerror", (error) => page.trouble.push(`error: ${error.message}`));
  page.on("console", (message) => { if (message.type() === "error") page.trouble.push(`console: ${message.text()}`); });
  page.on("dialog", (dialog) => { page.trouble.push(`something ran: ${dialog.message()}`); dialog.dismiss(); });
  const own = new URL(url).origin;
  page.on("request", (request) => {
    if (!request.url().startsWith(own === "null" ? "file:" : own)) page.trouble.push(`asked for ${request.url()}`);
  });
  await page.goto(url);
  await page.waitForSelector("html[data-ready]", { timeout: 60000 });
  return page;
};
const close = async (page, name) => {
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  assert.ok(wide <= 1, `${name}: the page is ${wide} pixels too wide`);
  assert.deepEqual(page.trouble, [], name);
  if (shots) await page.screenshot({ path: join(shots, `${name}.png`) });
  await page.context().close();
  console.log(`ok ${name}`);
};
const text = (page, selector) => page.locator(selector).first().innerText();
const check = (directory, ...rest) => {
  const run = spawnSync(watertight, ["check", "-q", ...rest], { cwd: directory, encoding: "utf8" });
  assert.ok(run.status === 0 || run.status === 1, `${run.status}: ${run.stderr}`);
  return run.stdout;
};
const serve = async (directory, ...rest) => {
  const server = spawn(watertight, ["serve", "-q", "--listen", "127.0.0.1:0", ...rest], { cwd: directory, stdio: ["ignore", "pipe", "inherit"] });
  const address = await new Promise((resolve, reject) => {
    server.stdout.once("data", (data) => resolve(String(data).trim()));
    server.once("exit", (code) => reject(new Error(`the server ended with ${code}`)));
  });
  return { server, address };
};

/** The report of a program, as a reader goes through it. */
const readReport = async (url) => {
  const page = await open(url);
  assert.match(await text(page, "#summary"), /^\d+ findings? \(/);
  assert.ok(await page.locator(".entry.finding").count() >= 2);
  // A finding is found by what acquires, by its words, by its file.
  await page.fill("#search", "fopen");
  assert.match(await text(page, "#shown"), /^1 of \d+ findings$/);
  await page.fill("#search", "stream");
  assert.match(await text(page, "#shown"), /^1 of \d+ findings$/);
  await page.click(".entry.finding");
  assert.match(await text(page, "#title"), /file.*leaks/);
  // What the filter takes out is not shown beside the list any more.
  await page.fill("#search", "pool.c");
  assert.ok(await page.locator("#detail").isHidden());
  assert.match(await text(page, "#empty"), /filtered out/);
  await page.fill("#search", "stream");
  await page.click(".entry.finding");
  assert.match(await text(page, "#title"), /file.*leaks/);
  assert.ok(await page.locator(".exit").count() >= 2, "there is a choice of exits");
  const steps = await page.locator(".step").count();
  assert.ok(steps >= 2);
  // Steps by key, by button, by click in the list and in the source.
  await page.locator("#view").focus();
  await page.keyboard.press("n");
  assert.equal(await text(page, ".step-bar .where"), `Step 1 of ${steps}`);
  await page.click(".turn >> nth=1");
  assert.equal(await text(page, ".step-bar .where"), `Step 2 of ${steps}`);
  await page.keyboard.press("p");
  assert.equal(await text(page, ".note.now .num"), "1");
  await page.click(`.step >> nth=${steps - 1}`);
  assert.equal(await text(page, ".note.now .num"), String(steps));
  assert.ok(await page.locator(".note.now").evaluate((node) => { const at = node.getBoundingClientRect(); return at.top > 0 && at.bottom < innerHeight; }), "the step is in sight");
  await page.click(".note[data-step='0']");
  assert.equal(await text(page, ".note.now .num"), "1");
  assert.equal(await page.locator(".way .line").count(), steps - 1, "the way is drawn");
  await page.keyboard.press("]");
  assert.match(await text(page, ".exit.on"), /^Exit 2/);
  // What a function does, on hover.
  await page.locator(".view .fn").first().hover();
  await page.waitForSelector(".tip:not([hidden])");
  assert.ok((await text(page, ".tip li")).length > 3);
  // The address leads back.
  assert.match(page.url(), /#f\d+\.x2$/);
  // Light and dark.
  const colour = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const before = await colour();
  await page.keyboard.press("t");
  assert.notEqual(await colour(), before);
  await close(page, "report");

  const narrow = await open(url, { width: 400, height: 800, scheme: "dark" });
  await narrow.click(".entry.finding");
  await narrow.waitForSelector(".note");
  assert.ok(await narrow.locator("#list").isHidden(), "one thing at a time");
  await narrow.click("#back");
  assert.ok(await narrow.locator("#list").isVisible());
  await narrow.click(".entry.finding");
  await close(narrow, "report-narrow");

  const paper = await open(url);
  await paper.evaluate(() => dispatchEvent(new Event("beforeprint")));
  await paper.emulateMedia({ media: "print" });
  assert.ok(await paper.locator("#paper section").count() >= 2, "every finding is on paper");
  await close(paper, "report-paper");
};

/** The page of a project, as a reader goes through it. */
const readPage = async (directory) => {
  const { server, address } = await serve(directory);
  try {
    const page = await open(`${address}`);
    // Search a function, read what it does, follow its callers.
    await page.click("#tab-functions");
    await page.fill("#function-search", "entry_n");
    await page.waitForFunction(() => document.getElementById("function-shown").textContent === "1 function");
    await page.click(".entry.func");
    await page.waitForSelector("#contract");
    assert.match(await text(page, "#contract"), /new memory/);
    assert.match(await text(page, "#callers"), /main/);
    assert.match(await text(page, "#callees"), /malloc/);
    assert.match(await text(page, ".code"), /sizeof \*entry/);
    assert.ok(await page.locator("#graph .node").count() >= 3);
    await page.click("#graph .node:has-text('main')");
    await page.waitForFunction(() => document.querySelector("#function h1").textContent === "main");
    await page.goBack();
    await page.waitForFunction(() => document.querySelector("#function h1").textContent === "entry_new");
    // From the function to its finding, step by step.
    await page.click(".list-findings a");
    await page.waitForSelector(".note[data-step]");
    await page.keyboard.press("n");
    assert.match(await text(page, ".step-bar .where"), /^Step 1 of/);
    const before = Number((await text(page, "#shown")).match(/\d+/)[0]);
    // Mark it, with a reason.
    await page.fill(".triage .field", "the <i>pool</i> keeps it");
    await page.click(".verdict[data-verdict='false']");
    await page.waitForSelector(".verdict[data-verdict='false'][aria-pressed='true']");
    await close(page, "page");

    // The mark is there after a new start, and later runs respect it.
    const again = await open(address);
    assert.equal(Number((await text(again, "#shown")).match(/\d+/)[0]), before - 1);
    await again.click("#show-marked");
    await again.click(".entry.finding:has(.badge)");
    await again.waitForSelector(".verdict[aria-pressed='true']");
    assert.equal(await again.inputValue(".triage .field"), "the <i>pool</i> keeps it");
    assert.match(check(directory, "main.c", "pool.c"), /1 marked and not reported/);
    await again.click(".verdict[aria-pressed='true']");
    await again.waitForSelector("#toast:not([hidden])");
    assert.doesNotMatch(check(directory, "main.c", "pool.c"), /marked/);
    await close(again, "page-marks");

    // Findings over runs: one bar for each, and a row that says the same.
    const history = await open(`${address}#/history`);
    await history.waitForSelector(".plot svg .bar-of-run");
    assert.equal(await history.locator(".plot .bar-of-run").count(), await history.locator(".runs tbody tr").count());
    assert.match(await text(history, ".runs tbody tr"), /^\d{4}-\d\d-\d\d \d\d:\d\d/);
    assert.match(await text(history, "#history"), /The newest, of .* has \d+ findings/);
    await close(history, "history");
    const narrowHistory = await open(`${address}#/history`, { width: 400, height: 800, scheme: "dark" });
    await narrowHistory.waitForSelector(".plot svg");
    await close(narrowHistory, "history-narrow");

    const narrow = await open(`${address}#/function/count_lines`, { width: 400, height: 800, scheme: "dark" });
    await narrow.waitForSelector("#contract");
    await close(narrow, "page-narrow");
    const dark = await open(`${address}#/function/entry_free`, { scheme: "dark" });
    await dark.waitForSelector("#contract");
    await close(dark, "page-dark");

    // A page of somebody else cannot read or write here, nor frame it.
    const foreign = await browser.newPage();
    await foreign.route("http://evil.example/", (route) => route.fulfill({ contentType: "text/html", body: "<p>evil" }));
    await foreign.goto("http://evil.example/");
    const reached = await foreign.evaluate(async (address) => {
      const got = await fetch(`${address}api/findings`).then(() => "read", () => "refused");
      const sent = await fetch(`${address}api/mark`, { method: "POST", mode: "no-cors", body: "{}" }).then((answer) => answer.type, () => "refused");
      return [got, sent];
    }, address);
    assert.deepEqual(reached, ["refused", "refused"]);
    await foreign.close();
  } finally {
    server.kill();
  }
};

/** Names and sources that try to become markup, as text IR allows them. */
const readHostile = async () => {
  const directory = join(work, "hostile");
  mkdirSync(directory);
  const evil = "<img src=x onerror=alert(1)>";
  writeFileSync(join(directory, `${evil}.c`), `#include <stdlib.h>\n/* </script><script>alert(1)</script> */\nint f(int n)\n{\n    char *s = malloc(10); char *t = "<img src=x onerror=alert(2)>\\u202e";\n    if (s == NULL)\n        return 1;\n    return t[n];\n}\n`);
  // One line of 5 MB, with a leak where the debug information can still count columns.
  const long = openSync(join(directory, "long.c"), "w");
  writeFileSync(long, `#include <stdlib.h>\nint g(void) { /* ${"x".repeat(40000)} */ void *p = malloc(3); /* ${"y".repeat(5 << 20)} */ return p != 0; }\n`);
  closeSync(long);
  const files = [`./${evil}.c`, "long.c"];
  check(directory, ...files, "--format", "html", "-o", "report.html");
  const page = await open(pathToFileURL(join(directory, "report.html")).href);
  assert.ok(await page.locator(".entry.finding").count() >= 2);
  await page.fill("#search", "onerror");
  await page.click(".entry.finding");
  await page.waitForSelector(".note");
  assert.match(await text(page, ".part-head .file"), /<img src=x onerror=alert\(1\)>/);
  assert.equal(await page.locator("img").count(), 0);
  await page.fill("#search", "long.c");
  await page.click(".entry.finding");
  await page.waitForSelector(".cut");
  assert.match(await text(page, ".row.at .tx"), /malloc\(3\)/);
  await close(page, "hostile-report");
  const { server, address } = await serve(directory);
  try {
    for (const hash of ["#/findings/1", "#/findings/2", "#/function/g", "#/function/f", `#/function/${encodeURIComponent("../../<img src=x onerror=alert(3)>")}`]) {
      const one = await open(`${address}${hash}`);
      await one.waitForTimeout(150);
      assert.equal(await one.locator("img").count(), 0);
      one.trouble = one.trouble.filter((line) => !line.includes("404"));
      await close(one, `hostile-page-${hash.replace(/\W+/g, "-").slice(0, 24)}`);
    }
  } finally {
    server.kill();
  }
};

/** A report without findings says so, and what was checked, also where there is only room for the list. */
const readEmpty = async () => {
  const directory = join(work, "clean");
  mkdirSync(directory);
  writeFileSync(join(directory, "clean.c"), "int one(void) { return 1; }\n");
  check(directory, "clean.c", "--format", "html", "-o", "report.html");
  const page = await open(pathToFileURL(join(directory, "report.html")).href, { width: 400, height: 800 });
  assert.match(await text(page, "#nothing"), /^No findings\. Checked: 1 file/);
  await close(page, "empty-report-narrow");
};

/** A hundred thousand findings stay usable. */
const readMany = async () => {
  const file = join(work, "many.html");
  const out = openSync(file, "w");
  execFileSync(many, ["100000", "html"], { stdio: ["ignore", out, "inherit"] });
  closeSync(out);
  const started = Date.now();
  const page = await open(pathToFileURL(file).href);
  const ready = Date.now() - started;
  const timed = async (act) => { const from = Date.now(); await act(); return Date.now() - from; };
  const filtered = await timed(async () => {
    await page.fill("#search", "57150");
    await page.waitForFunction(() => /^1 of/.test(document.getElementById("shown").textContent));
  });
  await page.fill("#search", "");
  const chosen = await timed(async () => {
    await page.locator(".entry.finding").nth(3).click();
    await page.waitForSelector(".note[data-step]");
  });
  const scrolled = await timed(async () => {
    await page.evaluate(() => { const list = document.getElementById("list"); list.scrollTop = list.scrollHeight / 2; });
    await page.waitForFunction(() => document.querySelectorAll(".entry").length > 5);
  });
  assert.ok(await page.locator(".entry").count() < 60, "only rows in sight are drawn");
  console.log(`100,000 findings: ready ${ready} ms, filter ${filtered} ms, choose ${chosen} ms, scroll ${scrolled} ms`);
  assert.ok(ready < 30000 && filtered < 3000 && chosen < 3000 && scrolled < 3000);
  await close(page, "many");
};

try {
  const project = join(work, "project");
  cpSync(join(here, "program"), project, { recursive: true });
  check(project, "main.c", "pool.c", "--format", "html", "-o", "report.html");
  check(project, "main.c", "pool.c");
  await readReport(pathToFileURL(join(project, "report.html")).href);
  await readPage(project);
  await readHostile();
  await readEmpty();
  if (many) await readMany();
} finally {
  await browser.close();
  rmSync(work, { recursive: true, force: true });
}
