// SPDX-License-Identifier: MIT
// Headers of NVIDIA's libraries that heddle cc has not and the system may not have.
#ifndef CC_FOREIGN_H
#define CC_FOREIGN_H

#include "cc/include_line.h"

// The library that an included header belongs to; NULL: none of these, or
// it is installed.
const char *foreign_library(const IncludeLine *line);

#endif
