// SPDX-License-Identifier: MIT
// Reading a texture at coordinates: one lane's read while it is worked out.
//
// Filtering follows the CUDA programming guide: the weights are the fraction
// of the coordinate less one half, rounded to 8 bits. Integer coordinates are
// texels, never filtered; a 1D read beyond the end gives zero, as tex1Dfetch
// does. A cube map has its six faces as layers, and a filter stays inside a
// face. Of a mipmapped texture the level nearest to the wanted one is read, or
// with a linear mipmap filter the two around it, weighted with 8 bits.
// Left out: anisotropic filters, samplers apart from their texture.
#ifndef EXEC_TEXTURE_SAMPLER_H
#define EXEC_TEXTURE_SAMPLER_H

#include "exec/memory/memory_access.h"
#include "exec/texture/texture.h"

typedef struct Sampler {
  ExecContext *context;
  const Warp *warp;
  const Texture *texture;
  int lane, dimensions;
  bool is_cube;  // coordinates are a direction
  uint32_t texel_bytes;
} Sampler;

typedef struct Sample {
  uint32_t value[TEXTURE_CHANNELS];
  uint64_t address;  // of the nearest texel; 0 = none was read
} Sample;

// These return false after a fault.

// By texel, without a filter.
bool sampler_read_texel(Sampler *sampler, const int32_t texels[3], uint32_t layer, Sample *sample);
// By coordinates, of a level of detail that a texture without levels ignores.
bool sampler_read(Sampler *sampler, const float coordinates[3], uint32_t layer, float level,
                  Sample *sample);
// The texels that a filter would use, one channel of each, beginning below on
// the left and going round against the clock.
bool sampler_gather(Sampler *sampler, const float coordinates[3], uint32_t layer, int channel,
                    Sample *sample);

// The level at which a step of one pixel, along x or y of a picture, is a step
// of one texel at most. gradients: how coordinates change along each.
float sampler_level(const Sampler *sampler, const float coordinates[3], float gradients[2][3]);

#endif
