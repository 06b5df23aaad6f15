// SPDX-License-Identifier: MIT
// Headers of NVIDIA's libraries, which heddle cc has none of.
#ifndef CC_FOREIGN_H
#define CC_FOREIGN_H

// The library that the first such #include of a source asks for, such as
// "Thrust"; NULL if there is none.
const char *foreign_library(const char *source);

#endif
