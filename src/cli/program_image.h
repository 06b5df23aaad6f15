// SPDX-License-Identifier: MIT
// A look at a program's file before it is run.
#ifndef CLI_PROGRAM_IMAGE_H
#define CLI_PROGRAM_IMAGE_H

#include "base/error.h"

// Refuses a program that has NVIDIA's runtime inside, which nothing can replace.
// name: as given, looked for in PATH if it has no slash. What is no ELF file, a
// script for one, and what cannot be read is left to whoever runs it.
Status program_image_check(const char *name, Error *err);

#endif
