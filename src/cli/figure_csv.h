// SPDX-License-Identifier: MIT
// Writes a figure as CSV: one line per value, preceded by its coordinates. The
// report page exports the same format.
#ifndef CLI_FIGURE_CSV_H
#define CLI_FIGURE_CSV_H

#include <jansson.h>
#include <stdio.h>

#include "base/error.h"

Status figure_write_csv(const json_t *figure, FILE *file, Error *err);

#endif
