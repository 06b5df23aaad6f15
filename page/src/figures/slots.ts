// SPDX-License-Identifier: MIT
// The reasons of issue slots, as the data name them, with their colours.
import type { Report } from "../data";
import { mix, theme } from "../theme";

export interface SlotPart {
  name: string;
  color: string;
  statistics: string[];
}

// Reasons that results of older versions have, and newer ones no more.
const retired: Record<string, { label: string; group: string }> = { idle: { label: "no warp", group: "empty" } };

// Label and group of the reason that a column counts.
function reasonOf(report: Report, column: string, prefix: string, place: string): { label?: string; group?: string } {
  return report.statistics[place + column] ?? retired[column.slice(prefix.length)] ?? {};
}

// Columns of a run's issue slots in which the scheduler had a warp.
export function occupiedSlots(report: Report): string[] {
  return report.runs.columns.filter((name) => name.startsWith("sm.slot_") && reasonOf(report, name, "sm.slot_", "").group !== "empty");
}

// Columns of a table whose names begin with `prefix`; `place` is what statistics
// put before a column's name. Reasons of one group stand together, in shades of
// its colour.
export function slotParts(report: Report, columns: string[], prefix: string, place = ""): SlotPart[] {
  const { slots, surface } = theme();
  const groups = Object.keys(slots), other = groups[groups.length - 1]!;
  const found = columns.filter((name) => name.startsWith(prefix)).map((name) => {
    const known = reasonOf(report, name, prefix, place);
    const group = known.group !== undefined && known.group in slots ? known.group : other;
    return { name: known.label ?? name.slice(prefix.length), group, statistics: [name] };
  });
  return groups.flatMap((group) => {
    const members = found.filter((part) => part.group === group);
    return members.map(({ name, statistics }, i) => ({ name, statistics, color: mix(slots[group]!, surface, (0.7 * i) / members.length) }));
  });
}
