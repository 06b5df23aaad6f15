// SPDX-License-Identifier: MIT
// CTAs on SMs over time, from when each began and ended.
import * as Plot from "@observablehq/plot";
import { Reader, type Table } from "../data";
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

const STEPS = 120;

// How many CTAs an SM held on average in each of STEPS equal times.
function mapOf(table: Table): SmMap {
  const reader = new Reader(table);
  const times = table.rows.map((row) => ({
    sm: reader.number(row, "sm") ?? 0, start: reader.number(row, "start_cycle") ?? 0, end: reader.number(row, "end_cycle") ?? 0,
  }));
  const end = times.reduce((last, time) => Math.max(last, time.end), 1);
  const step = end / STEPS;
  const sums = new Map<number, Float64Array>();
  for (const time of times) {
    let row = sums.get(time.sm);
    if (!row) sums.set(time.sm, (row = new Float64Array(STEPS)));
    for (let i = Math.floor(time.start / step); i < STEPS && i * step < time.end; i++)
      row[i]! += Math.max(0, Math.min(time.end, (i + 1) * step) - Math.max(time.start, i * step)) / step;
  }
  const sms = [...sums.keys()].sort((a, b) => a - b);
  const squares = sms.flatMap((sm) => [...sums.get(sm)!].map((ctas, i) => ({ sm, from: i * step, to: (i + 1) * step, ctas })));
  return { squares, sms, end, most: squares.reduce((most, square) => Math.max(most, square.ctas), 0) };
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
  addRamp(svg, "CTAs on an SM", "0", formatNumber(Number(map.most.toFixed(1))));
  return svg;
}

export function smMapFigure(table: Table, limit: number): FigureSpec {
  const cut = table.rows.length >= limit ? ` The first ${formatCount(limit)} CTAs only: what comes later looks empty.` : "";
  return {
    id: "sm-time-line", title: "CTAs on SMs",
    note: `A square is a 120th of the time on one SM. Empty squares at the end are SMs that wait for the last CTAs.${cut}`,
    draw: (width) => (table.rows.length ? draw(mapOf(table), width) : null),
    data: () => table,
    words: () => `Heat map of the number of CTAs on each of ${mapOf(table).sms.length} SMs over time, at most ${formatNumber(mapOf(table).most)}.`,
  };
}
