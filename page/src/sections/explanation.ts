// SPDX-License-Identifier: MIT
// What heddle explain found, a section per kernel; and what heddle diff found.
import type { Difference, ExplainedKernel, Finding, Report, Table } from "../data";
import { el } from "../dom";
import { figureCard, type FigureSpec } from "../figure";
import { differenceFigure } from "../figures/difference";
import { causesFigure, lineReuseFigure, whatIfFigure } from "../figures/explained";
import { memoryFigure } from "../figures/memory_chart";
import { occupancyFigure } from "../figures/occupancy";
import { rooflineFigure } from "../figures/roofline";
import { sharingFigure } from "../figures/sharing";
import { sourceFigure } from "../figures/source_lines";
import { formatCount, formatShare, formatTimes, plural } from "../format";
import { dataTable } from "../table";
import { section } from "./comparison";

const cards = (specs: (FigureSpec | null)[]) => specs.filter((spec): spec is FigureSpec => spec !== null).map((spec) => figureCard(spec).element);

function advice(finding: Finding): HTMLElement {
  return el("li", {}, el("b", {}, finding.cause), ` (${finding.evidence}). ${finding.advice.charAt(0).toUpperCase()}${finding.advice.slice(1)}. `,
    el("b", {}, `${finding.tried ? "Tried: " : "Up to "}${formatTimes(finding.speedup)}`), ` as fast (${finding.measure}).`);
}

function sharingCard(kernel: ExplainedKernel, id: string): FigureSpec | null {
  const { sharing } = kernel;
  if (!sharing) return null;
  const table: Table = {
    columns: ["kernel", "first_cta_a", "first_cta_b", "lines"],
    rows: sharing.rows.map((row) => [kernel.kernel, row.first_cta_a, row.first_cta_b, row.lines]),
  };
  return sharingFigure(table, () => kernel.kernel, [], Infinity, { id: `sharing-${id}`, order: sharing.order, ctas: sharing.ctas, clusters: sharing.clusters, note: sharing.note });
}

function kernelSection(kernel: ExplainedKernel, index: number): HTMLElement {
  const id = String(index), shape = (list: number[]) => list.join(" × ");
  return section(`kernel-${id}`, kernel.kernel,
    el("p", { class: "lead" }, `${kernel.verdict.charAt(0).toUpperCase()}${kernel.verdict.slice(1)}.`),
    el("p", { class: "hint" }, `${formatShare(kernel.share)} of the time, ${formatCount(kernel.cycles)} cycles in ${plural(kernel.launches, "launch", "launches")}, grid ${shape(kernel.grid)}, block ${shape(kernel.block)}.`),
    kernel.findings.length ? el("div", { class: "card" }, el("h3", {}, "What to do"), el("ol", { class: "findings" }, ...kernel.findings.map(advice))) : null,
    el("div", { class: "pair" }, ...cards([causesFigure(kernel, id), whatIfFigure(kernel, id)])),
    ...cards([memoryFigure(kernel, id), rooflineFigure(kernel, id), occupancyFigure(kernel, id)]),
    el("div", { class: "pair" }, ...cards([lineReuseFigure(kernel, id), sharingCard(kernel, id)])),
    ...cards([sourceFigure(kernel, id)]));
}

export function explanationSections(report: Report): HTMLElement[] {
  const { explanation } = report;
  if (!explanation) return [];
  const stopped = explanation.stopped ? [el("p", { class: "hint" }, "Stopped: some runs are missing.")] : [];
  const sections = explanation.kernels.map(kernelSection);
  sections[0]?.querySelector("h2")?.after(...stopped);
  return sections;
}

function changedKernel(difference: Difference, kernel: Difference["kernels"][number], index: number): HTMLElement {
  const counters: Table = { columns: ["counter", "before", "after", "after / before"], rows: kernel.counters.map(({ name, before, after }) => [name, before, after, before > 0 ? after / before : null]) };
  return section(`difference-${index}`, kernel.kernel,
    el("p", { class: "lead" }, `${formatTimes(kernel.speedup)} as fast.`),
    el("div", { class: "pair" }, ...cards([
      differenceFigure(`difference-causes-${index}`, "Cycles by cause", "The kernel's cycles, divided in proportion to its issue slots; the largest differences.", difference.names, kernel.causes),
      differenceFigure(`difference-accesses-${index}`, "Cycles by source line", "Cycles lost to accesses to memory, by line.", difference.names, kernel.accesses),
    ])),
    el("div", { class: "card" }, el("h3", {}, "Counters that changed"), dataTable(counters, `Counters of ${kernel.kernel}`)));
}

export function differenceSections(report: Report): HTMLElement[] {
  const { difference } = report;
  if (!difference) return [];
  const [before, after] = difference.names;
  const summary = section("difference", "Two runs",
    el("p", { class: "lead" }, `${after} is ${formatTimes(difference.after > 0 ? difference.before / difference.after : 0)} as fast as ${before}: ${formatCount(difference.after)} cycles instead of ${formatCount(difference.before)}.`));
  return [summary, ...difference.kernels.map((kernel, i) => changedKernel(difference, kernel, i))];
}
