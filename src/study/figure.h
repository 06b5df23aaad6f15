// SPDX-License-Identifier: MIT
// Figures of a study, measured: tables as JSON, which docs/report-data.md
// describes, for the page and for terminals.
#ifndef STUDY_FIGURE_H
#define STUDY_FIGURE_H

#include <stdio.h>

#include "store/store.h"
#include "study/study.h"

// A list with every figure; one that is there for each value of its third
// dimension has so many entries.
Status figures_measure(Store *store, const Study *study, json_t **figures, Error *err);

void figures_print(const json_t *figures, FILE *file);

#endif
