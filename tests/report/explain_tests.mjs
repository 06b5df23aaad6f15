// SPDX-License-Identifier: MIT
// The pages of heddle explain and heddle diff. page_test.mjs runs these.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { drawAll, savedText, withPage } from "./browser.mjs";

const looks = [["desktop", "light"], ["desktop", "dark"], ["phone", "light"], ["phone", "dark"]];
const names = ["causes", "what-if", "memory", "roofline", "occupancy", "line-reuse", "sharing", "source"];

export function explainTests(browser, folder, axe) {
  const path = join(folder, "explain.html");
  if (!existsSync(path)) return [];
  const { explanation } = JSON.parse(readFileSync(join(folder, "explain.json"), "utf8"));
  const { difference } = JSON.parse(readFileSync(join(folder, "diff.json"), "utf8"));
  const kernels = explanation.kernels, at = kernels.findIndex((kernel) => kernel.kernel === "columns"), columns = kernels[at];
  const ids = kernels.flatMap((_, k) => names.map((name) => `${name}-${k}`));
  const figure = (page, name) => page.locator(`#figure-${name}-${at}`);
  const widths = (page, name) => page.$$eval(`#figure-${name} [data-mark=bar] rect`, (bars) => bars.map((bar) => bar.getBBox().width));
  const csvOf = async (page, locator) => (await savedText(page, () => locator.locator(".tool").filter({ hasText: "CSV" }).click())).text.trim().split("\r\n").map((line) => line.split(","));
  const near = (a, b, what, by = 1.1) => assert.ok(Math.abs(a - b) <= by, `${what}: ${a}, not ${b}`);

  async function an_explanation_is_drawn_in_every_look() {
    for (const [size, colors] of looks)
      await withPage(browser, path, { size, colors }, async (page) => {
        await drawAll(page);
        const drawn = await page.$$eval("[id^=kernel-] figure.card", (cards) => cards.map((card) => ({
          id: card.id.replace("figure-", ""), state: card.dataset.drawn, label: card.querySelector("svg")?.getAttribute("aria-label") ?? "", bad: /NaN|undefined|Infinity/.test(card.querySelector("svg")?.outerHTML ?? ""),
          outside: [...card.querySelectorAll("svg text")].filter((text) => {
            const box = text.getBoundingClientRect(), frame = card.querySelector("svg").getBoundingClientRect();
            return box.width > 0 && (box.left < frame.left - 1 || box.right > frame.right + 1 || box.top < frame.top - 1 || box.bottom > frame.bottom + 1);
          }).map((text) => text.textContent),
        })));
        assert.deepEqual(drawn.map(({ id }) => id), ids, `${size}, ${colors}`);
        for (const each of drawn) {
          // The second kernel shares no lines, and no cost of it is worth a run.
          if (!/^(sharing|what-if)/.test(each.id) || each.id.endsWith(`-${at}`)) assert.equal(each.state, "yes", each.id);
          assert.ok(!each.bad, `${each.id} draws what is not a number`);
          assert.deepEqual(each.outside, [], `${each.id}, ${size}: text outside of the drawing`);
          if (each.state === "yes") assert.ok(each.label.length > 20, `${each.id} says what it shows`);
        }
        assert.ok((await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)) <= 0, `${size} scrolls sideways`);
        const text = await page.locator(`#kernel-${at}`).innerText();
        assert.ok(text.includes(columns.verdict.slice(1)), "the verdict");
        assert.match(text, /Tried: \d\.\d\d× as fast \(CTAs clustered along Y\)/);
        const fill = await page.locator(`#figure-causes-${at} [data-mark=bar] rect`).first().getAttribute("fill");
        assert.ok(fill.startsWith("#"), fill);
      });
  }

  async function bars_are_its_numbers(page) {
    assert.ok(Math.abs(columns.causes.reduce((sum, cause) => sum + cause.share, 0) - 1) < 1e-6, "the causes are the whole");
    const causes = await widths(page, `causes-${at}`);
    near(causes[1] / causes[0], columns.causes[1].share / columns.causes[0].share, "causes", 0.02);
    const gains = columns.what_ifs.map(({ speedup }) => speedup).sort((a, b) => b - a), bars = await widths(page, `what-if-${at}`);
    assert.equal(bars.length, gains.length);
    bars.forEach((width, i) => near(width / bars[0], gains[i] / gains[0], `gain ${i}`, 0.01));
    const csv = await csvOf(page, figure(page, "what-if"));
    assert.ok(csv.some((line) => line[2] === "policy.cta_dispatch=clustered:order=column" && line[3] === "true"), csv.join());
  }

  async function figures_are_saved(page) {
    for (const name of names) {
      const svg = await savedText(page, () => figure(page, name).locator(".tool").filter({ hasText: "SVG" }).click());
      assert.equal(svg.name, `${name}-${at}.svg`);
      const root = await page.evaluate((text) => new DOMParser().parseFromString(text, "image/svg+xml").documentElement.tagName, svg.text);
      assert.equal(root, "svg", `${name}.svg is well-formed`);
      assert.ok(!/var\(--(?!plot)/.test(svg.text), `${name}.svg needs no style sheet`);
      assert.ok((await csvOf(page, figure(page, name))).length > 3, `${name}.csv has rows`);
    }
  }

  // The traffic and hit rates of the chart are the run's.
  async function the_memory_chart_has_the_runs_traffic(page) {
    const run = JSON.parse(readFileSync(join(folder, "explained_run.json"), "utf8")).kernels.find((kernel) => kernel.readable_name === "columns");
    assert.equal(await figure(page, "memory").locator("[data-mark=edge]").count(), 6);
    assert.match(await figure(page, "memory").locator("svg").first().textContent(), new RegExp(`${(100 * run["l1d.hit_rate"]).toFixed(1)} % hits`));
    const csv = await csvOf(page, figure(page, "memory")), row = (from, to) => csv.find((line) => line[0] === from && line[1] === to);
    assert.equal(Number(row("L1", "L2")[3]), run["noc.request_bytes"]);
    assert.equal(Number(row("L2", "L1")[3]), run["noc.reply_bytes"]);
    assert.equal(Number(row("DRAM", "L2")[3]) + Number(row("L2", "DRAM")[3]), run["dram.bytes"]);
    near(Number(row("SM", "L1")[4]), run["l1d.hit_rate"], "hit rate", 1e-5);
    const roofs = await csvOf(page, figure(page, "roofline"));
    assert.deepEqual(roofs.slice(1, 5).map((line) => line[0]), ["L1", "L2", "DRAM", "FP32"]);
    for (const line of roofs.slice(1)) assert.ok(Number(line[4]) <= 1, `${line[0]} above its roof`);
    near(Number(roofs.find((line) => line[0] === "DRAM")[4]), run["dram.peak_share"], "DRAM", 1e-5);
    assert.equal(await figure(page, "roofline").locator("[data-mark=dot] path").count(), 3);
  }

  async function occupancy_says_what_a_step_changes(page) {
    const run = JSON.parse(readFileSync(join(folder, "explained_run.json"), "utf8")).kernels.find((kernel) => kernel.readable_name === "columns");
    const { occupancy } = columns;
    near(occupancy.warps / occupancy.max_warps, run.theoretical_occupancy, "occupancy", 1e-9);
    assert.equal(occupancy.ctas, run.ctas_per_sm);
    for (const axis of occupancy.axes) {
      const here = axis.points.find(([value]) => value === axis.current);
      assert.equal(here[1], occupancy.warps, axis.name);
    }
    assert.equal(await figure(page, "occupancy").locator("[data-mark=dot] circle").count(), 3);
    const [, registers] = occupancy.axes, next = registers.points.find(([value]) => value === registers.current + registers.step);
    const words = await figure(page, "occupancy").locator("svg").first().textContent();
    assert.ok(words.includes(`${next[0]} registers per thread: ${next[1] === occupancy.warps ? "no change" : `${next[1]} warps`}`), words);
  }

  // Four SMs, so four clusters, which are the whole matrix.
  async function suggested_clusters_are_drawn_in_the_matrix(page) {
    assert.equal(columns.sharing.clusters, 4);
    const boxes = await page.$$eval(`#figure-sharing-${at} [data-mark=cluster] rect`, (squares) => squares.map((square) => square.getBBox()).map(({ x, y, width, height }) => ({ x, y, width, height })));
    assert.equal(boxes.length, 4);
    boxes.slice(1).forEach((box, i) => {
      near(box.x, boxes[i].x + boxes[i].width, "next to one another");
      near(box.width, box.height, "square");
    });
    assert.match(await figure(page, "sharing").innerText(), /numbered along Y|CTAs clustered along Y, one cluster per SM, tried: 1\.\d\d times as fast/);
    // All reuse is by CTAs of the same column: in this order, clusters share no line with others.
    const first = (cta) => Math.floor(cta / (columns.sharing.ctas / 4));
    const across = columns.sharing.rows.filter((row) => first(row.first_cta_a) !== first(row.first_cta_b));
    assert.equal(across.length, 0, "lines shared across clusters");
  }

  async function the_source_has_heat_in_its_margin(page) {
    const { source } = columns, column = (name) => source.columns.indexOf(name);
    const heat = (row) => row[column("issued")] + row[column("lost")];
    const hot = source.rows.reduce((best, row) => (heat(row) > heat(best) ? row : best));
    assert.match(hot[column("source")], /sum \+= in/);
    const cells = page.locator(`#figure-source-${at} [data-mark=heat]`);
    assert.equal(await cells.count(), source.rows.filter((row) => heat(row) > 0).length);
    assert.match(await figure(page, "source").locator("svg").textContent(), /sum \+= in\[r \* width \+ x\]/);
  }

  async function a_difference_is_drawn_in_every_look() {
    for (const [size, colors] of looks)
      await withPage(browser, join(folder, "diff.html"), { size, colors }, async (page) => {
        await drawAll(page);
        const kernel = difference.kernels[0];
        const found = await page.$$eval("figure.card", (cards) => cards.map((card) => [card.id, card.dataset.drawn]));
        assert.deepEqual(found, [["figure-difference-causes-0", "yes"], ["figure-difference-accesses-0", "yes"]]);
        const bars = await widths(page, "difference-causes-0"), most = Math.max(...kernel.causes.flatMap(({ before, after }) => [before, after]));
        kernel.causes.flatMap(({ before, after }) => [before, after]).forEach((value, i) => near(bars[i] / Math.max(...bars), value / most, `bar ${i}`, 0.02));
        assert.match(await page.locator("#difference").innerText(), /\d+\.\d\d× as fast/);
        const csv = await csvOf(page, page.locator("#figure-difference-causes-0"));
        assert.deepEqual(csv[1], [kernel.causes[0].name, String(kernel.causes[0].before), String(kernel.causes[0].after)]);
        assert.ok((await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)) <= 0, `${size} scrolls sideways`);
      });
  }

  async function nothing_hinders_readers_of_explanations() {
    for (const [name, size, colors] of [["explain.html", "phone", "dark"], ["diff.html", "desktop", "light"]])
      await withPage(browser, join(folder, name), { size, colors }, async (page) => {
        await drawAll(page);
        await page.evaluate(axe);
        if (name === "explain.html") await page.evaluate(() => document.querySelectorAll("svg").forEach((svg) => svg.replaceChildren())); // takes long
        const { violations } = await page.evaluate(() => window.axe.run());
        const serious = violations.filter(({ impact }) => impact === "serious" || impact === "critical");
        assert.deepEqual(serious.map((each) => `${each.id}: ${each.nodes[0].html.slice(0, 200)}`), [], `${name}, ${size}, ${colors}`);
      });
  }

  // One page for all of these: opening it takes longer than they do.
  async function an_explanation_shows_what_was_measured() {
    await withPage(browser, path, {}, async (page) => {
      await drawAll(page);
      for (const check of [bars_are_its_numbers, figures_are_saved, the_memory_chart_has_the_runs_traffic, occupancy_says_what_a_step_changes, suggested_clusters_are_drawn_in_the_matrix, the_source_has_heat_in_its_margin])
        await check(page);
    });
  }

  return [an_explanation_is_drawn_in_every_look, an_explanation_shows_what_was_measured, a_difference_is_drawn_in_every_look, nothing_hinders_readers_of_explanations];
}
