// SPDX-License-Identifier: MIT
// A store of single runs as a study, for figures: workloads, GPUs and schemes are
// what the runs have, and so are the values of parameters that a figure asks for.
#ifndef STUDY_RUNS_STUDY_H
#define STUDY_RUNS_STUDY_H

#include "store/store.h"
#include "study/figure.h"

// parameters: section.key names that become sweeps. The study has no figures yet.
Status runs_study_read(Study *study, Store *store, const char *const *parameters, size_t count,
                       Error *err);

// What figures_make takes: of each combination the newest complete run, or null.
// Runs that a combination cannot tell apart, although their configurations or
// programs differ, are an error that says in what.
Status runs_study_rows(const Study *study, Store *store, const FigureNames *names, json_t **rows,
                       Error *err);

#endif
