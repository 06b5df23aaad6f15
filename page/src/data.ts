// SPDX-License-Identifier: MIT
// The document that the page shows (docs/report-data.md), as heddle wrote it
// into the page: everything but details in one block, and a block a detail,
// which is read when somebody looks at that run.

export type Cell = string | number | boolean | null;

export interface Table {
  columns: string[];
  rows: Cell[][];
}

export interface Item {
  name: string;
  title: string;
  group: string | null;
  mean?: boolean; // of workloads
  value?: number; // on an axis of numbers
}

export interface Sweep {
  name: string;
  title: string | null;
  values: string[];
}

export interface Study {
  name: string;
  title: string;
  summary: string | null;
  text: string;
  workloads: Item[];
  gpus: Item[];
  schemes: Item[];
  sweeps: Sweep[];
}

type Numbers = (number | null)[];

export interface Mean {
  label: string;
  group: string | null;
  measured: Numbers;
  paper: Numbers;
  interval?: Numbers; // as in a panel
  count: number; // rows in the mean: those that every column has
  of: number;
  missing: string[]; // "BFS (laser)"
}

export interface Panel {
  name: string | null;
  title: string | null;
  mean: boolean;
  measured: Numbers[]; // [row][column]
  paper: Numbers[];
  means: Mean[];
  interval?: Numbers[]; // half widths of 95 % confidence, where the figure has seeds
  best?: (string | null)[][]; // which column is the best, where a column is the best of several
}

export interface Figure {
  id: string;
  seeds?: number; // over which numbers are means
  title: string;
  note: string | null;
  kind: "bars" | "lines";
  statistic: string;
  axis: string | null;
  as: "value" | "speedup" | "ratio";
  baseline: string | null; // a column
  baseline_label: string | null;
  row_dimension: string;
  column_dimension: string;
  panel_dimension: string | null;
  fixed: { dimension: string; name: string; title: string }[];
  x: { title: string | null; scale: "auto" | "linear" | "log2" } | null;
  rows: Item[];
  columns: Item[];
  panels: Panel[]; // one where there is no panel_dimension
  mean_notes: string[]; // of means that lack something
  source: string | null;
}

export interface Detail {
  run: number;
  kernels: Table;
  policies: Record<string, number>;
  tables: Record<string, Table>;
}

// A table of a study besides its figures.
export interface StudyTable extends Table {
  id: string;
  title: string;
  source: string | null; // of the paper's column
  notes: string[];
}

export type Config = Record<string, Record<string, Cell>>;

export interface Cause {
  share: number; // of the issue slots
  cause: string;
  group: string; // of reasons of issue slots
  where: string | null;
  access: string | null;
}

export interface WhatIf {
  title: string;
  ideal: string | null; // --ideal
  set: string | null; // --set
  tried: boolean; // a change that people can make
  scheme: boolean; // another policy of the machine
  cycles: number;
  speedup: number;
}

export interface Finding {
  fault: string;
  cause: string;
  evidence: string;
  advice: string;
  measure: string;
  speedup: number;
  tried: boolean;
}

// What the machine could do in a cycle, and what the kernel did in all.
export interface Roof {
  name: string;
  peak: number;
  used: number;
}

export interface OccupancyAxis {
  name: string;
  unit: string;
  current: number;
  step: number;
  points: [number, number, number, string][]; // value, warps, CTAs, limit
}

export interface ExplainedKernel {
  kernel: string;
  share: number;
  cycles: number;
  launches: number;
  grid: number[];
  block: number[];
  verdict: string;
  causes: Cause[];
  what_ifs: WhatIf[];
  findings: Finding[];
  roofs: { cycles: number; memory: Roof[]; arithmetic: Roof[] };
  memory: {
    edges: { from: string; to: string; what: string; bytes: number }[];
    caches: { name: string; accesses: number; hits: number; merges: number }[];
    shared_accesses: number;
    bank_conflict_cycles: number;
    row_hits: number;
    row_misses: number;
  };
  occupancy: { max_warps: number; warps: number; ctas: number; limit: string; achieved_warps: number; axes: OccupancyAxis[] } | null;
  reuse: { first: number; intra_warp: number; inter_warp: number; inter_cta: number } | null;
  sharing: { order: "X" | "Y"; ctas: number; clusters: number; note: string; rows: { first_cta_a: number; first_cta_b: number; lines: number }[] } | null;
  source: (Table & { file: string }) | null;
}

interface Change {
  name: string;
  before: number;
  after: number;
}

export interface Difference {
  names: [string, string];
  before: number; // cycles
  after: number;
  kernels: { kernel: string; speedup: number; counters: Change[]; causes: Change[]; accesses: Change[] }[];
}

export interface Report {
  format: string;
  format_version: number;
  heddle: string;
  made: string;
  title: string;
  study: Study | null;
  study_runs: Table;
  figures: Figure[];
  tables?: StudyTable[];
  counts: Record<string, number>;
  runs: Table;
  configs: Record<string, Config | null>;
  statistics: Record<string, { meaning: string; ratio: boolean; label?: string; group?: string }>;
  limits: Record<string, number>;
  explanation?: { kernels: ExplainedKernel[]; stopped: boolean }; // of heddle explain
  difference?: Difference; // of heddle diff
}

function blockText(id: string): string | null {
  return document.getElementById(id)?.textContent ?? null;
}

export function readReport(): Report {
  const text = blockText("report-data");
  if (!text) throw new Error("No data in this page. Write it with `heddle report`.");
  const report = JSON.parse(text) as Report;
  if (report.format !== "heddle-report" || report.format_version !== 2)
    throw new Error("This page and its data come from different versions of Heddle.");
  return report;
}

const details = new Map<number, Detail | null>();

export function readDetail(run: number): Detail | null {
  let detail = details.get(run);
  if (detail === undefined) {
    const text = blockText(`detail-${run}`);
    detail = text ? (JSON.parse(text) as Detail) : null;
    details.set(run, detail);
  }
  return detail;
}

export function hasDetail(run: number): boolean {
  return document.getElementById(`detail-${run}`) !== null;
}

// Reads cells by the names of columns. A column that is not there is null everywhere.
export class Reader {
  private readonly index = new Map<string, number>();
  constructor(readonly table: Table) {
    table.columns.forEach((name, i) => this.index.set(name, i));
  }
  has(name: string): boolean {
    return this.index.has(name);
  }
  cell(row: Cell[], name: string): Cell {
    const i = this.index.get(name);
    return i === undefined ? null : (row[i] ?? null);
  }
  number(row: Cell[], name: string): number | null {
    const value = this.cell(row, name);
    return typeof value === "number" ? value : null;
  }
  text(row: Cell[], name: string): string {
    const value = this.cell(row, name);
    return value === null ? "" : String(value);
  }
}
