// SPDX-License-Identifier: MIT
#include "study/classify/experiments.h"

#include <stddef.h>

const ExperimentType experiment_types[EXPERIMENTS] = {
    [EXPERIMENT_BASE] = {"base", "unchanged", NULL, "inter_cta"},
    [EXPERIMENT_ROW] = {"row", "clustered by rows", "policy.cta_dispatch=clustered:order=row",
                        "none"},
    [EXPERIMENT_COLUMN] = {"column", "clustered by columns",
                           "policy.cta_dispatch=clustered:order=column", "none"},
    [EXPERIMENT_UNCACHED] = {"uncached", "without the L1", "sm.l1_caches_global=false", "none"},
    [EXPERIMENT_IDEAL] = {"ideal", "with an ideal L1", "ideal.l1d=hits", "none"},
};
