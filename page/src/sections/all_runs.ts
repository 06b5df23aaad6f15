// SPDX-License-Identifier: MIT
// Every run of the store.
import type { Cell, Report } from "../data";
import { el } from "../dom";
import { formatSeconds, formatShare } from "../format";
import { programName, type Runs } from "../runs";
import { type Column, virtualTable } from "../table";
import { section } from "./comparison";

const shown: { name: string; title: string; numeric?: boolean; share?: boolean; seconds?: boolean; bar?: boolean; offPaper?: boolean }[] = [
  { name: "id", title: "Run", numeric: true }, { name: "state", title: "State" }, { name: "program", title: "Program" },
  { name: "size", title: "Size" }, { name: "arguments", title: "Arguments" }, { name: "gpu", title: "GPU" }, { name: "scheme", title: "Scheme" },
  { name: "settings", title: "Settings" },
  { name: "cycles", title: "Cycles", numeric: true, bar: true },
  { name: "sampling.cycles_error", title: "Cycles ±", numeric: true, share: true }, { name: "sampling.timed_share", title: "Timed", numeric: true, share: true },
  { name: "warp_ipc", title: "IPC", numeric: true },
  { name: "achieved_occupancy", title: "Occupancy", numeric: true, share: true },
  { name: "l1d.hit_rate", title: "L1D hits", numeric: true, share: true },
  { name: "l2.hit_rate", title: "L2 hits", numeric: true, share: true },
  { name: "dram.peak_share", title: "DRAM, of peak", numeric: true, share: true },
  { name: "dram.utilization", title: "DRAM buses busy", numeric: true, share: true },
  { name: "wall_seconds", title: "Took", numeric: true, seconds: true, offPaper: true }, { name: "started", title: "Started", offPaper: true }, { name: "error", title: "Error" },
];

export function allRunsSection(report: Report, runs: Runs, choose: (run: number) => void): HTMLElement {
  const { reader } = runs;
  const there = shown.filter((column) => reader.has(column.name) && (["id", "state", "program"].includes(column.name) || runs.all.some((row) => reader.cell(row, column.name) !== null)));
  const columns = there.map((column): Column => ({
    ...column, help: report.statistics[column.name]?.meaning, wide: ["program", "arguments", "settings", "error"].includes(column.name),
    format: column.name === "id" ? String : column.share ? (value) => formatShare(Number(value)) : column.seconds ? (value) => formatSeconds(Number(value)) : undefined,
  }));
  const rows = runs.all.map((row) => there.map((column): Cell => {
    const value = reader.cell(row, column.name);
    return column.name === "program" ? programName(String(value ?? "")) : value;
  }));
  return section("runs", "All runs", el("div", { class: "card" },
    virtualTable({ id: "all-runs", label: "All runs", noun: "run", columns, rows, sort: { column: 0, down: true }, choose: (row) => choose(Number(row[0])) })));
}
