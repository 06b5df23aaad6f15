// SPDX-License-Identifier: MIT
// The experiments by which `heddle classify` finds the source of inter-CTA locality, those of Li
// et al. (ASPLOS 2017, section 4.4) on a simulator instead of a GPU: other CTA orders by the
// dispatch policy `clustered`, which has no overhead, in place of redirection; the L1 disabled;
// and one further experiment, an L1 that always hits, which bounds the gain of any L1.
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
