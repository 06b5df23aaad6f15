// SPDX-License-Identifier: MIT
// From the driver API's words for textures to the device's, for objects and
// references alike.
#ifndef CUDADRIVER_TEXTURES_H
#define CUDADRIVER_TEXTURES_H

#include "cudadriver/api.h"

// Where the texels are.
CUresult texture_use_array(Texture *texture, CUarray array);
CUresult texture_use_memory(Texture *texture, CUdeviceptr pointer, size_t bytes,
                            CUarray_format format, unsigned channels);
CUresult texture_use_rows(Texture *texture, CUdeviceptr pointer, const CUDA_ARRAY_DESCRIPTOR *shape,
                          size_t pitch);
// How they are read; after where they are.
// How its levels are chosen; after texture_set_up.
void texture_set_levels(Texture *texture, const CUDA_TEXTURE_DESC *how);
CUresult texture_set_up(Texture *texture, const CUaddress_mode modes[3], CUfilter_mode filter,
                        unsigned flags);

#endif
