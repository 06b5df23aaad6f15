// SPDX-License-Identifier: MIT
// tex, tld4, txq and suq.
//
//   tex   dst[0..3] x y z w     src[0] handle (64 bits), src[1..] coordinates, 32 bits each;
//                               of a1d, a2d and acube src[1] is the layer
//   tld4  dst[0..3]             as tex; one channel of the four texels around the coordinates
//   txq   dst[0]                src[0] handle
//
// Filtering follows the CUDA programming guide: the weights are the fraction
// of the coordinate less one half, rounded to 8 bits. Integer coordinates are
// texels, never filtered; a 1D read beyond the end gives zero, as tex1Dfetch
// does. A cube map has its six faces as layers, and a filter stays inside a
// face. Left out: mipmaps, samplers apart from their texture.
//
// The access that is noted is the texel nearest to the coordinates; the other
// texels of a filter are neighbours of it.
#include <math.h>

#include "isa/memory_access.h"
#include "isa/texture.h"

// One lane's read while it is worked out.
typedef struct Sampler {
  ExecContext *context;
  const Warp *warp;
  const Texture *texture;
  int lane, dimensions;
  uint32_t texel_bytes;
} Sampler;

typedef struct Sample {
  uint32_t value[TEXTURE_CHANNELS];
  uint64_t address;  // of the nearest texel; 0 = none was read
} Sample;

static bool fetch(Sampler *sampler, TexelIndex index, uint32_t value[TEXTURE_CHANNELS],
                  uint64_t *address) {
  memset(value, 0, sizeof(uint32_t) * TEXTURE_CHANNELS);
  *address = 0;
  if (!texture_locate(sampler->texture, index, sampler->dimensions, address)) return true;
  ExecContext *context = sampler->context;
  const Allocation *last = &context->last_allocation;
  bool is_inside =
      *address - last->address < last->size_bytes || memory_use_allocation(context, *address);
  uint64_t offset = *address - last->address;
  if (!is_inside || last->size_bytes - offset < sampler->texel_bytes) {
    fault_raise_access(context, sampler->warp, FAULT_OUT_OF_BOUNDS, sampler->lane, SPACE_TEXTURE,
                       *address, sampler->texel_bytes, false);
    return false;
  }
  texture_decode(sampler->texture, last->host + offset, value);
  return true;
}

// No coordinate is further away than this; NaN counts as 0.
static double tame(double coordinate) {
  const double far = 1 << 30;
  if (!(coordinate == coordinate)) return 0;
  return coordinate > far ? far : coordinate < -far ? -far : coordinate;
}

// A coordinate in texels. Whole turns of wrapped and mirrored coordinates are
// taken away first, so that far ones keep their fraction.
static double to_texels(const Texture *texture, int dimension, float coordinate) {
  const uint32_t sizes[3] = {texture->width, texture->height, texture->depth};
  if (!texture->normalized_coordinates) return tame(coordinate);
  double turns = 0, size = sizes[dimension] ? sizes[dimension] : 1;
  if (texture->addressing[dimension] == ADDRESS_WRAP)
    turns = floor((double)coordinate);
  else if (texture->addressing[dimension] == ADDRESS_MIRROR)
    turns = 2 * floor((double)coordinate / 2);
  return tame(((double)coordinate - turns) * size);
}

static bool sample_point(Sampler *sampler, const double *texels, uint32_t layer, Sample *sample) {
  TexelIndex index = {.layer = layer};
  for (int d = 0; d < sampler->dimensions; d++) index.at[d] = (int64_t)floor(texels[d]);
  return fetch(sampler, index, sample->value, &sample->address);
}

static float as_float(uint32_t bits) {
  float value;
  memcpy(&value, &bits, 4);
  return value;
}

// The 2, 4 or 8 texels around the coordinates, weighted by their nearness.
static bool sample_linear(Sampler *sampler, const double *texels, uint32_t layer, Sample *sample) {
  int64_t low[3];
  double fraction[3], sums[TEXTURE_CHANNELS] = {0};
  uint32_t nearest = 0;
  for (int d = 0; d < sampler->dimensions; d++) {
    double shifted = texels[d] - 0.5;
    low[d] = (int64_t)floor(shifted);
    fraction[d] = floor((shifted - (double)low[d]) * 256 + 0.5) / 256;
    if (floor(texels[d]) > (double)low[d]) nearest |= 1u << d;
  }
  for (uint32_t corner = 0; corner < 1u << sampler->dimensions; corner++) {
    TexelIndex index = {.layer = layer};
    double weight = 1;
    for (int d = 0; d < sampler->dimensions; d++) {
      index.at[d] = low[d] + (corner >> d & 1);
      weight *= corner >> d & 1 ? fraction[d] : 1 - fraction[d];
    }
    uint32_t value[TEXTURE_CHANNELS];
    uint64_t address;
    if (!fetch(sampler, index, value, &address)) return false;
    if (corner == nearest) sample->address = address;
    // A texel without weight must not spoil the sum with an infinity.
    for (int c = 0; c < TEXTURE_CHANNELS && weight != 0; c++)
      sums[c] += weight * as_float(value[c]);
  }
  for (int c = 0; c < TEXTURE_CHANNELS; c++) {
    float sum = (float)sums[c];
    memcpy(&sample->value[c], &sum, 4);
  }
  return true;
}

static bool sample_integer(Sampler *sampler, const int32_t *texels, uint32_t layer,
                           Sample *sample) {
  TexelIndex index = {.layer = layer};
  for (int d = 0; d < sampler->dimensions; d++) index.at[d] = texels[d];
  Texture plain = *sampler->texture;
  plain.normalized_coordinates = false;
  if (sampler->dimensions == 1) plain.addressing[0] = ADDRESS_BORDER;
  const Texture *whole = sampler->texture;
  sampler->texture = &plain;
  bool is_fine = fetch(sampler, index, sample->value, &sample->address);
  sampler->texture = whole;
  return is_fine;
}

static int mode_dimensions(uint8_t mode) {
  switch (mode) {
    case MODE_TEX_CUBE:
    case MODE_TEX_ACUBE: return 2;
    case MODE_TEX_1D:
    case MODE_TEX_A1D: return 1;
    case MODE_TEX_2D:
    case MODE_TEX_A2D: return 2;
    case MODE_TEX_3D: return 3;
    default: return 0;
  }
}

// The texels that a filter would use, one channel of each, beginning below on
// the left and going round against the clock.
static bool sample_gather(Sampler *sampler, const double *texels, uint32_t layer, int channel,
                          Sample *sample) {
  static const int corners[TEXTURE_CHANNELS][2] = {{0, 1}, {1, 1}, {1, 0}, {0, 0}};
  for (int c = 0; c < TEXTURE_CHANNELS; c++) {
    TexelIndex index = {.layer = layer};
    for (int d = 0; d < 2; d++) index.at[d] = (int64_t)floor(texels[d] - 0.5) + corners[c][d];
    uint32_t value[TEXTURE_CHANNELS];
    if (!fetch(sampler, index, value, &sample->address)) return false;
    sample->value[c] = value[channel];
  }
  return true;
}

// The face that a direction points to, and where on it, from 0 to 1.
static uint32_t cube_face(const float direction[3], double at[2]) {
  double x = direction[0], y = direction[1], z = direction[2];
  double ax = fabs(x), ay = fabs(y), az = fabs(z), major, s, t;
  uint32_t face;
  if (ax >= ay && ax >= az) {
    face = x < 0, major = ax, s = x < 0 ? z : -z, t = -y;
  } else if (ay >= az) {
    face = 2 + (y < 0), major = ay, s = x, t = y < 0 ? -z : z;
  } else {
    face = 4 + (z < 0), major = az, s = z < 0 ? -x : x, t = -y;
  }
  at[0] = (s / major + 1) / 2;
  at[1] = (t / major + 1) / 2;
  return face;
}

static bool sample_float(Sampler *sampler, const double *texels, uint32_t layer, Sample *sample) {
  bool is_linear = sampler->texture->filter == FILTER_LINEAR && texture_is_float(sampler->texture);
  return is_linear ? sample_linear(sampler, texels, layer, sample)
                   : sample_point(sampler, texels, layer, sample);
}

static bool sample_cube(Sampler *sampler, const float direction[3], uint32_t layer,
                        Sample *sample) {
  double at[2];
  const Texture *whole = sampler->texture;
  Texture plain = *whole;
  uint32_t face = cube_face(direction, at);
  double texels[3] = {tame(at[0] * whole->width), tame(at[1] * whole->height), 0};
  plain.addressing[0] = plain.addressing[1] = ADDRESS_CLAMP;
  sampler->texture = &plain;
  bool is_fine = sample_float(sampler, texels, layer * 6 + face, sample);
  sampler->texture = whole;
  return is_fine;
}

static bool sample_lane(Sampler *sampler, const Instruction *in, Sample *sample) {
  Mode mode = (Mode)in->form.mode;
  bool is_cube = mode == MODE_TEX_CUBE || mode == MODE_TEX_ACUBE;
  bool is_layered = mode == MODE_TEX_A1D || mode == MODE_TEX_A2D || mode == MODE_TEX_ACUBE;
  uint32_t raw[4] = {0}, layer = 0;
  int count = sampler->dimensions + is_cube + is_layered;
  for (int k = 0; k < count; k++)
    raw[k] = ((const uint32_t *)place_at(sampler->warp, in->src[1 + k]))[sampler->lane];
  if (is_layered) {
    layer = raw[0];
    memmove(raw, raw + 1, sizeof raw - sizeof raw[0]);
  }
  if (is_cube) {
    const float direction[3] = {as_float(raw[0]), as_float(raw[1]), as_float(raw[2])};
    return sample_cube(sampler, direction, layer, sample);
  }
  if (in->form.type2 != TYPE_F32) {
    int32_t texels[3];
    memcpy(texels, raw, sizeof texels);
    return sample_integer(sampler, texels, layer, sample);
  }
  double texels[3] = {0};
  for (int d = 0; d < sampler->dimensions; d++)
    texels[d] = to_texels(sampler->texture, d, as_float(raw[d]));
  if (in->form.op == OP_TLD4) return sample_gather(sampler, texels, layer, in->form.part, sample);
  return sample_float(sampler, texels, layer, sample);
}

// The texture of one lane; a fault if there is none.
static const Texture *texture_of(ExecContext *context, const Warp *warp, const Instruction *in,
                                 int lane) {
  uint64_t handle = ((const uint64_t *)place_at(warp, in->src[0]))[lane];
  const Texture *texture = texture_table_find(context->textures, handle);
  if (!texture)
    fault_raise_access(context, warp, FAULT_BAD_TEXTURE, lane, SPACE_TEXTURE, handle, 0, false);
  return texture;
}

static void write_samples(const Warp *warp, const Instruction *in, uint32_t mask,
                          const Sample *samples) {
  for (int c = 0; c < TEXTURE_CHANNELS; c++) {
    if (in->dst[c] == NO_PLACE) continue;
    uint32_t *to = place_at(warp, in->dst[c]);
    for (int i = 0; i < WARP_LANES; i++) to[i] = mask >> i & 1 ? samples[i].value[c] : to[i];
  }
}

static void exec_tex(ExecContext *context, Warp *warp, const Instruction *in, uint32_t mask) {
  Sample samples[WARP_LANES] = {0};
  Sampler sampler = {
      .context = context, .warp = warp, .dimensions = mode_dimensions(in->form.mode)};
  uint32_t read = 0, texel_bytes = 0;
  for (uint32_t left = mask; left; left &= left - 1) {
    sampler.lane = __builtin_ctz(left);
    sampler.texture = texture_of(context, warp, in, sampler.lane);
    if (!sampler.texture) return;
    sampler.texel_bytes = texel_bytes = texture_texel_bytes(sampler.texture);
    if (!sample_lane(&sampler, in, &samples[sampler.lane])) return;
    read |= (uint32_t)(samples[sampler.lane].address != 0) << sampler.lane;
  }
  access_note(context, read, SPACE_TEXTURE, texel_bytes, false, false);
  for (int i = 0; i < WARP_LANES; i++) context->access.address[i] = samples[i].address;
  write_samples(warp, in, mask, samples);
}

static uint32_t texture_query(const Texture *texture, uint8_t mode) {
  switch (mode) {
    case MODE_TEX_WIDTH: return texture->width;
    case MODE_TEX_HEIGHT: return texture->height;
    default: return texture->depth;
  }
}

static void exec_txq(ExecContext *context, Warp *warp, const Instruction *in, uint32_t mask) {
  uint32_t values[WARP_LANES];
  for (uint32_t left = mask; left; left &= left - 1) {
    int lane = __builtin_ctz(left);
    const Texture *texture = texture_of(context, warp, in, lane);
    if (!texture) return;
    values[lane] = texture_query(texture, in->form.mode);
  }
  uint32_t *to = place_at(warp, in->dst[0]);
  for (uint32_t left = mask; left; left &= left - 1) {
    int lane = __builtin_ctz(left);
    to[lane] = values[lane];
  }
}

ExecFn exec_find_texture(const Form *form) {
  if (form->op == OP_SULD || form->op == OP_SUST) return exec_find_surface(form);
  if (form->op == OP_TXQ || form->op == OP_SUQ)
    return form->mode == MODE_TEX_WIDTH || form->mode == MODE_TEX_HEIGHT ||
                   form->mode == MODE_TEX_DEPTH
               ? exec_txq
               : NULL;
  bool has_words = type_bits(form->type) == 32 && form->type != TYPE_F16X2;
  bool has_coordinates =
      form->type2 == TYPE_F32 || form->type2 == TYPE_S32 || form->type2 == TYPE_U32;
  bool is_cube = form->mode == MODE_TEX_CUBE || form->mode == MODE_TEX_ACUBE;
  if ((is_cube || form->op == OP_TLD4) && form->type2 != TYPE_F32) return NULL;
  return mode_dimensions(form->mode) && has_words && has_coordinates ? exec_tex : NULL;
}
