// SPDX-License-Identifier: MIT
// One run closely: a choice of run, and under it everything that was recorded of it.
import { type Config, type Detail, readDetail, type Report, type Table } from "../data";
import { el, select } from "../dom";
import { figureCard } from "../figure";
import { latencyFigure } from "../figures/latency";
import { launchFigures } from "../figures/launches";
import { reuseFigures } from "../figures/reuse";
import { sharingFigure, sharingKernels } from "../figures/sharing";
import { hasSlots, slotsOverTimeFigure } from "../figures/slots_over_time";
import { smMapFigure } from "../figures/sm_map";
import { timelineFigure } from "../figures/timeline";
import { plainName, plural } from "../format";
import { numberOf, placeOf, type Run, type Runs } from "../runs";
import { section } from "./comparison";
import { configBox } from "./config";
import { accessesTable, kernelsTable } from "./run_tables";

const MOST_LINES = 8;

export interface OneRun {
  element: HTMLElement;
  choose(run: number): boolean; // false: there is no detail of it
}

function configOf(report: Report, runs: Runs, run: Run): Config | null {
  return report.configs[runs.reader.text(run.row, "config")] ?? null;
}

function sharingCard(table: Table, limit: number, detail: Detail): HTMLElement {
  const kernels = sharingKernels(table);
  let kernel = kernels[0] ?? "";
  const name = (id: string) => {
    const column = detail.kernels.columns.indexOf("name"), index = detail.kernels.columns.indexOf("kernel");
    const row = detail.kernels.rows.find((each) => String(each[index]) === id);
    return row ? `${plainName(String(row[column]))} (${id})` : id;
  };
  const controls = kernels.length > 1
    ? [select("Kernel", kernels.map((id) => ({ value: id, text: name(id) })), kernel, (value) => {
        kernel = value;
        card.redraw();
      })]
    : [];
  const card = figureCard(sharingFigure(table, () => kernel, controls, limit));
  return card.element;
}

function figuresOf(report: Report, runs: Runs, run: Run, detail: Detail, color: () => (name: string) => string): HTMLElement[] {
  const { tables } = detail, limit = report.limits["rows"] ?? Infinity;
  const beside = runs.shown.filter((each) => each.workload === run.workload && each.gpu === run.gpu && each.variant === run.variant && each.detailed);
  const others = beside.filter((each) => each !== run).slice(0, MOST_LINES - 1);
  const series = beside.filter((each) => each === run || others.includes(each)).map((each) => ({ run: each, config: configOf(report, runs, each) }));
  const found: HTMLElement[] = [];
  if (tables["intervals"]) found.push(figureCard(timelineFigure(series, color)).element);
  if (tables["intervals"] && hasSlots(tables["intervals"])) found.push(figureCard(slotsOverTimeFigure(report, tables["intervals"])).element);
  if (tables["cta_map"]) found.push(figureCard(smMapFigure(tables["cta_map"], numberOf(runs, run, "cycles"))).element);
  if (tables["launches"])
    found.push(...launchFigures(tables["launches"], report.limits["launches"] ?? Infinity).map((spec) => figureCard(spec).element));
  found.push(...reuseFigures(tables).map((spec) => figureCard(spec).element));
  const pair: HTMLElement[] = [];
  if (tables["sharing"]) pair.push(sharingCard(tables["sharing"], limit, detail));
  if (tables["load_latency"]) pair.push(figureCard(latencyFigure(tables["load_latency"])).element);
  if (pair.length) found.push(el("div", { class: "pair" }, ...pair));
  return found;
}

function hasLines(table: Table): boolean {
  const source = table.columns.indexOf("source");
  return table.rows.some((row) => row[source] !== null);
}

function missing(detail: Detail): HTMLElement | null {
  const wanted: [string, string][] = [["intervals", "--interval 1000 (the time line)"], ["sharing", "--observe sharing"], ["cta_map", "--observe ctas"], ["accesses", "--observe accesses"]];
  const absent = wanted.filter(([table]) => !detail.tables[table]).map(([, option]) => option);
  return absent.length ? el("p", { class: "hint" }, `Not recorded in this run; add to heddle run: ${absent.join(", ")}.`) : null;
}

function body(report: Report, runs: Runs, run: Run, color: () => (name: string) => string): HTMLElement[] {
  const detail = readDetail(run.id);
  if (!detail) return [el("p", { class: "empty" }, "This page has no details of this run.")];
  const parts = figuresOf(report, runs, run, detail, color);
  const accesses = detail.tables["accesses"];
  if (accesses)
    parts.push(el("div", { class: "card" }, el("h3", {}, "Accesses to memory"),
      el("p", { class: "hint" }, `Issue slots lost to each access to memory: warps stalled on its data, or the load/store unit was busy with it. Shares are of the slots of schedulers that had a warp (occupied slots).${hasLines(accesses) ? "" : " For lines of the CUDA source, compile with -lineinfo."}`),
      accessesTable(report, runs, accesses, run)));
  if (detail.kernels.rows.length)
    parts.push(el("div", { class: "card" }, el("h3", {}, "Kernels"), kernelsTable(report, detail.kernels, run)));
  const hint = missing(detail);
  if (hint) parts.push(hint);
  const config = configOf(report, runs, run);
  if (config) parts.push(configBox(report, runs, run, config));
  return parts;
}

export function oneRunSection(report: Report, runs: Runs, color: () => (name: string) => string): OneRun | null {
  const detailed = runs.shown.filter((run) => run.detailed);
  if (detailed.length === 0) return null;
  const place = (run: Run) => placeOf(runs, run);
  let run = detailed[0]!;
  const picker = el("div", { class: "picker", role: "group", "aria-label": "Choose a run" });
  const content = el("div", { class: "run-body" });
  const chosen = el("p", { class: "on-paper" });
  const show = (next: Run) => {
    run = next;
    const places = [...new Set(detailed.map(place))], here = detailed.filter((each) => place(each) === place(run));
    const focused = picker.contains(document.activeElement) ? [...picker.querySelectorAll("select")].indexOf(document.activeElement as HTMLSelectElement) : -1;
    picker.replaceChildren(
      select("Workload", places.map((name) => ({ value: name, text: name })), place(run), (value) => {
        const there = detailed.filter((each) => place(each) === value);
        show(there.find((each) => each.scheme === run.scheme) ?? there[0]!);
      }),
      select("Scheme", here.map((each) => ({ value: String(each.id), text: each.scheme })), String(run.id), (value) => show(here.find((each) => String(each.id) === value)!)));
    if (focused >= 0) picker.querySelectorAll("select")[focused]?.focus();
    chosen.textContent = [place(run), run.scheme].join(" · ");
    content.replaceChildren(...body(report, runs, run, color));
  };
  show(run);
  const element = section("run", "Run details",
    el("p", { class: "hint" }, `${plural(detailed.length, "run")} of ${plural(runs.all.length, "run")} have details.`), picker, chosen, content);
  return {
    element,
    choose(id) {
      const next = detailed.find((each) => each.id === id);
      if (next) show(next);
      return next !== undefined;
    },
  };
}
