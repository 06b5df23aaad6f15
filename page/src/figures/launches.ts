// SPDX-License-Identifier: MIT
// Kernels that launch kernels: who launched whom, when, and how long each waited. The same
// launches twice, over time and as a tree.
import * as Plot from "@observablehq/plot";
import { Reader, type Table } from "../data";
import type { FigureSpec } from "../figure";
import { formatCount, formatShort, plainName, plural } from "../format";
import { addLegend, type Key, legendHeight, look, tipLook } from "../plot";
import { mix, theme } from "../theme";

export interface Launch {
  id: number;
  name: string;
  grid: string;
  parent: number | null;
  parentCta: number | null;
  depth: number;
  launched: number;
  submitted: number;
  started: number;
  ended: number;
  firstSm: number;
  sms: number;
}

export function launchesOf(table: Table): Launch[] {
  const reader = new Reader(table);
  const time = (row: Table["rows"][number], name: string) => reader.number(row, name) ?? 0;
  return table.rows.map((row) => ({
    id: reader.number(row, "id") ?? 0,
    name: plainName(reader.text(row, "name")),
    grid: reader.text(row, "grid"),
    parent: reader.number(row, "parent"),
    parentCta: reader.number(row, "parent_cta"),
    depth: reader.number(row, "depth") ?? 0,
    launched: time(row, "launched_cycle"), submitted: time(row, "submitted_cycle"),
    started: time(row, "started_cycle"), ended: time(row, "ended_cycle"),
    firstSm: reader.number(row, "first_sm") ?? 0, sms: reader.number(row, "sms_used") ?? 0,
  }));
}

function deepest(launches: Launch[]): number {
  return launches.reduce((most, launch) => Math.max(most, launch.depth), 0);
}

// Deeper is darker; the host's own launches are grey.
function depthColor(depth: number, most: number): string {
  const { series, baseline, text } = theme();
  return depth === 0 ? baseline : mix(series[0]!, text, most > 1 ? (0.7 * (depth - 1)) / (most - 1) : 0);
}

function depthKeys(most: number): Key[] {
  const shown = most <= 4 ? [...Array(most + 1).keys()] : [0, 1, Math.ceil(most / 2), most];
  return shown.map((depth) => ({ text: depth === 0 ? "launched by the host" : `depth ${depth}`, color: depthColor(depth, most) }));
}

function describe(launch: Launch): string {
  const from = launch.parent === null ? "launched by the host" : `launched by kernel ${launch.parent}, CTA ${launch.parentCta ?? "?"}, depth ${launch.depth}`;
  return [
    `${launch.name} (${launch.id}), grid ${launch.grid}`, from,
    `launched in cycle ${formatCount(launch.launched)}; ${formatCount(launch.submitted - launch.launched)} cycles until it was queued, ${formatCount(launch.started - launch.submitted)} until it started`,
    `ran for ${formatCount(launch.ended - launch.started)} cycles on ${launch.sms === 1 ? `SM ${launch.firstSm}` : `${formatCount(launch.sms)} SMs, the first SM ${launch.firstSm}`}`,
  ].join("\n");
}

function words(launches: Launch[]): string {
  const children = launches.filter((launch) => launch.parent !== null);
  const waited = children.reduce((sum, launch) => sum + launch.started - launch.launched, 0) / Math.max(1, children.length);
  return `${plural(launches.length, "kernel")}, ${formatCount(children.length)} of them launched by kernels, at most ${formatCount(deepest(launches))} deep; such a kernel waited ${formatCount(Math.round(waited))} cycles on average between its launch and its start.`;
}

// ---- over time

interface Lane extends Launch {
  lane: number;
}

// Kernels in as few lanes as possible: the first that is free when one is launched.
export function lanesOf(launches: Launch[]): Lane[] {
  const free: number[] = [];
  return [...launches].sort((a, b) => a.launched - b.launched || a.id - b.id).map((launch) => {
    let lane = free.findIndex((end) => end <= launch.launched);
    if (lane < 0) lane = free.length;
    free[lane] = launch.ended;
    return { ...launch, lane };
  });
}

function drawTimes(launches: Launch[], width: number): SVGSVGElement {
  const { muted, grid } = theme();
  const lanes = lanesOf(launches), most = deepest(launches), keys: Key[] = [...depthKeys(most), { text: "between launch and start", color: muted, shape: "line" }];
  const count = lanes.reduce((last, launch) => Math.max(last, launch.lane + 1), 1), top = legendHeight(keys, width) + 8;
  const height = Math.max(1, Math.min(14, 420 / count)), gap = height > 3 ? 0.1 : 0;
  const end = lanes.reduce((last, launch) => Math.max(last, launch.ended), 1);
  const svg = Plot.plot({
    width, height: top + 44 + count * height, style: look(), marginTop: top, marginLeft: 14, marginRight: 14, marginBottom: 40,
    x: { domain: [0, end] }, y: { axis: null, domain: [0, count] },
    marks: [
      Plot.gridX({ stroke: grid, ticks: width < 500 ? 4 : 8 }),
      Plot.axisX({ ticks: width < 500 ? 4 : 8, tickSize: 0, color: muted, label: "cycle", labelArrow: "none", tickFormat: (value: number) => formatShort(value) }),
      Plot.ruleY(lanes, { x1: "launched", x2: "started", y: (launch: Lane) => launch.lane + 0.5, stroke: muted, strokeOpacity: 0.55, strokeWidth: Math.min(1, height / 2) }),
      Plot.rect(lanes, { x1: "started", x2: "ended", y1: (launch: Lane) => launch.lane + gap, y2: (launch: Lane) => launch.lane + 1 - gap, fill: (launch: Lane) => depthColor(launch.depth, most) }),
      Plot.tip(lanes, Plot.pointer({ x: (launch: Lane) => (launch.started + launch.ended) / 2, y: (launch: Lane) => launch.lane + 0.5, title: describe, ...tipLook() })),
    ],
  }) as SVGSVGElement;
  addLegend(svg, keys, width);
  return svg;
}

// ---- as a tree

export interface Place extends Launch {
  from: number;
  to: number;
}

// An icicle: a kernel is as wide as the kernels without children below it, one each.
export function placesOf(launches: Launch[]): Place[] {
  const known = new Set(launches.map((launch) => launch.id));
  const children = new Map<number | null, Launch[]>();
  for (const launch of launches) {
    const parent = launch.parent !== null && known.has(launch.parent) ? launch.parent : null;
    const siblings = children.get(parent);
    if (siblings) siblings.push(launch);
    else children.set(parent, [launch]);
  }
  const places: Place[] = [];
  let next = 0;
  const visit = (launch: Launch): void => {
    const place: Place = { ...launch, from: next, to: next };
    places.push(place);
    const below = children.get(launch.id) ?? [];
    below.forEach(visit);
    if (below.length === 0) next += 1;
    place.to = next;
  };
  (children.get(null) ?? []).forEach(visit);
  return places;
}

function drawTree(launches: Launch[], width: number): SVGSVGElement {
  const { muted, surface } = theme();
  const places = placesOf(launches), most = deepest(launches), keys = depthKeys(most), top = legendHeight(keys, width) + 8;
  const wide = places.reduce((last, place) => Math.max(last, place.to), 1), row = Math.max(12, Math.min(34, 300 / (most + 1)));
  const inset = (width - 64) / wide > 4 ? 0.5 : 0;
  const svg = Plot.plot({
    width, height: top + 12 + (most + 1) * row, style: look(), marginTop: top, marginLeft: 50, marginRight: 14, marginBottom: 12,
    x: { axis: null, domain: [0, wide] }, y: { domain: [most + 1, 0] },
    marks: [
      Plot.axisY({ ticks: [...Array(most + 1).keys()].filter((depth) => depth % Math.ceil(14 / row) === 0).map((depth) => depth + 0.5), tickSize: 0, color: muted, label: null, tickFormat: (at: number) => (at < 1 ? "host" : `${at - 0.5}`) }),
      Plot.rect(places, { x1: "from", x2: "to", y1: "depth", y2: (place: Place) => place.depth + 1, fill: (place: Place) => depthColor(place.depth, most), stroke: surface, strokeWidth: inset }),
      Plot.tip(places, Plot.pointer({ x: (place: Place) => (place.from + place.to) / 2, y: (place: Place) => place.depth + 0.5, title: describe, ...tipLook() })),
    ],
  }) as SVGSVGElement;
  addLegend(svg, keys, width);
  return svg;
}

export function launchFigures(table: Table, limit: number): FigureSpec[] {
  const launches = launchesOf(table);
  const cut = table.rows.length >= limit ? ` The first ${formatCount(limit)} kernels only.` : "";
  return [
    {
      id: "launch-time-line", title: "Launches over time",
      note: `A bar spans a kernel from its start to the end of its last CTA; the line before it spans the time from launch to start.${cut}`,
      draw: (width) => drawTimes(launches, width), data: () => table, words: () => `Time line of launches: ${words(launches)}`,
    },
    {
      id: "launch-tree", title: "Launch tree",
      note: `Each kernel is below its parent; its width is the number of leaves below it.${cut}`,
      draw: (width) => drawTree(launches, width), data: () => table, words: () => `Tree of launches: ${words(launches)}`,
    },
  ];
}
