// SPDX-License-Identifier: MIT
// What the microbenchmarks measure, and how.
#ifndef SUPPORT_MICRO_QUANTITY_H
#define SUPPORT_MICRO_QUANTITY_H

#include "support/microbenchmark.h"

typedef struct MicroQuantity MicroQuantity;

typedef Status (*MicroMeasure)(const MicroQuantity *quantity, const char *folder,
                               const GpuConfig *config, double *value, Error *err);

struct MicroQuantity {
  const char *name, *unit;
  MicroMeasure measure;
  const char *kernel;
  const char *measured;  // instruction, load or access
  double work;           // operations of a chain; bytes of a thread in a turn
  uint64_t span;         // memory: bytes of the buffer that is read
};

// The last of each has no name.
extern const MicroQuantity micro_quantities[];
extern const MicroQuantity micro_tensor_quantities[];  // micro_tensor.c; of GPUs with tensor cores

// A value with as many digits as it is worth.
enum { MICRO_VALUE_BYTES = 32 };
void micro_format(double value, char text[MICRO_VALUE_BYTES]);

#endif
