// SPDX-License-Identifier: MIT
// Headers of NVIDIA's libraries, which heddle cc has none of.
#ifndef CC_FOREIGN_H
#define CC_FOREIGN_H

#include "cc/include_line.h"

// The library that an included header belongs to; NULL: none of these.
const char *foreign_library(const IncludeLine *line);

#endif
