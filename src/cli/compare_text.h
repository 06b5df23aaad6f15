// SPDX-License-Identifier: MIT
// Converts a command-line comparison to the text of a study (docs/studies.md).
#ifndef CLI_COMPARE_TEXT_H
#define CLI_COMPARE_TEXT_H

#include "cli/verb.h"
#include "base/arena.h"

Status compare_text(const Arguments *arguments, Arena *arena, const char **text, Error *err);

#endif
