// SPDX-License-Identifier: MIT
// What came out, before any figure: the speed-ups, what stands out, and what failed.
import type { Figure, Report } from "../data";
import { el } from "../dom";
import { formatCount, formatNumber, formatSeconds, formatShare, formatTimes, plural } from "../format";
import { programName, type Runs } from "../runs";

function tile(value: string, label: string, note?: string | null): HTMLElement {
  return el("div", { class: "tile" }, el("strong", {}, value), el("span", { class: "tile-label" }, label), note ? el("span", { class: "tile-note" }, note) : null);
}

function speedupTiles(figure: Figure): HTMLElement[] {
  const means = figure.panels[0]?.means ?? [], mean = means[means.length - 1];
  if (!mean) return [];
  const base = figure.baseline_label;
  return figure.columns.flatMap((column, i) => {
    const value = mean.measured[i], paper = mean.paper[i];
    if (typeof value !== "number" || column.name === figure.baseline) return [];
    return [tile(formatTimes(value), column.title, `${mean.label}, over ${base}${typeof paper === "number" ? `; paper ${formatTimes(paper)}` : ""}`)];
  }).slice(0, 6);
}

// Of a figure over a number: the best value of each line, where it is, of the mean if there is one.
function bestTiles(figure: Figure): HTMLElement[] {
  const panel = figure.panels.find((each) => each.mean && !each.name?.includes(":")) ?? (figure.panels.length === 1 ? figure.panels[0] : undefined);
  if (!panel) return [];
  return figure.columns.flatMap((column, c) => {
    const values = panel.measured.map((row, r) => ({ value: row[c] ?? null, title: figure.rows[r]!.title })).filter((each) => each.value !== null);
    if (values.length === 0) return [];
    const best = values.reduce((a, b) => (b.value! > a.value! ? b : a));
    return [tile(formatTimes(best.value!), column.title, `best, with ${figure.row_dimension} = ${best.title}${panel.title ? `; ${panel.title}` : ""}; over ${figure.baseline_label}`)];
  }).slice(0, 6);
}

// "apres is fastest on 5 of 7, most on kmeans (1.92×) …", for each that is fastest somewhere.
function standsOut(figure: Figure): HTMLElement[] {
  if (figure.kind === "lines") return [];
  const known = (figure.panels[0]?.measured ?? []).map((row, i) => ({ row, title: figure.rows[i]!.title }));
  return figure.columns.flatMap((column, c) => {
    if (column.name === figure.baseline) return [];
    const values = known.flatMap(({ row, title }) => (typeof row[c] === "number" ? [{ title, value: row[c] as number, best: Math.max(...row.map((x) => x ?? 0)) }] : []));
    if (values.length < 2) return [];
    const sorted = [...values].sort((a, b) => b.value - a.value);
    const best = sorted[0]!, worst = sorted[sorted.length - 1]!;
    const wins = values.filter((each) => each.value === each.best).length;
    return [el("li", {}, el("b", {}, column.title), wins ? ` is the fastest on ${wins} of ${plural(values.length, figure.row_dimension)}; ` : " is nowhere the fastest; ",
      `best on ${best.title} (${formatTimes(best.value)}), worst on ${worst.title} (${formatTimes(worst.value)}).`)];
  }).slice(0, 6);
}

function runTiles(runs: Runs): HTMLElement[] {
  const newest = runs.shown[runs.shown.length - 1];
  if (!newest) return [];
  const of = (name: string) => runs.reader.number(newest.row, name);
  const share = (name: string) => (of(name) === null ? "–" : formatShare(of(name)!));
  const note = `${newest.workload}, ${newest.gpu}, ${newest.scheme}`;
  return [
    tile(formatCount(of("cycles") ?? 0), "cycles", note), tile(formatNumber(of("warp_ipc") ?? 0), "instructions of warps a cycle", note),
    tile(share("l1d.hit_rate"), "L1D hits", note), tile(share("dram.utilization"), "of the DRAM's time in use", note),
  ];
}

function states(report: Report, runs: Runs): HTMLElement {
  const seconds = runs.all.reduce((sum, row) => sum + (runs.reader.number(row, "wall_seconds") ?? 0), 0);
  const parts = Object.entries(report.counts).map(([state, count]) => `${formatCount(count)} ${state}`);
  return el("p", { class: "states" }, `${plural(runs.all.length, "run")} in the store: ${parts.join(", ")}. ${formatSeconds(seconds)} of simulation.`);
}

const MOST_FAILURES = 20;

function failures(runs: Runs): HTMLElement | null {
  const bad = runs.all.filter((row) => !["complete", "running"].includes(runs.reader.text(row, "state")));
  if (bad.length === 0) return null;
  const say = (row: (typeof bad)[number]) => {
    const text = (name: string) => runs.reader.text(row, name);
    return el("li", {}, el("b", {}, text("state")), ` ${programName(text("program"))} · ${text("gpu")} · ${text("scheme")}${text("settings") ? ` · ${text("settings")}` : ""}${text("error") ? `: ${text("error")}` : ""}`);
  };
  return el("details", { class: "card failures" },
    el("summary", {}, `${plural(bad.length, "run")} did not end well`),
    el("ul", {}, ...bad.slice(0, MOST_FAILURES).map(say)),
    bad.length > MOST_FAILURES ? el("p", {}, `and ${plural(bad.length - MOST_FAILURES, "other")}, in the table of runs`) : null);
}

export function summarySection(report: Report, runs: Runs, speedup: Figure | null): HTMLElement {
  const compared = speedup ? (speedup.kind === "lines" ? bestTiles(speedup) : speedupTiles(speedup)) : [];
  const tiles = compared.length ? compared : runTiles(runs);
  const words = speedup ? standsOut(speedup) : [];
  return el("section", { id: "summary", "aria-label": "Summary" },
    report.study?.summary ? el("p", { class: "lead" }, report.study.summary) : null,
    tiles.length ? el("div", { class: "tiles" }, ...tiles) : null,
    words.length ? el("ul", { class: "card findings" }, ...words) : null,
    states(report, runs), failures(runs));
}
