// SPDX-License-Identifier: MIT
// Two runs side by side: cycles by cause, or by access.
import type { Difference } from "../data";
import type { FigureSpec } from "../figure";
import { formatCount } from "../format";
import { theme } from "../theme";
import { drawBarList } from "./bar_list";

type Changes = Difference["kernels"][number]["causes"];

export function differenceFigure(id: string, title: string, note: string, names: [string, string], changes: Changes): FigureSpec {
  const colors = () => [theme().baseline, theme().series[0]!];
  const change = (before: number, after: number) => (before > 0 ? ` (${after >= before ? "+" : "−"}${Math.abs(((after - before) / before) * 100).toFixed(1)} %)` : "");
  return {
    id, title, note,
    draw: (width) => drawBarList(changes.map(({ name, before, after }) => ({
      label: name,
      bars: [{ value: before, text: formatCount(before), color: colors()[0]! }, { value: after, text: `${formatCount(after)}${change(before, after)}`, color: colors()[1]! }],
    })), width, names.map((text, i) => ({ text: `${i ? "after" : "before"}: ${text}`, color: colors()[i]! }))),
    empty: () => "No difference of at least 0.5 % of the kernel's cycles.",
    data: () => ({ columns: ["what", "before", "after"], rows: changes.map(({ name, before, after }) => [name, before, after]) }),
    words: () => `Pairs of bars. ${changes.map(({ name, before, after }) => `${name}: ${formatCount(before)} before, ${formatCount(after)} after`).join("; ")}.`,
  };
}
