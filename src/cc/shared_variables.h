// SPDX-License-Identifier: MIT
// __shared__ variables with constructors, such as cuda::barrier: nvcc leaves them uninitialised,
// with a warning; clang refuses them. Which they are is known to clang alone, so a source that it
// refuses for this reason is rewritten at the places it names, and compiled again:
//
//   __shared__ T name[4];
//
// becomes, in one line,
//
//   typedef T heddle_type_name[4]; __shared__ heddle::Shared<heddle_type_name> heddle_shared_name;
//   heddle_type_name &name = heddle_shared_name.value;
//
// heddle::Shared is a union (cuda/include/heddle/device.h), which has no constructor to run.
#ifndef CC_SHARED_VARIABLES_H
#define CC_SHARED_VARIABLES_H

#include <stdbool.h>
#include <stddef.h>

#include "cc/words.h"

// Adds the places that clang's messages name, as "path:line:column", to `places`. Returns how
// many are new. Escape sequences for colours are skipped.
int shared_variables_find(const char *messages, Words *places);

// Rewrites the variables of the file `path` among the places. Lines and columns are those of
// `text`. Returns false if nothing was rewritten; otherwise the caller frees *out with free.
bool shared_variables_rewrite(const char *path, const char *text, size_t length,
                              const Words *places, char **out, size_t *out_length);

#endif
