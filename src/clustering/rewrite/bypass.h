// SPDX-License-Identifier: MIT
// Loads that go past the L1: elements that are read once and would only push
// out what others read again (section 4.3, II). They become __ldcg(&a[i]).
#ifndef CLUSTERING_REWRITE_BYPASS_H
#define CLUSTERING_REWRITE_BYPASS_H

#include "clustering/analysis/direction.h"

typedef struct BypassChoice {
  const char *text;   // as it was given
  const char *array;  // a parameter of a kernel; or
  const char *path;   // a place in a source,
  uint32_t line;
  bool is_from_profile;  // from a result: may name what there is not
  int matches;
} BypassChoice;

typedef struct Bypass {
  bool takes_streams;  // of the kernel at hand: all arrays that look as if they were read once
  BypassChoice *choices;
  int count, capacity;
} Bypass;

// An array, "file:line", or a result of `heddle run --json`, whose loads
// that never hit the L1 are taken.
Status bypass_read(Bypass *bypass, Program *program, const RewriteRequest *request, Error *err);
void bypass_clear(Bypass *bypass);

// Edits the loads of a kernel and of its callees.
void bypass_rewrite(Bypass *bypass, Program *program, const Kernel *kernel,
                    const Direction *direction);
// A choice that nothing matched is a mistake.
Status bypass_check(const Bypass *bypass, Error *err);

#endif
