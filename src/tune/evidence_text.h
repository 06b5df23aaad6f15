// SPDX-License-Identifier: MIT
// Evidence and verdicts for people and as JSON.
#ifndef TUNE_EVIDENCE_TEXT_H
#define TUNE_EVIDENCE_TEXT_H

#include <stdio.h>

#include "tune/classify.h"

// A table of the evidence, a line per kernel with its verdict and reason, and the program's
// category.
void evidence_print(const Evidence *evidence, const Verdict *verdicts, FILE *file);
json_t *evidence_json(const Evidence *evidence, const Verdict *verdicts);

// "data and write" for both.
const char *verdict_name(const Verdict *verdict);

#endif
