// SPDX-License-Identifier: MIT
// Tables of texts and numbers besides a study's figures, as JSON:
// {"id", "title", "source", "columns": [...], "rows": [[...]...], "notes": [...]}.
#ifndef STUDY_STUDY_TABLES_H
#define STUDY_STUDY_TABLES_H

#include <jansson.h>
#include <stdio.h>

void study_tables_print(const json_t *tables, FILE *file);

#endif
