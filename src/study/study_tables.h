// SPDX-License-Identifier: MIT
// Tables of texts and numbers besides a study's figures, as JSON:
// {"id", "title", "source", "columns": [...], "rows": [[...]...], "notes": [...]}.
#ifndef STUDY_STUDY_TABLES_H
#define STUDY_STUDY_TABLES_H

#include <jansson.h>
#include <stdio.h>

#include "store/store.h"
#include "study/study.h"

// Makes the tables of a study from the runs in a store: a list.
typedef Status (*StudyTablesFn)(Store *store, const Study *study, json_t **tables, Error *err);

void study_tables_print(const json_t *tables, FILE *file);

#endif
