// SPDX-License-Identifier: MIT
// Where data came from: boxes of SM, L1, shared memory, L2 and DRAM with the traffic between them.
// On a narrow page the boxes stand below one another.
import type { ExplainedKernel } from "../data";
import type { FigureSpec } from "../figure";
import { formatBytes, formatCount, formatShare } from "../format";
import { make } from "../plot";
import { font } from "../text";
import { mix, theme } from "../theme";

interface Box {
  name: string;
  x: number;
  y: number;
}

const WIDTH = 128, HEIGHT = 74;
const TOP = 22; // room for labels of arrows above the boxes

function linesOf({ memory }: ExplainedKernel): Record<string, string[]> {
  const cache = (name: string) => {
    const found = memory.caches.find((each) => each.name === name);
    if (!found || found.accesses === 0) return ["not used"];
    return [`${formatShare(found.hits / found.accesses)} hits`, ...(found.merges > 0 ? [`${formatShare(found.merges / found.accesses)} merged`] : []), `of ${formatCount(found.accesses)}`].slice(0, 3);
  };
  const rows = memory.row_hits + memory.row_misses;
  return {
    SM: ["loads and stores"],
    L1: cache("L1"),
    shared: memory.shared_accesses ? [`${formatCount(memory.shared_accesses)} accesses`, `${(memory.bank_conflict_cycles / memory.shared_accesses).toFixed(2)} conflict cycles`, "each"] : ["not used"],
    L2: cache("L2"),
    DRAM: rows ? [`${formatShare(memory.row_hits / rows)} row hits`] : ["not used"],
  };
}

function place(names: string[], width: number): { boxes: Map<string, Box>; height: number; upright: boolean } {
  const upright = width < 640, boxes = new Map<string, Box>();
  const step = upright ? HEIGHT + 62 : (width - WIDTH - 4) / 3;
  const at = (name: string, i: number, row: number) => boxes.set(name, upright
    ? { name, x: row ? width - WIDTH - 2 : Math.min(30, width - 2 * WIDTH - 40), y: 2 + i * step }
    : { name, x: 2 + i * step, y: row ? TOP + HEIGHT + 56 : TOP });
  ["SM", "L1", "L2", "DRAM"].forEach((name, i) => at(name, i, 0));
  at("shared", 1, 1);
  for (const name of [...boxes.keys()]) if (!names.includes(name)) boxes.delete(name);
  return { boxes, upright, height: upright ? 4 * HEIGHT + 3 * 62 + 6 : TOP + 2 * HEIGHT + 62 };
}

// An arrow from one box to another, as thick as its traffic, with its words beside it.
function arrow(from: Box, to: Box, words: string[], thickness: number, side: number, upright: boolean): SVGElement[] {
  const { muted, text } = theme();
  const color = thickness > 0 ? theme().series[0]! : muted;
  const middle = (box: Box) => ({ x: box.x + WIDTH / 2, y: box.y + HEIGHT / 2 });
  const a = middle(from), b = middle(to), level = Math.abs(a.y - b.y) < 1, plumb = Math.abs(a.x - b.x) < 1;
  const sign = (value: number) => (value > 0 ? 1 : -1);
  let start, end, label;
  if (level) {
    start = { x: a.x + sign(b.x - a.x) * WIDTH / 2, y: a.y + side };
    end = { x: b.x - sign(b.x - a.x) * WIDTH / 2, y: b.y + side };
    label = { x: (start.x + end.x) / 2, y: side > 0 ? a.y + side + 15 + thickness / 2 : a.y + side - 19 - thickness / 2, anchor: "middle" };
  } else if (plumb) {
    start = { x: a.x + side, y: a.y + sign(b.y - a.y) * HEIGHT / 2 };
    end = { x: b.x + side, y: b.y - sign(b.y - a.y) * HEIGHT / 2 };
    label = { x: a.x + side + (side < 0 ? -12 : 12), y: (start.y + end.y) / 2 - 3, anchor: side < 0 ? "end" : "start" };
  } else if (upright) {
    start = { x: a.x + WIDTH / 2, y: a.y };
    end = { x: b.x, y: b.y - HEIGHT / 2 };
    label = { x: b.x + 6, y: a.y + 30, anchor: "start" };
  } else {
    start = { x: a.x, y: a.y + HEIGHT / 2 };
    end = { x: b.x - WIDTH / 2, y: b.y };
    label = { x: a.x + 10, y: b.y + 16, anchor: "start" };
  }
  const bend = level || plumb ? "" : upright ? `H${end.x}` : `V${end.y}`;
  const wide = Math.max(1.4, thickness), head = 5 + wide / 2;
  const dx = bend ? (upright ? 0 : 1) : level ? sign(end.x - start.x) : 0, dy = bend ? (upright ? 1 : 0) : level ? 0 : sign(end.y - start.y);
  const tip = { x: end.x - dx, y: end.y - dy }, back = { x: tip.x - dx * head * 1.5, y: tip.y - dy * head * 1.5 };
  const line = make("path", { d: `M${start.x},${start.y}${bend}L${back.x},${back.y}`, stroke: color, "stroke-width": wide, fill: "none", "stroke-dasharray": thickness > 0 ? "none" : "3 3" });
  const point = make("path", { d: `M${tip.x},${tip.y}L${back.x - dy * head},${back.y - dx * head}L${back.x + dy * head},${back.y + dx * head}Z`, fill: color });
  const labels = words.map((word, i) => {
    const element = make("text", { x: label.x, y: label.y + i * 14, fill: i ? muted : text, "font-size": i ? 11 : 12, "text-anchor": label.anchor });
    element.textContent = word;
    return element;
  });
  return [line, point, ...labels];
}

function draw(kernel: ExplainedKernel, width: number): SVGSVGElement {
  const { text, muted, band, grid, series } = theme();
  const lines = linesOf(kernel);
  const { boxes, upright, height } = place(Object.keys(lines), width);
  const svg = make("svg", { width, height, viewBox: `0 0 ${width} ${height}`, "font-family": font(), "font-size": 12 }) as SVGSVGElement;
  const most = Math.max(...kernel.memory.edges.map((edge) => edge.bytes), 1);
  for (const edge of kernel.memory.edges) {
    const from = boxes.get(edge.from), to = boxes.get(edge.to);
    if (!from || !to) continue;
    const two = kernel.memory.edges.some((each) => each.from === edge.to && each.to === edge.from);
    const back = edge.from === "DRAM" || (edge.from === "L2" && edge.to === "L1");
    const group = make("g", { "data-mark": "edge" });
    group.append(...arrow(from, to, [formatBytes(edge.bytes), edge.what], (11 * edge.bytes) / most, two ? (back ? 15 : -15) : 0, upright));
    svg.append(group);
  }
  for (const box of boxes.values()) {
    const rate = kernel.memory.caches.find((each) => each.name === box.name);
    const fill = rate && rate.accesses > 0 ? mix(band, series[2]!, 0.28 * (rate.hits / rate.accesses)) : band;
    svg.append(make("rect", { x: box.x, y: box.y, width: WIDTH, height: HEIGHT, rx: 8, fill, stroke: grid, "stroke-width": 1.5 }));
    [box.name === "shared" ? "shared memory" : box.name, ...lines[box.name]!].forEach((words, i) => {
      const element = make("text", { x: box.x + WIDTH / 2, y: box.y + 19 + i * 16, fill: i ? mix(muted, text, 0.4) : text, "font-size": i ? 11 : 13, "font-weight": i ? 400 : 600, "text-anchor": "middle" });
      element.textContent = words;
      svg.append(element);
    });
  }
  return svg;
}

export function memoryFigure(kernel: ExplainedKernel, id: string): FigureSpec {
  const { edges, caches } = kernel.memory;
  return {
    id: `memory-${id}`, title: "Memory chart",
    note: "Bytes between the parts, arrows as thick as their share of the largest; hits of the caches in the boxes. An access to the L1 counts as a whole transaction, one to shared memory as all banks. Traffic with the L2 includes packet headers, instructions and constants.",
    draw: (width) => draw(kernel, width),
    data: () => ({
      columns: ["from", "to", "what", "bytes", "hit rate of the second"],
      rows: edges.map((edge) => {
        const cache = caches.find((each) => each.name === edge.to);
        return [edge.from, edge.to, edge.what, edge.bytes, cache && cache.accesses > 0 ? cache.hits / cache.accesses : null];
      }),
    }),
    words: () => `Memory chart. ${edges.map((edge) => `${edge.from} to ${edge.to}: ${formatBytes(edge.bytes)} of ${edge.what}`).join("; ")}. ${caches.map((cache) => `${cache.name} hits ${formatShare(cache.accesses > 0 ? cache.hits / cache.accesses : 0)}`).join(", ")}.`,
  };
}
