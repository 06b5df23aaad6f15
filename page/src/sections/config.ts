// SPDX-License-Identifier: MIT
// The configuration of a run, and what differs between the runs of the page.
import type { Cell, Config, Report } from "../data";
import { el } from "../dom";
import type { Run, Runs } from "../runs";
import { virtualTable } from "../table";

function settingsOf(config: Config): Map<string, Cell> {
  return new Map(Object.entries(config).flatMap(([section, keys]) =>
    Object.entries(keys ?? {}).map(([key, value]): [string, Cell] => [`${section}.${key}`, value])));
}

const say = (value: Cell | undefined): Cell => (value === undefined ? null : typeof value === "boolean" ? String(value) : value);

// Settings that are not the same in all configurations, a column a configuration.
function differences(report: Report, runs: Runs): HTMLElement | null {
  const users = new Map<string, string>();
  for (const run of runs.shown) {
    const id = runs.reader.text(run.row, "config");
    if (report.configs[id] && !users.has(id)) users.set(id, [runs.gpus.length > 1 ? run.gpu : "", run.scheme, run.variant].filter(Boolean).join(" · "));
  }
  const configs = [...users].slice(0, 12).map(([id, name]) => ({ name, settings: settingsOf(report.configs[id]!) }));
  if (configs.length < 2) return null;
  const keys = [...new Set(configs.flatMap((config) => [...config.settings.keys()]))];
  const rows = keys.map((key): Cell[] => [key, ...configs.map((config) => say(config.settings.get(key)))])
    .filter((row) => row.slice(1).some((value) => value !== row[1]));
  if (rows.length === 0) return null;
  return el("div", { class: "card" }, el("h3", {}, "What differs between the configurations"),
    virtualTable({
      id: "config-differences", label: "Settings that differ", noun: "setting", rows, filter: rows.length > 8,
      columns: [{ name: "setting", title: "Setting" }, ...configs.map((config) => ({ name: config.name, title: config.name }))],
    }));
}

export function configBox(report: Report, runs: Runs, run: Run, config: Config): HTMLElement {
  const rows = [...settingsOf(config)].map(([name, value]): Cell[] => [name, say(value)]);
  return el("div", { id: "configuration" }, differences(report, runs),
    el("div", { class: "card off-paper" }, el("h3", {}, `Configuration: ${[run.gpu, run.scheme, run.variant].filter(Boolean).join(", ")}`),
      virtualTable({
        id: "config", label: `Configuration of ${run.workload}, ${run.gpu}, ${run.scheme}`, noun: "setting", rows,
        columns: [{ name: "setting", title: "Setting" }, { name: "value", title: "Value" }],
      })));
}
