// SPDX-License-Identifier: MIT
// Comparisons that lack runs, and comparisons of programs.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { drawAll, savedText, withPage } from "./browser.mjs";

export function comparisonTests(browser, folder) {
  const tile = (page, label) => page.$$eval("#summary .tile", (tiles, wanted) => tiles.map((each) => each.textContent).find((text) => text.includes(wanted)) ?? "", label);

  // Means cover what every scheme has; the figure, its saved copy and the tiles say what that leaves out.
  async function means_say_what_they_lack() {
    const note = "geometric mean of 1 of 2; missing: big (short)";
    await withPage(browser, join(folder, "partial.html"), {}, async (page) => {
      await drawAll(page);
      const words = await page.locator("#figure-study-speedup svg").getAttribute("aria-label");
      assert.ok(words.includes(note), words);
      const { text } = await savedText(page, () => page.locator("#figure-study-speedup .tool").filter({ hasText: "SVG" }).click());
      assert.ok(text.includes(`>${note}<`), "the note is in the SVG");
      assert.ok((await tile(page, "gto")).includes("geometric mean (1 of 2)"));
    });
  }

  // The faster version executes fewer instructions per cycle: time decides, and the first program is the baseline.
  async function programs_are_compared_by_time() {
    await withPage(browser, join(folder, "programs.html"), {}, async (page) => {
      await drawAll(page);
      const ids = await page.$$eval("#results figure.card", (cards) => cards.map((card) => card.id));
      assert.deepEqual(ids.slice(0, 2), ["figure-study-speedup", "figure-study-cycles"]);
      assert.ok(!ids.includes("figure-study-ipc"), ids.join());
      const text = await tile(page, "fast");
      assert.ok(text.includes("speed-up over slow") && parseFloat(text) > 1.2, text);
    });
    await withPage(browser, join(folder, "program_runs.html"), {}, async (page) => {
      const ids = await page.$$eval("#results figure.card", (cards) => cards.map((card) => card.id));
      assert.deepEqual(ids, ["figure-cycles"]);
    });
  }

  const tests = [means_say_what_they_lack];
  return existsSync(join(folder, "programs.html")) ? [...tests, programs_are_compared_by_time] : tests;
}
