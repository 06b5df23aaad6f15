// SPDX-License-Identifier: MIT
// A figure of a study: a bar a column in groups of rows, the paper's numbers as
// diamonds on them. Upright where there is room, else lying.
import * as Plot from "@observablehq/plot";
import type { Figure, Item, Table } from "../data";
import type { FigureSpec } from "../figure";
import { formatNumber, formatShort, formatTimes } from "../format";
import { addLegend, fit, type Key, legendHeight, look, tipLook, widest } from "../plot";
import { theme } from "../theme";

interface Bar {
  group: string; // a key; groups may have the same title
  title: string;
  column: string;
  label: string;
  measured: number | null;
  paper: number | null;
}

interface Chart {
  bars: Bar[];
  groups: { key: string; title: string; mean: boolean }[];
  columns: Item[];
  compared: boolean; // numbers are relative to a baseline
  color: (column: string) => string;
}

// What others are compared with is 1 everywhere: a line, not bars.
function shownColumns(figure: Figure): { item: Item; index: number }[] {
  const columns = figure.columns.map((item, index) => ({ item, index }));
  if (figure.as === "value" || columns.length < 2) return columns;
  return columns.filter(({ item, index }) =>
    item.name !== figure.baseline || figure.measured.some((row) => row[index] !== null && row[index] !== 1));
}

function chartOf(figure: Figure, color: (column: string) => string): Chart {
  const columns = shownColumns(figure);
  const groups: Chart["groups"] = [];
  const bars: Bar[] = [];
  const add = (key: string, title: string, mean: boolean, measured: (number | null)[], paper: (number | null)[]) => {
    if (!columns.some(({ index }) => typeof measured[index] === "number" || typeof paper[index] === "number")) return;
    groups.push({ key, title, mean });
    for (const { item, index } of columns)
      bars.push({
        group: key, title, column: item.name, label: item.title, measured: measured[index] ?? null, paper: paper[index] ?? null,
      });
  };
  figure.rows.forEach((row, i) => add(`r${i}`, row.title, false, figure.measured[i] ?? [], figure.paper[i] ?? []));
  figure.means.forEach((mean, i) => add(`m${i}`, mean.label, true, mean.measured, mean.paper));
  return { bars, groups, columns: columns.map(({ item }) => item), compared: figure.as !== "value", color };
}

export function figureAxis(figure: Figure): string {
  const base = figure.columns.find((column) => column.name === figure.baseline)?.title ?? figure.baseline ?? "";
  if (figure.as === "speedup") return `Speed-up over ${base}`;
  return figure.as === "ratio" ? `${figure.statistic}, relative to ${base}` : figure.statistic;
}

function numberText(chart: Chart, value: number): string {
  return chart.compared ? value.toFixed(2) : formatShort(value);
}

function tipText(figure: Figure, chart: Chart, bar: Bar): string {
  const lines = [`${bar.title} · ${bar.label}`];
  const text = figure.as === "value" ? formatNumber : formatTimes;
  lines.push(bar.measured === null ? "not measured" : `measured ${text(bar.measured)}`);
  if (bar.paper !== null) lines.push(`paper ${text(bar.paper)}`);
  if (chart.compared && bar.measured !== null && bar.paper) lines.push(`${((bar.measured / bar.paper - 1) * 100).toFixed(1)} % from the paper`);
  return lines.join("\n");
}

function keysOf(figure: Figure, chart: Chart): Key[] {
  const keys: Key[] = chart.columns.map((column) => ({ text: column.title, color: chart.color(column.name) }));
  if (chart.bars.some((bar) => bar.paper !== null)) keys.push({ text: figure.source ? `paper (${figure.source})` : "paper", color: theme().paper, shape: "diamond" });
  return keys;
}

function largest(chart: Chart): number {
  const most = chart.bars.reduce((max, bar) => Math.max(max, bar.measured ?? 0, bar.paper ?? 0), chart.compared ? 1 : 0);
  return most > 0 ? most * 1.08 : 1;
}

const WIDEST_BAR = 46, BETWEEN_BARS = 0.06;

function upright(figure: Figure, chart: Chart, width: number, top: number): SVGSVGElement {
  const { text, muted, grid, paper, surface, band } = theme();
  const group = (width - 70) / chart.groups.length;
  const titles = new Map(chart.groups.map((each) => [each.key, each.title]));
  const needed = widest([...titles.values()], 12);
  const turned = needed > group - 4;
  const room = Math.min(WIDEST_BAR, group / (chart.columns.length + 0.7));
  const outside = (group / room - chart.columns.length + BETWEEN_BARS) / 2; // of a group, in bars
  const measured = chart.bars.filter((bar) => bar.measured !== null);
  const labelled = room > 25;
  return Plot.plot({
    width, height: 316 + top + (turned ? Math.min(90, needed * 0.7) : 0), style: look(), marginTop: top + 30, marginLeft: 46, marginRight: 12,
    marginBottom: turned ? Math.min(110, needed * 0.72 + 24) : 34,
    fx: { domain: chart.groups.map((each) => each.key), label: null, padding: 0 },
    x: { domain: chart.columns.map((column) => column.name), axis: null, paddingInner: BETWEEN_BARS, paddingOuter: outside },
    y: { domain: [0, largest(chart)], nice: true },
    marks: [
      ...chart.groups.filter((each) => each.mean).map((each) => Plot.frame({ fx: each.key, fill: band, stroke: "none", insetLeft: 2, insetRight: 2 })),
      Plot.gridY({ stroke: grid, strokeOpacity: 1, ticks: 6 }),
      Plot.axisY({ label: null, tickSize: 0, color: muted, ticks: 6, tickFormat: (value: number) => formatShort(value) }),
      Plot.axisFx({
        anchor: "bottom", tickFormat: (key: string) => fit(titles.get(key) ?? key, turned ? 170 : group, 12), tickRotate: turned ? -38 : 0,
        textAnchor: turned ? "end" : "middle", label: null, color: text, tickSize: 0, dy: turned ? -2 : 0, dx: turned ? 6 : 0,
      }),
      Plot.barY(measured, {
        fx: "group", x: "column", y: "measured", fill: (bar: Bar) => chart.color(bar.column), rx1: 0, ry2: 2,
      }),
      Plot.ruleY([0], { stroke: muted }),
      ...(chart.compared ? [Plot.ruleY([1], { stroke: text, strokeDasharray: "5 4", strokeOpacity: 0.75 })] : []),
      ...(labelled ? [Plot.text(measured, { fx: "group", x: "column", y: "measured", text: (bar: Bar) => numberText(chart, bar.measured!), dy: -8, fontSize: 10.5, fill: muted, stroke: surface, strokeWidth: 3 })] : []),
      Plot.dot(chart.bars.filter((bar) => bar.paper !== null), {
        fx: "group", x: "column", y: "paper", symbol: "diamond", r: Math.max(3, Math.min(4.6, room / 4)), stroke: paper, strokeWidth: 1.8, fill: surface,
      }),
      Plot.tip(chart.bars, Plot.pointerX({ fx: "group", x: "column", y: (bar: Bar) => bar.measured ?? bar.paper, title: (bar: Bar) => tipText(figure, chart, bar), ...tipLook() })),
    ],
  }) as SVGSVGElement;
}

function lying(figure: Figure, chart: Chart, width: number, top: number): SVGSVGElement {
  const { text, muted, grid, paper, surface } = theme();
  const bar = 17, head = 24;
  const left = Math.min(width * 0.32, widest(chart.columns.map((column) => column.title), 11) + 12);
  const titles = new Map(chart.columns.map((column) => [column.name, fit(column.title, left - 10, 11)]));
  const measured = chart.bars.filter((each) => each.measured !== null);
  return Plot.plot({
    width, height: top + 62 + chart.groups.length * (chart.columns.length * bar + head), style: look(), marginTop: top + 42, marginBottom: 12, marginLeft: left, marginRight: 34,
    fy: { domain: chart.groups.map((each) => each.key), axis: null, padding: 0 },
    y: { domain: chart.columns.map((column) => column.name), axis: null, padding: 0.08, insetTop: head - 4, insetBottom: 4 },
    x: { domain: [0, largest(chart)], nice: true, label: null },
    marks: [
      Plot.gridX({ stroke: grid, strokeOpacity: 1, ticks: 4 }),
      Plot.axisX({ anchor: "top", label: null, ticks: 4, tickSize: 0, color: muted, tickFormat: (value: number) => formatShort(value) }),
      Plot.barX(measured, { fy: "group", y: "column", x: "measured", fill: (each: Bar) => chart.color(each.column) }),
      Plot.ruleX([0], { stroke: muted }),
      ...(chart.compared ? [Plot.ruleX([1], { stroke: text, strokeDasharray: "5 4", strokeOpacity: 0.75 })] : []),
      Plot.text(chart.bars, { fy: "group", y: "column", x: 0, text: (each: Bar) => titles.get(each.column), textAnchor: "end", dx: -6, fontSize: 11, fill: muted }),
      Plot.text(chart.groups, { fy: "key", text: (each) => fit(each.title, width - 20, 12), frameAnchor: "top-left", dx: -left + 1, dy: 3, fontWeight: 600, fontSize: 12, fill: text, stroke: surface, strokeWidth: 4 }),
      Plot.text(measured, { fy: "group", y: "column", x: (each: Bar) => Math.max(each.measured!, each.paper ?? 0), text: (each: Bar) => numberText(chart, each.measured!), textAnchor: "start", dx: 8, fontSize: 10.5, fill: muted, stroke: surface, strokeWidth: 3 }),
      Plot.dot(chart.bars.filter((each) => each.paper !== null), { fy: "group", y: "column", x: "paper", symbol: "diamond", r: 3.6, stroke: paper, strokeWidth: 1.8, fill: surface }),
      Plot.tip(chart.bars, Plot.pointerY({ fy: "group", y: "column", x: (each: Bar) => each.measured ?? each.paper, title: (each: Bar) => tipText(figure, chart, each), ...tipLook() })),
    ],
  }) as SVGSVGElement;
}

function draw(figure: Figure, chart: Chart, width: number): SVGSVGElement | null {
  if (chart.bars.length === 0) return null;
  const keys = keysOf(figure, chart);
  const top = legendHeight(keys, width);
  const room = (width - 70) / (chart.groups.length * (chart.columns.length + 0.6));
  const svg = room < 7 || (width < 560 && room < 24) ? lying(figure, chart, width, top) : upright(figure, chart, width, top);
  addLegend(svg, keys, width, figureAxis(figure) === figure.title ? "" : figureAxis(figure));
  return svg;
}

function dataOf(figure: Figure): Table {
  const rows: Table["rows"] = [];
  const add = (title: string, measured: (number | null)[], paper: (number | null)[]) =>
    figure.columns.forEach((column, i) => rows.push([title, column.title, measured[i] ?? null, paper[i] ?? null]));
  figure.rows.forEach((row, i) => add(row.title, figure.measured[i] ?? [], figure.paper[i] ?? []));
  figure.means.forEach((mean) => add(mean.label, mean.measured, mean.paper));
  return { columns: [figure.row_dimension, figure.column_dimension, "measured", "paper"], rows };
}

function wordsOf(figure: Figure): string {
  const mean = figure.means[figure.means.length - 1];
  const told = mean
    ? figure.columns.map((column, i) => {
        const value = mean.measured[i], paper = mean.paper[i];
        return typeof value === "number" ? `${column.title} ${formatNumber(value)}${typeof paper === "number" ? `, paper ${formatNumber(paper)}` : ""}` : null;
      }).filter(Boolean).join("; ")
    : "";
  return `Bar chart. ${figure.title}: ${figureAxis(figure)} by ${figure.row_dimension} and ${figure.column_dimension}.${told ? ` ${mean!.label}: ${told}.` : ""}`;
}

// color: of a column, by its name. Asked at every drawing, as themes change.
export function barFigure(figure: Figure, color: () => (column: string) => string, extra: Partial<FigureSpec> = {}): FigureSpec {
  return {
    id: figure.id, file: figure.id, title: figure.title, note: figure.note,
    draw: (width) => draw(figure, chartOf(figure, color()), width),
    data: () => dataOf(figure),
    words: () => wordsOf(figure),
    ...extra,
  };
}

