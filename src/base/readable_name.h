// SPDX-License-Identifier: MIT
// What people call a C++ function: reduce<float, 256>, where executables and PTX
// have _Z6reduceIfLi256EEvPKT_PS0_j (Itanium C++ ABI, section 5.1).
//
// Parameters, results and namespaces without a name are left out. Template
// arguments that are long or hard to read (lambdas, expressions) become <...>;
// so no name, however made, takes long or grows. What is no such name stays.
#ifndef BASE_READABLE_NAME_H
#define BASE_READABLE_NAME_H

#include "base/arena.h"

// In the arena, or the name itself if it stays.
const char *readable_name(Arena *arena, const char *name);

#endif
