// SPDX-License-Identifier: MIT
// Which CTAs touch the same lines: a matrix of CTAs, or groups of neighbours.
import * as Plot from "@observablehq/plot";
import { Reader, type Table } from "../data";
import type { FigureSpec } from "../figure";
import { formatCount, formatShare } from "../format";
import { addRamp, look, make, RAMP_HEIGHT, tipLook } from "../plot";
import { theme } from "../theme";
import { heatColor } from "./heat";

interface Pair {
  a: number;
  b: number;
  lines: number;
  share: number; // of the lines of the one that touches fewer
}

interface Matrix {
  ctas: number[]; // the first of each group
  pairs: Pair[]; // both halves, without the diagonal
  most: number;
}

export function sharingKernels(table: Table): string[] {
  const reader = new Reader(table);
  return [...new Set(table.rows.map((row) => reader.text(row, "kernel")))];
}

function matrixOf(table: Table, kernel: string): Matrix {
  const reader = new Reader(table);
  const rows = table.rows.filter((row) => reader.text(row, "kernel") === kernel).map((row) => ({
    a: reader.number(row, "first_cta_a") ?? 0, b: reader.number(row, "first_cta_b") ?? 0, lines: reader.number(row, "lines") ?? 0,
  }));
  const own = new Map(rows.filter((row) => row.a === row.b).map((row) => [row.a, row.lines]));
  // Where rows were cut off, the lines of some groups are not known.
  const known = (row: { a: number; b: number; lines: number }) => row.a !== row.b && row.lines > 0 && own.has(row.a) && own.has(row.b);
  const pairs = rows.filter(known).flatMap(({ a, b, lines }) => {
    const share = lines / Math.max(1, Math.min(own.get(a)!, own.get(b)!));
    return [{ a, b, lines, share }, { a: b, b: a, lines, share }];
  });
  const ctas = [...new Set(rows.flatMap((row) => [row.a, row.b]))].sort((x, y) => x - y);
  return { ctas, pairs, most: pairs.reduce((most, pair) => Math.max(most, pair.share), 0) };
}

function label(matrix: Matrix, cta: number): string {
  const next = matrix.ctas[matrix.ctas.indexOf(cta) + 1];
  return next === undefined || next === cta + 1 ? `CTA ${formatCount(cta)}` : `CTAs ${formatCount(cta)} to ${formatCount(next - 1)}`;
}

// The suggested clusters: consecutive CTAs, in the order of the axes.
export interface Clusters {
  id: string;
  order: "X" | "Y";
  ctas: number;
  clusters: number; // 0: none is suggested
  note: string;
}

interface Square {
  from: number; // group, and how far into it
  to: number;
}

// The first of the CTAs of every cluster, as src/policies/cta_dispatch/cta_order.h divides them.
function squaresOf(matrix: Matrix, { ctas, clusters }: Clusters): Square[] {
  const count = Math.min(clusters, ctas), size = Math.floor(ctas / count), larger = ctas % count;
  const first = (i: number) => i * size + Math.min(i, larger);
  const place = (cta: number) => {
    const after = matrix.ctas.findIndex((each) => each > cta), at = (after < 0 ? matrix.ctas.length : after) - 1;
    const start = matrix.ctas[at]!, end = matrix.ctas[at + 1] ?? ctas;
    return at + (end > start ? (cta - start) / (end - start) : 0);
  };
  return Array.from({ length: count }, (_, i) => ({ from: place(first(i)), to: i + 1 === count ? matrix.ctas.length : place(first(i + 1)) }));
}

function addSquares(svg: SVGSVGElement, squares: Square[], left: number, top: number, cell: number): void {
  const group = make("g", { "data-mark": "cluster" });
  for (const { from, to } of squares)
    group.append(make("rect", { x: left + from * cell, y: top + from * cell, width: (to - from) * cell, height: (to - from) * cell, fill: "none", stroke: theme().series[1]!, "stroke-width": 2 }));
  svg.append(group);
}

function draw(matrix: Matrix, width: number, clusters?: Clusters): SVGSVGElement {
  const { muted, band, idle } = theme();
  const left = 46, side = Math.min(width - left - 10, 620);
  const every = Math.ceil(matrix.ctas.length / Math.max(2, Math.floor(side / 60)));
  const ticks = matrix.ctas.filter((_, i) => i % every === 0);
  const svg = Plot.plot({
    width: left + side + 10, height: RAMP_HEIGHT + 12 + side + 40, style: look(), marginTop: RAMP_HEIGHT + 12, marginLeft: left, marginRight: 10, marginBottom: 40,
    x: { type: "band", domain: matrix.ctas, padding: 0, round: false }, y: { type: "band", domain: matrix.ctas, padding: 0, round: false },
    marks: [
      Plot.frame({ fill: band, stroke: "none" }),
      Plot.axisX({ ticks, tickSize: 0, color: muted, label: clusters?.order === "Y" ? "first CTA of a group, numbered along Y" : "first CTA of a group", labelArrow: "none", tickFormat: (cta: number) => formatCount(cta) }),
      Plot.axisY({ ticks, tickSize: 0, color: muted, label: null, tickFormat: (cta: number) => formatCount(cta) }),
      Plot.cell(matrix.ctas, { x: (cta: number) => cta, y: (cta: number) => cta, fill: idle }),
      Plot.cell(matrix.pairs, { x: "a", y: "b", fill: (pair: Pair) => heatColor(matrix.most ? 0.12 + (0.88 * pair.share) / matrix.most : 0), shapeRendering: "crispEdges" }),
      Plot.tip(matrix.pairs, Plot.pointer({
        x: "a", y: "b", title: (pair: Pair) => `${label(matrix, pair.a)}\n${label(matrix, pair.b)}\n${formatCount(pair.lines)} common lines, ${formatShare(pair.share)}`, ...tipLook(),
      })),
    ],
  }) as SVGSVGElement;
  addRamp(svg, "Share of common lines", "0 %", formatShare(matrix.most, matrix.most < 0.1 ? 1 : 0));
  if (clusters?.clusters) addSquares(svg, squaresOf(matrix, clusters), left, RAMP_HEIGHT + 12, side / matrix.ctas.length);
  return svg;
}

export function sharingFigure(table: Table, kernel: () => string, controls: HTMLElement[], limit: number, clusters?: Clusters): FigureSpec {
  const cut = table.rows.length >= limit ? ` The first ${formatCount(limit)} pairs only.` : "";
  return {
    id: clusters?.id ?? "sharing", title: "Lines that CTAs share", controls,
    note: `Common lines, as a share of the smaller footprint. Bands beside the diagonal: neighbouring CTAs share data; stripes further away: rows of the grid; an even field: data that every CTA reads.${cut}${clusters ? ` ${clusters.note}` : ""}`,
    draw: (width) => {
      const matrix = matrixOf(table, kernel());
      return matrix.pairs.length ? draw(matrix, width, clusters) : null;
    },
    empty: () => (matrixOf(table, kernel()).ctas.length > 1
      ? "No two groups of CTAs access a common line."
      : "All CTAs are in one group."),
    data: () => table,
    words: () => {
      const matrix = matrixOf(table, kernel());
      return `Heat map of ${matrix.ctas.length} by ${matrix.ctas.length} groups of CTAs. ${matrix.pairs.length / 2} pairs share lines, at most ${formatShare(matrix.most)}.${clusters ? ` ${clusters.note}` : ""}`;
    },
  };
}
