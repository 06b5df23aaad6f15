// SPDX-License-Identifier: MIT
// The runs that the page is about, under the names that people know them by:
// the study's, or else what ran, on which GPU, with which scheme.
import { type Cell, hasDetail, Reader, type Report } from "./data";

export interface Run {
  id: number;
  row: Cell[];
  workload: string;
  gpu: string;
  scheme: string;
  variant: string; // values of sweeps: "l1d.size_kb=16", or ""
  detailed: boolean;
}

export interface Runs {
  reader: Reader;
  all: Cell[][];
  shown: Run[]; // those with results that figures compare
  total: number; // of which they were chosen
  workloads: string[]; // in the study's order
  gpus: string[];
  schemes: string[];
}

const MOST_SHOWN = 2000;
const NEWEST_SHOWN = 24;

export function programName(path: string): string {
  return path.replace(/^.*\//, "").replace(/\.(case|ptx)$/, "");
}

function uniqueOf(values: string[]): string[] {
  return [...new Set(values)];
}

function studyRuns(report: Report, reader: Reader, byId: Map<number, Cell[]>): Run[] {
  const study = report.study!;
  const titles = (items: { name: string; title: string }[]) =>
    new Map(items.map((item) => [item.name, item.title || item.name]));
  const workloads = titles(study.workloads), gpus = titles(study.gpus), schemes = titles(study.schemes);
  const links = new Reader(report.study_runs);
  const variant = (link: Cell[]) => study.sweeps.map(({ name }) => `${name}=${links.text(link, name)}`).join(", ");
  const runs: Run[] = [];
  for (const link of report.study_runs.rows) {
    const id = links.number(link, "run");
    const row = id === null ? undefined : byId.get(id);
    if (id === null || !row || reader.number(row, "cycles") === null) continue;
    const named = (names: Map<string, string>, column: string) => {
      const name = links.text(link, column);
      return names.get(name) ?? name;
    };
    runs.push({
      id, row, detailed: hasDetail(id),
      workload: named(workloads, "workload"), gpu: named(gpus, "gpu"), scheme: named(schemes, "scheme"),
      variant: variant(link),
    });
  }
  return runs;
}

// The same program on the same machine gives the same numbers: of such runs the first of a list.
function withoutRepeats(reader: Reader, rows: Cell[][]): Cell[][] {
  const seen = new Set<string>();
  return rows.filter((row) => {
    const key = JSON.stringify(["program", "size", "arguments", "settings", "gpu", "scheme", "config", "version", "state"].map((name) => reader.cell(row, name)));
    return !seen.has(key) && seen.add(key);
  });
}

// The newest, in the order in which they ran. Names say as much as it takes to tell them apart.
function newestRuns(reader: Reader, rows: Cell[][]): Run[] {
  const timed = rows.filter((row) => reader.number(row, "cycles") !== null);
  const sorted = [...timed].sort((a, b) => Number(reader.cell(b, "id")) - Number(reader.cell(a, "id")));
  const newest = withoutRepeats(reader, sorted).slice(0, NEWEST_SHOWN).reverse();
  const program = (row: Cell[]) => programName(reader.text(row, "program"));
  const several = (column: string) => uniqueOf(newest.map((row) => reader.text(row, column))).length > 1;
  const sizes = several("size"), words = several("arguments"), settings = several("settings");
  const runs = newest.map((row): Run => {
    const id = Number(reader.cell(row, "id"));
    const parts = [program(row)];
    if (sizes && reader.text(row, "size")) parts.push(reader.text(row, "size"));
    if (words && reader.text(row, "arguments")) parts.push(reader.text(row, "arguments"));
    return {
      id, row, detailed: hasDetail(id), workload: parts.join(" "),
      gpu: reader.text(row, "gpu"), scheme: reader.text(row, "scheme") || "-", variant: settings ? reader.text(row, "settings") : "",
    };
  });
  const seen = new Map<string, number>();
  const key = (run: Run) => JSON.stringify([run.workload, run.gpu, run.scheme, run.variant]);
  for (const run of runs) seen.set(key(run), (seen.get(key(run)) ?? 0) + 1);
  for (const run of runs) if (seen.get(key(run))! > 1) run.workload += ` #${run.id}`;
  return runs;
}

export function collectRuns(report: Report): Runs {
  const reader = new Reader(report.runs);
  const all = report.runs.rows;
  let found: Run[];
  if (report.study) {
    const byId = new Map(all.map((row) => [Number(reader.cell(row, "id")), row]));
    found = studyRuns(report, reader, byId);
  } else {
    found = newestRuns(reader, all);
  }
  const shown = found.slice(0, MOST_SHOWN);
  return {
    reader, all, shown, total: report.study ? found.length : all.length,
    workloads: uniqueOf(shown.map((run) => run.workload)),
    gpus: uniqueOf(shown.map((run) => run.gpu)),
    schemes: uniqueOf(shown.map((run) => run.scheme)),
  };
}

export function numberOf(runs: Runs, run: Run, statistic: string): number {
  return runs.reader.number(run.row, statistic) ?? 0;
}

// Where runs are compared by scheme: what else tells them apart.
export function placeOf(runs: Runs, run: Run): string {
  return [run.workload, runs.gpus.length > 1 ? run.gpu : "", run.variant].filter(Boolean).join(" · ");
}
