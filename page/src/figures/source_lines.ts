// SPDX-License-Identifier: MIT
// The source of a kernel with what its lines cost in the margin.
import { type Cell, type ExplainedKernel, Reader } from "../data";
import type { FigureSpec } from "../figure";
import { formatNumber, formatShare } from "../format";
import { make } from "../plot";
import { font, textWidth } from "../text";
import { theme } from "../theme";
import { heatColor } from "./heat";

const ROW = 18, CODE = "ui-monospace, 'SFMono-Regular', Menlo, Consolas, 'DejaVu Sans Mono', monospace";
const LETTER = 7; // width of a letter of that font at 11.5 px, rounded up
const MOST_ROWS = 400;

interface Column {
  title: string;
  width: number;
  text: (row: Cell[]) => string;
}

function columnsOf(reader: Reader, width: number): Column[] {
  const number = (row: Cell[], name: string) => reader.number(row, name);
  const some = (row: Cell[], name: string, text: (value: number) => string) => (number(row, name) === null || !number(row, "executions") ? "" : text(number(row, name)!));
  const heat: Column = { title: "slots", width: 50, text: (row) => (number(row, "executions") ? formatShare((number(row, "issued") ?? 0) + (number(row, "lost") ?? 0)) : "") };
  const all: Column[] = [
    { title: "executed", width: 66, text: (row) => some(row, "executions", (value) => formatNumber(value)) },
    { title: "lanes", width: 42, text: (row) => some(row, "lanes", (value) => value.toFixed(1)) },
    { title: "lost", width: 50, text: (row) => some(row, "lost", (value) => (value > 0 ? formatShare(value) : "")) },
    { title: "per / ideal", width: 70, text: (row) => some(row, "transactions", (value) => `${value.toFixed(1)} / ${(number(row, "ideal") ?? 0).toFixed(1)}`) },
    { title: "hits", width: 48, text: (row) => some(row, "hits", (value) => formatShare(value, 0)) },
    heat,
  ];
  return width < 640 ? [heat] : all;
}

function draw(kernel: ExplainedKernel, width: number): SVGSVGElement | null {
  const { source } = kernel;
  if (!source || source.rows.length === 0) return null;
  const { text, muted, grid } = theme();
  const reader = new Reader(source), rows = source.rows.slice(0, MOST_ROWS), columns = columnsOf(reader, width);
  const heat = (row: Cell[]) => (reader.number(row, "issued") ?? 0) + (reader.number(row, "lost") ?? 0);
  const most = Math.max(...rows.map(heat), 1e-9);
  const height = 26 + rows.length * ROW + 6;
  const svg = make("svg", { width, height, viewBox: `0 0 ${width} ${height}`, "font-family": font(), "font-size": 11 }) as SVGSVGElement;
  const say = (x: number, y: number, fill: string, anchor: string, words: string, more: Record<string, string | number> = {}) => {
    if (!words) return;
    const element = make("text", { x, y, fill, "text-anchor": anchor, ...more });
    element.textContent = words;
    svg.append(element);
  };
  let x = 0;
  const right = columns.map((column) => (x += column.width));
  columns.forEach((column, i) => say(right[i]! - 4, 14, muted, "end", column.title));
  const bar = x + 4, number = bar + 16 + textWidth("9999", 11), code = number + 12;
  svg.append(make("path", { d: `M0,20.5H${width}`, stroke: grid }));
  const mostLetters = Math.max(8, Math.floor((width - code) / LETTER) - 1);
  let before: number | null = null;
  rows.forEach((row, i) => {
    const y = 26 + i * ROW, line = reader.number(row, "line") ?? 0, share = heat(row);
    if (before !== null && line !== before + 1) svg.append(make("path", { d: `M${bar},${y}H${width}`, stroke: grid, "stroke-dasharray": "2 4" }));
    before = line;
    const cell = make("rect", { x: bar, y: y + 1, width: 11, height: ROW - 2, rx: 2, fill: share > 0 ? heatColor(0.1 + (0.9 * share) / most) : "none", "data-mark": share > 0 ? "heat" : "none" });
    const title = make("title", {});
    title.textContent = `line ${line}: ${formatShare(share)} of the issue slots`;
    cell.append(title);
    svg.append(cell);
    columns.forEach((column, c) => say(right[c]! - 4, y + 13, text, "end", column.text(row)));
    say(number, y + 13, muted, "end", String(line));
    const words = reader.text(row, "source").replace(/\t/g, "  ");
    say(code, y + 13, text, "start", words.length > mostLetters ? `${words.slice(0, mostLetters)}…` : words, { "font-family": CODE, "font-size": 11.5, "xml:space": "preserve", style: "white-space: pre" });
  });
  return svg;
}

export function sourceFigure(kernel: ExplainedKernel, id: string): FigureSpec {
  const { source } = kernel;
  const file = source?.file.replace(/^.*\//, "") ?? "";
  const reader = source ? new Reader(source) : null;
  const heat = (row: Cell[]) => (reader?.number(row, "issued") ?? 0) + (reader?.number(row, "lost") ?? 0);
  const hottest = source?.rows.reduce((best, row) => (heat(row) > heat(best) ? row : best), source.rows[0] ?? []);
  return {
    id: `source-${id}`, title: source ? `Source: ${file}` : "Source",
    note: "Warp instructions executed, active lanes, issue slots lost to the line's accesses, transactions per access and their ideal, hits in the L1, and slots in all (issued and lost), by which the margin is coloured. Waits for other causes than memory belong to no line.",
    draw: (width) => draw(kernel, width),
    empty: () => "No source: compile with -lineinfo, and keep the file.",
    data: () => (source ? { columns: source.columns, rows: source.rows } : { columns: ["line"], rows: [] }),
    words: () => (reader && hottest ? `${source!.rows.length} lines of ${file}. The most expensive is line ${reader.text(hottest, "line")}, with ${formatShare(heat(hottest))} of the issue slots.` : "No source."),
  };
}
