// SPDX-License-Identifier: MIT
// Prints evidence and verdicts as text and as JSON.
#ifndef TUNE_EVIDENCE_TEXT_H
#define TUNE_EVIDENCE_TEXT_H

#include <stdio.h>

#include "base/error.h"
#include "study/classify/classify.h"

// Prints a table of the evidence, one line per kernel with its verdict and reason, and the
// program's category.
void evidence_print(const Evidence *evidence, const Verdict *verdicts, FILE *file);
json_t *evidence_json(const Evidence *evidence, const Verdict *verdicts);
// Writes JSON, which it releases, to a file; - is standard output.
Status evidence_write(json_t *json, const char *path, Error *err);

// Name of the category; "data and write" for both.
const char *verdict_name(const Verdict *verdict);

#endif
