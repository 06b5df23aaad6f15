// SPDX-License-Identifier: MIT
// Tables of one run: its accesses to memory and its kernels.
import { type Cell, Reader, type Report, type Table } from "../data";
import { occupiedSlots } from "../figures/slots";
import { formatShare, plainName } from "../format";
import { numberOf, type Run, type Runs } from "../runs";
import { type Column, virtualTable } from "../table";

interface Wanted {
  name: string;
  title: string;
  numeric?: boolean;
  wide?: boolean;
  bar?: boolean;
  share?: boolean;
  plain?: boolean;
  value?: (reader: Reader, row: Cell[]) => Cell;
}

// file:line:column, as far as it is known.
function placeOf(reader: Reader, row: Cell[]): string {
  const source = reader.text(row, "source"), column = reader.has("column") ? reader.number(row, "column") : 0;
  return source ? `${source}${column ? `:${column}` : ""}` : `PTX line ${reader.text(row, "line")}`;
}

// The share that an access cost of those of a run's issue slots in which schedulers had a warp.
function accessColumns(slots: number): Wanted[] {
  return [
    { name: "access", title: "Access", value: (reader, row) => `${reader.text(row, "space")} ${reader.text(row, "kind")}` },
    { name: "array", title: "Array" },
    { name: "where", title: "Where", value: placeOf },
    { name: "function", title: "Kernel", wide: true, plain: true },
    { name: "slots", title: "Slots lost", numeric: true, bar: true },
    { name: "share", title: "Share of occupied", numeric: true, share: true, value: (reader, row) => (slots ? (reader.number(row, "slots") ?? 0) / slots : null) },
    { name: "mostly", title: "Mostly to" },
    { name: "executions", title: "Executions", numeric: true },
    { name: "transactions_per_execution", title: "Trans. each", numeric: true, bar: true },
    { name: "ideal_per_execution", title: "Ideal", numeric: true },
    { name: "hit_rate", title: "Hits", numeric: true, share: true },
    { name: "bank_conflict_cycles", title: "Conflicts", numeric: true },
    { name: "latency", title: "Latency", numeric: true },
    { name: "instructions", title: "Copies", numeric: true },
    { name: "text", title: "PTX", wide: true },
  ];
}

const kernelColumns: Wanted[] = [
  { name: "kernel", title: "#", numeric: true }, { name: "name", title: "Kernel", wide: true, plain: true },
  { name: "grid", title: "Grid" }, { name: "block", title: "Block" },
  { name: "registers", title: "Regs", numeric: true },
  { name: "ctas_per_sm", title: "CTAs per SM", numeric: true },
  { name: "cycles", title: "Cycles", numeric: true, bar: true },
  { name: "warp_ipc", title: "IPC", numeric: true },
  { name: "achieved_occupancy", title: "Occupancy", numeric: true, share: true },
  { name: "occupancy_note", title: "Limit of occupancy", wide: true },
  { name: "idle_sms", title: "Idle SMs", numeric: true },
  { name: "l1d.hit_rate", title: "L1D hits", numeric: true, share: true },
  { name: "l2.hit_rate", title: "L2 hits", numeric: true, share: true },
  { name: "dram.bytes", title: "DRAM bytes", numeric: true },
];

function tableOf(report: Report, id: string, label: string, noun: string, table: Table, wanted: Wanted[], meaning: (name: string) => string, sort: string): HTMLElement {
  const reader = new Reader(table);
  const there = wanted.filter((column) => column.value || reader.has(column.name));
  const columns = there.map((column): Column => ({
    name: column.name, title: column.title, numeric: column.numeric, wide: column.wide, bar: column.bar,
    help: report.statistics[meaning(column.name)]?.meaning,
    format: column.share ? (value) => formatShare(Number(value)) : column.plain ? (value) => plainName(String(value)) : undefined,
  }));
  const rows = table.rows.map((row) => there.map((column) => (column.value ? column.value(reader, row) : reader.cell(row, column.name))));
  const at = there.findIndex((column) => column.name === sort);
  return virtualTable({ id, label, noun, columns, rows, sort: at >= 0 ? { column: at, down: sort !== "kernel" } : undefined });
}

export function accessesTable(report: Report, runs: Runs, table: Table, run: Run): HTMLElement {
  const slots = occupiedSlots(report).reduce((sum, name) => sum + numberOf(runs, run, name), 0);
  return tableOf(report, "accesses", `Accesses of ${run.workload}, ${run.scheme}`, "access", table, accessColumns(slots), (name) => `accesses.${name}`, "slots");
}

export function kernelsTable(report: Report, table: Table, run: Run): HTMLElement {
  return tableOf(report, "kernels", `Kernels of ${run.workload}, ${run.scheme}`, "kernel", table, kernelColumns, (name) => name, "kernel");
}
