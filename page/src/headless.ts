// SPDX-License-Identifier: MIT
// The figures of the page without a browser: what `heddle figure` runs with node.
//
//   node headless.js 3<TASK.json >FIGURE.svg
//
// The drawing is the page's; only the document is another one, and text is
// measured with Helvetica's widths. Lengths in the drawing are pixels of the
// page; the SVG says how large they are on paper, where 12 of them are 7 points.
import { parseHTML } from "linkedom";
import type { Figure } from "./data";
import { standalone } from "./download";
import { studyFigure } from "./figures/study_figure";
import { HELVETICA, helveticaWidth } from "./helvetica";
import { useFont } from "./text";
import { seriesColors, theme, useTheme } from "./theme";

interface Task {
  figure: Figure;
  meaning: string | null; // of the figure's statistic
  baseline: string | null; // the column that others of the study are compared with
  width_mm: number;
  theme: "light" | "dark";
}

declare function require(name: "node:fs"): { readFileSync(file: number, encoding: "utf8"): string; writeFileSync(file: number, text: string): void };
declare const process: { exit(code: number): void };
const files = require("node:fs");

const TASK = 3, OUTPUT = 1; // file descriptors
const PIXELS_PER_MM = 12 / (7 * (25.4 / 72));

function startDocument(): void {
  const { window, document } = parseHTML("<!doctype html><html><body></body></html>");
  Object.assign(globalThis, { window, document });
  useFont(HELVETICA, helveticaWidth);
}

// XML has no place for control characters.
function printable(text: string): string {
  return text.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f]/g, " ");
}

function draw(task: Task): string {
  const figure = { ...task.figure, statistic: task.meaning ?? task.figure.statistic };
  const names = figure.columns.filter((column) => !column.mean).map((column) => column.name);
  const spec = studyFigure(figure, () => {
    const colors = seriesColors(names, figure.baseline ?? task.baseline);
    return (name) => colors.get(name) ?? theme().baseline;
  });
  const svg = spec.draw(Math.round(task.width_mm * PIXELS_PER_MM), "paper");
  if (!svg) throw new Error("the figure has no values");
  const copy = standalone(svg, spec.title, spec.words());
  const height = Number(copy.getAttribute("height")) / PIXELS_PER_MM;
  copy.setAttribute("width", `${task.width_mm}mm`);
  copy.setAttribute("height", `${height.toFixed(2)}mm`);
  return `<?xml version="1.0" encoding="UTF-8"?>\n${copy.toString()}\n`;
}

try {
  const task = JSON.parse(files.readFileSync(TASK, "utf8"), (_, value) => (typeof value === "string" ? printable(value) : value)) as Task;
  startDocument();
  useTheme(task.theme);
  files.writeFileSync(OUTPUT, draw(task));
} catch (problem) {
  console.error(problem instanceof Error ? problem.message : String(problem));
  process.exit(1);
}
