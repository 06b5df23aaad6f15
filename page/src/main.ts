// SPDX-License-Identifier: MIT
// The page: reads its data, puts the sections up, and the head and foot around them.
import { readReport, type Report } from "./data";
import { el } from "./dom";
import { formatTime } from "./format";
import { collectRuns, type Runs } from "./runs";
import { allRunsSection } from "./sections/all_runs";
import { comparisonSections, mainFigures } from "./sections/comparison";
import { differenceSections, explanationSections } from "./sections/explanation";
import { oneRunSection } from "./sections/one_run";
import { summarySection } from "./sections/summary";
import { seriesColors, theme } from "./theme";
import { isDark, onThemeChange, startTheme, toggleTheme } from "./theme_switch";

function head(report: Report, sections: HTMLElement[]): HTMLElement {
  const links = sections.map((section) => {
    const title = section.querySelector("h2")?.textContent ?? "Summary";
    return el("a", { href: `#${section.id}` }, title);
  });
  const button = el("button", { type: "button", id: "theme", class: "tool", click: toggleTheme });
  const name = () => {
    button.textContent = isDark() ? "Light" : "Dark";
    button.setAttribute("aria-label", isDark() ? "Use light colours" : "Use dark colours");
  };
  onThemeChange(name);
  name();
  return el("header", {},
    el("div", { class: "masthead" }, el("p", { class: "brand" }, "heddle"), button),
    el("h1", {}, report.study?.title || report.title),
    el("p", { class: "made" }, `Made ${formatTime(report.made)} by heddle ${report.heddle}`),
    el("nav", { "aria-label": "Sections" }, ...links));
}

function foot(): HTMLElement {
  return el("footer", {}, el("p", {}, "Simulated by Heddle; docs/model.md states what the model leaves out. Charts by Observable Plot and D3 (ISC licence)."));
}

// What the others are compared with is grey in every figure.
function schemeColors(report: Report, runs: Runs): () => (name: string) => string {
  const figure = report.figures.find((each) => each.column_dimension === "scheme" && each.baseline);
  const baseline = figure ? (figure.columns.find((column) => column.name === figure.baseline)?.title ?? null) : (runs.schemes.length > 1 ? runs.schemes[0]! : null);
  return () => {
    const colors = seriesColors(runs.schemes, baseline);
    return (name) => colors.get(name) ?? theme().baseline;
  };
}

function start(): void {
  const report = readReport();
  document.title = `${report.study?.title || report.title} – heddle`;
  const runs = collectRuns(report);
  const color = schemeColors(report, runs);
  const figures = mainFigures(report, runs);
  const speedups = figures.filter((figure) => figure.as === "speedup");
  const one = oneRunSection(report, runs, color);
  const choose = (run: number) => {
    if (one?.choose(run)) one.element.scrollIntoView();
  };
  const explained = [...explanationSections(report), ...differenceSections(report)];
  const summary = report.runs.rows.length || !report.difference ? [summarySection(report, runs, speedups)] : [];
  const sections = [...summary, ...explained, ...comparisonSections(report, runs, figures, color), one?.element, report.difference ? undefined : allRunsSection(report, runs, choose)]
    .filter((section): section is HTMLElement => section !== undefined);
  document.body.replaceChildren(el("a", { class: "skip", href: "#main" }, "Skip to the results"), head(report, sections), el("main", { id: "main" }, ...sections), foot(), ...document.querySelectorAll("script[type='application/json']"));
  startTheme();
  document.documentElement.dataset.ready = "yes";
  performance.mark("heddle-ready");
}

try {
  start();
} catch (problem) {
  document.body.append(el("p", { class: "problem", role: "alert" }, problem instanceof Error ? problem.message : String(problem)));
  throw problem;
}
