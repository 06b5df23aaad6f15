// SPDX-License-Identifier: MIT
// Asynchronous copies: the primitives. nvcuda::experimental::pipeline and cuda::pipeline are left
// out.
#ifndef HEDDLE_CUDA_PIPELINE_H
#define HEDDLE_CUDA_PIPELINE_H

#include "cuda_pipeline_primitives.h"

#endif
