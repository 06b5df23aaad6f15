// SPDX-License-Identifier: MIT
// Completions at a shell's cursor: verbs, options, GPUs, workloads, policies,
// parameters and their values, from the tables of the program.
#ifndef CLI_COMPLETION_WORDS_H
#define CLI_COMPLETION_WORDS_H

#include <stdio.h>

// words: the arguments of `heddle` up to the cursor, NULL-terminated; the last one
// is incomplete and may be empty. Prints its completions, one per line. Those that
// end in '.', '=' or ':' can be completed further.
void completion_words(char *const *words, FILE *file);

#endif
