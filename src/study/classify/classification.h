// SPDX-License-Identifier: MIT
// [classification NAME] of a study: the category of each workload, from the stored runs of the
// study's experiments (study/classify/experiments.h), next to the workload's group, the category
// that a paper has for it.
#ifndef STUDY_CLASSIFY_CLASSIFICATION_H
#define STUDY_CLASSIFY_CLASSIFICATION_H

#include "store/store.h"
#include "study/study.h"

// A list of tables (study/study_tables.h), empty if the study has none.
Status classifications_measure(Store *store, const Study *study, json_t **tables, Error *err);

#endif
