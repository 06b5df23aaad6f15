// SPDX-License-Identifier: MIT
// A figure of a study: bars or lines, its data, and what it shows in words.
import type { Figure, Item, Mean, Table } from "../data";
import type { FigureSpec, Medium } from "../figure";
import { formatNumber } from "../format";
import { addNotes } from "../plot";
import { drawBars } from "./bars";
import { type ColumnColor, figureAxis } from "./figure_values";
import { drawLines } from "./lines";

const nameOf = (item: Item) => (item.mean ? item.title : item.name);

// A line a number, with the names of all that it is the number of.
export function figureData(figure: Figure): Table {
  const rows: Table["rows"] = [];
  const fixed = figure.fixed.map((each) => each.name);
  const hasBest = figure.panels.some((panel) => panel.best);
  for (const panel of figure.panels) {
    const place = panel.name === null ? fixed : [panel.mean ? panel.title : panel.name, ...fixed];
    const add = (row: string, measured: Mean["measured"], paper: Mean["paper"], interval: Mean["measured"] = [], best: (string | null)[] = []) =>
      figure.columns.forEach((column, i) =>
        rows.push([
          row, nameOf(column), ...place, measured[i] ?? null, ...(figure.seeds ? [interval[i] ?? null] : []), paper[i] ?? null, ...(hasBest ? [best[i] ?? null] : []),
        ]));
    figure.rows.forEach((row, i) => add(nameOf(row), panel.measured[i] ?? [], panel.paper[i] ?? [], panel.interval?.[i], panel.best?.[i]));
    panel.means.forEach((mean) => add(mean.label, mean.measured, mean.paper, mean.interval));
  }
  const panels = figure.panel_dimension ? [figure.panel_dimension] : [];
  return {
    columns: [
      figure.row_dimension, figure.column_dimension, ...panels, ...figure.fixed.map((each) => each.dimension), "measured", ...(figure.seeds ? ["interval"] : []),
      "paper", ...(hasBest ? ["best"] : []),
    ],
    rows,
  };
}

function describeMeans(figure: Figure): string {
  const panel = figure.panels[figure.panels.length - 1], mean = panel?.means[panel.means.length - 1];
  if (!mean) return "";
  const told = figure.columns.flatMap((column, i) => {
    const value = mean.measured[i], paper = mean.paper[i];
    return typeof value === "number" ? [`${column.title} ${formatNumber(value)}${typeof paper === "number" ? `, paper ${formatNumber(paper)}` : ""}`] : [];
  });
  return told.length ? ` ${mean.label}: ${told.join("; ")}.` : "";
}

function wordsOf(figure: Figure): string {
  const panels = figure.panel_dimension ? ` in panels by ${figure.panel_dimension}` : "";
  if (figure.kind === "lines")
    return `Line chart. ${figure.title}: ${figureAxis(figure)} over ${figure.row_dimension} from ${figure.rows[0]?.title} to ${figure.rows[figure.rows.length - 1]?.title}, a line for each ${figure.column_dimension}${panels}.`;
  return `Bar chart. ${figure.title}: ${figureAxis(figure)} by ${figure.row_dimension} and ${figure.column_dimension}${panels}.${describeMeans(figure)}`;
}

// Notes on means are part of the drawing, so that a saved figure has them.
function draw(figure: Figure, color: ColumnColor, width: number, medium: Medium): SVGSVGElement | null {
  const svg = figure.kind === "lines" ? drawLines(figure, color, width) : drawBars(figure, color, width, medium);
  if (svg) addNotes(svg, figure.mean_notes, width);
  return svg;
}

// color: of a column, by its name. Asked at every drawing, as themes change.
export function studyFigure(figure: Figure, color: () => ColumnColor, extra: Partial<FigureSpec> = {}): FigureSpec {
  return {
    id: figure.id, file: figure.id, title: figure.title, note: figure.note,
    draw: (width, medium) => draw(figure, color(), width, medium),
    data: () => figureData(figure),
    words: () => [wordsOf(figure), ...figure.mean_notes.map((note) => `${note}.`)].join(" "),
    ...extra,
  };
}
