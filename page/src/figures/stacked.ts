// SPDX-License-Identifier: MIT
// Lying bars made of parts: a bar a run, in groups of a workload.
import * as Plot from "@observablehq/plot";
import type { Table } from "../data";
import { formatShare } from "../format";
import { addLegend, type Key, legendHeight, look, tipLook } from "../plot";
import { fit, textWidth, widest } from "../text";
import { theme } from "../theme";

export interface Part {
  name: string;
  color: string;
}

export interface StackedBar {
  group: string; // "" where bars stand by themselves
  bar: string;
  values: number[]; // by part
  whole: number; // 1 on the axis
}

interface Segment {
  key: string;
  group: string;
  bar: string;
  part: Part;
  from: number;
  to: number;
  label: string;
}

function segmentsOf(bars: StackedBar[], parts: Part[], pixels: number): Segment[] {
  return bars.flatMap((bar, index) => {
    let at = 0;
    return parts.map((part, i) => {
      const share = bar.whole > 0 ? bar.values[i]! / bar.whole : 0;
      const from = at;
      at += share;
      const words = [`${part.name} ${(share * 100).toFixed(0)} %`, `${(share * 100).toFixed(0)} %`];
      const label = words.find((text) => textWidth(text, 10.5) + 8 < share * pixels) ?? "";
      return { key: `${index}`, group: bar.group, bar: bar.bar, part, from, to: at, label };
    });
  });
}

// Dark letters on light parts, light ones on dark parts.
function inkOn(color: string): string {
  const parts = [1, 3, 5].map((i) => parseInt(color.slice(i, i + 2), 16) / 255);
  const [r, g, b] = parts.map((c) => (c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)) as [number, number, number];
  return 0.2126 * r + 0.7152 * g + 0.0722 * b > 0.22 ? "#10151c" : "#ffffff";
}

// Parts that are nowhere as large as this are drawn as one, where there are several.
const SMALL = 0.005;

function withoutSmall(bars: StackedBar[], parts: Part[]): { bars: StackedBar[]; parts: Part[] } {
  const isSmall = parts.map((_, i) => bars.every((bar) => bar.values[i]! < SMALL * bar.whole));
  if (isSmall.filter((small, i) => small && bars.some((bar) => bar.values[i]! > 0)).length < 2) return { bars, parts };
  const pick = <T>(list: T[]) => list.filter((_, i) => !isSmall[i]);
  const rest = (values: number[]) => values.reduce((sum, value, i) => (isSmall[i] ? sum + value : sum), 0);
  return {
    parts: [...pick(parts), { name: "other", color: theme().slots["other"]! }],
    bars: bars.map((bar) => ({ ...bar, values: [...pick(bar.values), rest(bar.values)] })),
  };
}

export function drawStacked(allBars: StackedBar[], allParts: Part[], width: number, axis: string): SVGSVGElement | null {
  if (allBars.length === 0) return null;
  const { bars, parts } = withoutSmall(allBars, allParts);
  const { text, muted, grid, surface } = theme();
  const used = parts.filter((_, i) => bars.some((bar) => bar.values[i]! > 0));
  const keys: Key[] = used.map((part) => ({ text: part.name, color: part.color }));
  const top = legendHeight(keys, width);
  const grouped = bars.some((bar) => bar.group !== "");
  const left = Math.min(width * 0.34, widest(bars.map((bar) => bar.bar), 11.5) + 14);
  const most = bars.reduce((max, bar) => Math.max(max, bar.whole > 0 ? bar.values.reduce((a, b) => a + b, 0) / bar.whole : 0), 0) || 1;
  const domain = most > 0.999 && most < 1.001 ? 1 : most;
  const segments = segmentsOf(bars, parts, (width - left - 24) / domain);
  const groups = [...new Set(bars.map((bar) => bar.group))];
  const names = new Map(bars.map((bar, i) => [`${i}`, bar.bar]));
  // One scale for all bars: a heading takes the place of a bar.
  const lines: string[] = [];
  for (const group of groups) {
    if (grouped) lines.push(`head ${group}`);
    bars.forEach((bar, i) => bar.group === group && lines.push(`${i}`));
  }
  const step = 22;
  const svg = Plot.plot({
    width, height: top + 50 + lines.length * step, style: look(), marginTop: top + 40, marginBottom: 10, marginLeft: left, marginRight: 24,
    y: { domain: lines, axis: null, padding: 0.14 },
    x: { domain: [0, domain], label: null },
    marks: [
      Plot.gridX({ stroke: grid, strokeOpacity: 1, ticks: width < 500 ? 4 : 8 }),
      Plot.axisX({ anchor: "top", label: null, tickSize: 0, color: muted, ticks: width < 500 ? 4 : 8, tickFormat: (value: number) => `${Math.round(value * 100)} %` }),
      Plot.barX(segments.filter((each) => each.to > each.from), { y: "key", x1: "from", x2: "to", fill: (each: Segment) => each.part.color, stroke: surface, strokeWidth: 0.7 }),
      Plot.text(segments.filter((each) => each.label), { y: "key", x: (each: Segment) => (each.from + each.to) / 2, text: "label", fontSize: 10.5, fill: (each: Segment) => inkOn(each.part.color) }),
      Plot.text([...names], { y: ([key]: [string, string]) => key, x: 0, text: ([, name]: [string, string]) => fit(name, left - 12, 11.5), textAnchor: "end", dx: -7, fontSize: 11.5, fill: muted }),
      ...(grouped ? [Plot.text(groups, { y: (group: string) => `head ${group}`, text: (group: string) => fit(group, width - 10, 12), frameAnchor: "left", dx: -left + 1, dy: 3, fontWeight: 600, fill: text })] : []),
      Plot.tip(segments.filter((each) => each.to > each.from), Plot.pointer({
        y: "key", x: (each: Segment) => (each.from + each.to) / 2,
        title: (each: Segment) => `${[each.group, each.bar].filter(Boolean).join(" · ")}\n${each.part.name} ${formatShare(each.to - each.from)}`, ...tipLook(),
      })),
    ],
  }) as SVGSVGElement;
  addLegend(svg, keys, width, axis);
  return svg;
}

export function stackedData(bars: StackedBar[], parts: Part[], unit: string): Table {
  return {
    columns: ["workload", "bar", ...parts.map((part) => part.name), `${unit} in 100 %`],
    rows: bars.map((bar) => [bar.group || bar.bar, bar.bar, ...bar.values, bar.whole]),
  };
}
