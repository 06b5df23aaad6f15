// SPDX-License-Identifier: MIT
// The frame around every figure: title, drawing, what it says in words, and
// buttons for its SVG, its CSV and its data as a table. A figure is drawn when
// it comes near the window, and again when its width or the theme changes.
import type { Table } from "./data";
import { el, settle } from "./dom";
import { saveCsv, saveSvg } from "./download";
import { isPrinting, PAPER_WIDTH } from "./print";
import { dataTable } from "./table";
import { onThemeChange } from "./theme_switch";

export type Medium = "screen" | "paper";

export interface FigureSpec {
  id: string; // unique in the page
  file?: string; // the name of its files, or else the id
  title: string;
  note?: string | null;
  controls?: HTMLElement[];
  draw(width: number, medium: Medium): SVGSVGElement | null; // null: there is nothing to draw
  empty?(): string; // what that means
  data(): Table;
  words(): string; // for those who do not see it
}

export interface FigureCard {
  element: HTMLElement;
  redraw(): void;
}

interface Live extends FigureCard {
  drawn: boolean;
  width: number;
}

const live = new Map<Element, Live>();

const watcher = new IntersectionObserver((entries) => {
  for (const entry of entries) {
    const card = live.get(entry.target);
    if (card && entry.isIntersecting && !card.drawn) card.redraw();
  }
}, { rootMargin: "500px" });

function drawnCards(): Live[] {
  for (const [element, card] of live) if (card.drawn && !element.isConnected) forget(element);
  return [...live.values()].filter((card) => card.drawn);
}

function forget(element: Element): void {
  watcher.unobserve(element);
  live.delete(element);
}

// Paper shows every figure, as wide as paper is.
function redrawAll(): void {
  const cards = isPrinting() ? [...live.values()].filter((card) => card.element.isConnected) : drawnCards();
  cards.forEach((card) => card.redraw());
}

onThemeChange(redrawAll);
window.addEventListener("resize", settle(() => {
  for (const card of drawnCards()) if (card.element.clientWidth !== card.width) card.redraw();
}));

// The library labels parts of the drawing, which as a whole is one image.
function nameMarks(svg: SVGSVGElement): void {
  for (const mark of svg.querySelectorAll("[aria-label]")) {
    mark.setAttribute("data-mark", mark.getAttribute("aria-label")!);
    mark.removeAttribute("aria-label");
  }
}

function tools(spec: FigureSpec, picture: HTMLElement, below: HTMLElement): HTMLElement {
  const button = (text: string, label: string, press: (event: Event) => void) =>
    el("button", { type: "button", class: "tool", "aria-label": `${label}: ${spec.title}`, click: press }, text);
  const toggle = button("Table", "Data as a table", () => {
    const open = below.childElementCount === 0;
    below.replaceChildren(...(open ? [dataTable(spec.data(), `Data of: ${spec.title}`)] : []));
    toggle.setAttribute("aria-expanded", String(open));
  });
  toggle.setAttribute("aria-expanded", "false");
  return el("div", { class: "tools" },
    button("SVG", "Save as SVG", () => {
      const svg = picture.querySelector("svg");
      if (svg) saveSvg(spec.file ?? spec.id, svg, spec.title, spec.words());
    }),
    button("CSV", "Save the data as CSV", () => saveCsv(spec.file ?? spec.id, spec.data())),
    toggle);
}

export function figureCard(spec: FigureSpec): FigureCard {
  const picture = el("div", { class: "picture" });
  const below = el("div", { class: "figure-data" });
  const heading = el("h3", { id: `${spec.id}-title` }, spec.title);
  const element = el("figure", { class: "card figure", id: `figure-${spec.id}`, "aria-labelledby": heading.id },
    el("div", { class: "figure-head" }, heading, tools(spec, picture, below)),
    spec.controls?.length ? el("div", { class: "controls" }, ...spec.controls) : null,
    picture, below,
    spec.note ? el("figcaption", {}, spec.note) : null);

  const card: Live = {
    element, drawn: false, width: 0,
    redraw() {
      card.width = element.clientWidth;
      const style = getComputedStyle(picture);
      const inside = picture.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
      const width = isPrinting() ? PAPER_WIDTH : inside;
      const svg = width > 0 ? spec.draw(Math.max(280, width), isPrinting() ? "paper" : "screen") : null;
      if (svg) {
        svg.setAttribute("role", "img");
        svg.setAttribute("aria-label", spec.words());
        nameMarks(svg);
      }
      picture.replaceChildren(svg ?? el("p", { class: "empty" }, spec.empty?.() ?? "No data recorded for this figure."));
      if (card.drawn && below.childElementCount)
        below.replaceChildren(dataTable(spec.data(), `Data of: ${spec.title}`));
      card.drawn = width > 0;
      element.dataset.drawn = svg ? "yes" : "empty";
    },
  };
  live.set(element, card);
  watcher.observe(element);
  return card;
}
