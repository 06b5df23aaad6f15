// SPDX-License-Identifier: MIT
// A figure as CSV: a line for each number, with the names of all that it is the
// number of. The page saves the same.
#ifndef CLI_FIGURE_CSV_H
#define CLI_FIGURE_CSV_H

#include <jansson.h>
#include <stdio.h>

#include "base/error.h"

Status figure_write_csv(const json_t *figure, FILE *file, Error *err);

#endif
