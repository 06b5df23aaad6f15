// SPDX-License-Identifier: MIT
// Colours of heat maps: the theme's ramp, interpolated.
import { theme } from "../theme";

function channels(color: string): number[] {
  return [1, 3, 5].map((i) => parseInt(color.slice(i, i + 2), 16));
}

// share: 0 to 1.
export function heatColor(share: number): string {
  const { ramp } = theme();
  const at = Math.max(0, Math.min(1, share)) * (ramp.length - 1);
  const low = Math.min(ramp.length - 2, Math.floor(at)), part = at - low;
  const a = channels(ramp[low]!), b = channels(ramp[low + 1]!);
  return `rgb(${a.map((value, i) => Math.round(value + (b[i]! - value) * part)).join(",")})`;
}
