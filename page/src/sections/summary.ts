// SPDX-License-Identifier: MIT
// What came out, before any figure: the speed-ups, what stands out, and what failed.
import type { Figure, Panel, Report } from "../data";
import { el } from "../dom";
import { formatCount, formatNumber, formatSeconds, formatShare, formatTimes, plural } from "../format";
import { programName, type Runs } from "../runs";

function tile(value: string, label: string, note?: string | null): HTMLElement {
  return el("div", { class: "tile" }, el("strong", {}, value), el("span", { class: "tile-label" }, label), note ? el("span", { class: "tile-note" }, note) : null);
}

// Which GPU a figure is about, where there are several.
function gpuOf(figure: Figure, runs: Runs): string {
  const gpu = figure.fixed.find(({ dimension }) => dimension === "gpu");
  return runs.gpus.length > 1 && gpu ? ` on ${gpu.title}` : "";
}

// Programs have no mean: how much faster each is than the first, in each row.
function programTiles(figure: Figure, panel: Panel, place: string): HTMLElement[] {
  return panel.measured.flatMap((row, r) => figure.columns.flatMap((column, c) => {
    const value = row[c];
    if (typeof value !== "number" || column.name === figure.baseline) return [];
    return [tile(formatTimes(value), `${column.title}${place}`, `${figure.rows[r]!.title}, speed-up over ${figure.baseline_label}`)];
  })).slice(0, 6);
}

function speedupTiles(figure: Figure, panel: Panel, place: string): HTMLElement[] {
  const mean = panel.means[panel.means.length - 1];
  if (!mean) return figure.column_dimension === "workload" ? programTiles(figure, panel, place) : [];
  const base = figure.baseline_label;
  return figure.columns.flatMap((column, i) => {
    const value = mean.measured[i], paper = mean.paper[i];
    if (typeof value !== "number" || column.name === figure.baseline) return [];
    return [tile(formatTimes(value), `${column.title}${place}`, `${mean.label}, over ${base}${typeof paper === "number" ? `; paper ${formatTimes(paper)}` : ""}`)];
  }).slice(0, 6);
}

// Of a figure over a number: the best value of each line, where it is, of the mean if there is one.
function bestTiles(figure: Figure, place: string): HTMLElement[] {
  const panel = figure.panels.find((each) => each.mean && !each.name?.includes(":")) ?? (figure.panels.length === 1 ? figure.panels[0] : undefined);
  if (!panel) return [];
  return figure.columns.flatMap((column, c) => {
    const values = panel.measured.map((row, r) => ({ value: row[c] ?? null, title: figure.rows[r]!.title })).filter((each) => each.value !== null);
    if (values.length === 0) return [];
    const best = values.reduce((a, b) => (b.value! > a.value! ? b : a));
    return [tile(formatTimes(best.value!), `${column.title}${place}`, `best, with ${figure.row_dimension} = ${best.title}${panel.title ? `; ${panel.title}` : ""}; over ${figure.baseline_label}`)];
  }).slice(0, 6);
}

// "apres is fastest on 5 of 7, most on kmeans (1.92×) …", for each that is fastest somewhere.
function standsOut(figure: Figure, panel: Panel, place: string): HTMLElement[] {
  const known = panel.measured.map((row, i) => ({ row, title: figure.rows[i]!.title }));
  return figure.columns.flatMap((column, c) => {
    if (column.name === figure.baseline) return [];
    const values = known.flatMap(({ row, title }) => (typeof row[c] === "number" ? [{ title, value: row[c] as number, best: Math.max(...row.map((x) => x ?? 0)) }] : []));
    if (values.length < 2) return [];
    const sorted = [...values].sort((a, b) => b.value - a.value);
    const best = sorted[0]!, worst = sorted[sorted.length - 1]!;
    const wins = values.filter((each) => each.value === each.best).length;
    return [el("li", {}, el("b", {}, `${column.title}${place}`), wins ? ` is the fastest on ${wins} of ${plural(values.length, figure.row_dimension)}; ` : " is nowhere the fastest; ",
      `best on ${best.title} (${formatTimes(best.value)}), worst on ${worst.title} (${formatTimes(worst.value)}).`)];
  }).slice(0, 6);
}

function runTiles(runs: Runs, gpu: string): HTMLElement[] {
  const newest = runs.shown.filter((run) => run.gpu === gpu).pop();
  if (!newest) return [];
  const of = (name: string) => runs.reader.number(newest.row, name);
  const share = (name: string) => (of(name) === null ? "–" : formatShare(of(name)!));
  const note = `${newest.workload}, ${newest.gpu}, ${newest.scheme}`;
  return [
    tile(formatCount(of("cycles") ?? 0), "cycles", note), tile(formatNumber(of("warp_ipc") ?? 0), "warp instructions per cycle", note),
    tile(share("l1d.hit_rate"), "L1D hits", note), tile(share("dram.utilization"), "DRAM utilisation", note),
  ];
}

function states(report: Report, runs: Runs): HTMLElement {
  const seconds = runs.all.reduce((sum, row) => sum + (runs.reader.number(row, "wall_seconds") ?? 0), 0);
  const parts = Object.entries(report.counts).map(([state, count]) => `${formatCount(count)} ${state}`);
  return el("p", { class: "states" }, `${plural(runs.all.length, "run")} in the store: ${parts.join(", ")}. ${formatSeconds(seconds)} of simulation.`);
}

const MOST_FAILURES = 20, MOST_ROWS = 6, MOST_WORDS = 24;

function failures(runs: Runs): HTMLElement | null {
  const bad = runs.all.filter((row) => !["complete", "running"].includes(runs.reader.text(row, "state")));
  if (bad.length === 0) return null;
  const say = (row: (typeof bad)[number]) => {
    const text = (name: string) => runs.reader.text(row, name);
    return el("li", {}, el("b", {}, text("state")), ` ${programName(text("program"))} · ${text("gpu")} · ${text("scheme")}${text("settings") ? ` · ${text("settings")}` : ""}${text("error") ? `: ${text("error")}` : ""}`);
  };
  return el("details", { class: "card failures" },
    el("summary", {}, `${plural(bad.length, "run")} failed or were interrupted`),
    el("ul", {}, ...bad.slice(0, MOST_FAILURES).map(say)),
    bad.length > MOST_FAILURES ? el("p", {}, `and ${plural(bad.length - MOST_FAILURES, "other")}, in the table of runs`) : null);
}

// The tiles and the words of a figure, for each of its panels.
function findingsOf(figure: Figure, runs: Runs): { tiles: HTMLElement[][]; words: HTMLElement[] } {
  const gpu = gpuOf(figure, runs);
  if (figure.kind === "lines") return { tiles: [bestTiles(figure, gpu)], words: [] };
  const panels = figure.panels.filter((panel) => !panel.mean).map((panel) => ({ panel, place: panel.title ? `${gpu}, ${panel.title}` : gpu }));
  return {
    tiles: panels.map(({ panel, place }) => speedupTiles(figure, panel, place)),
    words: panels.flatMap(({ panel, place }) => standsOut(figure, panel, place)),
  };
}

// Speed-ups on every GPU, or else what the newest run on each of them did.
export function summarySection(report: Report, runs: Runs, speedups: Figure[]): HTMLElement {
  const findings = speedups.map((figure) => findingsOf(figure, runs));
  const compared = findings.flatMap(({ tiles }) => tiles).filter((tiles) => tiles.length);
  const all = compared.length ? compared : runs.gpus.map((gpu) => runTiles(runs, gpu)).filter((tiles) => tiles.length);
  const rows = all.slice(0, MOST_ROWS), words = findings.flatMap((each) => each.words).slice(0, MOST_WORDS);
  return el("section", { id: "summary", "aria-label": "Summary" },
    report.study?.summary ? el("p", { class: "lead" }, report.study.summary) : null,
    ...rows.map((tiles) => el("div", { class: "tiles" }, ...tiles)),
    all.length > rows.length ? el("p", { class: "hint" }, `The other ${all.length - rows.length} are below.`) : null,
    words.length ? el("ul", { class: "card findings" }, ...words) : null,
    states(report, runs), failures(runs));
}
