// SPDX-License-Identifier: MIT
// Tensor maps: what cuTensorMapEncodeTiled and tensormap.replace write and bulk copies of tensors
// read. The format is ours: programs may copy a map, but not look into it.
#ifndef EXEC_MEMORY_TENSOR_MAP_H
#define EXEC_MEMORY_TENSOR_MAP_H

#include <stdbool.h>
#include <stdint.h>

#include "isa/types.h"

enum { TENSOR_MAX_RANK = 5, TENSOR_MAP_BYTES = 128 };
#define TENSOR_MAP_MAGIC 0x48544d31u

typedef struct TensorMap {
  uint32_t magic;
  uint8_t element;  // CUtensorMapDataType
  uint8_t rank;
  uint8_t swizzle;  // 0, or log2 of the bytes of a row of 16-byte chunks that are swizzled, less 4
  uint8_t reserved;
  uint64_t address;
  uint64_t size[TENSOR_MAX_RANK];        // in elements, the contiguous dimension first
  uint64_t stride[TENSOR_MAX_RANK - 1];  // in bytes, of the others
  uint32_t box[TENSOR_MAX_RANK];         // in elements
  uint8_t unused[20];
} TensorMap;
_Static_assert(sizeof(TensorMap) == TENSOR_MAP_BYTES, "a tensor map has 128 bytes");

// The type of its elements; TYPE_NONE: there is none of that number.
static inline DataType tensor_element(const TensorMap *map) {
  static const uint8_t types[] = {TYPE_U8,  TYPE_U16, TYPE_U32, TYPE_S32, TYPE_U64,
                                  TYPE_S64, TYPE_F16, TYPE_F32, TYPE_F64, TYPE_BF16,
                                  TYPE_F32, TYPE_F32, TYPE_F32};
  return map->element < sizeof types ? (DataType)types[map->element] : TYPE_NONE;
}

// Swizzled addresses of shared memory: chunks of 16 bytes within rows of 32, 64 or 128 (bits 1, 2,
// 3) are exchanged by the number of the 128-byte line.
static inline uint64_t swizzled(uint64_t address, uint32_t bits) {
  uint64_t mask = ((UINT64_C(1) << bits) - 1) << 4;
  return address ^ (address >> 3 & mask);
}

#endif
