// SPDX-License-Identifier: MIT
// What the figures have in common beyond the charting library: a look, legends
// inside of the drawing (so that they are saved with it), and drawings above
// one another.
import * as Plot from "@observablehq/plot";
import { symbol, symbolCircle, symbolCross, symbolDiamond, symbolSquare, symbolStar, symbolTriangle, type SymbolType, symbolWye } from "d3";
import { fit, font, textWidth } from "./text";
import { theme } from "./theme";

const SPACE = "http://www.w3.org/2000/svg";

export function look(fontSize = 12): Plot.PlotOptions["style"] {
  const { text, surface } = theme();
  return {
    color: text, background: "transparent", fontFamily: font(), fontSize: `${fontSize}px`, overflow: "visible",
    "--plot-background": surface,
  } as unknown as Plot.PlotOptions["style"];
}

export function tipLook(): Plot.TipOptions {
  const { grid, surface } = theme();
  return { fill: surface, stroke: grid, fontSize: 12, lineHeight: 1.25, textPadding: 9, pathFilter: "none" };
}

// Symbols that tell series apart where colours do not: in print, or for some eyes.
const symbols = [symbolCircle, symbolSquare, symbolTriangle, symbolDiamond, symbolStar, symbolCross, symbolWye];

export function symbolAt(index: number): SymbolType {
  return symbols[index % symbols.length]!;
}

export interface Key {
  text: string;
  color: string;
  shape?: "square" | "diamond" | "line" | "dashed";
  symbol?: SymbolType; // on the line
}

interface Placed extends Key {
  x: number;
  y: number;
}

const ROW = 22;

function signWidth(key: Key): number {
  return key.symbol || key.shape === "dashed" ? 28 : 18;
}

function place(keys: Key[], width: number): { placed: Placed[]; height: number } {
  let x = 0, y = 0;
  const placed = keys.map((key) => {
    const size = signWidth(key) + textWidth(key.text) + 18;
    if (x > 0 && x + size - 18 > width) {
      x = 0;
      y += ROW;
    }
    const at = { ...key, x, y };
    x += size;
    return at;
  });
  return { placed, height: keys.length ? y + ROW + 8 : 0 };
}

export function legendHeight(keys: Key[], width: number): number {
  return place(keys, width).height;
}

export function make(tag: string, attributes: Record<string, string | number>): SVGElement {
  const element = document.createElementNS(SPACE, tag) as SVGElement;
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  return element;
}

function sign(key: Placed): SVGElement[] {
  const y = key.y + 5, middle = y + 6;
  if (key.shape === "diamond")
    return [make("path", { d: `M${key.x + 6},${y}l5.5,5.5l-5.5,5.5l-5.5,-5.5z`, fill: theme().surface, stroke: key.color, "stroke-width": 1.8 })];
  if (key.shape === "dashed")
    return [make("path", { d: `M${key.x},${middle}h22`, stroke: key.color, "stroke-width": 1.6, "stroke-dasharray": "4 3", fill: "none" })];
  if (key.symbol)
    return [
      make("path", { d: `M${key.x},${middle}h22`, stroke: key.color, "stroke-width": 2, fill: "none" }),
      make("path", { d: symbol(key.symbol, 42)()!, transform: `translate(${key.x + 11},${middle})`, fill: key.color, stroke: theme().surface, "stroke-width": 0.8 }),
    ];
  if (key.shape === "line") return [make("rect", { x: key.x, y: y + 4, width: 12, height: 3, rx: 1.5, fill: key.color })];
  return [make("rect", { x: key.x, y, width: 12, height: 12, rx: 2.5, fill: key.color })];
}

// axis: what the numbers are, in a line under the keys; a heading stands out.
export function addLegend(svg: SVGSVGElement, keys: Key[], width: number, axis = "", heading = false): void {
  const { placed, height } = place(keys, width);
  const group = make("g", { "font-size": 12, "font-family": font(), "text-anchor": "start" });
  for (const key of placed) {
    const text = make("text", { x: key.x + signWidth(key), y: key.y + 15, fill: theme().text });
    text.textContent = key.text;
    group.append(...sign(key), text);
  }
  if (axis) {
    const text = make("text", { x: 0, y: height + 12, fill: heading ? theme().text : theme().muted, "font-weight": heading ? 600 : 400 });
    text.textContent = fit(axis, width, 12, heading ? 600 : 400);
    group.append(text);
  }
  svg.append(group);
}

// A ramp of colours with a label at either end, for heat maps.
export function addRamp(svg: SVGSVGElement, label: string, from: string, to: string): void {
  const { ramp, text, muted } = theme();
  const group = make("g", { "font-size": 12, "font-family": font(), "text-anchor": "start" });
  const say = (x: number, y: number, fill: string, words: string) => {
    const element = make("text", { x, y, fill });
    element.textContent = words;
    group.append(element);
  };
  say(0, 14, text, label);
  const start = textWidth(from) + 8;
  say(0, 34, muted, from);
  ramp.forEach((color, i) => group.append(make("rect", { x: start + i * 22, y: 23, width: 22, height: 14, fill: color })));
  say(start + ramp.length * 22 + 8, 34, muted, to);
  svg.append(group);
}

// A line of text at the bottom of a drawing, which grows by it.
export function addBelow(svg: SVGSVGElement, words: string, middle: number): void {
  const height = Number(svg.getAttribute("height")) + 18, width = Number(svg.getAttribute("width"));
  const text = make("text", { x: middle, y: height - 6, fill: theme().text, "font-size": 12, "font-family": font(), "text-anchor": "middle" });
  text.textContent = words;
  svg.setAttribute("height", String(height));
  svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  svg.append(text);
}

export function wrap(text: string, width: number, size: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    const longer = line ? `${line} ${word}` : word;
    if (line && textWidth(longer, size) > width) {
      lines.push(line);
      line = word;
    } else {
      line = longer;
    }
  }
  return [...lines, line];
}

// Paragraphs at the bottom of a drawing, which grows by them.
export function addNotes(svg: SVGSVGElement, notes: string[], width: number): void {
  const SIZE = 11, LINE = 14;
  let height = Number(svg.getAttribute("height"));
  for (const line of notes.flatMap((note) => wrap(note, width - 4, SIZE))) {
    const text = make("text", { x: 0, y: height + SIZE, fill: theme().muted, "font-size": SIZE, "font-family": font(), "text-anchor": "start" });
    text.textContent = line;
    svg.append(text);
    height += LINE;
  }
  if (!notes.length) return;
  svg.setAttribute("height", String(height + 4));
  svg.setAttribute("viewBox", `0 0 ${width} ${height + 4}`);
}

export const RAMP_HEIGHT = 46;

// Drawings below one another, or in rows of several.
export function stack(parts: SVGSVGElement[], width: number, top: number, gap = 6, across = 1): SVGSVGElement {
  const outer = make("svg", { width, fill: "currentColor", color: theme().text }) as SVGSVGElement;
  let y = top;
  for (let first = 0; first < parts.length; first += across) {
    const row = parts.slice(first, first + across);
    row.forEach((part, i) => {
      part.setAttribute("x", String((width / across) * i));
      part.setAttribute("y", String(y));
      outer.append(part);
    });
    y += Math.max(...row.map((part) => Number(part.getAttribute("height")))) + gap;
  }
  outer.setAttribute("height", String(y));
  outer.setAttribute("viewBox", `0 0 ${width} ${y}`);
  outer.setAttribute("style", "max-width: 100%; height: auto;");
  return outer;
}
