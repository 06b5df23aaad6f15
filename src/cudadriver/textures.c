// SPDX-License-Identifier: MIT
// Translates the driver API's texture descriptions to the device's.
#include "cudadriver/textures.h"

CUresult texture_use_array(Texture *texture, CUarray array) {
  return api_result(device_array_texture(api_device(), (DeviceArray *)array, texture));
}

CUresult texture_use_memory(Texture *texture, CUdeviceptr pointer, size_t bytes,
                            CUarray_format format, unsigned channels) {
  DevicePointer found;
  NEED_VALUE(api_channels(format, channels, texture->channel_bits, &texture->channel));
  NEED_VALUE(device_pointer_find(api_device(), pointer, &found));
  // Programs bind "all there is" with a size that is too large.
  uint64_t room = found.base + found.size_bytes - pointer;
  size_t texel = texture->channel_bits[0] / 8u * channels;
  size_t texels = (bytes < room ? bytes : room) / texel;
  NEED_VALUE(texels && texels <= UINT32_MAX);
  texture->address = pointer;
  texture->width = (uint32_t)texels;
  return CUDA_SUCCESS;
}

CUresult texture_use_rows(Texture *texture, CUdeviceptr pointer, const CUDA_ARRAY_DESCRIPTOR *shape,
                          size_t pitch) {
  DevicePointer found;
  NEED_VALUE(
      api_channels(shape->Format, shape->NumChannels, texture->channel_bits, &texture->channel));
  NEED_VALUE(shape->Width && shape->Width <= UINT32_MAX && shape->Height <= UINT32_MAX);
  NEED_VALUE(device_pointer_find(api_device(), pointer, &found));
  texture->address = pointer;
  texture->width = (uint32_t)shape->Width;
  texture->height = (uint32_t)shape->Height;
  texture->pitch_bytes = pitch;
  return CUDA_SUCCESS;
}

CUresult texture_set_up(Texture *texture, const CUaddress_mode modes[3], CUfilter_mode filter,
                        unsigned flags) {
  NEED_VALUE((unsigned)filter <= CU_TR_FILTER_MODE_LINEAR);
  texture->is_srgb = flags & CU_TRSF_SRGB;
  for (int d = 0; d < 3; d++) {
    NEED_VALUE((unsigned)modes[d] <= CU_TR_ADDRESS_MODE_BORDER);
    texture->addressing[d] = (TextureAddressing)modes[d];
  }
  texture->filter = filter == CU_TR_FILTER_MODE_LINEAR ? FILTER_LINEAR : FILTER_POINT;
  texture->normalized_coordinates = flags & CU_TRSF_NORMALIZED_COORDINATES;
  // 8- and 16-bit integers are normalised to 0..1 unless the program requests raw values.
  texture->normalized_values = texture->channel != CHANNEL_FLOAT && texture->channel_bits[0] < 32 &&
                               !(flags & CU_TRSF_READ_AS_INTEGER);
  return CUDA_SUCCESS;
}

void texture_set_levels(Texture *texture, const CUDA_TEXTURE_DESC *how) {
  texture->level_filter =
      how->mipmapFilterMode == CU_TR_FILTER_MODE_LINEAR ? FILTER_LINEAR : FILTER_POINT;
  texture->level_bias = how->mipmapLevelBias;
  texture->level_min = how->minMipmapLevelClamp;
  texture->level_max = how->maxMipmapLevelClamp;
  for (int c = 0; c < TEXTURE_CHANNELS; c++) texture->border[c] = how->borderColor[c];
}
