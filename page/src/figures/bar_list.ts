// SPDX-License-Identifier: MIT
// Lying bars with their labels above them, which leaves room for long ones on a narrow page.
import { addLegend, type Key, legendHeight, make } from "../plot";
import { fit, font, textWidth } from "../text";
import { theme } from "../theme";

export interface Bar {
  value: number;
  text: string; // behind the bar
  color: string;
}

export interface LabelledBars {
  label: string;
  bars: Bar[];
}

const LABEL = 17, BAR = 14, GAP = 10;

// least: where bars begin; mark: a line across all of them.
export function drawBarList(rows: LabelledBars[], width: number, keys: Key[] = [], least = 0, mark: number | null = null): SVGSVGElement | null {
  if (rows.length === 0) return null;
  const { text, muted, grid } = theme();
  const all = rows.flatMap((row) => row.bars);
  const room = Math.max(...all.map((bar) => textWidth(bar.text, 11.5))) + 12;
  const most = Math.max(...all.map((bar) => bar.value), least + 1e-9);
  const scale = (value: number) => Math.max(0, ((value - least) / (most - least)) * (width - room));
  const top = legendHeight(keys, width);
  const svg = make("svg", { width, "font-family": font(), "font-size": 12 }) as SVGSVGElement;
  let y = top;
  const say = (x: number, at: number, fill: string, size: number, words: string) => {
    const element = make("text", { x, y: at, fill, "font-size": size, "text-anchor": "start" });
    element.textContent = words;
    svg.append(element);
  };
  for (const row of rows) {
    say(0, y + 12, text, 12, fit(row.label, width - 4, 12));
    y += LABEL;
    const group = make("g", { "data-mark": "bar" });
    for (const bar of row.bars) {
      const rect = make("rect", { x: 0, y, width: Math.max(1, scale(bar.value)), height: BAR, rx: 2, fill: bar.color });
      const title = make("title", {});
      title.textContent = `${row.label}: ${bar.text}`;
      rect.append(title);
      group.append(rect);
      say(scale(bar.value) + 6, y + 11, muted, 11.5, bar.text);
      y += BAR + 1;
    }
    svg.append(group);
    y += GAP;
  }
  if (mark !== null) svg.append(make("path", { d: `M${scale(mark)},${top}V${y - GAP + 2}`, stroke: grid, "stroke-width": 1.5, "stroke-dasharray": "4 3", fill: "none" }));
  svg.setAttribute("height", String(y));
  svg.setAttribute("viewBox", `0 0 ${width} ${y}`);
  if (keys.length) addLegend(svg, keys, width);
  return svg;
}
