// SPDX-License-Identifier: MIT
// The page of a run in which kernels launch kernels. page_test.mjs runs these.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { drawAll, savedText, withPage } from "./browser.mjs";

export function launchTests(browser, folder) {
  const report = JSON.parse(readFileSync(join(folder, "launches.json"), "utf8"));
  const { columns, rows } = report.details[0].tables.launches;
  const cell = (row, name) => row[columns.indexOf(name)];

  async function launches_are_drawn_over_time_and_as_a_tree() {
    await withPage(browser, join(folder, "launches.html"), {}, async (page) => {
      await drawAll(page);
      for (const id of ["launch-time-line", "launch-tree"]) {
        const boxes = await page.$$eval(`#figure-${id} [data-mark=rect] rect`, (bars) => bars.map((bar) => bar.getBBox()).map(({ x, y, width, height }) => ({ x, y, width, height })));
        assert.equal(boxes.length, rows.length, `${id}: a bar a kernel`);
        assert.match(await page.locator(`#figure-${id} svg`).first().getAttribute("aria-label"), new RegExp(`${rows.length} kernels, ${rows.filter((row) => cell(row, "parent") !== null).length} of them`));
        // No two kernels in the same place.
        for (const a of boxes)
          for (const b of boxes)
            if (a !== b) assert.ok(a.x + a.width <= b.x + 0.6 || b.x + b.width <= a.x + 0.6 || a.y + a.height <= b.y + 0.6 || b.y + b.height <= a.y + 0.6, `${id}: bars overlap`);
      }
    });
  }

  // In the tree a kernel lies below its parent and within its width.
  async function children_stand_below_their_parents() {
    await withPage(browser, join(folder, "launches.html"), {}, async (page) => {
      await drawAll(page);
      const boxes = await page.$$eval("#figure-launch-tree [data-mark=rect] rect", (bars) => bars.map((bar) => bar.getBBox()).map(({ x, y, width }) => ({ x, y, width })));
      const depths = [...new Set(boxes.map((box) => Math.round(box.y)))].sort((a, b) => a - b);
      assert.equal(depths.length, 1 + Math.max(...rows.map((row) => cell(row, "depth") ?? 0)), "a row a depth");
      for (const box of boxes.filter((each) => Math.round(each.y) > depths[0])) {
        const above = depths[depths.indexOf(Math.round(box.y)) - 1];
        assert.ok(boxes.some((each) => Math.round(each.y) === above && each.x <= box.x + 0.6 && each.x + each.width >= box.x + box.width - 0.6), "no parent above");
      }
      const { text } = await savedText(page, () => page.locator("#figure-launch-tree .tool").filter({ hasText: "CSV" }).click());
      assert.equal(text.trim().split("\r\n").length, 1 + rows.length);
    });
  }

  // The last point of every line is all of it.
  async function reuse_is_cumulative() {
    await withPage(browser, join(folder, "launches.html"), {}, async (page) => {
      await drawAll(page);
      const { reuse_ratios: ratios } = report.details[0].tables;
      const series = ratios.rows.filter((row) => row[ratios.columns.indexOf("pairs")] > 0).length;
      assert.ok(series >= 6, `${series} relations`);
      assert.equal(await page.locator("#figure-reuse-ratios [data-mark=dot] :is(path, circle)").count(), 10 * series, "a symbol a bin");
      const tops = await page.$$eval("#figure-reuse-ratios [data-mark=line] path", (lines) => lines.map((line) => line.getBBox().y));
      assert.equal(tops.length, series);
      assert.ok(Math.max(...tops) - Math.min(...tops) < 1, tops.join());
      assert.match(await page.locator("#figure-reuse-distances svg").first().getAttribute("aria-label"), /half of self below [0-9,]+, half of parent-child below/);
    });
  }

  return [reuse_is_cumulative, launches_are_drawn_over_time_and_as_a_tree, children_stand_below_their_parents];
}
