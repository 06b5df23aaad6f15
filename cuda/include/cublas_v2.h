// SPDX-License-Identifier: MIT
#ifndef HEDDLE_CUBLAS_V2_H
#define HEDDLE_CUBLAS_V2_H
#define CUBLAS_V2_H_ 1  // what programs ask for to know that it was read

#include "cublas_api.h"

#endif
