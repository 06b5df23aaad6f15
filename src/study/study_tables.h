// SPDX-License-Identifier: MIT
// Tables of texts and numbers besides a study's figures, as JSON:
// {"kind": "table", "id", "title", "source", "columns": [...], "rows": [[...]...], "notes": [...]}.
#ifndef STUDY_STUDY_TABLES_H
#define STUDY_STUDY_TABLES_H

#include <jansson.h>
#include <stdio.h>

#include "base/error.h"

Status study_table_write_csv(const json_t *table, FILE *file, Error *err);
void study_tables_print(const json_t *tables, FILE *file);

#endif
