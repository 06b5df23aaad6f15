// SPDX-License-Identifier: MIT
// Where the issue slots of one run went over time, from its intervals.
import * as Plot from "@observablehq/plot";
import { Reader, type Report, type Table } from "../data";
import type { FigureSpec } from "../figure";
import { formatCount, formatShare, formatShort } from "../format";
import { addLegend, type Key, legendHeight, look, tipLook } from "../plot";
import { theme } from "../theme";
import { type SlotPart, slotParts } from "./slots";

// A part's share of the slots of one interval, from `low` to `high` in the stack.
interface Band {
  part: SlotPart;
  area: string; // a part and a kernel
  cycle: number;
  cycles: number;
  low: number;
  high: number;
}

const SMALL = 0.01; // of the run: smaller parts are one

function partsOf(report: Report, table: Table): SlotPart[] {
  return slotParts(report, table.columns, "slot_", "intervals.");
}

function sumOf(reader: Reader, row: Table["rows"][number], part: SlotPart): number {
  return part.statistics.reduce((sum, name) => sum + (reader.number(row, name) ?? 0), 0);
}

function drawnParts(report: Report, table: Table): SlotPart[] {
  const reader = new Reader(table), parts = partsOf(report, table);
  const sums = parts.map((part) => table.rows.reduce((sum, row) => sum + sumOf(reader, row, part), 0));
  const all = sums.reduce((a, b) => a + b, 0);
  const large = parts.filter((_, i) => sums[i]! >= SMALL * all);
  const small = parts.filter((_, i) => sums[i]! < SMALL * all && sums[i]! > 0);
  if (small.length < 2) return [...large, ...small];
  return [...large, { name: "other", color: theme().slots["other"]!, statistics: small.flatMap((part) => part.statistics) }];
}

// An area goes on to the end of a kernel's last interval.
function bandsOf(table: Table, parts: SlotPart[]): Band[] {
  const reader = new Reader(table);
  return table.rows.flatMap((row, i) => {
    const values = parts.map((part) => sumOf(reader, row, part));
    const all = values.reduce((a, b) => a + b, 0);
    if (all === 0) return [];
    const kernel = reader.text(row, "kernel"), cycle = reader.number(row, "start_cycle") ?? 0, cycles = reader.number(row, "cycles") ?? 0;
    const next = table.rows[i + 1], isLast = !next || reader.text(next, "kernel") !== kernel;
    let at = 0;
    return parts.flatMap((part, p) => {
      const low = at;
      at += values[p]! / all;
      const band = { part, area: `${part.name} ${kernel}`, cycle, cycles, low, high: at };
      return isLast ? [band, { ...band, cycle: cycle + cycles }] : [band];
    });
  });
}

function draw(report: Report, table: Table, width: number): SVGSVGElement | null {
  const { muted, grid } = theme();
  const parts = drawnParts(report, table), bands = bandsOf(table, parts);
  if (bands.length === 0) return null;
  const keys: Key[] = parts.map((part) => ({ text: part.name, color: part.color }));
  const top = legendHeight(keys, width);
  const svg = Plot.plot({
    width, height: top + 290, style: look(), marginTop: top + 8, marginLeft: 48, marginRight: 14, marginBottom: 40,
    x: { domain: [0, bands.reduce((end, band) => Math.max(end, band.cycle), 1)] }, y: { domain: [0, 1] },
    marks: [
      Plot.gridY({ stroke: grid, strokeOpacity: 1, ticks: 4 }),
      Plot.axisY({ ticks: 4, tickSize: 0, color: muted, label: null, tickFormat: (share: number) => `${Math.round(share * 100)} %` }),
      Plot.axisX({ ticks: width < 500 ? 4 : 8, tickSize: 0, color: muted, label: "cycle", labelArrow: "none", tickFormat: (value: number) => formatShort(value) }),
      Plot.areaY(bands, { x: "cycle", y1: "low", y2: "high", z: "area", curve: "step-after", fill: (band: Band) => band.part.color }),
      Plot.tip(bands.filter((band) => band.high > band.low), Plot.pointer({
        x: "cycle", y: (band: Band) => (band.low + band.high) / 2,
        title: (band: Band) => `From cycle ${formatCount(band.cycle)}\n${band.part.name} ${formatShare(band.high - band.low)}`, ...tipLook(),
      })),
    ],
  }) as SVGSVGElement;
  addLegend(svg, keys, width);
  return svg;
}

export function slotsOverTimeFigure(report: Report, table: Table): FigureSpec {
  return {
    id: "slots-time-line", title: "Issue slots over time",
    note: "Shares of the issue slots of all SMs in each interval. The CSV has every reason, in slots.",
    draw: (width) => draw(report, table, width),
    data: () => table,
    words: () => `Stacked areas: shares of issue slots over time. ${drawnParts(report, table).map((part) => part.name).join(", ")}.`,
  };
}

// Stores of older versions have intervals without slots.
export function hasSlots(table: Table): boolean {
  return table.columns.some((name) => name.startsWith("slot_"));
}
