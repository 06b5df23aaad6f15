// SPDX-License-Identifier: MIT
// Takes a verb's command line apart: --name, --name value, --name=value, and
// operands; behind `--` everything is an operand.
#ifndef CLI_ARGUMENTS_H
#define CLI_ARGUMENTS_H

#include "base/arena.h"
#include "cli/verb.h"
#include "policies/policy.h"

// words: what stands behind the verb. Give back with arguments_clear.
Status arguments_parse(Arguments *arguments, const Verb *verb, int count, char **words, Error *err);
void arguments_clear(Arguments *arguments);

bool arguments_has(const Arguments *arguments, const char *option);
// The last value given, or `otherwise`.
const char *arguments_value(const Arguments *arguments, const char *option, const char *otherwise);
// The values of an option that may be repeated: from *at, which begins at 0, the
// next one, or NULL.
const char *arguments_next(const Arguments *arguments, const char *option, int *at);
// All of them with semicolons between, as study files have lists; NULL: none.
const char *arguments_join(const Arguments *arguments, const char *option, Arena *arena);
// Adds the policy of every --plugin to the set.
Status arguments_load_plugins(const Arguments *arguments, PolicySet *set, Error *err);

#endif
