// SPDX-License-Identifier: MIT
// The report page, used as people use it.
//
//   node page_test.mjs FOLDER [PATTERN]    with the pages that tests/cli/page.sh makes, and their data
import assert from "node:assert/strict";
import { readFileSync, mkdirSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { drawAll, savedText, startBrowser, withPage } from "./browser.mjs";
import { coloursStayApart } from "./colours.mjs";
import { writeLargePage } from "./large.mjs";
import { comparisonTests } from "./comparison_tests.mjs";
import { explainTests } from "./explain_tests.mjs";
import { launchTests } from "./launch_tests.mjs";
import { sweepTests } from "./sweep_tests.mjs";

const folder = process.argv[2];
const runsPage = join(folder, "runs.html");
const report = JSON.parse(readFileSync(join(folder, "runs.json"), "utf8"));
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core"), "utf8");
const browser = await startBrowser();

const figures = ["speed-up", "ipc", "issue-slots", "l1d", "l2", "traffic", "time-line", "slots-time-line", "sm-time-line", "reuse-distances", "reuse-ratios", "sharing", "load-latency"];

async function every_figure_is_drawn() {
  await withPage(browser, runsPage, {}, async (page) => {
    await drawAll(page);
    const drawn = await page.$$eval("figure.card", (cards) => cards.map((card) => ({
      id: card.id.replace("figure-", ""), state: card.dataset.drawn, label: card.querySelector("svg")?.getAttribute("aria-label") ?? "",
      shapes: card.querySelectorAll("svg rect, svg path, svg circle").length, bad: /NaN|undefined/.test(card.querySelector("svg")?.outerHTML ?? ""),
    })));
    assert.deepEqual(drawn.map(({ id }) => id), figures);
    for (const figure of drawn) {
      assert.equal(figure.state, "yes", figure.id);
      assert.ok(figure.shapes >= 4, `${figure.id} has ${figure.shapes} shapes`);
      assert.ok(!figure.bad, `${figure.id} draws what is not a number`);
      assert.ok(figure.label.length > 20, `${figure.id} says what it shows`);
    }
  });
}

async function bars_are_as_long_as_the_numbers() {
  await withPage(browser, runsPage, {}, async (page) => {
    await drawAll(page);
    const heights = await page.$$eval("#figure-ipc [data-mark=bar] :is(rect, path)", (bars) => bars.map((bar) => bar.getBBox().height));
    const column = report.runs.columns.indexOf("warp_ipc"), known = report.runs.rows.map((row) => row[column]).filter((value) => value > 0);
    assert.equal(heights.length, known.length);
    const scale = Math.max(...heights) / Math.max(...known);
    const wanted = known.map((value) => value * scale).sort((a, b) => a - b);
    heights.sort((a, b) => a - b).forEach((height, i) => assert.ok(Math.abs(height - wanted[i]) < 0.5, `${height} for ${wanted[i]}`));
  });
}

// Every reason that a run counted is drawn, and the parts of a bar are the whole.
async function issue_slots_have_every_reason() {
  const at = (name) => report.runs.columns.indexOf(name);
  const reasons = report.runs.columns.filter((name) => name.startsWith("sm.slot_"));
  assert.ok(reasons.includes("sm.slot_held") && reasons.includes("sm.slot_mshr"), reasons.join());
  await withPage(browser, runsPage, {}, async (page) => {
    await drawAll(page);
    const { text } = await savedText(page, () => page.locator("#figure-issue-slots .tool").filter({ hasText: "CSV" }).click());
    const [head, ...lines] = text.trim().split("\r\n").map((line) => line.split(","));
    for (const reason of reasons) assert.ok(head.includes(report.statistics[reason].label), `${reason} has no column`);
    const run = report.runs.rows.find((row) => row[at("program")].includes("stencil5") && row[at("scheme")] === "gto");
    const line = lines.find((each) => each[0] === "stencil5_512" && each[1] === "gto");
    for (const reason of reasons) assert.equal(Number(line[head.indexOf(report.statistics[reason].label)]), run[at(reason)], reason);
    assert.equal(Number(line[line.length - 1]), reasons.reduce((sum, reason) => sum + run[at(reason)], 0));
    const widths = await page.$$eval("#figure-issue-slots [data-mark=bar] rect", (bars) => bars.map((bar) => bar.getBBox()).map(({ y, width }) => [Math.round(y), width]));
    const sums = Object.values(widths.reduce((all, [y, width]) => ({ ...all, [y]: (all[y] ?? 0) + width }), {}));
    assert.ok(Math.max(...sums) - Math.min(...sums) < 1, `bars of different lengths: ${sums.join()}`);
  });
}

const cells = (page, table, column) => page.$$eval(`#${table} tbody tr:not(.space)`, (rows, at) => rows.map((row) => row.cells[at].textContent), column);
const numbers = (texts) => texts.map((text) => Number(text.replace(/[,% ]/g, "")));

async function tables_sort_both_ways() {
  await withPage(browser, runsPage, {}, async (page) => {
    await drawAll(page); // nothing moves any more
    const head = page.locator("#accesses th").filter({ hasText: "Executions" });
    for (const [order, sign] of [["descending", 1], ["ascending", -1]]) {
      await head.locator("button").click();
      assert.equal(await head.getAttribute("aria-sort"), order);
      const values = numbers(await cells(page, "accesses", 7));
      assert.ok(values.length > 2 && new Set(values).size > 1, "different numbers to sort");
      assert.deepEqual(values, [...values].sort((a, b) => sign * (b - a)));
    }
  });
}

async function tables_filter() {
  await withPage(browser, runsPage, {}, async (page) => {
    const all = (await cells(page, "all-runs", 0)).length;
    assert.equal(all, report.runs.rows.length);
    await page.locator("#all-runs input").fill("STENCIL gto");
    await page.locator("#all-runs .table-status").filter({ hasText: `1 of ${all} runs` }).waitFor();
    assert.deepEqual(await cells(page, "all-runs", 2), ["stencil5_512"]);
    await page.locator("#all-runs input").fill("nothing like it");
    await page.locator("#all-runs td.empty").waitFor();
  });
}

async function the_theme_changes_and_stays() {
  await withPage(browser, runsPage, {}, async (page) => {
    await drawAll(page);
    const look = () => page.evaluate(() => ({
      theme: document.documentElement.dataset.theme, ground: getComputedStyle(document.body).backgroundColor,
      bar: document.querySelector("#figure-issue-slots [data-mark=bar] :is(rect, path)").getAttribute("fill"),
    }));
    const light = await look();
    assert.equal(light.theme, "light");
    await page.locator("#theme").click();
    const dark = await look();
    assert.equal(dark.theme, "dark");
    assert.notEqual(dark.ground, light.ground);
    assert.notEqual(dark.bar, light.bar);
    await page.reload();
    await page.waitForSelector("html[data-theme=dark]");
  });
  await withPage(browser, runsPage, { colors: "dark" }, async (page) => {
    assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), "dark");
  });
}

async function figures_are_saved_as_svg_and_csv() {
  await withPage(browser, runsPage, {}, async (page) => {
    await drawAll(page);
    for (const id of figures) {
      const tool = (name) => () => page.locator(`#figure-${id} .tool`).filter({ hasText: name }).click();
      const svg = await savedText(page, tool("SVG"));
      assert.equal(svg.name, `${id}.svg`);
      const root = await page.evaluate((text) => new DOMParser().parseFromString(text, "image/svg+xml").documentElement.tagName, svg.text);
      assert.equal(root, "svg", `${id}.svg is well-formed`);
      assert.ok(!/var\(--(?!plot)/.test(svg.text), `${id}.svg needs no style sheet`);
      const csv = await savedText(page, tool("CSV"));
      assert.equal(csv.name, `${id}.csv`);
      assert.ok(csv.text.split("\r\n").length > 3, `${id}.csv has rows`);
    }
    const csv = await savedText(page, () => page.locator("#figure-ipc .tool").filter({ hasText: "CSV" }).click());
    const at = (name) => report.runs.columns.indexOf(name);
    const run = report.runs.rows.find((row) => row[at("program")].includes("stencil5") && row[at("scheme")] === "gto");
    assert.ok(csv.text.includes(`stencil5_512,gto,gtx480,${run[at("warp_ipc")]},`), csv.text);
  });
}

const columnOf = (page, table, title) => page.$$eval(`#${table} th`, (heads, wanted) => heads.findIndex((head) => head.textContent.trim().startsWith(wanted)), title);

// Schedulers without warps are told apart, and no share of an access is of their slots.
async function shares_are_of_slots_with_a_warp() {
  const at = (name) => report.runs.columns.indexOf(name), empty = ["launch", "dispatch", "small_grid", "tail"].map((name) => `sm.slot_${name}`);
  for (const reason of empty) assert.equal(report.statistics[reason].group, "empty", reason);
  assert.ok(!report.runs.columns.includes("sm.slot_idle"));
  const run = report.runs.rows.find((row) => row[at("program")].includes("mm_tiled_96") && row[at("scheme")] === "lrr");
  const slots = (of) => report.runs.columns.filter((name) => name.startsWith("sm.slot_") && of(name)).reduce((sum, name) => sum + run[at(name)], 0);
  assert.ok(slots((name) => empty.includes(name)) > 0);
  await withPage(browser, runsPage, {}, async (page) => {
    await page.locator(".picker select").first().selectOption("mm_tiled_96");
    await page.locator(".picker select").nth(1).selectOption({ label: "lrr" });
    const lost = numbers(await cells(page, "accesses", await columnOf(page, "accesses", "Slots lost")))[0];
    const share = numbers(await cells(page, "accesses", await columnOf(page, "accesses", "Share of occupied")))[0];
    assert.ok(Math.abs(share - (100 * lost) / slots((name) => !empty.includes(name))) < 0.06, `${lost} slots are ${share} %`);
    const arrays = await cells(page, "accesses", await columnOf(page, "accesses", "Array"));
    assert.ok(arrays.includes("param 0") && arrays.includes("param 2"), arrays.join());
    assert.match((await cells(page, "kernels", await columnOf(page, "kernels", "Limit of occupancy")))[0], /limited by registers \(63 per thread; 40 would allow 3 CTAs per SM\)/);
  });
}

// A store may hold results of versions that counted all slots without a warp as one reason.
async function results_of_older_versions_are_drawn() {
  const { "sm.slot_tail": _tail, ...statistics } = report.statistics;
  const rename = (columns) => columns.map((name) => (name === "sm.slot_tail" ? "sm.slot_idle" : name === "dram.peak_share" ? "dram.gone" : name));
  const old = { ...report, statistics, runs: { ...report.runs, columns: rename(report.runs.columns) } };
  const path = writeLargePage(runsPage, old, report.runs.rows.length, join(folder, "old.html"));
  await withPage(browser, path, {}, async (page) => {
    await drawAll(page);
    assert.match(await page.locator("#figure-issue-slots").innerText(), /no warp/);
    assert.ok((await columnOf(page, "all-runs", "DRAM buses busy")) > 0 && (await columnOf(page, "all-runs", "DRAM, of peak")) < 0);
  });
}

async function another_run_can_be_chosen() {
  await withPage(browser, runsPage, {}, async (page) => {
    await page.locator(".picker select").first().selectOption("mm_tiled_96");
    assert.match(await page.locator("#accesses .table-scroll").getAttribute("aria-label"), /mm_tiled_96/);
    const functions = new Set(await cells(page, "accesses", 3));
    assert.deepEqual([...functions], ["mm_tiled"]);
    await page.locator("#all-runs tbody tr").filter({ hasText: "stencil5" }).filter({ hasText: "lrr" }).locator("button.link").click();
    assert.match(await page.locator("#accesses .table-scroll").getAttribute("aria-label"), /stencil5_512, lrr/);
  });
}

async function it_works_without_a_mouse() {
  await withPage(browser, runsPage, {}, async (page) => {
    await page.keyboard.press("Tab");
    assert.equal(await page.evaluate(() => document.activeElement.className), "skip");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), "dark");
    const table = page.locator("#figure-speed-up .tool").filter({ hasText: "Table" });
    await table.focus();
    await page.keyboard.press("Enter");
    assert.equal(await table.getAttribute("aria-expanded"), "true");
    assert.ok((await page.locator("#figure-speed-up .figure-data tbody tr").count()) >= 4);
    await page.locator("#accesses th button").first().focus();
    await page.keyboard.press("Space");
    assert.equal(await page.locator("#accesses th").first().getAttribute("aria-sort"), "ascending");
  });
}

async function nothing_hinders_people() {
  for (const [size, colors] of [["desktop", "light"], ["desktop", "dark"], ["phone", "light"]])
    await withPage(browser, runsPage, { size, colors }, async (page) => {
      await drawAll(page);
      await page.locator("#figure-ipc .tool").filter({ hasText: "Table" }).click();
      await page.evaluate(axe);
      // To people who hear the page a drawing is one image; what is in it is looked at once, as it takes long.
      if (size !== "desktop" || colors !== "light")
        await page.evaluate(() => document.querySelectorAll("svg").forEach((svg) => svg.replaceChildren()));
      const { violations } = await page.evaluate(() => window.axe.run());
      const serious = violations.filter(({ impact }) => impact === "serious" || impact === "critical");
      assert.deepEqual(serious.map((each) => `${each.id}: ${each.nodes[0].html.slice(0, 200)}`), [], `${size}, ${colors}`);
    });
}

async function a_phone_scrolls_down_only() {
  const pictures = join(folder, "pictures");
  mkdirSync(pictures, { recursive: true });
  for (const size of ["desktop", "phone"])
    await withPage(browser, runsPage, { size }, async (page) => {
      await drawAll(page);
      assert.ok((await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)) <= 0, `${size} scrolls sideways`);
      const shot = await page.screenshot({ path: join(pictures, `${size}.png`), fullPage: true });
      assert.ok(shot.length > 50000, "a picture with something on it");
    });
}

async function a_papers_numbers_stand_on_the_bars() {
  await withPage(browser, join(folder, "study.html"), {}, async (page) => {
    await drawAll(page);
    const ids = await page.$$eval("[id]", (elements) => elements.map(({ id }) => id));
    assert.deepEqual(ids.filter((id, i) => ids.indexOf(id) !== i), [], "every id once");
    const figure = page.locator("#figure-study-l1d");
    assert.equal(await figure.locator("[data-mark=dot] path").count(), 2);
    assert.equal(await figure.locator("[data-mark=bar] :is(rect, path)").count(), 3);
    assert.match(await figure.locator("svg").textContent(), /paper \(figure 1\)/);
    assert.match(await page.locator(".tile-note").textContent(), /paper 1\.25×/);
    const csv = await savedText(page, () => figure.locator(".tool").filter({ hasText: "CSV" }).click());
    assert.equal(csv.name, "l1d.csv");
    assert.match(csv.text, /^mm,gto,gtx480,[0-9.]+,1\.5\r$/m);
  });
}

async function the_summary_covers_every_gpu() {
  await withPage(browser, join(folder, "two.html"), {}, async (page) => {
    const labels = await page.$$eval("#summary .tile-label", (labels) => labels.map(({ textContent }) => textContent));
    const notes = await page.$$eval("#summary .tile-note", (notes) => notes.map(({ textContent }) => textContent));
    for (const gpu of ["gtx480", "tiny"]) assert.ok([...labels, ...notes].some((text) => text.includes(gpu)), `${gpu}: ${labels.join()} ${notes.join()}`);
  });
}

async function figures_without_anything_to_draw_say_so() {
  await withPage(browser, join(folder, "two.html"), {}, async (page) => {
    await drawAll(page);
    const card = page.locator("#figure-sharing");
    assert.equal(await card.getAttribute("data-drawn"), "empty");
    assert.match(await card.locator(".picture").innerText(), /No two groups of CTAs access a common line/);
    assert.equal(await card.locator("svg").count(), 0);
  });
}

// 2560 CTAs: until the run ends, some SM has one.
async function ctas_on_sms_are_drawn_to_the_end() {
  const many = JSON.parse(readFileSync(join(folder, "many.json"), "utf8"));
  const { columns, rows } = many.details[0].tables.cta_map;
  const cycles = many.runs.rows[0][many.runs.columns.indexOf("cycles")];
  const ctas = many.runs.rows[0][many.runs.columns.indexOf("ctas")];
  assert.ok(ctas > many.limits.rows, `${ctas} CTAs`);
  const starts = columns.slice(1).map(Number), step = starts[1] - starts[0];
  assert.ok(starts[starts.length - 1] < cycles && starts[starts.length - 1] + step >= cycles, "the last column is the end");
  starts.forEach((_, i) => assert.ok(rows.some((row) => row[i + 1] > 0), `nothing from cycle ${starts[i]} on`));
  await withPage(browser, join(folder, "many.html"), {}, async (page) => {
    await drawAll(page);
    assert.equal(await page.locator("#figure-sm-time-line [data-mark=bar] rect").count(), rows.length * starts.length);
  });
}

async function names_are_text_whatever_they_say() {
  await withPage(browser, join(folder, "hostile.html"), {}, async (page) => {
    await drawAll(page);
    const names = await cells(page, "all-runs", 2);
    assert.ok(names.includes("<!--<script>alert(1)<img src=x onerror=alert(2)>"), names.join());
    assert.equal(await page.locator("body img").count(), 0);
  });
}

async function a_store_without_results_says_so() {
  await withPage(browser, join(folder, "empty.html"), {}, async (page) => {
    assert.match(await page.locator("#summary").innerText(), /1 run in the store: 1 failed/);
    assert.equal(await page.locator("figure.card").count(), 0);
  });
}

async function ten_thousand_runs_are_there_within_a_second() {
  const path = writeLargePage(runsPage, report, 10000, join(folder, "large.html"));
  await withPage(browser, path, {}, async (page) => {
    const ready = await page.evaluate(() => performance.getEntriesByName("heddle-ready")[0].startTime);
    console.log(`10,000 runs: ready after ${Math.round(ready)} ms`);
    assert.ok(ready < 1000 * slowness, `ready after ${ready} ms`);
    assert.ok((await page.locator("#all-runs tbody tr").count()) < 100, "only rows in sight are elements");
    await page.locator("#all-runs .table-scroll").evaluate((box) => { box.scrollTop = box.scrollHeight; });
    await page.locator("#all-runs tbody tr:last-child [title]").first().waitFor();
    assert.equal((await cells(page, "all-runs", 0)).pop(), "1");
    await drawAll(page);
  });
}

async function series_can_be_told_apart_by_everybody() {
  coloursStayApart(join(process.cwd(), "src/theme.ts"));
}

// How much longer than on an idle machine things take here: tests run side by side.
const slowness = 3;

const tests = [
  every_figure_is_drawn, issue_slots_have_every_reason, bars_are_as_long_as_the_numbers, tables_sort_both_ways, tables_filter, the_theme_changes_and_stays,
  figures_are_saved_as_svg_and_csv, shares_are_of_slots_with_a_warp, results_of_older_versions_are_drawn, another_run_can_be_chosen, it_works_without_a_mouse, nothing_hinders_people, a_phone_scrolls_down_only,
  a_papers_numbers_stand_on_the_bars, the_summary_covers_every_gpu, figures_without_anything_to_draw_say_so, ctas_on_sms_are_drawn_to_the_end,
  names_are_text_whatever_they_say, a_store_without_results_says_so, ten_thousand_runs_are_there_within_a_second,
  series_can_be_told_apart_by_everybody, ...sweepTests(browser, folder), ...launchTests(browser, folder),
  ...comparisonTests(browser, folder), ...explainTests(browser, folder, axe),
];
let failures = 0;
const wanted = new RegExp(process.argv[3] ?? "");
for (const test of tests.filter(({ name }) => wanted.test(name))) {
  const begin = Date.now();
  try {
    await test();
    console.log(`ok      ${test.name} (${Date.now() - begin} ms)`);
  } catch (error) {
    failures++;
    console.log(`FAILED  ${test.name}: ${error.stack}`);
  }
}
await browser.close();
process.exit(failures ? 1 : 0);
