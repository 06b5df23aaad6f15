// SPDX-License-Identifier: MIT
// One lane's texture read: coordinates, boundary modes, filtering, cube faces.
#include "exec/texture/sampler.h"

#include <math.h>

static bool fetch(const Sampler *sampler, TexelIndex index, uint32_t value[TEXTURE_CHANNELS],
                  uint64_t *address) {
  memset(value, 0, sizeof(uint32_t) * TEXTURE_CHANNELS);
  *address = 0;
  if (!texture_locate(sampler->texture, index, sampler->dimensions, address)) {
    if (texture_is_float(sampler->texture))
      memcpy(value, sampler->texture->border, sizeof sampler->texture->border);
    return true;
  }
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

// ---- one level

// No coordinate is further away than this; NaN counts as 0.
static double tame(double coordinate) {
  const double far = 1 << 30;
  if (!(coordinate == coordinate)) return 0;
  return coordinate > far ? far : coordinate < -far ? -far : coordinate;
}

static double side(const Texture *texture, int dimension) {
  const uint32_t sizes[3] = {texture->width, texture->height, texture->depth};
  return sizes[dimension] ? sizes[dimension] : 1;
}

// A coordinate in texels. Whole turns of wrapped and mirrored coordinates are
// taken away first, so that far ones keep their fraction.
static double to_texels(const Texture *texture, int dimension, float coordinate) {
  if (!texture->normalized_coordinates) return tame(coordinate);
  double turns = 0;
  if (texture->addressing[dimension] == ADDRESS_WRAP)
    turns = floor((double)coordinate);
  else if (texture->addressing[dimension] == ADDRESS_MIRROR)
    turns = 2 * floor((double)coordinate / 2);
  return tame(((double)coordinate - turns) * side(texture, dimension));
}

static bool sample_point(const Sampler *sampler, const double *texels, uint32_t layer,
                         Sample *sample) {
  TexelIndex index = {.layer = layer};
  for (int d = 0; d < sampler->dimensions; d++) index.at[d] = (int64_t)floor(texels[d]);
  return fetch(sampler, index, sample->value, &sample->address);
}

static float as_float(uint32_t bits) {
  float value;
  memcpy(&value, &bits, 4);
  return value;
}

static void set_floats(Sample *sample, const double sums[TEXTURE_CHANNELS]) {
  for (int c = 0; c < TEXTURE_CHANNELS; c++) {
    float sum = (float)sums[c];
    memcpy(&sample->value[c], &sum, 4);
  }
}

// The 2, 4 or 8 texels around the coordinates, weighted by their nearness.
static bool sample_linear(const Sampler *sampler, const double *texels, uint32_t layer,
                          Sample *sample) {
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
  set_floats(sample, sums);
  return true;
}

// The face that a direction points to.
static uint32_t cube_face(const float direction[3]) {
  double x = direction[0], y = direction[1], z = direction[2];
  double ax = fabs(x), ay = fabs(y), az = fabs(z);
  if (ax >= ay && ax >= az) return x < 0;
  return ay >= az ? 2 + (y < 0) : 4 + (z < 0);
}

// Where on the plane of a face a direction ends, from 0 to 1 inside the face.
static void cube_at(uint32_t face, const float direction[3], double at[2]) {
  double x = direction[0], y = direction[1], z = direction[2], major, s, t;
  switch (face) {
    case 0:
    case 1: major = fabs(x), s = face ? z : -z, t = -y; break;
    case 2:
    case 3: major = fabs(y), s = x, t = face == 3 ? -z : z; break;
    default: major = fabs(z), s = face == 5 ? -x : x, t = -y; break;
  }
  at[0] = (s / major + 1) / 2;
  at[1] = (t / major + 1) / 2;
}

// The coordinates in texels of the sampler's texture; a direction also finds its layer.
static void find_texels(const Sampler *sampler, const float coordinates[3], uint32_t *layer,
                        double texels[3]) {
  if (sampler->is_cube) {
    uint32_t face = cube_face(coordinates);
    cube_at(face, coordinates, texels);
    for (int d = 0; d < 2; d++) texels[d] = tame(texels[d] * side(sampler->texture, d));
    *layer = *layer * 6 + face;
  } else {
    for (int d = 0; d < sampler->dimensions; d++)
      texels[d] = to_texels(sampler->texture, d, coordinates[d]);
  }
}

// level: what is read of the sampler's texture, or all there is.
static bool read_level(const Sampler *sampler, const Texture *level, const float coordinates[3],
                       uint32_t layer, Sample *sample) {
  Sampler own = *sampler;
  Texture plain;
  double texels[3] = {0};
  own.texture = level;
  if (own.is_cube) {
    plain = *level;
    plain.addressing[0] = plain.addressing[1] = ADDRESS_CLAMP;
    own.texture = &plain;
  }
  find_texels(&own, coordinates, &layer, texels);
  bool is_linear = level->filter == FILTER_LINEAR && texture_is_float(level);
  return is_linear ? sample_linear(&own, texels, layer, sample)
                   : sample_point(&own, texels, layer, sample);
}

// ---- several levels

// The wanted level as the texture's bias and bounds change it.
static double bounded_level(const Texture *texture, float wanted) {
  double last = texture->levels - 1, level = (double)wanted + (double)texture->level_bias;
  if (!(level > (double)texture->level_min)) level = (double)texture->level_min;
  if (level > (double)texture->level_max) level = (double)texture->level_max;
  return level < 0 ? 0 : level > last ? last : level;
}

static bool read_between(const Sampler *sampler, const float coordinates[3], uint32_t layer,
                         double level, Sample *sample) {
  Texture at;
  Sample far;
  double low = floor(level), weight = floor((level - low) * 256 + 0.5) / 256;
  double sums[TEXTURE_CHANNELS];
  texture_level(sampler->texture, (uint32_t)low, &at);
  if (!read_level(sampler, &at, coordinates, layer, sample)) return false;
  if (weight == 0) return true;
  texture_level(sampler->texture, (uint32_t)low + 1, &at);
  if (!read_level(sampler, &at, coordinates, layer, &far)) return false;
  for (int c = 0; c < TEXTURE_CHANNELS; c++)
    sums[c] = (1 - weight) * as_float(sample->value[c]) + weight * as_float(far.value[c]);
  set_floats(sample, sums);
  return true;
}

bool sampler_read(Sampler *sampler, const float coordinates[3], uint32_t layer, float level,
                  Sample *sample) {
  const Texture *texture = sampler->texture;
  Texture at;
  if (texture->levels < 2) return read_level(sampler, texture, coordinates, layer, sample);
  double bounded = bounded_level(texture, level);
  if (texture->level_filter == FILTER_LINEAR && texture_is_float(texture))
    return read_between(sampler, coordinates, layer, bounded, sample);
  texture_level(texture, (uint32_t)floor(bounded + 0.5), &at);
  return read_level(sampler, &at, coordinates, layer, sample);
}

// How far a step goes, in texels.
static double step_length(const Sampler *sampler, const float coordinates[3],
                          const float gradient[3]) {
  const Texture *texture = sampler->texture;
  double sum = 0, here[2], there[2];
  if (sampler->is_cube) {
    float moved[3];
    uint32_t face = cube_face(coordinates);
    for (int d = 0; d < 3; d++) moved[d] = coordinates[d] + gradient[d];
    cube_at(face, coordinates, here);
    cube_at(face, moved, there);
  }
  for (int d = 0; d < sampler->dimensions; d++) {
    double step = sampler->is_cube ? there[d] - here[d] : (double)gradient[d];
    if (sampler->is_cube || texture->normalized_coordinates) step *= side(texture, d);
    sum += step * step;
  }
  return sqrt(sum);
}

float sampler_level(const Sampler *sampler, const float coordinates[3], float gradients[2][3]) {
  double x = step_length(sampler, coordinates, gradients[0]);
  double y = step_length(sampler, coordinates, gradients[1]);
  return (float)log2(x > y ? x : y);
}

// ---- without a filter

static Texture zero_outside(Texture texture) {
  texture.addressing[0] = ADDRESS_BORDER;
  memset(texture.border, 0, sizeof texture.border);
  return texture;
}

bool sampler_read_texel(Sampler *sampler, const int32_t texels[3], uint32_t layer, Sample *sample) {
  TexelIndex index = {.layer = layer};
  for (int d = 0; d < sampler->dimensions; d++) index.at[d] = texels[d];
  Sampler own = *sampler;
  Texture plain = *sampler->texture;
  plain.normalized_coordinates = false;
  if (sampler->dimensions == 1) plain = zero_outside(plain);
  own.texture = &plain;
  return fetch(&own, index, sample->value, &sample->address);
}

bool sampler_gather(Sampler *sampler, const float coordinates[3], uint32_t layer, int channel,
                    Sample *sample) {
  static const int corners[TEXTURE_CHANNELS][2] = {{0, 1}, {1, 1}, {1, 0}, {0, 0}};
  double texels[3] = {0};
  find_texels(sampler, coordinates, &layer, texels);
  for (int c = 0; c < TEXTURE_CHANNELS; c++) {
    TexelIndex index = {.layer = layer};
    for (int d = 0; d < 2; d++) index.at[d] = (int64_t)floor(texels[d] - 0.5) + corners[c][d];
    uint32_t value[TEXTURE_CHANNELS];
    if (!fetch(sampler, index, value, &sample->address)) return false;
    sample->value[c] = value[channel];
  }
  return true;
}
