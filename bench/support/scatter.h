// SPDX-License-Identifier: MIT
// A scatter plot as an SVG file: simulated over measured numbers, both on
// logarithmic axes of the same range, with the diagonal.
#ifndef SUPPORT_SCATTER_H
#define SUPPORT_SCATTER_H

#include <stdint.h>

#include "base/error.h"

typedef struct ScatterPoint {
  const char *name;
  double measured, simulated;
} ScatterPoint;

// Points are positive; there is at least one.
Status scatter_write(const char *path, const char *x_label, const char *y_label,
                     const ScatterPoint *points, uint32_t count, Error *err);

#endif
