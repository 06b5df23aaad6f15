// SPDX-License-Identifier: MIT
// Writes a figure as CSV: one line per value, preceded by its coordinates. The
// report page exports the same format.
#ifndef STUDY_FIGURES_FIGURE_CSV_H
#define STUDY_FIGURES_FIGURE_CSV_H

#include <jansson.h>
#include <stdio.h>

#include "base/error.h"

Status figure_write_csv(const json_t *figure, FILE *file, Error *err);

#endif
