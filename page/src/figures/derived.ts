// SPDX-License-Identifier: MIT
// Bar charts of statistics that no study asked for: by workload and scheme, or
// relative to the first scheme.
import type { Figure, Item } from "../data";
import { placeOf, type Runs } from "../runs";

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
  const { schemes } = runs;
  const one = { ...runs, gpus: [wanted.gpu] }; // whose name says nothing more
  const here = runs.shown.filter((run) => run.gpu === wanted.gpu);
  const workloads = [...new Set(here.map((run) => placeOf(one, run)))];
  const found = new Map(here.map((run) => [JSON.stringify([placeOf(one, run), run.scheme]), runs.reader.number(run.row, wanted.statistic)]));
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
  const missing = rows.flatMap((workload) => {
    const without = schemes.filter((scheme) => !at(workload, scheme));
    return without.length ? [`${workload} (${without.join("; ")})`] : [];
  });
  const label = missing.length ? `geometric mean (${whole.length} of ${rows.length})` : "geometric mean";
  const mean = schemes.map((_, i) => geometricMean(whole.map((row) => row[i]!)));
  const base = wanted.as === "value" ? null : schemes[0]!;
  return {
    id: wanted.id, title: wanted.title, note: wanted.note ?? null, kind: "bars", statistic: wanted.label, axis: null, as: wanted.as,
    baseline: base, baseline_label: base, row_dimension: "workload", column_dimension: "scheme", panel_dimension: null,
    fixed: [{ dimension: "gpu", name: wanted.gpu, title: wanted.gpu }], x: null, rows: rows.map(itemOf), columns: schemes.map(itemOf), source: null,
    panels: [{
      name: null, title: null, mean: false, measured, paper: rows.map(() => schemes.map(() => null)),
      means: compared ? [{ label, group: null, measured: mean, paper: schemes.map(() => null), count: whole.length, of: rows.length, missing }] : [],
    }],
    mean_notes: compared && missing.length ? [`geometric mean of ${whole.length} of ${rows.length}; missing: ${missing.join(", ")}`] : [],
  };
}
