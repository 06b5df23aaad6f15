// SPDX-License-Identifier: MIT
// Keys of [study] that are fields of its runs: the rows of run/run_rows.def with .is_of_studies.
#ifndef STUDY_RUN_KEYS_H
#define STUDY_RUN_KEYS_H

#include "base/text/closest.h"
#include "run/run_spec.h"

// The field of a key, or NULL.
const RunRow *run_key(const char *key);
// Sets a field from the value in a file: a list is separated by semicolons, a flag is true or
// false, and the number 0 is none.
Status run_key_set(RunSpec *run, const RunRow *row, const char *value, Arena *arena, Error *err);
void run_keys_offer(Closest *closest);

#endif
