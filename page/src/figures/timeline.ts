// SPDX-License-Identifier: MIT
// What a run did over time, from its intervals: the schemes of one workload above
// one another, each quantity in a strip of its own.
import * as Plot from "@observablehq/plot";
import { type Config, readDetail, Reader, type Table } from "../data";
import type { FigureSpec } from "../figure";
import { formatCount, formatNumber, formatShort } from "../format";
import { addLegend, type Key, legendHeight, look, stack, tipLook } from "../plot";
import type { Run } from "../runs";
import { theme } from "../theme";

interface Point {
  series: string;
  line: string; // a series and a kernel
  cycle: number;
  value: number | null;
}

export interface Series {
  run: Run;
  config: Config | null;
}

interface Strip {
  name: string;
  share: boolean;
  value(reader: Reader, row: Table["rows"][number], warps: number): number | null;
}

function quotient(a: number | null, b: number | null): number | null {
  return a === null || !b ? null : a / b;
}

const strips: Strip[] = [
  { name: "IPC (warp instructions per cycle)", share: false, value: (r, row) => quotient(r.number(row, "warp_instructions"), r.number(row, "cycles")) },
  { name: "occupancy (resident warps / warp slots)", share: true, value: (r, row, warps) => {
    const present = quotient(r.number(row, "warp_cycles"), r.number(row, "cycles"));
    return warps > 0 ? quotient(present, warps) : null;
  } },
  { name: "L1D miss rate", share: true, value: (r, row) => quotient(r.number(row, "l1d_misses"), r.number(row, "l1d_accesses")) },
  { name: "DRAM accesses per cycle", share: false, value: (r, row) => {
    const sum = (r.number(row, "dram_reads") ?? 0) + (r.number(row, "dram_writes") ?? 0);
    return quotient(sum, r.number(row, "cycles"));
  } },
];

export function intervalsOf(run: Run): Table | null {
  return readDetail(run.id)?.tables["intervals"] ?? null;
}

function warpsThatFit(config: Config | null): number {
  return Number(config?.["gpu"]?.["sm_count"] ?? 0) * Number(config?.["sm"]?.["max_warps"] ?? 0);
}

// A point at the beginning of every interval, and one at the end of the last.
function pointsOf(series: Series[], strip: Strip): Point[] {
  return series.flatMap(({ run, config }) => {
    const table = intervalsOf(run);
    if (!table) return [];
    const reader = new Reader(table), warps = warpsThatFit(config), points: Point[] = [];
    table.rows.forEach((row, i) => {
      const kernel = reader.text(row, "kernel"), cycle = reader.number(row, "start_cycle") ?? 0;
      const point = { series: run.scheme, line: `${run.scheme} ${kernel}`, cycle, value: strip.value(reader, row, warps) };
      points.push(point);
      const next = table.rows[i + 1];
      if (!next || reader.text(next, "kernel") !== kernel) points.push({ ...point, cycle: cycle + (reader.number(row, "cycles") ?? 0) });
    });
    return points;
  });
}

function drawStrip(strip: Strip, series: Series[], width: number, end: number, last: boolean, color: (scheme: string) => string): SVGSVGElement | null {
  const { text, muted, grid } = theme();
  const points = pointsOf(series, strip);
  if (!points.some((point) => point.value !== null)) return null;
  const say = (value: number) => (strip.share ? `${Math.round(value * 100)} %` : formatShort(value));
  return Plot.plot({
    width, height: last ? 158 : 126, style: look(), marginLeft: 48, marginRight: 14, marginTop: 32, marginBottom: last ? 38 : 8,
    x: { domain: [0, end], axis: null }, y: { domain: strip.share ? [0, 1] : undefined, zero: true, nice: !strip.share, axis: null },
    marks: [
      Plot.gridY({ stroke: grid, strokeOpacity: 1, ticks: 3 }),
      Plot.axisY({ ticks: 3, tickSize: 0, color: muted, label: null, tickFormat: say }),
      Plot.text([strip.name], { frameAnchor: "top-left", dy: -24, dx: -47, fill: text, fontWeight: 600 }),
      Plot.ruleY([0], { stroke: muted }),
      ...(last ? [Plot.axisX({ ticks: width < 500 ? 4 : 8, tickSize: 0, color: muted, label: "cycle", labelArrow: "none", tickFormat: (value: number) => formatShort(value) })] : []),
      ...(series.length === 1 ? [Plot.areaY(points, { x: "cycle", y: "value", z: "line", curve: "step-after", fill: (p: Point) => color(p.series), fillOpacity: 0.16 })] : []),
      Plot.lineY(points, { x: "cycle", y: "value", z: "line", curve: "step-after", stroke: (p: Point) => color(p.series), strokeWidth: 1.6 }),
      Plot.tip(points.filter((p) => p.value !== null), Plot.pointer({
        x: "cycle", y: "value", title: (p: Point) => `${p.series}, from cycle ${formatCount(p.cycle)}\n${strip.share ? `${(p.value! * 100).toFixed(1)} %` : formatNumber(p.value!)}`, ...tipLook(),
      })),
    ],
  }) as SVGSVGElement;
}

function lastCycle(series: Series[]): number {
  let end = 0;
  for (const { run } of series) {
    const table = intervalsOf(run);
    if (!table) continue;
    const reader = new Reader(table);
    for (const row of table.rows) end = Math.max(end, (reader.number(row, "start_cycle") ?? 0) + (reader.number(row, "cycles") ?? 0));
  }
  return end;
}

function draw(series: Series[], width: number, color: (scheme: string) => string): SVGSVGElement | null {
  const end = lastCycle(series);
  if (end === 0) return null;
  const keys: Key[] = series.length > 1 ? series.map(({ run }) => ({ text: run.scheme, color: color(run.scheme), shape: "line" })) : [];
  const top = legendHeight(keys, width);
  const drawn = strips.map((strip, i) => drawStrip(strip, series, width, end, i === strips.length - 1, color)).filter((svg): svg is SVGSVGElement => svg !== null);
  const svg = stack(drawn, width, top);
  addLegend(svg, keys, width);
  return svg;
}

function dataOf(series: Series[]): Table {
  const columns: string[] = [], rows: Table["rows"] = [];
  for (const { run } of series) {
    const table = intervalsOf(run);
    if (!table) continue;
    if (columns.length === 0) columns.push("scheme", ...table.columns);
    for (const row of table.rows) rows.push([run.scheme, ...row]);
  }
  return { columns, rows };
}

export function timelineFigure(series: Series[], color: () => (scheme: string) => string): FigureSpec {
  return {
    id: "time-line", title: "Time line",
    note: "Sums per interval. A warp is resident from the start of its CTA to its end.",
    draw: (width) => draw(series, width, color()),
    data: () => dataOf(series),
    words: () => `Line charts of IPC, occupancy, L1D misses and DRAM accesses over ${formatCount(lastCycle(series))} cycles, for ${series.map(({ run }) => run.scheme).join(", ")}.`,
  };
}
