// SPDX-License-Identifier: MIT
// Light and dark. Figures take their colours from here and not from the style
// sheet, so that a figure that is saved looks as it did on the page. Needs no
// browser: theme_switch.ts is what people choose with.
//
// The hues are apart in lightness too, and for the common kinds of colour
// blindness; whatever a colour tells is also told by a label or a tooltip.

export interface Theme {
  dark: boolean;
  text: string;
  muted: string;
  grid: string;
  surface: string;
  band: string;
  paper: string; // marks of a paper's numbers
  baseline: string; // bars of what others are compared with
  series: string[];
  slots: Record<string, string>; // by group of reasons of issue slots, in the order of figures
  idle: string;
  hit: string;
  merge: string;
  cold: string;
  sector: string;
  conflict: string;
  ramp: string[]; // of heat maps, from nothing to all
}

const light: Theme = {
  dark: false,
  text: "#1c2430", muted: "#566173", grid: "#dfe4ec", surface: "#ffffff", band: "#f1f4f9", paper: "#111820",
  baseline: "#a3acba",
  series: ["#1f6fb8", "#e2871b", "#0f9177", "#a2478f", "#59aee0", "#b33a26", "#d2b26e", "#8530dc"],
  slots: {
    issued: "#1f6fb8", held: "#5a5fae", memory: "#dc6f1a", lsu: "#b33a26", backpressure: "#8f1d3f", compute: "#b99a17",
    sync: "#0f9177", frontend: "#74bfe8", empty: "#b7c0cc", other: "#8d97a6",
  },
  idle: "#d3d9e2",
  hit: "#1f6fb8", merge: "#79b8e6", cold: "#b9c1cd", sector: "#e9b949", conflict: "#cc4b23",
  ramp: ["#f2f5fa", "#d3e4f3", "#a3cbe6", "#64a8d4", "#2f7fbd", "#135596", "#062b5c"],
};

const dark: Theme = {
  dark: true,
  text: "#e8ecf3", muted: "#a4aebd", grid: "#2f3846", surface: "#171c25", band: "#1e2530", paper: "#ffffff",
  baseline: "#737e8f",
  series: ["#4d9de8", "#f2a23c", "#2fbf9f", "#d17fc0", "#8fd0f5", "#ec7a63", "#f0dfb0", "#a05cf5"],
  slots: {
    issued: "#4d9de8", held: "#979be8", memory: "#ef8b3a", lsu: "#ec7a63", backpressure: "#e0507f", compute: "#e0cc4e",
    sync: "#2fbf9f", frontend: "#93d2f2", empty: "#566172", other: "#737e8f",
  },
  idle: "#454f5e",
  hit: "#4d9de8", merge: "#2d659c", cold: "#6e7888", sector: "#eec55f", conflict: "#ec6f49",
  ramp: ["#1b212b", "#17324d", "#164d7a", "#1b6ca8", "#3f97d1", "#8ac6ea", "#e6f5ff"],
};

let current = light;

export function useTheme(name: "light" | "dark"): void {
  current = name === "dark" ? dark : light;
}

export function theme(): Theme {
  return current;
}

function channels(color: string): number[] {
  return [1, 3, 5].map((i) => parseInt(color.slice(i, i + 2), 16));
}

// share: 0 is a, 1 is b.
export function mix(a: string, b: string, share: number): string {
  const to = channels(b);
  return `#${channels(a).map((value, i) => Math.round(value + (to[i]! - value) * share).toString(16).padStart(2, "0")).join("")}`;
}

// A colour for each of a list of names; what others are compared with is grey.
export function seriesColors(names: string[], baseline: string | null): Map<string, string> {
  const { series, baseline: grey } = theme();
  let next = 0;
  return new Map(names.map((name) => [name, name === baseline ? grey : series[next++ % series.length]!]));
}
