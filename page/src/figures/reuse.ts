// SPDX-License-Identifier: MIT
// Who reuses whose data: reuse distances and reuse ratios of a run, as the cumulative
// distributions of figures 5 and 7 to 10 of Tang et al. (SIGMETRICS 2018).
import * as Plot from "@observablehq/plot";
import { Reader, type Table } from "../data";
import type { FigureSpec } from "../figure";
import { formatCount, formatShare, formatShort } from "../format";
import { addLegend, type Key, legendHeight, look, symbolAt, tipLook } from "../plot";
import { theme } from "../theme";

interface Point {
  series: string;
  panel: string;
  x: number;
  share: number; // of pairs or reuses up to here
  count: number; // in this bin
}

// Kinds in the order of colours, and as people call them.
const KINDS: [string, string][] = [["self", "self"], ["parent_child", "parent-child"], ["sibling", "sibling"]];
const RELATIONS: [string, string, string][] = [
  ["kernel_self", "Kernels", "self"], ["kernel_parent_child", "Kernels", "parent-child"], ["kernel_sibling", "Kernels", "sibling"],
  ["cta_self", "CTAs", "self"], ["cta_parent_child", "CTAs", "parent-child"], ["cta_sibling", "CTAs", "sibling"], ["cta_intra_kernel", "CTAs", "same kernel"],
  ["warp_self", "Warps", "self"], ["warp_inter", "Warps", "same CTA"],
];
const SERIES = ["self", "parent-child", "sibling", "same kernel", "same CTA"];

function cumulative(series: string, panel: string, bins: { x: number; count: number }[]): Point[] {
  const all = bins.reduce((sum, bin) => sum + bin.count, 0);
  let sum = 0;
  return all === 0 ? [] : bins.map(({ x, count }) => ({ series, panel, x, count, share: (sum += count) / all }));
}

function distancePoints(table: Table): Point[] {
  const reader = new Reader(table);
  return KINDS.flatMap(([column, series]) => cumulative(series, "", table.rows.map((row) => ({
    x: reader.number(row, "below_lines") ?? 1, count: reader.number(row, column) ?? 0,
  }))));
}

export function ratioPoints(table: Table): Point[] {
  const reader = new Reader(table);
  return RELATIONS.flatMap(([name, panel, series]) => {
    const row = table.rows.find((each) => reader.text(each, "relation") === name);
    return row ? cumulative(series, panel, [...Array(10).keys()].map((bin) => ({ x: bin, count: reader.number(row, `b${bin}`) ?? 0 }))) : [];
  });
}

function keysOf(points: Point[]): Key[] {
  return SERIES.filter((series) => points.some((point) => point.series === series)).map((text) => ({ text, color: colorOf(text), symbol: symbolAt(SERIES.indexOf(text)) }));
}

function colorOf(series: string): string {
  const colors = theme().series;
  return colors[SERIES.indexOf(series) % colors.length]!;
}

function marks(points: Point[], title: (point: Point) => string, fx?: "panel"): Plot.Markish[] {
  const { surface } = theme();
  const symbolOf = (point: Point) => symbolAt(SERIES.indexOf(point.series));
  const place = { x: "x", y: "share", ...(fx ? { fx } : {}) };
  return [
    Plot.line(points, { ...place, z: "series", stroke: (point: Point) => colorOf(point.series), strokeWidth: 1.8 }),
    ...SERIES.map((series) => points.filter((point) => point.series === series)).filter((own) => own.length > 0).map((own) =>
      Plot.dot(own, { ...place, r: 3.4, fill: colorOf(own[0]!.series), stroke: surface, strokeWidth: 0.7, symbol: symbolOf(own[0]!) })),
    Plot.tip(points, Plot.pointer({ ...place, title, ...tipLook() })),
  ];
}

function drawDistances(points: Point[], width: number): SVGSVGElement | null {
  if (points.length === 0) return null;
  const { muted, grid } = theme();
  const keys = keysOf(points), top = legendHeight(keys, width);
  const svg = Plot.plot({
    width, height: 280 + top, style: look(), marginTop: top + 26, marginLeft: 46, marginRight: 16, marginBottom: 40,
    x: { type: "log", base: 2 }, y: { domain: [0, 1] },
    marks: [
      Plot.gridY({ stroke: grid, strokeOpacity: 1 }),
      Plot.axisY({ tickSize: 0, color: muted, ticks: 5, label: null, tickFormat: (value: number) => formatShare(value, 0) }),
      Plot.axisX({ tickSize: 0, color: muted, ticks: width < 500 ? 5 : 10, label: "reuse distance (distinct lines), less than", labelArrow: "none", tickFormat: (value: number) => formatShort(value) }),
      ...marks(points, (point) => `${point.series}: ${formatShare(point.share)} of distances below ${formatCount(point.x)} lines`),
    ],
  }) as SVGSVGElement;
  addLegend(svg, keys, width, "share of reuses");
  return svg;
}

function drawRatios(points: Point[], width: number): SVGSVGElement | null {
  if (points.length === 0) return null;
  const { muted, grid } = theme();
  const keys = keysOf(points), top = legendHeight(keys, width);
  const svg = Plot.plot({
    width, height: 290 + top, style: look(), marginTop: top + 46, marginLeft: 46, marginRight: 16, marginBottom: 40,
    x: { domain: [0, 9] }, y: { domain: [0, 1] }, fx: { label: null, domain: ["Kernels", "CTAs", "Warps"], padding: 0.12 },
    marks: [
      Plot.gridY({ stroke: grid, strokeOpacity: 1 }),
      Plot.axisY({ tickSize: 0, color: muted, ticks: 5, label: null, tickFormat: (value: number) => formatShare(value, 0) }),
      Plot.axisX({ tickSize: 0, color: muted, ticks: width < 600 ? [0, 4, 9] : [0, 2, 4, 6, 8], label: "reuse ratio", labelArrow: "none", tickFormat: (bin: number) => `b${bin}` }),
      ...marks(points, (point) => `${point.panel}, ${point.series}: ${formatCount(point.count)} from ${(point.x / 10).toFixed(1)} to ${((point.x + 1) / 10).toFixed(1)}\n${formatShare(point.share)} up to there`, "panel"),
    ],
  }) as SVGSVGElement;
  addLegend(svg, keys, width, "share of pairs, or of units for self");
  return svg;
}

export function reuseFigures(tables: Record<string, Table>): FigureSpec[] {
  const found: FigureSpec[] = [], { reuse_distances: distances, reuse_ratios: ratios } = tables;
  if (distances)
    found.push({
      id: "reuse-distances", title: "Reuse distances",
      note: "Distinct lines between a reference and the previous one to the same line, by the same kernel, its parent or a sibling. Cumulative.",
      draw: (width) => drawDistances(distancePoints(distances), width), data: () => distances,
      words: () => `Cumulative distribution of reuse distances in lines: ${distancePoints(distances).filter((point) => point.share >= 0.5).filter((point, i, all) => all.findIndex((other) => other.series === point.series) === i).map((point) => `half of ${point.series} below ${formatCount(point.x)}`).join(", ")}.`,
    });
  if (ratios)
    found.push({
      id: "reuse-ratios", title: "Reuse ratios",
      note: "Share of a unit's references that go to lines of the other; self: the share that is not the first to its line. Ten bins of 0.1, cumulative.",
      draw: (width) => drawRatios(ratioPoints(ratios), width), data: () => ratios,
      words: () => `Cumulative distribution of reuse ratios of kernels, CTAs and warps in ten bins: ${ratioPoints(ratios).filter((point) => point.x === 3).map((point) => `${formatShare(1 - point.share)} of ${point.panel.toLowerCase()}, ${point.series}, at 0.4 and more`).join("; ")}.`,
    });
  return found;
}
