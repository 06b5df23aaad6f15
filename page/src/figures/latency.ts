// SPDX-License-Identifier: MIT
// How long loads took, by what answered them.
import * as Plot from "@observablehq/plot";
import { Reader, type Table } from "../data";
import type { FigureSpec } from "../figure";
import { formatCount, formatShort } from "../format";
import { addLegend, type Key, legendHeight, look, tipLook } from "../plot";
import { theme } from "../theme";

interface Piece {
  cycles: string;
  place: string;
  count: number;
  from: number;
  to: number;
}

const places = [
  { column: "l1", name: "L1 hit" }, { column: "merge", name: "merged with a miss" },
  { column: "l2", name: "L2" }, { column: "dram", name: "DRAM" },
];

function piecesOf(table: Table): Piece[] {
  const reader = new Reader(table);
  return table.rows.flatMap((row) => {
    let at = 0;
    const cycles = `${reader.text(row, "from_cycles")}–${reader.text(row, "below_cycles")}`;
    return places.map(({ column, name }) => {
      const count = reader.number(row, column) ?? 0;
      at += count;
      return { cycles, place: name, count, from: at - count, to: at };
    });
  });
}

function trimmed(pieces: Piece[]): Piece[] {
  const width = places.length;
  let first = 0, end = pieces.length;
  const empty = (at: number) => pieces.slice(at, at + width).every((piece) => piece.count === 0);
  while (first < end && empty(first)) first += width;
  while (end > first && empty(end - width)) end -= width;
  return pieces.slice(first, end);
}

function draw(table: Table, width: number): SVGSVGElement | null {
  const { hit, merge, sector, conflict, muted, grid, surface } = theme();
  const colors = new Map([["L1 hit", hit], ["merged with a miss", merge], ["L2", sector], ["DRAM", conflict]]);
  const pieces = trimmed(piecesOf(table));
  if (pieces.length === 0) return null;
  const keys: Key[] = places.map(({ name }) => ({ text: name, color: colors.get(name)! }));
  const top = legendHeight(keys, width);
  const bars = [...new Set(pieces.map((piece) => piece.cycles))];
  const turned = (width - 70) / bars.length < 76;
  const svg = Plot.plot({
    width, height: 286 + top, style: look(), marginTop: top + 30, marginLeft: 52, marginRight: 12, marginBottom: turned ? 82 : 40,
    x: { type: "band", domain: bars, padding: 0.12 },
    marks: [
      Plot.gridY({ stroke: grid, strokeOpacity: 1 }),
      Plot.axisY({ tickSize: 0, color: muted, ticks: 5, label: null, tickFormat: (value: number) => formatShort(value) }),
      Plot.axisX({ tickSize: 0, color: muted, label: "cycles", labelArrow: "none", tickRotate: turned ? -45 : 0, textAnchor: turned ? "end" : "middle", labelOffset: turned ? 78 : 36 }),
      Plot.barY(pieces.filter((piece) => piece.count > 0), { x: "cycles", y1: "from", y2: "to", fill: (piece: Piece) => colors.get(piece.place)!, stroke: surface, strokeWidth: 0.7 }),
      Plot.ruleY([0], { stroke: muted }),
      Plot.tip(pieces.filter((piece) => piece.count > 0), Plot.pointer({
        x: "cycles", y: (piece: Piece) => (piece.from + piece.to) / 2, title: (piece: Piece) => `${piece.cycles} cycles\n${piece.place}: ${formatCount(piece.count)}`, ...tipLook(),
      })),
    ],
  }) as SVGSVGElement;
  addLegend(svg, keys, width, "transactions");
  return svg;
}

export function latencyFigure(table: Table): FigureSpec {
  return {
    id: "load-latency", title: "Load latency",
    note: "Cycles from a transaction's entry into the load/store unit to its data, by the level that served it. Constants and parameters are excluded.",
    draw: (width) => draw(table, width),
    data: () => table,
    words: () => `Histogram of the latency of ${formatCount(piecesOf(table).reduce((sum, piece) => sum + piece.count, 0))} load transactions, by the level that served them: L1, L2 or DRAM.`,
  };
}
