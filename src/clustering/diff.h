// SPDX-License-Identifier: MIT
// What edits change, as `diff -u` shows it.
#ifndef CLUSTERING_DIFF_H
#define CLUSTERING_DIFF_H

#include <stdio.h>

#include "clustering/sources.h"

// The edits must be sorted and free of contradictions, as edits_apply leaves them.
void diff_print(const SourceFile *file, const char *new_name, FILE *out);

#endif
