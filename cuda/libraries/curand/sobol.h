// SPDX-License-Identifier: MIT
// Direction vectors of Sobol's sequences.
#ifndef CURAND_SOBOL_H
#define CURAND_SOBOL_H

#include <curand.h>

enum { SOBOL_DIMENSIONS = 101 };

// One per dimension; computed once.
const curandDirectionVectors32_t *sobol_vectors32(void);
const curandDirectionVectors64_t *sobol_vectors64(void);

#endif
