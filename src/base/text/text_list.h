// SPDX-License-Identifier: MIT
// Lists in one line: "lrr, gto, two_level:active_warps=8,fetch_warps=4".
#ifndef BASE_TEXT_TEXT_LIST_H
#define BASE_TEXT_TEXT_LIST_H

#include "base/arena.h"

// The next part of a list, without the blanks around it; NULL at the end. Moves
// *list past it and skips empty parts. With ',' between parts, a policy keeps
// its parameters: "a:x=1,y=2" is one part.
const char *text_list_next(const char **list, char separator, Arena *arena);

#endif
