// SPDX-License-Identifier: MIT
// Widths of Helvetica's letters in thousandths of the font's size. Arial and
// Liberation Sans have the same ones, so text is as wide wherever it is shown.

export const HELVETICA = "Helvetica, Arial, 'Liberation Sans', 'Nimbus Sans', sans-serif";

const ASCII = [
  278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278, // space to /
  556, 556, 556, 556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556, // 0 to ?
  1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833, 722, 778, // @ to O
  667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556, // P to _
  333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556, // ` to o
  556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584, // p to ~
];
const OTHERS: Record<string, number> = { "×": 584, "·": 333, "…": 1000, "–": 556, "µ": 556 };
const BOLD = 1.07; // about: letters differ

export function helveticaWidth(text: string, size: number, weight: number): number {
  let sum = 0;
  for (const letter of text) sum += ASCII[letter.codePointAt(0)! - 32] ?? OTHERS[letter] ?? 600;
  return (sum / 1000) * size * (weight >= 600 ? BOLD : 1);
}
