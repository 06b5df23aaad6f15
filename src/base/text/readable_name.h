// SPDX-License-Identifier: MIT
// Demangles the name of a C++ function: _Z6reduceIfLi256EEvPKT_PS0_j in executables
// and PTX becomes reduce<float, 256> (Itanium C++ ABI, section 5.1).
//
// Parameters, results and unnamed namespaces are omitted. Template arguments that are
// long or hard to read (lambdas, expressions) become <...>, which bounds time and
// length for any input. Other names are returned unchanged.
#ifndef BASE_TEXT_READABLE_NAME_H
#define BASE_TEXT_READABLE_NAME_H

#include "base/arena.h"

// In the arena, or the name itself if it stays.
const char *readable_name(Arena *arena, const char *name);

#endif
