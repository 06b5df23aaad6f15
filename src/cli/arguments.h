// SPDX-License-Identifier: MIT
// Parses the command line of a verb: --name, --name value, --name=value, and
// operands; after `--` every word is an operand. -o and --output are the same option.
#ifndef CLI_ARGUMENTS_H
#define CLI_ARGUMENTS_H

#include "cli/verb.h"
#include "run/run_spec.h"

// words: the arguments after the verb. Free with arguments_clear.
// Options that all commands have take effect at once and are not among the arguments.
Status arguments_parse(Arguments *arguments, const Verb *verb, int count, char **words, Error *err);
void arguments_clear(Arguments *arguments);

// Applies a common option at words[*at], moves *at to its last word, and sets *is_common.
Status arguments_take_common(int count, char **words, int *at, bool *is_common, Error *err);

bool arguments_has(const Arguments *arguments, const char *option);
// Returns the last value given, or `otherwise`.
const char *arguments_value(const Arguments *arguments, const char *option, const char *otherwise);
// Iterates over the values of a repeatable option: returns the next one, or NULL.
// *at starts at 0.
const char *arguments_next(const Arguments *arguments, const char *option, int *at);
// All its values.
RunList arguments_list(const Arguments *arguments, const char *option, Arena *arena);
// The last value given as a number, which must be in the range; *number stays if there is none.
Status arguments_number(const Arguments *arguments, const char *option, uint32_t least,
                        uint32_t most, uint32_t *number, Error *err);
// The words after "--"; 0 if there is none.
int arguments_behind(const Arguments *arguments);

#endif
