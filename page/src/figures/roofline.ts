// SPDX-License-Identifier: MIT
// Roofline: what L1, L2 and DRAM, and each kind of arithmetic unit allow, and where the kernel is.
import * as Plot from "@observablehq/plot";
import type { ExplainedKernel, Roof } from "../data";
import type { FigureSpec } from "../figure";
import { formatNumber, formatShare } from "../format";
import { addLegend, type Key, legendHeight, look, symbolAt, tipLook } from "../plot";
import { theme } from "../theme";

interface Point {
  level: Roof;
  type: Roof;
  x: number; // operations per byte
  y: number; // operations per cycle
}

// Types with less of the kernel's arithmetic have no points.
const WORTH = 0.02;

function pointsOf({ roofs }: ExplainedKernel): Point[] {
  const all = roofs.arithmetic.reduce((sum, type) => sum + type.used, 0);
  return roofs.arithmetic.filter((type) => type.used > WORTH * all).flatMap((type) =>
    roofs.memory.filter((level) => level.used > 0).map((level) => ({ level, type, x: type.used / level.used, y: type.used / roofs.cycles })));
}

function draw(kernel: ExplainedKernel, width: number): SVGSVGElement | null {
  const points = pointsOf(kernel), { memory, arithmetic } = kernel.roofs;
  if (points.length === 0) return null;
  const { muted, grid, series, text, surface } = theme();
  const color = (level: Roof) => series[memory.indexOf(level) % series.length]!;
  const types = arithmetic.filter((type) => points.some((point) => point.type === type) || type.used > 0 || type === arithmetic[0]);
  const highest = Math.max(...types.map((type) => type.peak));
  const ridge = memory.filter((level) => level.peak > 0).map((level) => highest / level.peak);
  const low = Math.min(...points.map((point) => point.x), ...ridge) / 4, high = Math.max(...points.map((point) => point.x), ...ridge) * 4;
  const floor = Math.min(...points.map((point) => point.y), ...types.map((type) => type.peak)) / 3;
  const keys: Key[] = [
    ...memory.map((level) => ({ text: `${level.name}, ${formatNumber(level.peak)} bytes per cycle`, color: color(level), shape: "line" as const })),
    ...types.map((type, i) => ({ text: `${type.name}, ${formatNumber(type.peak)} per cycle`, color: muted, symbol: symbolAt(i) })),
  ];
  const slope = (level: Roof) => {
    const from = Math.max(low, floor / level.peak), to = Math.min(high, highest / level.peak);
    return from < to ? [{ x: from, y: from * level.peak }, { x: to, y: to * level.peak }] : [];
  };
  const top = legendHeight(keys, width) + 26;
  const svg = Plot.plot({
    width, height: top + 300, style: look(), marginTop: top, marginLeft: 52, marginRight: 16, marginBottom: 42,
    x: { type: "log", domain: [low, high] }, y: { type: "log", domain: [floor, highest * 2] },
    marks: [
      Plot.gridX({ stroke: grid, strokeOpacity: 1, ticks: 5 }), Plot.gridY({ stroke: grid, strokeOpacity: 1, ticks: 5 }),
      Plot.axisX({ color: muted, tickSize: 0, ticks: width < 500 ? 4 : 7, label: "operations per byte", labelArrow: "none", labelAnchor: "center", tickFormat: (value: number) => formatNumber(value) }),
      Plot.axisY({ color: muted, tickSize: 0, ticks: 5, label: null, tickFormat: (value: number) => formatNumber(value) }),
      ...types.map((type, i) => Plot.line([{ x: Math.max(low, ...memory.slice(0, 1).map((level) => type.peak / level.peak)), y: type.peak }, { x: high, y: type.peak }], { x: "x", y: "y", stroke: muted, strokeWidth: 1.4, strokeDasharray: i ? "5 3" : undefined })),
      ...memory.map((level) => Plot.line(slope(level), { x: "x", y: "y", stroke: color(level), strokeWidth: 2 })),
      Plot.dot(points, { x: "x", y: "y", r: 5.5, symbol: (point: Point) => symbolAt(types.indexOf(point.type)), fill: (point: Point) => color(point.level), stroke: surface }),
      Plot.text(points.filter((point) => point.type === points[0]!.type), { x: "x", y: "y", dy: -13, text: (point: Point) => point.level.name, fill: text, fontSize: 11 }),
      Plot.tip(points, Plot.pointer({
        x: "x", y: "y", ...tipLook(),
        title: (point: Point) => `${point.type.name} over ${point.level.name}\n${formatNumber(point.x)} operations per byte\n${formatNumber(point.y)} per cycle, ${formatShare(point.y / Math.min(point.type.peak, point.x * point.level.peak))} of the roof`,
      })),
    ],
  }) as SVGSVGElement;
  addLegend(svg, keys, width, "operations of threads per cycle, of the whole GPU");
  return svg;
}

export function rooflineFigure(kernel: ExplainedKernel, id: string): FigureSpec {
  const { memory, arithmetic, cycles } = kernel.roofs;
  const share = (roof: Roof) => (roof.peak > 0 && cycles > 0 ? roof.used / roof.peak / cycles : 0);
  return {
    id: `roofline-${id}`, title: "Roofline",
    note: "Sloping: what L1, L2 and DRAM can deliver. Level: what each kind of arithmetic unit can execute. A point is one kind of arithmetic over the bytes of one level; under the slope of its level it waits for memory. An instruction of a thread is one operation.",
    draw: (width) => draw(kernel, width),
    empty: () => "The kernel executes no arithmetic, or accesses no memory.",
    data: () => ({
      columns: ["roof", "kind", "peak per cycle", "used", "share of the peak"],
      rows: [...memory.map((roof) => [roof.name, "bytes", roof.peak, roof.used, share(roof)]), ...arithmetic.map((roof) => [roof.name, "operations", roof.peak, roof.used, share(roof)])],
    }),
    words: () => `Roofline with ${memory.length} memory levels and ${arithmetic.length} kinds of arithmetic. Of the peaks: ${[...memory, ...arithmetic].filter((roof) => roof.used > 0).map((roof) => `${roof.name} ${formatShare(share(roof))}`).join(", ")}.`,
  };
}
