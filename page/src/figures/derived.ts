// SPDX-License-Identifier: MIT
// Bar charts of statistics that no study asked for: by workload and scheme, or
// relative to the first scheme.
import type { Figure, Item } from "../data";
import type { Runs } from "../runs";

interface Wanted {
  id: string;
  title: string;
  note?: string;
  statistic: string;
  label: string;
  as: Figure["as"];
  gpu: string;
}

function geometricMean(values: number[]): number {
  return Math.exp(values.reduce((sum, value) => sum + Math.log(value), 0) / values.length);
}

const itemOf = (name: string): Item => ({ name, title: name, group: null });

export function derivedFigure(runs: Runs, wanted: Wanted): Figure {
  const { schemes, workloads } = runs;
  const found = new Map(runs.shown.filter((run) => run.gpu === wanted.gpu)
    .map((run) => [JSON.stringify([run.workload, run.scheme]), runs.reader.number(run.row, wanted.statistic)]));
  const at = (workload: string, scheme: string) => found.get(JSON.stringify([workload, scheme])) ?? null;
  const rows = workloads.filter((workload) => schemes.some((scheme) => at(workload, scheme) !== null));
  const measured = rows.map((workload) => schemes.map((scheme) => {
    const value = at(workload, scheme), base = at(workload, schemes[0]!);
    if (wanted.as === "value") return value;
    if (!value || !base) return null;
    return wanted.as === "speedup" ? base / value : value / base;
  }));
  // Of workloads that ran with every scheme, so that all means are of the same ones.
  const whole = measured.filter((row): row is number[] => row.every((value) => value !== null));
  const compared = wanted.as !== "value" && whole.length > 1;
  const mean = schemes.map((_, i) => geometricMean(whole.map((row) => row[i]!)));
  return {
    id: wanted.id, title: wanted.title, note: wanted.note ?? null, statistic: wanted.label, as: wanted.as,
    baseline: wanted.as === "value" ? null : schemes[0]!,
    row_dimension: "workload", column_dimension: "scheme", fixed_dimension: "gpu", fixed: wanted.gpu,
    rows: rows.map(itemOf), columns: schemes.map(itemOf), measured, paper: rows.map(() => schemes.map(() => null)),
    means: compared ? [{ label: whole.length < rows.length ? `mean of ${whole.length}` : "geometric mean", group: null, measured: mean, paper: schemes.map(() => null) }] : [],
    source: null,
  };
}
