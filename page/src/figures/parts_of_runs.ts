// SPDX-License-Identifier: MIT
// Figures that split what a run did into parts: issue slots, outcomes of cache
// accesses.
import type { Report } from "../data";
import { select } from "../dom";
import { type FigureCard, figureCard, type FigureSpec } from "../figure";
import { plural } from "../format";
import { numberOf, placeOf, type Run, type Runs } from "../runs";
import { theme } from "../theme";
import { slotParts } from "./slots";
import { drawStacked, type Part, type StackedBar, stackedData } from "./stacked";

interface Kind {
  id: string;
  title: string;
  note: string;
  unit: string;
  axis: string;
  parts(): { name: string; color: string; statistics: string[] }[]; // statistics: their sum
}

const MOST_BARS = 120;

// The reasons are those that the data name: the page knows none by itself.
export function slotsKind(report: Report): Kind {
  return {
    id: "issue-slots", title: "Issue slots", unit: "slots", axis: "issue slots of the warp schedulers",
    note: "Every warp scheduler has one issue slot per cycle. It issues an instruction, or is lost to the reason of the warp closest to issuing. Shades of a colour are related reasons; the CSV has all of them.",
    parts: () => slotParts(report, report.runs.columns, "sm.slot_"),
  };
}

function cacheKind(id: string, title: string, cache: string, note: string): Kind {
  return {
    id, title, note, unit: "accesses", axis: "accesses",
    parts() {
      const { hit, merge, cold, sector, conflict } = theme();
      return [
        { name: "hit", color: hit, statistics: [`${cache}.hits`] },
        { name: "merged", color: merge, statistics: [`${cache}.merges`] },
        { name: "cold miss", color: cold, statistics: [`${cache}.cold_misses`] },
        { name: "sector miss", color: sector, statistics: [`${cache}.sector_misses`] },
        { name: "capacity or conflict miss", color: conflict, statistics: [`${cache}.capacity_conflict_misses`] },
      ];
    },
  };
}

export const l1dKind = cacheKind("l1d", "L1 data cache", "l1d",
  "Merged accesses hit a line in flight. Cold misses are first accesses to a line; better locality can avoid capacity and conflict misses.");
export const l2Kind = cacheKind("l2", "L2 cache", "l2", "Accesses of all slices: all requests that reach the L2.");

function barName(runs: Runs, run: Run): { group: string; bar: string } {
  const several = runs.schemes.length > 1;
  const place = placeOf(runs, run);
  return several ? { group: place, bar: run.scheme } : { group: "", bar: place };
}

function barsOf(runs: Runs, kind: Kind, gpu: string, relative: boolean): StackedBar[] {
  const parts = kind.parts();
  const chosen = runs.shown.filter((run) => gpu === "" || run.gpu === gpu);
  const firsts = new Map<string, number>();
  return chosen.map((run) => {
    const values = parts.map((part) => part.statistics.reduce((sum, name) => sum + numberOf(runs, run, name), 0));
    const sum = values.reduce((a, b) => a + b, 0);
    const key = placeOf(runs, run);
    if (!firsts.has(key)) firsts.set(key, sum);
    return { ...barName(runs, run), values, whole: relative ? firsts.get(key)! : sum };
  }).filter((bar) => bar.whole > 0);
}

function partColors(kind: Kind): Part[] {
  return kind.parts().map(({ name, color }) => ({ name, color }));
}

// Bars are shares of their own whole, or of that of the first scheme.
export function partsFigure(runs: Runs, kind: Kind): FigureCard {
  let gpu = runs.gpus.length > 1 ? runs.gpus[0]! : "", relative = false;
  const bars = () => barsOf(runs, kind, gpu, relative);
  const change = (apply: () => void) => {
    apply();
    card.redraw();
  };
  const controls: HTMLElement[] = [];
  if (runs.gpus.length > 1)
    controls.push(select("GPU", runs.gpus.map((name) => ({ value: name, text: name })), gpu, (value) => change(() => { gpu = value; })));
  if (runs.schemes.length > 1)
    controls.push(select("100 % is", [{ value: "own", text: "each run" }, { value: "first", text: `the run with ${runs.schemes[0]}` }], "own",
      (value) => change(() => { relative = value === "first"; })));
  const count = barsOf(runs, kind, gpu, false).length;
  const note = count > MOST_BARS ? `${kind.note} The first ${MOST_BARS} of ${plural(count, "run")}; the CSV has all.` : kind.note;
  const spec: FigureSpec = {
    id: kind.id, title: kind.title, note, controls,
    draw: (width) => drawStacked(bars().slice(0, MOST_BARS), partColors(kind), width, relative ? `${kind.axis}, of the run with ${runs.schemes[0]}` : `share of ${kind.axis}`),
    data: () => stackedData(bars(), partColors(kind), kind.unit),
    words: () => `Stacked bars. ${kind.title}: ${partColors(kind).map((part) => part.name).join(", ")}, for ${plural(bars().length, "run")}.`,
  };
  const card = figureCard(spec);
  return card;
}
