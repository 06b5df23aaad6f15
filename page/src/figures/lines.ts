// SPDX-License-Identifier: MIT
// Lines over a number: x is a swept parameter, a line is a column, and panels
// stand beside one another. Series differ in colour and in symbol.
//
// Lines need no zero. The axis is fitted to the values, with 1 in it where they
// are relative to a baseline, and with 0 where that is near.
import * as Plot from "@observablehq/plot";
import type { SymbolType } from "d3";
import type { Figure, Panel } from "../data";
import { parameterTitle } from "../format";
import { addBelow, addLegend, type Key, legendHeight, look, stack, symbolAt, tipLook } from "../plot";
import { fit, textWidth } from "../text";
import { theme } from "../theme";
import { type ColumnColor, figureAxis, hasPaper, intervalEnds, intervalText, isCompared, tickText, valuesOf, valueText } from "./figure_values";

interface Series {
  name: string;
  index: number; // of its column
  title: string;
  color: string;
  symbol: SymbolType;
  mean: boolean;
}

interface Point {
  series: Series;
  x: number;
  row: string;
  measured: number | null;
  paper: number | null;
  interval: number | null; // half width
}

const LEAST_PANEL = 190, LEFT = 46, RIGHT = 12;
const LEAST_SPAN = 0.05; // of an axis, relative to its values: noise is not a mountain

// The mean stands out; what others are compared with is grey, darker than bars
// are. Where it is 1 everywhere the line at 1 is it.
function seriesOf(figure: Figure, color: ColumnColor): Series[] {
  const { text, muted, baseline } = theme();
  const isOne = (index: number) => figure.panels.every((panel) => panel.measured.every((row) => row[index] === 1 || row[index] === null));
  return figure.columns.flatMap((column, index) => {
    if (column.name === figure.baseline && figure.columns.length > 1 && isOne(index)) return [];
    const own = color(column.name);
    return [{ name: column.name, index, title: column.title, color: column.mean ? text : own === baseline ? muted : own, symbol: symbolAt(index), mean: column.mean ?? false }];
  });
}

function pointsOf(figure: Figure, panel: Panel, series: Series[]): Point[] {
  return figure.rows.flatMap((row, r) => series.map((each) => ({
    series: each, x: row.value ?? 0, row: row.title, measured: panel.measured[r]?.[each.index] ?? null, paper: panel.paper[r]?.[each.index] ?? null,
    interval: panel.interval?.[r]?.[each.index] ?? null,
  })));
}

// Values that grow by factors stand on a logarithmic axis.
export function isLogarithmic(figure: Figure): boolean {
  const values = figure.rows.map((row) => row.value ?? 0).sort((a, b) => a - b);
  const scale = figure.x?.scale ?? "auto", first = values[0] ?? 0, last = values[values.length - 1] ?? 0;
  if (first <= 0 || scale === "linear") return false;
  if (scale === "log2") return true;
  const gap = (i: number) => values[i]! - values[i - 1]!;
  return values.length > 2 && last / first >= 4 && gap(values.length - 1) >= 2 * gap(1);
}

function domainOf(figure: Figure, panel: Panel | null): [number, number] {
  const shown = panel ? { ...figure, panels: [panel] } : figure;
  const values = [...valuesOf(shown), ...intervalEnds(shown)];
  if (values.every((value) => value === 0)) return [0, 1];
  let low = Math.min(...values), high = Math.max(...values);
  if (isCompared(figure)) {
    low = Math.min(low, 1);
    high = Math.max(high, 1);
  } else if (low >= 0 && low < 0.4 * high) {
    low = 0;
  }
  const missing = Math.max(0, LEAST_SPAN * Math.max(Math.abs(low), Math.abs(high)) - (high - low));
  low -= missing / 2;
  high += missing / 2;
  const pad = (high - low || Math.abs(high) || 1) * 0.07;
  return [low === 0 ? 0 : low - pad, high + pad];
}

// Values of the axis whose labels have room.
function ticksOf(figure: Figure, width: number): number[] {
  const log = isLogarithmic(figure), values = figure.rows.map((row) => row.value ?? 0);
  const place = (value: number) => (log ? Math.log2(value) : value);
  const sorted = [...values].sort((a, b) => a - b), least = place(sorted[0] ?? 0), span = place(sorted[sorted.length - 1] ?? 1) - least || 1;
  const label = (value: number) => figure.rows.find((row) => row.value === value)?.title ?? String(value);
  let end = -Infinity;
  return sorted.filter((value) => {
    const middle = ((place(value) - least) / span) * width, half = textWidth(label(value), 12) / 2;
    if (middle - half < end + 5) return false;
    end = middle + half;
    return true;
  });
}

interface Frame {
  width: number;
  height: number;
  top: number;
  below: string; // under the axis; "": nothing
  domain: [number, number];
}

function drawPanel(figure: Figure, panel: Panel, series: Series[], frame: Frame): SVGSVGElement {
  const { text, muted, grid, surface } = theme();
  const { width, domain } = frame;
  const points = pointsOf(figure, panel, series);
  const known = points.filter((point) => point.measured !== null), paper = points.filter((point) => point.paper !== null);
  const inset = 12;
  const size = (p: Point) => Math.max(3, 4.2 - 0.4 * series.indexOf(p.series)); // what lies below is not hidden
  const titles = new Map(figure.rows.map((row) => [row.value ?? 0, row.title]));
  const values = [...titles.keys()];
  const line = (p: Point) => p.series.name;
  return Plot.plot({
    width, height: frame.height, style: look(), marginLeft: LEFT, marginRight: RIGHT, marginTop: frame.top, marginBottom: frame.below ? 42 : 26,
    x: { type: isLogarithmic(figure) ? "log" : "linear", base: 2, domain: [Math.min(...values), Math.max(...values)], insetLeft: inset, insetRight: inset },
    y: { domain },
    marks: [
      Plot.gridY({ stroke: grid, strokeOpacity: 1, ticks: 5 }),
      Plot.axisY({ label: null, tickSize: 0, color: muted, ticks: 5, tickFormat: tickText(domain) }),
      Plot.axisX({
        ticks: ticksOf(figure, width - LEFT - RIGHT - 2 * inset), tickFormat: (value: number) => titles.get(value) ?? String(value), tickSize: 4, color: text,
        label: frame.below || null, labelAnchor: "center", labelArrow: "none", labelOffset: 36,
      }),
      Plot.ruleY([domain[0]], { stroke: muted }),
      ...(isCompared(figure) ? [Plot.ruleY([1], { stroke: text, strokeDasharray: "5 4", strokeOpacity: 0.75 })] : []),
      ...(panel.title ? [Plot.text([panel.title], { frameAnchor: "top-left", dy: -20, dx: -LEFT + 4, fontWeight: 600, fill: text, text: (title: string) => fit(title, width - 12, 12, 600) })] : []),
      Plot.lineY(paper, { x: "x", y: "paper", z: line, stroke: (p: Point) => p.series.color, strokeWidth: 1.4, strokeDasharray: "4 3" }),
      Plot.lineY(known, { x: "x", y: "measured", z: line, stroke: (p: Point) => p.series.color, strokeWidth: 1.9 }),
      ...series.filter((each) => each.mean).map((each) => Plot.lineY(known.filter((p) => p.series === each), { x: "x", y: "measured", stroke: each.color, strokeWidth: 2.8 })),
      Plot.ruleX(known.filter((p) => (p.interval ?? 0) > 0), {
        x: "x", y1: (p: Point) => p.measured! - p.interval!, y2: (p: Point) => p.measured! + p.interval!, stroke: (p: Point) => p.series.color, strokeWidth: 1.2,
      }),
      Plot.dot(paper, { x: "x", y: "paper", symbol: (p: Point) => p.series.symbol, r: size, stroke: (p: Point) => p.series.color, strokeWidth: 1.4, fill: surface }),
      Plot.dot(known, { x: "x", y: "measured", symbol: (p: Point) => p.series.symbol, r: size, fill: (p: Point) => p.series.color, stroke: surface, strokeWidth: 0.8 }),
      Plot.tip(known, Plot.pointer({
        x: "x", y: "measured", ...tipLook(),
        title: (p: Point) => [`${p.series.title}, ${p.row}`, `measured ${valueText(figure, p.measured!)}`, ...intervalText(figure, p.measured!, p.interval), ...(p.paper === null ? [] : [`paper ${valueText(figure, p.paper)}`])].join("\n"),
      })),
    ],
    symbol: { type: "identity" }, r: { type: "identity" },
  }) as SVGSVGElement;
}

function keysOf(figure: Figure, series: Series[]): Key[] {
  const keys: Key[] = figure.columns.length > 1 ? series.map((each) => ({ text: each.title, color: each.color, symbol: each.symbol })) : [];
  if (figure.seeds) keys.push({ text: `95 % confidence, ${figure.seeds} seeds`, color: theme().text, shape: "line" });
  if (hasPaper(figure)) keys.push({ text: figure.source ? `paper (${figure.source})` : "paper", color: theme().paper, shape: "dashed" });
  return keys;
}

// As many panels side by side as there is room for, in rows that are alike.
function panelsAcross(count: number, width: number): number {
  const most = Math.max(1, Math.min(count, Math.floor(width / LEAST_PANEL)));
  return Math.ceil(count / Math.ceil(count / most));
}

// Relative numbers are compared between panels, so those share an axis.
export function drawLines(figure: Figure, color: ColumnColor, width: number): SVGSVGElement | null {
  const series = seriesOf(figure, color);
  const panels = figure.panels.filter((panel) => panel.measured.flat().some((value) => value !== null));
  if (panels.length === 0 || figure.rows.length === 0) return null;
  const keys = keysOf(figure, series), axis = figureAxis(figure), below = figure.x?.title ?? parameterTitle(figure.row_dimension);
  const top = legendHeight(keys, width) + 16;
  let svg: SVGSVGElement;
  if (panels.length === 1 && !panels[0]!.title) {
    const height = Math.max(190, Math.min(300, width * 0.5));
    svg = drawPanel(figure, panels[0]!, series, { width, height: height + top, top: top + 12, below, domain: domainOf(figure, null) });
  } else {
    const across = panelsAcross(panels.length, width), each = width / across;
    const shared = isCompared(figure) ? domainOf(figure, null) : null;
    const height = Math.max(150, Math.min(230, each * 0.72));
    svg = stack(panels.map((panel) => drawPanel(figure, panel, series, { width: each, height, top: 32, below: "", domain: shared ?? domainOf(figure, panel) })), width, top, 4, across);
    addBelow(svg, below, width / 2);
  }
  addLegend(svg, keys, width, axis);
  return svg;
}
