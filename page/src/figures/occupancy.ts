// SPDX-License-Identifier: MIT
// Resident warps over block size, registers and shared memory, with the kernel's own values.
import * as Plot from "@observablehq/plot";
import type { ExplainedKernel, OccupancyAxis } from "../data";
import type { FigureSpec } from "../figure";
import { formatCount, formatNumber, formatShort, plural } from "../format";
import { addNotes, look, stack, tipLook } from "../plot";
import { theme } from "../theme";

type Point = OccupancyAxis["points"][number];

function drawAxis(axis: OccupancyAxis, most: number, width: number): SVGSVGElement {
  const { muted, grid, series, text, surface } = theme();
  const current = axis.points.filter(([value]) => value === axis.current);
  return Plot.plot({
    width, height: 190, style: look(), marginTop: 24, marginLeft: 34, marginRight: 14, marginBottom: 40,
    x: { domain: [0, Math.max(...axis.points.map(([value]) => value))] }, y: { domain: [0, most] },
    marks: [
      Plot.gridY({ stroke: grid, strokeOpacity: 1, ticks: 4 }),
      Plot.axisX({ color: muted, tickSize: 0, ticks: 4, label: axis.unit, labelAnchor: "center", labelArrow: "none", tickFormat: (value: number) => formatShort(value) }),
      Plot.axisY({ color: muted, tickSize: 0, ticks: 4, label: null }),
      Plot.line(axis.points, { x: "0", y: "1", curve: "step-after", stroke: series[0], strokeWidth: 1.8 }),
      Plot.dot(current, { x: "0", y: "1", r: 6, fill: series[1], stroke: surface, strokeWidth: 1.5 }),
      Plot.text(current, { x: "0", y: "1", dy: -13, text: ([, warps]: Point) => plural(warps, "warp"), fill: text, fontSize: 11 }),
      Plot.tip(axis.points, Plot.pointer({ x: "0", y: "1", title: ([value, warps, ctas, limit]: Point) => `${formatCount(value)} ${axis.unit}\n${plural(warps, "warp")}, ${plural(ctas, "CTA")} per SM\nlimited by ${limit}`, ...tipLook() })),
    ],
  }) as SVGSVGElement;
}

// The next value in a direction with another number of warps, and the first step.
function stepWords(axis: OccupancyAxis, down: boolean): string | null {
  const at = axis.points.findIndex(([value]) => value === axis.current), here = axis.points[at];
  const beside = axis.points[at + (down ? -1 : 1)];
  if (!here || !beside) return null;
  const ahead = down ? axis.points.slice(0, at).reverse() : axis.points.slice(at + 1);
  const better = ahead.find(([, warps]) => warps > here[1]);
  const step = `${formatCount(beside[0])} ${axis.unit}: ${beside[1] === here[1] ? "no change" : `${beside[1]} warps`}`;
  return better && better !== beside ? `${step}; ${formatCount(better[0])}: ${better[1]} warps` : step;
}

export function occupancySteps(kernel: ExplainedKernel): string[] {
  const axes = kernel.occupancy?.axes ?? [];
  return axes.filter((axis) => axis.name !== "shared memory" || axis.current > 0).flatMap((axis) => [true, false].flatMap((down) => {
    const words = stepWords(axis, down);
    return words ? [words] : [];
  }));
}

export function occupancyFigure(kernel: ExplainedKernel, id: string): FigureSpec | null {
  const { occupancy } = kernel;
  if (!occupancy) return null;
  const say = `${occupancy.warps} of ${occupancy.max_warps} warps fit an SM (${plural(occupancy.ctas, "CTA")}), limited by ${occupancy.limit}; on average ${formatNumber(occupancy.achieved_warps)} are resident.`;
  return {
    id: `occupancy-${id}`, title: "Occupancy", note: say,
    draw: (width) => {
      const across = width < 640 ? 1 : 3;
      const svg = stack(occupancy.axes.map((axis) => drawAxis(axis, occupancy.max_warps, width / across)), width, 4, 6, across);
      addNotes(svg, ["Resident warps per SM; the dot is the kernel. One step:", ...occupancySteps(kernel)], width);
      return svg;
    },
    data: () => ({ columns: ["axis", "value", "warps per SM", "CTAs per SM", "limit", "current"], rows: occupancy.axes.flatMap((axis) => axis.points.map(([value, warps, ctas, limit]) => [axis.name, value, warps, ctas, limit, value === axis.current])) }),
    words: () => `${say} One step: ${occupancySteps(kernel).join("; ")}.`,
  };
}
