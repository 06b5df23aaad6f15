// SPDX-License-Identifier: MIT
// The page of a comparison with a sweep, bars that are relative to a baseline, and
// paper. page_test.mjs runs these.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { drawAll, savedText, withPage } from "./browser.mjs";

const csvRows = (text) => text.trim().split(/\r?\n/).map((line) => line.split(","));

export function sweepTests(browser, folder) {
  const sweepPage = join(folder, "sweep.html");
  const report = JSON.parse(readFileSync(join(folder, "sweep.json"), "utf8"));

  // Longer than its number says by nothing: from the line at 1 to the value.
  async function relative_bars_start_at_one() {
    await withPage(browser, join(folder, "study.html"), {}, async (page) => {
      await drawAll(page);
      const drawn = await page.evaluate(() => {
        const figure = document.querySelector("#figure-study-l1d");
        const bars = [...figure.querySelectorAll("[data-mark=bar] :is(rect, path)")].map((bar) => bar.getBoundingClientRect());
        const lines = [...figure.querySelectorAll("[data-mark=rule] line")].map((line) => line.getBoundingClientRect().y);
        return { heights: bars.map((box) => box.height), ends: bars.map((box) => [box.top, box.bottom]), line: lines[0], words: figure.querySelector("svg").textContent };
      });
      assert.match(drawn.words, /Speed-up over lrr \(bars start at 1\)/);
      for (const ends of drawn.ends) assert.ok(ends.some((end) => Math.abs(end - drawn.line) < 1), `${ends} and ${drawn.line}`);
      const study = JSON.parse(readFileSync(join(folder, "study.json"), "utf8")).figures[0].panels[0];
      const values = [...study.measured, study.means[0].measured].map((row) => Math.abs(row[1] - 1));
      const scale = Math.max(...drawn.heights) / Math.max(...values);
      values.forEach((value, i) => assert.ok(Math.abs(drawn.heights[i] - value * scale) < 1, `${drawn.heights[i]} for ${value}`));
    });
  }

  async function a_sweep_is_lines_in_panels() {
    await withPage(browser, sweepPage, {}, async (page) => {
      await drawAll(page);
      const figure = page.locator("#figure-study-speedup");
      const svg = figure.locator("svg svg");
      assert.equal(await svg.count(), 3, "two workloads and their mean");
      assert.equal(await figure.locator("[data-mark=dot] path").count(), 3 * 2 * 3, "a symbol a number");
      assert.equal(await figure.locator("[data-mark=line] path").count(), 3 * 2, "a line a scheme and panel");
      assert.match(await figure.locator("> .picture > svg").first().textContent(), /L1D size \(KB\)/);
      assert.match(await figure.locator("svg").first().getAttribute("aria-label"), /over l1d\.size_kb from 16 to 64/);
      // 16, 32 and 64 are equally far apart: the axis is logarithmic.
      const places = await svg.first().evaluate((panel) => ["16", "32", "64"].map((text) => {
        const label = [...panel.querySelectorAll("text")].find((each) => each.textContent === text);
        return label.getBoundingClientRect().x + label.getBoundingClientRect().width / 2;
      }));
      assert.ok(Math.abs(places[1] - places[0] - (places[2] - places[1])) < 1.5, places.join());
      // Symbols differ where colours may not be seen to.
      const shapes = await svg.first().evaluate((panel) => new Set([...panel.querySelectorAll("[data-mark=dot] path")].map((path) => path.getAttribute("d").replace(/[-0-9.e]+/g, ""))).size);
      assert.equal(shapes, 2, "circles and squares");
    });
  }

  async function the_page_and_the_command_line_save_the_same() {
    await withPage(browser, sweepPage, {}, async (page) => {
      await drawAll(page);
      const saved = await savedText(page, () => page.locator("#figure-study-speedup .tool").filter({ hasText: "CSV" }).click());
      const ours = csvRows(saved.text), theirs = csvRows(readFileSync(join(folder, "speedup.csv"), "utf8"));
      assert.equal(ours.length, theirs.length);
      ours.forEach((row, i) => row.forEach((cell, c) => {
        if (Number(cell)) assert.ok(Math.abs(Number(cell) / Number(theirs[i][c]) - 1) < 1e-6, `${cell} and ${theirs[i][c]}`);
        else assert.equal(cell, theirs[i][c]);
      }));
    });
  }

  async function settings_and_arguments_are_told() {
    await withPage(browser, sweepPage, {}, async (page) => {
      await drawAll(page);
      const heads = await page.$$eval("#all-runs th button", (buttons) => buttons.map((button) => button.firstChild.textContent));
      assert.ok(heads.includes("Settings"), heads.join());
      const texts = await page.$$eval("#all-runs tbody tr:not(.space)", (rows, at) => rows.map((row) => row.cells[at].textContent), heads.indexOf("Settings"));
      assert.deepEqual([...new Set(texts)].sort(), ["l1d.size_kb=16", "l1d.size_kb=32", "l1d.size_kb=64"]);
      const saved = await savedText(page, () => page.locator("#all-runs .tool").filter({ hasText: "CSV" }).click());
      const [head, ...rows] = csvRows(saved.text);
      assert.equal(rows.length, report.runs.rows.length);
      assert.equal(rows.filter((row) => row[head.indexOf("settings")] === "l1d.size_kb=32").length, 4);
      // Runs that differ in nothing but a setting are told apart everywhere.
      const groups = await page.$$eval("#figure-issue-slots svg text", (all) => all.map((text) => text.textContent));
      assert.ok(groups.some((text) => text.endsWith("· l1d.size_kb=32")), "issue slots");
      const places = await page.$$eval(".picker select option", (options) => options.map((option) => option.textContent));
      assert.equal(places.filter((text) => /l1d\.size_kb=/.test(text)).length, 6, places.join());
    });
    await withPage(browser, join(folder, "arguments.html"), {}, async (page) => {
      const text = await page.locator("#all-runs").innerText();
      assert.match(text, /Arguments/i);
      assert.match(text, /--n 64/);
    });
  }

  // What a dark page with tables that scroll becomes on paper, and that it comes back.
  async function paper_is_light_and_has_everything() {
    await withPage(browser, sweepPage, { colors: "dark" }, async (page) => {
      await drawAll(page);
      const look = () => page.evaluate(() => ({
        theme: document.documentElement.dataset.theme, widths: [...document.querySelectorAll("figure.card > .picture > svg")].map((svg) => svg.getAttribute("width")),
        undrawn: document.querySelectorAll("figure.card:not([data-drawn])").length,
        spaces: [...document.querySelectorAll("#loads tr.space, #all-runs tr.space")].length, config: document.querySelectorAll("#config tbody tr:not(.space)").length,
        text: document.querySelector("#figure-study-speedup > .picture > svg > g:last-of-type text").getAttribute("fill"),
      }));
      const before = await look();
      await page.emulateMedia({ media: "print" });
      await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
      const paper = await look();
      assert.equal(before.theme, "dark");
      assert.equal(paper.theme, "light");
      assert.notEqual(paper.text, before.text);
      assert.deepEqual([...new Set(paper.widths)], ["680"]);
      assert.equal(paper.undrawn, 0);
      assert.equal(paper.spaces, 0);
      for (const hidden of ["nav", "#theme", ".picker", ".tools", "#configuration .off-paper"])
        assert.equal(await page.locator(hidden).first().isVisible(), false, `${hidden} is not printed`);
      assert.equal(await page.locator(".on-paper").isVisible(), true, "which run it is");
      assert.ok(await page.evaluate(() => [...document.querySelectorAll("table, svg")].every((each) => each.getBoundingClientRect().right <= innerWidth + 1)), "nothing sticks out");
      await page.evaluate(() => dispatchEvent(new Event("afterprint")));
      await page.emulateMedia({ media: "screen" });
      assert.equal((await look()).theme, "dark");
      assert.notEqual((await look()).widths[0], "680");
      const pdf = await page.pdf({ preferCSSPageSize: true });
      const pages = pdf.toString("latin1").match(/\/Type\s*\/Page\b/g).length;
      assert.ok(pages >= 3 && pages <= 14, `${pages} pages`);
      assert.equal((await look()).theme, "dark", "after a real print, too");
    });
  }

  return [relative_bars_start_at_one, a_sweep_is_lines_in_panels, the_page_and_the_command_line_save_the_same, settings_and_arguments_are_told, paper_is_light_and_has_everything];
}
