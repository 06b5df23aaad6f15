// SPDX-License-Identifier: MIT
// Tables that sort and filter, of any length: only the rows in sight, and some
// around them, are elements of the document.
import type { Cell, Table } from "./data";
import { el, settle } from "./dom";
import { saveCsv } from "./download";
import { formatNumber, plural } from "./format";
import { isPrinting, onPrint } from "./print";

export interface Column {
  name: string; // in the CSV
  title: string;
  help?: string;
  numeric?: boolean;
  wide?: boolean;
  format?: (value: Cell) => string;
  offPaper?: boolean; // not printed
  bar?: boolean; // a bar behind the number, as long as its share of the largest
}

export interface TableSpec {
  id: string;
  label: string;
  columns: Column[];
  rows: Cell[][];
  sort?: { column: number; down: boolean };
  filter?: boolean;
  noun?: string;
  chosen?: (row: Cell[]) => boolean; // the row that stands out
  choose?: (row: Cell[]) => void; // pressed: a row, by its first cell
}

const ROW_HEIGHT = 34;
const AROUND = 12;
const MOST_PRINTED = 60; // of the rows of a table

function compare(a: Cell, b: Cell): number {
  if (a === null || b === null) return a === b ? 0 : a === null ? 1 : -1;
  if (typeof a === "number" && typeof b === "number") return a - b;
  return String(a).localeCompare(String(b), "en", { numeric: true });
}

// What is not known stays last, whichever way it goes.
function sorted(rows: Cell[][], column: number, down: boolean): Cell[][] {
  return [...rows].sort((x, y) => {
    const a = x[column] ?? null, b = y[column] ?? null;
    const order = compare(a, b);
    return down && a !== null && b !== null ? -order : order;
  });
}

// Every word must be somewhere in the row.
function matches(row: Cell[], words: string[]): boolean {
  const text = row.map((cell) => (cell === null ? "" : String(cell))).join(" ").toLowerCase();
  return words.every((word) => text.includes(word));
}

const tables = new Set<VirtualTable>();
onPrint(() => {
  for (const table of tables)
    if (table.element.isConnected) table.reprint();
    else tables.delete(table);
});

function classOf(column: Column): string | null {
  const names = [column.numeric ? "number" : column.wide ? "wide" : "", column.offPaper ? "off-paper" : ""].filter(Boolean);
  return names.join(" ") || null;
}

class VirtualTable {
  readonly element: HTMLElement;
  private readonly body = el("tbody");
  private readonly scroller: HTMLElement;
  private readonly status = el("span", { class: "table-status", role: "status" });
  private readonly heads: HTMLTableCellElement[] = [];
  private readonly largest: number[];
  private rows: Cell[][] = [];
  private words: string[] = [];
  private sort: { column: number; down: boolean } | null;
  private first = -1;
  private told = "";

  constructor(private readonly spec: TableSpec) {
    this.sort = spec.sort ?? null;
    this.largest = spec.columns.map((column, i) =>
      column.bar ? spec.rows.reduce((most, row) => Math.max(most, Number(row[i] ?? 0)), 0) : 0);
    const table = el("table", { "aria-rowcount": spec.rows.length + 1, "aria-label": spec.label },
      el("thead", {}, el("tr", { "aria-rowindex": 1 }, ...spec.columns.map((column, i) => this.head(column, i)))),
      this.body);
    this.scroller = el("div", {
      class: "table-scroll", tabindex: 0, role: "region", "aria-label": `${spec.label}, scrolls`,
      scroll: () => this.show(false),
    }, table);
    this.element = el("div", { class: "table-box", id: spec.id }, this.bar(), this.scroller);
    new ResizeObserver(() => this.show(false)).observe(this.scroller);
    tables.add(this);
    this.update();
  }

  private bar(): HTMLElement {
    const filter = el("input", {
      type: "search", placeholder: "Filter…", "aria-label": `Filter: ${this.spec.label}`, autocomplete: "off",
      input: settle(() => {
        this.words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
        this.update();
      }, 60),
    });
    const csv = el("button", {
      type: "button", class: "tool", "aria-label": `Save as CSV: ${this.spec.label}`,
      click: () => saveCsv(this.spec.id, { columns: this.spec.columns.map((column) => column.name), rows: this.rows }),
    }, "CSV");
    return el("div", { class: "table-bar" }, this.spec.filter !== false ? filter : null, this.status, csv);
  }

  private head(column: Column, index: number): HTMLTableCellElement {
    const button = el("button", { type: "button", title: column.help, click: () => this.sortBy(index) },
      column.title, el("span", { class: "arrow", "aria-hidden": "true" }));
    const cell = el("th", { scope: "col", class: classOf(column) }, button);
    this.heads.push(cell);
    return cell;
  }

  private sortBy(column: number): void {
    const numeric = this.spec.columns[column]!.numeric ?? false;
    const down = this.sort?.column === column ? !this.sort.down : numeric;
    this.sort = { column, down };
    this.update();
  }

  private update(): void {
    const { spec, sort } = this;
    const found = this.words.length ? spec.rows.filter((row) => matches(row, this.words)) : spec.rows;
    this.rows = sort ? sorted(found, sort.column, sort.down) : found;
    this.heads.forEach((head, i) => {
      const order = sort?.column === i ? (sort.down ? "descending" : "ascending") : "none";
      head.setAttribute("aria-sort", order);
      head.querySelector(".arrow")!.textContent = order === "none" ? "" : order === "ascending" ? "▲" : "▼";
    });
    const noun = spec.noun ?? "row";
    this.told = found.length === spec.rows.length
      ? plural(found.length, noun) : `${found.length.toLocaleString("en")} of ${plural(spec.rows.length, noun)}`;
    this.status.textContent = this.told;
    this.scroller.scrollTop = 0;
    this.show(true);
  }

  // On paper the first rows, whatever was in sight.
  reprint(): void {
    this.show(true);
    const more = this.rows.length - MOST_PRINTED;
    this.status.textContent = isPrinting() && more > 0 ? `The first ${MOST_PRINTED} of ${plural(this.rows.length, this.spec.noun ?? "row")}` : this.told;
  }

  // Fills the rows in sight; those above and below are two empty ones of their height.
  private show(anew: boolean): void {
    if (isPrinting() && !anew) return;
    const height = this.scroller.clientHeight || 400;
    const count = isPrinting() ? MOST_PRINTED - 4 : Math.ceil(height / ROW_HEIGHT) + 2 * AROUND;
    const start = isPrinting() ? 0 : Math.max(0, Math.floor(this.scroller.scrollTop / ROW_HEIGHT) - AROUND);
    const first = start - (start % 4);
    if (!anew && first === this.first) return;
    this.first = first;
    const end = Math.min(this.rows.length, first + count + 4);
    const space = (rows: number) =>
      rows > 0 ? el("tr", { class: "space", "aria-hidden": "true" }, el("td", { colspan: this.spec.columns.length, style: `height:${rows * ROW_HEIGHT}px` })) : null;
    const shown: (Node | null)[] = [space(first)];
    for (let i = first; i < end; i++) shown.push(this.row(this.rows[i]!, i));
    shown.push(isPrinting() ? null : space(this.rows.length - end));
    this.body.replaceChildren(...shown.filter((node): node is Node => node !== null));
    if (this.rows.length === 0)
      this.body.append(el("tr", {}, el("td", { colspan: this.spec.columns.length, class: "empty" }, "No row matches.")));
  }

  private row(row: Cell[], index: number): HTMLTableRowElement {
    const { chosen, choose, columns } = this.spec;
    return el("tr", { "aria-rowindex": index + 2, class: chosen?.(row) ? "chosen" : null },
      ...columns.map((column, i) => {
        const value = row[i] ?? null;
        const text = this.text(column, value);
        const cell = el("td", { class: classOf(column), title: column.wide && value !== null ? String(value) : null });
        if (i === 0 && choose) cell.append(el("button", { type: "button", class: "link", click: () => choose(row) }, text));
        else cell.textContent = text;
        if (column.bar && typeof value === "number" && this.largest[i]! > 0) {
          cell.classList.add("bar");
          cell.style.setProperty("--share", `${(100 * value) / this.largest[i]!}%`);
        }
        return cell;
      }));
  }

  private text(column: Column, value: Cell): string {
    if (value === null) return "–";
    if (column.format) return column.format(value);
    return typeof value === "number" && column.numeric ? formatNumber(value) : String(value);
  }
}

export function virtualTable(spec: TableSpec): HTMLElement {
  return new VirtualTable(spec).element;
}

let dataTables = 0;

// The data of a figure as it is.
export function dataTable(table: Table, label: string): HTMLElement {
  return virtualTable({
    id: `data-${++dataTables}`, label, filter: false, rows: table.rows,
    columns: table.columns.map((name, i) => ({
      name, title: name, numeric: table.rows.some((row) => typeof row[i] === "number"),
    })),
  });
}
