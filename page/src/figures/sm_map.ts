// SPDX-License-Identifier: MIT
// CTAs on SMs over time: how many each SM held on average in each of many equal times.
import * as Plot from "@observablehq/plot";
import type { Table } from "../data";
import type { FigureSpec } from "../figure";
import { formatCount, formatNumber, formatShort } from "../format";
import { addRamp, look, RAMP_HEIGHT, tipLook } from "../plot";
import { theme } from "../theme";
import { heatColor } from "./heat";

interface Square {
  sm: number;
  from: number;
  to: number;
  ctas: number;
}

interface SmMap {
  squares: Square[];
  sms: number[];
  most: number;
  end: number;
}

// A row for each SM, a column for each time, called by its first cycle.
function mapOf(table: Table, cycles: number): SmMap {
  const starts = table.columns.slice(1).map(Number);
  const step = starts.length > 1 ? starts[1]! - starts[0]! : cycles;
  const end = Math.max(cycles, starts[starts.length - 1] ?? 0, 1);
  const squares = table.rows.flatMap(([sm, ...values]) => values.map((ctas, i) => ({
    sm: Number(sm), from: starts[i]!, to: Math.min(end, starts[i]! + step), ctas: Number(ctas),
  })));
  return { squares, sms: table.rows.map((row) => Number(row[0])), end, most: squares.reduce((most, square) => Math.max(most, square.ctas), 0) };
}

function draw(map: SmMap, width: number): SVGSVGElement {
  const { muted } = theme();
  const height = Math.max(6, Math.min(18, 420 / map.sms.length));
  const every = Math.ceil(14 / height);
  const svg = Plot.plot({
    width, height: RAMP_HEIGHT + 50 + map.sms.length * height, style: look(), marginTop: RAMP_HEIGHT + 10, marginLeft: 48, marginRight: 14, marginBottom: 40,
    x: { domain: [0, map.end] }, y: { type: "band", domain: map.sms, padding: 0.06 },
    marks: [
      Plot.axisX({ ticks: width < 500 ? 4 : 8, tickSize: 0, color: muted, label: "cycle", labelArrow: "none", tickFormat: (value: number) => formatShort(value) }),
      Plot.axisY({ ticks: map.sms.filter((_, i) => i % every === 0), tickSize: 0, color: muted, label: null, tickFormat: (sm: number) => `SM ${sm}` }),
      Plot.barX(map.squares, { x1: "from", x2: "to", y: "sm", fill: (square: Square) => heatColor(square.ctas / map.most), shapeRendering: "crispEdges" }),
      Plot.tip(map.squares, Plot.pointer({
        x: (square: Square) => (square.from + square.to) / 2, y: "sm",
        title: (square: Square) => `SM ${square.sm}, cycles ${formatCount(square.from)} to ${formatCount(square.to)}\n${formatNumber(Number(square.ctas.toFixed(2)))} CTAs`, ...tipLook(),
      })),
    ],
  }) as SVGSVGElement;
  addRamp(svg, "CTAs per SM", "0", formatNumber(Number(map.most.toFixed(1))));
  return svg;
}

// cycles: of the run.
export function smMapFigure(table: Table, cycles: number): FigureSpec {
  return {
    id: "sm-time-line", title: "CTAs per SM over time",
    note: "A square is the mean number of resident CTAs of one SM. Empty squares at the end: the SM is idle while others run the last CTAs.",
    draw: (width) => {
      const map = mapOf(table, cycles);
      return map.most > 0 ? draw(map, width) : null;
    },
    empty: () => "No CTA ran on any SM.",
    data: () => table,
    words: () => `Heat map of the number of CTAs on each of ${table.rows.length} SMs over time, at most ${formatNumber(mapOf(table, cycles).most)}.`,
  };
}
