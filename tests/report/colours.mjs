// SPDX-License-Identifier: MIT
// Whether the colours of series can be told apart, by everybody: distances in
// CIELAB between all pairs, as seen with each kind of colour blindness (Machado,
// Oliveira and Fernandes, IEEE TVCG 2009, severity 1).
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";

const eyes = {
  normal: [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
  protanopia: [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
  deuteranopia: [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]],
  tritanopia: [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.3039]],
};
const LEAST = 12; // about five just noticeable differences

const linear = (hex) => [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16) / 255).map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
const seen = (eye, color) => eye.map((row) => Math.min(1, Math.max(0, row.reduce((sum, factor, i) => sum + factor * color[i], 0))));

function lab([r, g, b]) {
  const f = (t) => (t > 0.008856 ? Math.cbrt(t) : 7.787 * t + 16 / 116);
  const x = f((0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.95047), y = f(0.2126 * r + 0.7152 * g + 0.0722 * b), z = f((0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.08883);
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}

export function coloursStayApart(themeFile) {
  const text = readFileSync(themeFile, "utf8");
  const themes = [...text.matchAll(/baseline: "(#[0-9a-f]{6})",\s*series: \[([^\]]*)\]/g)];
  assert.equal(themes.length, 2, "light and dark");
  for (const [, baseline, list] of themes) {
    const colors = [baseline, ...list.match(/#[0-9a-f]{6}/g)];
    assert.ok(colors.length >= 9, "eight series and the baseline");
    for (const [name, eye] of Object.entries(eyes))
      colors.forEach((a, i) => colors.slice(0, i).forEach((b) => {
        const distance = Math.hypot(...lab(seen(eye, linear(a))).map((value, c) => value - lab(seen(eye, linear(b)))[c]));
        assert.ok(distance >= LEAST, `${a} and ${b} are ${distance.toFixed(1)} apart with ${name}`);
      }));
  }
}
