// SPDX-License-Identifier: MIT
// Figures as SVG and data as CSV, saved by the browser from memory.
import type { Cell, Table } from "./data";
import { font } from "./text";
import { theme } from "./theme";

function save(name: string, type: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}

// A spreadsheet runs what begins like a formula; a quote before it keeps it text.
function csvCell(value: Cell): string {
  if (value === null) return "";
  if (typeof value !== "string") return String(value);
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text;
}

export function csvText(table: Table): string {
  return [table.columns, ...table.rows].map((row) => row.map(csvCell).join(",") + "\r\n").join("");
}

export function saveCsv(name: string, table: Table): void {
  save(`${name}.csv`, "text/csv", csvText(table));
}

// The figure by itself: on its background, without what follows the pointer, and
// without the library's style sheet, which some programs do not understand.
export function standalone(svg: SVGSVGElement, title: string, words: string): SVGSVGElement {
  const copy = svg.cloneNode(true) as SVGSVGElement;
  for (const part of copy.querySelectorAll('[aria-label=tip], [data-mark=tip], style')) part.remove();
  const make = (tag: string, text: string) => {
    const element = document.createElementNS(svg.namespaceURI, tag);
    element.textContent = text;
    return element;
  };
  const ground = make("rect", "");
  ground.setAttribute("width", "100%");
  ground.setAttribute("height", "100%");
  ground.setAttribute("fill", theme().surface);
  copy.prepend(make("title", title), make("desc", words), ground);
  for (const part of [copy, ...copy.querySelectorAll("*")])
    for (const name of ["class", "aria-label", "aria-description", "aria-hidden", "data-mark"]) part.removeAttribute(name);
  for (const name of ["font-family", "font-size"]) copy.removeAttribute(name); // the style has them
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  copy.setAttribute("style", `color: ${theme().text}; font-family: ${font()}; font-size: 12px`);
  return copy;
}

function svgText(svg: SVGSVGElement, title: string, words: string): string {
  return `<?xml version="1.0" encoding="UTF-8"?>\n${new XMLSerializer().serializeToString(standalone(svg, title, words))}\n`;
}

export function saveSvg(name: string, svg: SVGSVGElement, title: string, words: string): void {
  save(`${name}.svg`, "image/svg+xml", svgText(svg, title, words));
}
