// SPDX-License-Identifier: MIT
// A page with many runs: a page that heddle made, with its rows again and again.
import { readFileSync, writeFileSync } from "node:fs";

export function writeLargePage(path, report, count, output) {
  const { details: _, ...rest } = report;
  const id = report.runs.columns.indexOf("id");
  const rows = Array.from({ length: count }, (_unused, i) => {
    const row = [...report.runs.rows[i % report.runs.rows.length]];
    row[id] = i + 1;
    return row;
  });
  const data = JSON.stringify({ ...rest, counts: { complete: count }, runs: { ...report.runs, rows } }).replace(/</g, "\\u003c");
  const page = readFileSync(path, "utf8").replace(/(<script type="application\/json" id="report-data">)[^<]*/, (_all, tag) => tag + data);
  writeFileSync(output, page);
  return output;
}
