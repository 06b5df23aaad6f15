// SPDX-License-Identifier: MIT
// Everything that compares runs: the study's figures, where cycles went, caches and traffic.
import type { Figure, Report, StudyTable } from "../data";
import { el, select } from "../dom";
import { figureCard } from "../figure";
import { derivedFigure } from "../figures/derived";
import { l1dKind, l2Kind, partsFigure, slotsKind } from "../figures/parts_of_runs";
import { studyFigure } from "../figures/study_figure";
import type { Runs } from "../runs";
import { dataTable } from "../table";
import { seriesColors, theme } from "../theme";

type Color = () => (name: string) => string;

export function section(id: string, title: string, ...content: (HTMLElement | null)[]): HTMLElement {
  return el("section", { id, "aria-labelledby": `${id}-heading` }, el("h2", { id: `${id}-heading` }, title), ...content);
}

// Columns of a figure by their names, in the colours that their titles have everywhere.
function columnColors(figure: Figure, schemes: Color): Color {
  if (figure.column_dimension === "scheme")
    return () => {
      const color = schemes();
      const titles = new Map(figure.columns.map((column) => [column.name, column.title]));
      return (name) => color(titles.get(name) ?? name);
    };
  return () => {
    const colors = seriesColors(figure.columns.filter((column) => !column.mean).map((column) => column.name), figure.baseline);
    return (name) => colors.get(name) ?? theme().baseline;
  };
}

const derivedKinds = [
  { statistic: "dram.bytes", title: "DRAM traffic", label: "bytes to and from DRAM" },
  { statistic: "noc.reply_bytes", title: "Network, replies to SMs", label: "reply bytes" },
  { statistic: "noc.request_bytes", title: "Network, requests from SMs", label: "request bytes" },
  { statistic: "l2.accesses", title: "L2 accesses", label: "L2 accesses" },
];

// One figure with a choice of what is counted and, with several GPUs, where.
function trafficFigure(runs: Runs, color: Color): HTMLElement {
  const box = el("div");
  let kind = derivedKinds[0]!, gpu = runs.gpus[0] ?? "";
  const show = () => {
    const figure = derivedFigure(runs, {
      id: "traffic", title: "Traffic", statistic: kind.statistic, label: kind.label, as: runs.schemes.length > 1 ? "ratio" : "value", gpu,
      note: "Bytes in both directions between the SMs and the L2, and between the L2 and memory.",
    });
    const controls = [select("What", derivedKinds.map((each) => ({ value: each.statistic, text: each.title })), kind.statistic, (value) => {
      kind = derivedKinds.find((each) => each.statistic === value)!;
      show();
    })];
    if (runs.gpus.length > 1)
      controls.push(select("GPU", runs.gpus.map((name) => ({ value: name, text: name })), gpu, (value) => {
        gpu = value;
        show();
      }));
    const focused = box.contains(document.activeElement) ? [...box.querySelectorAll("select")].indexOf(document.activeElement as HTMLSelectElement) : -1;
    box.replaceChildren(figureCard(studyFigure(figure, columnColors(figure, color), { controls })).element);
    if (focused >= 0) box.querySelectorAll("select")[focused]?.focus();
  };
  show();
  return box;
}

// Versions of a program are compared by time: the faster one may have fewer instructions per cycle.
function comparesPrograms(runs: Runs): boolean {
  const isProgram = (path: string) => path.includes("/") && !/\.(case|ptx)$/.test(path);
  return runs.workloads.length > 1 && runs.shown.every((run) => isProgram(runs.reader.text(run.row, "program")));
}

// The study's own, or what any set of runs can be compared by.
export function mainFigures(report: Report, runs: Runs): Figure[] {
  if (report.figures.length)
    return report.figures.map((figure) => ({ ...figure, statistic: report.statistics[figure.statistic]?.meaning ?? figure.statistic }));
  return runs.gpus.flatMap((gpu, i) => {
    const where = runs.gpus.length > 1 ? ` on ${gpu}` : "", suffix = i ? `-${i}` : "";
    const figures = [comparesPrograms(runs)
      ? derivedFigure(runs, { id: `cycles${suffix}`, title: `Cycles${where}`, statistic: "cycles", label: "cycles", as: "value", gpu })
      : derivedFigure(runs, { id: `ipc${suffix}`, title: `Instructions per cycle${where}`, statistic: "warp_ipc", label: "warp instructions per cycle", as: "value", gpu })];
    if (runs.schemes.length > 1)
      figures.unshift(derivedFigure(runs, { id: `speed-up${suffix}`, title: `Speed-up${where}`, statistic: "cycles", label: "cycles", as: "speedup", gpu }));
    return figures.filter((figure) => figure.panels[0]!.measured.some((row) => row.some((value, at) => value !== null && figure.columns[at]!.name !== figure.baseline)));
  });
}

function studyTable(table: StudyTable): HTMLElement {
  const notes = [...table.notes, ...(table.source ? [`Paper: ${table.source}`] : [])];
  return el("div", { id: `study-${table.id}` }, el("h3", {}, table.title), dataTable(table, table.title), ...notes.map((note) => el("p", {}, note)));
}

export function comparisonSections(report: Report, runs: Runs, figures: Figure[], color: Color): HTMLElement[] {
  const sections = [];
  const tables = report.tables ?? [];
  if (figures.length || tables.length)
    sections.push(section("results", report.study ? "Results" : "Runs compared", ...tables.map(studyTable),
      ...figures.map((figure) => figureCard(studyFigure(figure, columnColors(figure, color), { id: report.study ? `study-${figure.id}` : figure.id })).element)));
  if (runs.shown.length)
    sections.push(
      section("cycles", "Where the cycles went", partsFigure(runs, slotsKind(report)).element),
      section("memory", "Caches and traffic", el("div", { class: "pair" }, partsFigure(runs, l1dKind).element, partsFigure(runs, l2Kind).element), trafficFigure(runs, color)));
  return sections;
}
