// SPDX-License-Identifier: MIT
// Colours of heat maps: the theme's ramp, interpolated.
import { mix, theme } from "../theme";

// share: 0 to 1.
export function heatColor(share: number): string {
  const { ramp } = theme();
  const at = Math.max(0, Math.min(1, share)) * (ramp.length - 1);
  const low = Math.min(ramp.length - 2, Math.floor(at));
  return mix(ramp[low]!, ramp[low + 1]!, at - low);
}
