// SPDX-License-Identifier: MIT
// Printing: whoever looks different on paper is told before and after.

export const PAPER_WIDTH = 680; // of a figure in pixels: A4 and Letter without their margins, at 96 a inch

let printing = false;
const listeners: (() => void)[] = [];

export function isPrinting(): boolean {
  return printing;
}

// In the order of registration: the theme comes before what is drawn with it.
export function onPrint(listener: () => void): void {
  listeners.push(listener);
}

function become(value: boolean): void {
  printing = value;
  for (const listener of listeners) listener();
}

window.addEventListener("beforeprint", () => become(true));
window.addEventListener("afterprint", () => become(false));
