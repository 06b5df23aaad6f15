// SPDX-License-Identifier: MIT
// What may stand where a shell's cursor is: verbs, options, GPUs, workloads,
// policies, parameters and their values, from the tables of the program.
#ifndef CLI_COMPLETION_WORDS_H
#define CLI_COMPLETION_WORDS_H

#include <stdio.h>

// words: those behind `heddle` up to the cursor, ended by NULL; the last one is
// being typed and may be empty. Prints the words that it may become, one per
// line. One that ends in '.', '=' or ':' is not whole yet.
void completion_words(char *const *words, FILE *file);

#endif
