// SPDX-License-Identifier: MIT
// A study synthesised from single runs, for figures: workloads, GPUs, schemes and requested
// parameters take the values that occur in the runs.
#ifndef STUDY_RUNS_STUDY_H
#define STUDY_RUNS_STUDY_H

#include "store/store.h"
#include "study/figures/figure.h"

// parameters: section.key names that become sweeps. The study has no figures yet.
Status runs_study_read(Study *study, Store *store, const char *const *parameters, size_t count,
                       Error *err);

// Rows for figures_make: the newest complete run of each combination, or null. Fails if
// runs of one combination differ in their configuration or program, and reports in what.
Status runs_study_rows(const Study *study, Store *store, const FigureNames *names, json_t **rows,
                       Error *err);

#endif
