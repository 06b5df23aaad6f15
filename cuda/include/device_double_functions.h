// SPDX-License-Identifier: MIT
// Included by name in some programs; cuda_runtime.h has it all.
#include "cuda_runtime.h"
