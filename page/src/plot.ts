// SPDX-License-Identifier: MIT
// What the figures have in common beyond the charting library: a look, legends
// inside of the drawing (so that they are saved with it), and drawings above
// one another.
import * as Plot from "@observablehq/plot";
import { theme } from "./theme";

export const FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif";
const SPACE = "http://www.w3.org/2000/svg";

export function look(fontSize = 12): Plot.PlotOptions["style"] {
  const { text, surface } = theme();
  return {
    color: text, background: "transparent", fontFamily: FONT, fontSize: `${fontSize}px`, overflow: "visible",
    "--plot-background": surface,
  } as unknown as Plot.PlotOptions["style"];
}

export function tipLook(): Plot.TipOptions {
  const { grid, surface } = theme();
  return { fill: surface, stroke: grid, fontSize: 12, lineHeight: 1.25, textPadding: 9, pathFilter: "none" };
}

let measuring: CanvasRenderingContext2D | null | undefined;

export function textWidth(text: string, size = 12, weight = 400): number {
  if (measuring === undefined) measuring = document.createElement("canvas").getContext("2d");
  if (!measuring) return text.length * size * 0.6;
  measuring.font = `${weight} ${size}px ${FONT}`;
  return measuring.measureText(text).width;
}

export function widest(texts: string[], size = 12, weight = 400): number {
  return texts.reduce((most, text) => Math.max(most, textWidth(text, size, weight)), 0);
}

// Cut to a width, with an ellipsis.
export function fit(text: string, width: number, size = 12): string {
  if (textWidth(text, size) <= width) return text;
  let end = text.length;
  while (end > 1 && textWidth(`${text.slice(0, end)}…`, size) > width) end--;
  return `${text.slice(0, end)}…`;
}

export interface Key {
  text: string;
  color: string;
  shape?: "square" | "diamond" | "line";
}

interface Placed extends Key {
  x: number;
  y: number;
}

const ROW = 22;

function place(keys: Key[], width: number): { placed: Placed[]; height: number } {
  let x = 0, y = 0;
  const placed = keys.map((key) => {
    const size = 18 + textWidth(key.text) + 18;
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

function make(tag: string, attributes: Record<string, string | number>): SVGElement {
  const element = document.createElementNS(SPACE, tag) as SVGElement;
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  return element;
}

function sign(key: Placed): SVGElement {
  const y = key.y + 5;
  if (key.shape === "diamond")
    return make("path", { d: `M${key.x + 6},${y}l5.5,5.5l-5.5,5.5l-5.5,-5.5z`, fill: theme().surface, stroke: key.color, "stroke-width": 1.8 });
  if (key.shape === "line") return make("rect", { x: key.x, y: y + 4, width: 12, height: 3, rx: 1.5, fill: key.color });
  return make("rect", { x: key.x, y, width: 12, height: 12, rx: 2.5, fill: key.color });
}

// axis: what the numbers are, in a line under the keys.
export function addLegend(svg: SVGSVGElement, keys: Key[], width: number, axis = ""): void {
  const { placed, height } = place(keys, width);
  const group = make("g", { "font-size": 12, "font-family": FONT, "text-anchor": "start" });
  for (const key of placed) {
    const text = make("text", { x: key.x + 18, y: key.y + 15, fill: theme().text });
    text.textContent = key.text;
    group.append(sign(key), text);
  }
  if (axis) {
    const text = make("text", { x: 0, y: height + 12, fill: theme().muted });
    text.textContent = fit(axis, width);
    group.append(text);
  }
  svg.append(group);
}

// A ramp of colours with a label at either end, for heat maps.
export function addRamp(svg: SVGSVGElement, label: string, from: string, to: string): void {
  const { ramp, text, muted } = theme();
  const group = make("g", { "font-size": 12, "font-family": FONT, "text-anchor": "start" });
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

export const RAMP_HEIGHT = 46;

export function stack(parts: SVGSVGElement[], width: number, top: number, gap = 6): SVGSVGElement {
  const outer = make("svg", { width, fill: "currentColor", color: theme().text }) as SVGSVGElement;
  let y = top;
  for (const part of parts) {
    const height = Number(part.getAttribute("height"));
    part.setAttribute("y", String(y));
    outer.append(part);
    y += height + gap;
  }
  outer.setAttribute("height", String(y));
  outer.setAttribute("viewBox", `0 0 ${width} ${y}`);
  outer.setAttribute("style", "max-width: 100%; height: auto;");
  return outer;
}
