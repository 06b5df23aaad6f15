// SPDX-License-Identifier: MIT
// What edits change, as `diff -u` shows it.
#ifndef CLUSTER_DIFF_H
#define CLUSTER_DIFF_H

#include <stdio.h>

#include "cluster/sources.h"

// The edits must be sorted and free of contradictions, as edits_apply leaves them.
void diff_print(const SourceFile *file, const char *new_name, FILE *out);

#endif
