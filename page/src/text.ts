// SPDX-License-Identifier: MIT
// The font of figures, and how wide text is in it: measured by the browser on the
// page, and computed where there is none (headless.ts).

type Measure = (text: string, size: number, weight: number) => number;

const PAGE_FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif";

let family = PAGE_FONT;
let measure: Measure = measureInBrowser();

function measureInBrowser(): Measure {
  let canvas: CanvasRenderingContext2D | null | undefined;
  return (text, size, weight) => {
    if (canvas === undefined) canvas = document.createElement("canvas").getContext("2d");
    if (!canvas) return text.length * size * 0.6;
    canvas.font = `${weight} ${size}px ${family}`;
    return canvas.measureText(text).width;
  };
}

export function useFont(name: string, how: Measure): void {
  family = name;
  measure = how;
}

export function font(): string {
  return family;
}

export function textWidth(text: string, size = 12, weight = 400): number {
  return measure(text, size, weight);
}

export function widest(texts: string[], size = 12, weight = 400): number {
  return texts.reduce((most, text) => Math.max(most, textWidth(text, size, weight)), 0);
}

// Cut to a width, with an ellipsis.
export function fit(text: string, width: number, size = 12, weight = 400): string {
  if (textWidth(text, size, weight) <= width) return text;
  let end = text.length;
  while (end > 1 && textWidth(`${text.slice(0, end)}…`, size, weight) > width) end--;
  return `${text.slice(0, end).trimEnd()}…`;
}
