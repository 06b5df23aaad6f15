// SPDX-License-Identifier: MIT
// Tensor maps for bulk copies of tiles.
#include "cudadriver/api.h"

EXPORT CUresult cuTensorMapEncodeTiled(CUtensorMap *map, CUtensorMapDataType type, cuuint32_t rank,
                                       void *address, const cuuint64_t *size,
                                       const cuuint64_t *strides, const cuuint32_t *box,
                                       const cuuint32_t *element_strides,
                                       CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
                                       CUtensorMapL2promotion promotion,
                                       CUtensorMapFloatOOBfill fill) {
  (void)promotion;  // a hint
  NEED_VALUE(map && size && box && element_strides && rank >= 1 && rank <= 5);
  NEED_VALUE((rank == 1 || strides) && (unsigned)type < 256);
  if (interleave != CU_TENSOR_MAP_INTERLEAVE_NONE)
    return api_unsupported("interleaved tensor maps");
  if (fill != CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE)
    return api_unsupported("tensor maps that fill with NaN");
  for (cuuint32_t d = 0; d < rank; d++)
    if (element_strides[d] != 1) return api_unsupported("tensor maps with element strides");
  DeviceTensorMap wanted = {.element = (unsigned)type,
                            .rank = rank,
                            .address = (uint64_t)(uintptr_t)address,
                            .swizzle_bytes = swizzle ? 16u << swizzle : 0};
  for (cuuint32_t d = 0; d < rank; d++) {
    wanted.size[d] = size[d];
    wanted.box[d] = box[d];
    if (d) wanted.stride[d - 1] = strides[d - 1];
  }
  return api_result(device_tensor_map(&wanted, map));
}

EXPORT CUresult cuTensorMapReplaceAddress(CUtensorMap *map, void *address) {
  NEED_VALUE(map);
  return api_result(device_tensor_map_move(map, (uint64_t)(uintptr_t)address));
}
