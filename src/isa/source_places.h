// SPDX-License-Identifier: MIT
// Lists of places in the source, as settings and options give them: "42,softmax.cu:57", or "all".
//
// A number alone is a line of any file. Lines are those of the CUDA source where the PTX knows
// them (-lineinfo), else those of the PTX.
#ifndef ISA_SOURCE_PLACES_H
#define ISA_SOURCE_PLACES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

// Whether the list, which may be NULL or empty, has the line of the file. A path in the list
// matches a file that ends in it.
bool source_places_have(const char *list, const char *file, uint32_t line);
Status source_places_check(const char *list, Error *err);

#endif
