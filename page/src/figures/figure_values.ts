// SPDX-License-Identifier: MIT
// The numbers of a study's figure, and how they are written.
import type { Figure } from "../data";
import { formatNumber, formatShort, formatTimes } from "../format";

export type ColumnColor = (column: string) => string;

export function isCompared(figure: Figure): boolean {
  return figure.as !== "value";
}

// What the numbers are.
export function figureAxis(figure: Figure): string {
  if (figure.axis) return figure.axis;
  if (figure.as === "speedup") return `Speed-up over ${figure.baseline_label}`;
  return figure.as === "ratio" ? `${figure.statistic}, relative to ${figure.baseline_label}` : figure.statistic;
}

// The numbers of a figure, a paper's too.
export function valuesOf(figure: Figure): number[] {
  return figure.panels.flatMap((panel) => [...panel.measured, ...panel.paper, ...panel.means.flatMap((mean) => [mean.measured, mean.paper])])
    .flat().filter((value): value is number => typeof value === "number");
}

// The ends of intervals, for axes that have to show them.
export function intervalEnds(figure: Figure): number[] {
  const ends = (measured: (number | null)[], interval: (number | null)[] = []) => measured.flatMap((value, i) => {
    const half = interval[i];
    return typeof value === "number" && typeof half === "number" ? [value - half, value + half] : [];
  });
  return figure.panels.flatMap((panel) => [
    ...panel.measured.flatMap((row, i) => ends(row, panel.interval?.[i])), ...panel.means.flatMap((mean) => ends(mean.measured, mean.interval)),
  ]);
}

// "± 0.012, over 5 seeds", with what it means for a difference from the baseline.
export function intervalText(figure: Figure, measured: number, interval: number | null): string[] {
  if (interval === null || !figure.seeds) return [];
  const chance = isCompared(figure) && interval > 0 && Math.abs(measured - 1) <= interval;
  return [`± ${interval < 10 ? interval.toFixed(3) : formatShort(interval)} (95 %, ${figure.seeds} seeds)${chance ? ": within it of the baseline" : ""}`];
}

export function hasPaper(figure: Figure): boolean {
  return figure.panels.some((panel) => [...panel.paper, ...panel.means.map((mean) => mean.paper)].some((row) => row.some((value) => value !== null)));
}

// As many decimals as it takes to tell numbers of this span apart.
export function ratioText(value: number, span: number): string {
  return value.toFixed(span < 0.1 ? 3 : 2);
}

// Axes: the library's own way keeps decimals alike; large numbers are short.
export function tickText(domain: [number, number]): ((value: number) => string) | undefined {
  return Math.max(Math.abs(domain[0]), Math.abs(domain[1])) >= 10000 ? (value) => formatShort(value) : undefined;
}

export function valueText(figure: Figure, value: number): string {
  return isCompared(figure) ? formatTimes(value) : formatNumber(value);
}
