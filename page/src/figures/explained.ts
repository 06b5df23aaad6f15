// SPDX-License-Identifier: MIT
// What a kernel's time went to, what it would gain, and who uses its lines again.
import type { ExplainedKernel, WhatIf } from "../data";
import type { FigureSpec } from "../figure";
import { formatCount, formatShare, formatTimes } from "../format";
import type { Key } from "../plot";
import { theme } from "../theme";
import { drawBarList, type LabelledBars } from "./bar_list";
import { drawStacked, type Part } from "./stacked";

const SMALL = 0.005;

export function causesFigure(kernel: ExplainedKernel, id: string): FigureSpec {
  const label = (cause: ExplainedKernel["causes"][number]) => [cause.cause, cause.access, cause.where].filter(Boolean).join(" · ");
  const rows = (): LabelledBars[] => {
    const { slots } = theme(), large = kernel.causes.filter((cause) => cause.share >= SMALL);
    const rest = kernel.causes.reduce((sum, cause) => (cause.share < SMALL ? sum + cause.share : sum), 0);
    const bar = (share: number, group: string) => [{ value: share, text: formatShare(share), color: slots[group] ?? slots["other"]! }];
    return [...large.map((cause) => ({ label: label(cause), bars: bar(cause.share, cause.group) })), ...(rest > 0 ? [{ label: "others", bars: bar(rest, "other") }] : [])];
  };
  const first = kernel.causes[0];
  return {
    id: `causes-${id}`, title: "Where the time goes",
    note: "Every issue slot belongs to one cause; together they are the kernel's time. Slots that wait for memory are charged to accesses.",
    draw: (width) => drawBarList(rows(), width),
    data: () => ({ columns: ["cause", "access", "where", "share"], rows: kernel.causes.map((cause) => [cause.cause, cause.access, cause.where, cause.share]) }),
    words: () => `Bars of ${kernel.causes.length} causes. The largest is ${first ? `${label(first)}, ${formatShare(first.share)} of the issue slots` : "unknown"}.`,
  };
}

function option(item: WhatIf): string {
  return item.ideal ? `--ideal ${item.ideal}` : (item.set ?? "").split(" ").map((each) => `--set ${each}`).join(" ");
}

export function whatIfFigure(kernel: ExplainedKernel, id: string): FigureSpec {
  const sorted = [...kernel.what_ifs].sort((a, b) => b.speedup - a.speedup);
  const colors = () => ({ bound: theme().series[0]!, tried: theme().series[1]!, scheme: theme().series[2]! });
  const rows = (): LabelledBars[] => sorted.map((item) => ({
    label: `${item.title} (${option(item)})`,
    bars: [{ value: item.speedup, text: formatTimes(item.speedup), color: item.tried ? colors().tried : item.scheme ? colors().scheme : colors().bound }],
  }));
  const keys = (): Key[] => [
    { text: "one cost removed: a bound", color: colors().bound }, ...(sorted.some((item) => item.tried) ? [{ text: "a change that was tried", color: colors().tried }] : []),
    ...(sorted.some((item) => item.scheme) ? [{ text: "another policy of the machine", color: colors().scheme }] : []),
  ];
  return {
    id: `what-if-${id}`, title: "What if",
    note: "Speed-up of the kernel, simulated with one thing changed. Dashed: as it is. The option in brackets repeats it with heddle run.",
    draw: (width) => drawBarList(rows(), width, keys(), 0, 1),
    empty: () => "No cost is large enough to be worth a run.",
    data: () => ({ columns: ["what", "ideal", "set", "tried", "cycles", "speed-up"], rows: sorted.map((item) => [item.title, item.ideal, item.set, item.tried, item.cycles, item.speedup]) }),
    words: () => (sorted[0] ? `Speed-ups of ${sorted.length} changed machines. The largest is ${formatTimes(sorted[0].speedup)}: ${sorted[0].title}.` : "No runs with something changed."),
  };
}

const users: { key: "first" | "intra_warp" | "inter_warp" | "inter_cta"; name: string }[] = [
  { key: "first", name: "first use" }, { key: "intra_warp", name: "same warp" }, { key: "inter_warp", name: "other warp of the CTA" }, { key: "inter_cta", name: "other CTA" },
];

export function lineReuseFigure(kernel: ExplainedKernel, id: string): FigureSpec | null {
  const { reuse } = kernel;
  if (!reuse) return null;
  const values = users.map(({ key }) => reuse[key]), whole = values.reduce((a, b) => a + b, 0);
  const parts = (): Part[] => {
    const { series, idle } = theme();
    return users.map(({ name }, i) => ({ name, color: [idle, series[0]!, series[2]!, series[1]!][i]! }));
  };
  return {
    id: `line-reuse-${id}`, title: "Who uses whose lines again",
    note: "Accesses to lines of 128 bytes before the L1, by who had used the line: the same warp, another warp of the CTA, or only other CTAs (Li et al., ASPLOS 2017). Reuse by other CTAs is what CTA clustering can turn into hits.",
    draw: (width) => (whole > 0 ? drawStacked([{ group: "", bar: kernel.kernel, values, whole }], parts(), width, "accesses to lines") : null),
    empty: () => "The kernel accesses no global memory.",
    data: () => ({ columns: ["line had been used by", "accesses", "share"], rows: users.map(({ name }, i) => [name, values[i]!, whole > 0 ? values[i]! / whole : null]) }),
    words: () => `One bar of ${formatCount(whole)} accesses to lines: ${users.map(({ name }, i) => `${name} ${formatShare(whole > 0 ? values[i]! / whole : 0)}`).join(", ")}.`,
  };
}
