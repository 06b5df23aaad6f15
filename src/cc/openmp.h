// SPDX-License-Identifier: MIT
// Programs with -fopenmp need clang's OpenMP library, which is a package of its own.
#ifndef CC_OPENMP_H
#define CC_OPENMP_H

#include "cc/build_job.h"

// After linking: returns its status, and explains a failure for want of that library.
Status openmp_explain(Build *build, Status status, Error *err);

#endif
