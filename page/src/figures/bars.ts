// SPDX-License-Identifier: MIT
// A bar a column in groups of rows, the paper's numbers as diamonds on them.
// Upright where there is room, else lying.
//
// What is relative to a baseline starts at 1, where nothing has changed: a bar is
// as long as the difference, and the axis is fitted to the differences. The axis
// says so. Other bars start at 0.
import * as Plot from "@observablehq/plot";
import type { Figure, Item, Panel } from "../data";
import type { Medium } from "../figure";
import { formatShort } from "../format";
import { addLegend, type Key, legendHeight, look, stack, tipLook } from "../plot";
import { fit, widest } from "../text";
import { theme } from "../theme";
import { type ColumnColor, figureAxis, hasPaper, intervalEnds, intervalText, isCompared, ratioText, tickText, valuesOf, valueText } from "./figure_values";

interface Bar {
  group: string; // a key; groups may have the same title
  title: string;
  column: string;
  label: string;
  measured: number | null;
  paper: number | null;
  interval: number | null; // half width
  best: string | null; // the column that it is the value of, where it is the best of several
}

interface Chart {
  figure: Figure;
  title: string | null; // of its panel
  bars: Bar[];
  groups: { key: string; title: string; mean: boolean }[];
  columns: Item[];
  color: ColumnColor;
  start: number; // of bars
  domain: [number, number];
}

// What others are compared with is 1 everywhere: a line, not bars.
function shownColumns(figure: Figure): { item: Item; index: number }[] {
  const columns = figure.columns.map((item, index) => ({ item, index }));
  if (!isCompared(figure) || columns.length < 2) return columns;
  return columns.filter(({ item, index }) =>
    item.name !== figure.baseline || figure.panels.some((panel) => panel.measured.some((row) => row[index] !== null && row[index] !== 1)));
}

const LEAST_SPAN = 0.04; // of a relative axis: a difference of a tenth of a per cent is not a tower

function domainOf(figure: Figure): [number, number] {
  const values = [...valuesOf(figure), ...intervalEnds(figure)];
  if (!isCompared(figure)) {
    const most = Math.max(0, ...values), least = Math.min(0, ...values);
    return [least * 1.08, most > 0 ? most * 1.08 : least < 0 ? 0 : 1];
  }
  let low = Math.min(1, ...values), high = Math.max(1, ...values);
  if (high - low < LEAST_SPAN && high === 1 && low < 1) low = 1 - LEAST_SPAN;
  else if (high - low < LEAST_SPAN) high = low + LEAST_SPAN;
  const pad = (high - low) * 0.12;
  return [low < 1 ? low - pad : 1, high > 1 ? high + pad : 1 + pad / 2];
}

function chartOf(figure: Figure, panel: Panel, color: ColumnColor): Chart {
  const columns = shownColumns(figure);
  const groups: Chart["groups"] = [];
  const bars: Bar[] = [];
  const add = (key: string, title: string, mean: boolean, measured: (number | null)[], paper: (number | null)[], interval: (number | null)[] = [], best: (string | null)[] = []) => {
    if (!columns.some(({ index }) => typeof measured[index] === "number" || typeof paper[index] === "number")) return;
    groups.push({ key, title, mean });
    for (const { item, index } of columns)
      bars.push({
        group: key, title, column: item.name, label: item.title, measured: measured[index] ?? null, paper: paper[index] ?? null,
        interval: interval[index] ?? null, best: best[index] ?? null,
      });
  };
  figure.rows.forEach((row, i) => add(`r${i}`, row.title, false, panel.measured[i] ?? [], panel.paper[i] ?? [], panel.interval?.[i], panel.best?.[i]));
  panel.means.forEach((mean, i) => add(`m${i}`, mean.label, true, mean.measured, mean.paper, mean.interval));
  return {
    figure, title: panel.title, bars, groups, columns: columns.map(({ item }) => item), color, start: isCompared(figure) ? 1 : 0, domain: domainOf(figure),
  };
}

function numberText(chart: Chart, value: number): string {
  return isCompared(chart.figure) ? ratioText(value, chart.domain[1] - chart.domain[0]) : formatShort(value);
}

function tipText({ figure }: Chart, bar: Bar): string {
  const lines = [`${bar.title} · ${bar.label}`];
  lines.push(bar.measured === null ? "not measured" : `measured ${valueText(figure, bar.measured)}`);
  if (bar.measured !== null) lines.push(...intervalText(figure, bar.measured, bar.interval));
  if (bar.best !== null) lines.push(`best: ${bar.best}`);
  if (bar.paper !== null) lines.push(`paper ${valueText(figure, bar.paper)}`);
  if (isCompared(figure) && bar.measured !== null && bar.paper) lines.push(`${((bar.measured / bar.paper - 1) * 100).toFixed(1)} % from the paper`);
  return lines.join("\n");
}

function keysOf(chart: Chart): Key[] {
  const { figure } = chart;
  const keys: Key[] = chart.columns.map((column) => ({ text: column.title, color: chart.color(column.name) }));
  if (figure.seeds) keys.push({ text: `95 % confidence, ${figure.seeds} seeds`, color: theme().text, shape: "line" });
  if (hasPaper(figure)) keys.push({ text: figure.source ? `paper (${figure.source})` : "paper", color: theme().paper, shape: "diamond" });
  return keys;
}

// On a page the title stands above the figure.
function axisText(figure: Figure, medium: Medium): string {
  const axis = figureAxis(figure);
  if (isCompared(figure)) return `${axis} (bars start at 1)`;
  return axis === figure.title && medium === "screen" ? "" : axis;
}

// Bars with an interval, and its ends.
const spread = (bars: Bar[]) => bars.filter((bar) => (bar.interval ?? 0) > 0);
const low = (bar: Bar) => bar.measured! - bar.interval!, high = (bar: Bar) => bar.measured! + bar.interval!;

const WIDEST_BAR = 46, BETWEEN_BARS = 0.06, LEFT = 46, TURN = 38;

function upright(chart: Chart, width: number, top: number): SVGSVGElement {
  const { text, muted, grid, paper, surface, band } = theme();
  const { start, domain } = chart;
  const group = (width - 70) / chart.groups.length;
  const words = (title: string) => (widest([title], 12) > group - 6 ? title.replace(/,? +/g, "\n") : title).split("\n");
  const turned = widest(chart.groups.flatMap((each) => words(each.title)), 12) > group - 6;
  const roomLeft = (i: number) => Math.min(150, (LEFT + group * (i + 0.5)) / Math.cos((TURN / 180) * Math.PI));
  const titles = new Map(chart.groups.map((each, i) => [each.key, turned ? fit(each.title, roomLeft(i), 12) : words(each.title).join("\n")]));
  const lines = turned ? 1 : Math.max(...chart.groups.map((each) => words(each.title).length));
  const needed = widest([...titles.values()], 12);
  const room = Math.min(WIDEST_BAR, group / (chart.columns.length + 0.7));
  const outside = (group / room - chart.columns.length + BETWEEN_BARS) / 2; // of a group, in bars
  const measured = chart.bars.filter((bar) => bar.measured !== null);
  const labelled = room > widest(measured.map((bar) => numberText(chart, bar.measured!)), 10.5) - 1;
  const labels = (below: boolean) => Plot.text(measured.filter((bar) => bar.measured! < start === below), {
    fx: "group", x: "column", y: "measured", text: (bar: Bar) => numberText(chart, bar.measured!), dy: below ? 8 : -8, fontSize: 10.5, fill: muted, stroke: surface, strokeWidth: 3,
  });
  return Plot.plot({
    width, height: (chart.title ? 190 : 256) + top + (turned ? Math.min(90, needed * 0.7) : 14 * lines), style: look(), marginTop: top + 14, marginLeft: LEFT, marginRight: 12,
    marginBottom: turned ? Math.min(110, needed * 0.72 + 24) : 20 + 14 * lines,
    fx: { domain: chart.groups.map((each) => each.key), label: null, padding: 0 },
    x: { domain: chart.columns.map((column) => column.name), axis: null, paddingInner: BETWEEN_BARS, paddingOuter: outside },
    y: { domain, nice: start === 0 },
    marks: [
      ...chart.groups.filter((each) => each.mean).map((each) => Plot.frame({ fx: each.key, fill: band, stroke: "none", insetLeft: 2, insetRight: 2 })),
      Plot.gridY({ stroke: grid, strokeOpacity: 1, ticks: 6 }),
      Plot.axisY({ label: null, tickSize: 0, color: muted, ticks: 6, tickFormat: tickText(domain) }),
      Plot.axisFx({
        anchor: "bottom", tickFormat: (key: string) => titles.get(key) ?? key, tickRotate: turned ? -TURN : 0,
        textAnchor: turned ? "end" : "middle", label: null, color: text, tickSize: 0, dy: turned ? -2 : 0, dx: turned ? 6 : 0,
      }),
      Plot.barY(measured, {
        fx: "group", x: "column", y1: start, y2: "measured", fill: (bar: Bar) => chart.color(bar.column),
      }),
      Plot.ruleX(spread(measured), { fx: "group", x: "column", y1: low, y2: high, stroke: text, strokeWidth: 1.2 }),
      Plot.ruleY([start], { stroke: start === 0 ? muted : text }),
      ...(labelled ? [labels(false), labels(true)] : []),
      Plot.dot(chart.bars.filter((bar) => bar.paper !== null), {
        fx: "group", x: "column", y: "paper", symbol: "diamond", r: Math.max(3, Math.min(4.6, room / 4)), stroke: paper, strokeWidth: 1.8, fill: surface,
      }),
      Plot.tip(chart.bars, Plot.pointerX({ fx: "group", x: "column", y: (bar: Bar) => bar.measured ?? bar.paper, title: (bar: Bar) => tipText(chart, bar), ...tipLook() })),
    ],
  }) as SVGSVGElement;
}

function lying(chart: Chart, width: number, top: number): SVGSVGElement {
  const { text, muted, grid, paper, surface } = theme();
  const { start, domain } = chart;
  const bar = 17, head = 24;
  const left = Math.min(width * 0.32, widest(chart.columns.map((column) => column.title), 11) + 12);
  const titles = new Map(chart.columns.map((column) => [column.name, fit(column.title, left - 10, 11)]));
  const measured = chart.bars.filter((each) => each.measured !== null);
  const labels = (below: boolean) => Plot.text(measured.filter((each) => each.measured! < start === below), {
    fy: "group", y: "column", x: (each: Bar) => (below ? Math.min : Math.max)(each.measured!, each.paper ?? each.measured!), text: (each: Bar) => numberText(chart, each.measured!),
    textAnchor: below ? "end" : "start", dx: below ? -8 : 8, fontSize: 10.5, fill: muted, stroke: surface, strokeWidth: 3,
  });
  const spare = ((domain[1] - domain[0]) * 44) / width; // for the labels below 1
  const shown: [number, number] = domain[0] < start && start === 1 ? [domain[0] - spare, domain[1]] : domain;
  return Plot.plot({
    width, height: top + 48 + chart.groups.length * (chart.columns.length * bar + head), style: look(), marginTop: top + 28, marginBottom: 12, marginLeft: left, marginRight: 34,
    fy: { domain: chart.groups.map((each) => each.key), axis: null, padding: 0 },
    y: { domain: chart.columns.map((column) => column.name), axis: null, padding: 0.08, insetTop: head - 4, insetBottom: 4 },
    x: { domain: shown, nice: start === 0, label: null },
    marks: [
      Plot.gridX({ stroke: grid, strokeOpacity: 1, ticks: 4 }),
      Plot.axisX({ anchor: "top", label: null, ticks: 4, tickSize: 0, color: muted, tickFormat: tickText(domain) }),
      Plot.barX(measured, { fy: "group", y: "column", x1: start, x2: "measured", fill: (each: Bar) => chart.color(each.column) }),
      Plot.ruleY(spread(measured), { fy: "group", y: "column", x1: low, x2: high, stroke: text, strokeWidth: 1.2 }),
      Plot.ruleX([start], { stroke: start === 0 ? muted : text }),
      Plot.text(chart.bars, { fy: "group", y: "column", frameAnchor: "left", text: (each: Bar) => titles.get(each.column), textAnchor: "end", dx: -6, fontSize: 11, fill: muted }),
      Plot.text(chart.groups, { fy: "key", text: (each) => fit(each.title, width - 20, 12), frameAnchor: "top-left", dx: -left + 1, dy: 3, fontWeight: 600, fontSize: 12, fill: text, stroke: surface, strokeWidth: 4 }),
      labels(false), labels(true),
      Plot.dot(chart.bars.filter((each) => each.paper !== null), { fy: "group", y: "column", x: "paper", symbol: "diamond", r: 3.6, stroke: paper, strokeWidth: 1.8, fill: surface }),
      Plot.tip(chart.bars, Plot.pointerY({ fy: "group", y: "column", x: (each: Bar) => each.measured ?? each.paper, title: (each: Bar) => tipText(chart, each), ...tipLook() })),
    ],
  }) as SVGSVGElement;
}

// Paper keeps bars upright for as long as one can see them: pages are no phones.
function drawPanel(chart: Chart, width: number, top: number, medium: Medium): SVGSVGElement {
  const room = (width - 70) / (chart.groups.length * (chart.columns.length + 0.6));
  const lies = medium === "paper" ? room < 4 : room < 7 || (width < 560 && room < 24);
  const svg = lies ? lying(chart, width, top) : upright(chart, width, top);
  if (chart.title) addLegend(svg, [], width, chart.title, true);
  return svg;
}

export function drawBars(figure: Figure, color: ColumnColor, width: number, medium: Medium): SVGSVGElement | null {
  const charts = figure.panels.map((panel) => chartOf(figure, panel, color)).filter((chart) => chart.bars.length > 0);
  const first = charts[0];
  if (!first) return null;
  const keys = keysOf(first), axis = axisText(figure, medium);
  const top = legendHeight(keys, width) + (axis ? 16 : 0);
  const svg = charts.length === 1 && !first.title ? drawPanel(first, width, top, medium) : stack(charts.map((chart) => drawPanel(chart, width, 16, medium)), width, top);
  addLegend(svg, keys, width, axis);
  return svg;
}
