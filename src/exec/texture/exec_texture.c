// SPDX-License-Identifier: MIT
// tex, tld4, txq and suq.
//
//   tex   dst[0..3] x y z w     src[0] handle (64 bits), src[1..] coordinates, 32 bits each;
//                               of a1d, a2d and acube src[1] is the layer;
//                               tex.level: list->src[0] is the level,
//                               tex.grad: list->src[..] are two gradients, one behind the other
//   tld4  dst[0..3]             as tex; one channel of the four texels around the coordinates
//   txq   dst[0]                src[0] handle
//
// sampler.h says what is read. The access that is noted is the texel nearest
// to the coordinates; the other texels of a filter are neighbours of it, and
// those of a second level are not counted.
#include "exec/texture/sampler.h"

static int mode_dimensions(uint8_t mode) {
  switch (mode) {
    case MODE_TEX_1D:
    case MODE_TEX_A1D: return 1;
    case MODE_TEX_2D:
    case MODE_TEX_A2D:
    case MODE_TEX_CUBE:
    case MODE_TEX_ACUBE: return 2;
    case MODE_TEX_3D: return 3;
    default: return 0;
  }
}

static uint32_t word_at(const Sampler *sampler, Place place) {
  return ((const uint32_t *)place_at(sampler->warp, place))[sampler->lane];
}

// The level that the instruction asks for; without one, the first.
static float wanted_level(const Sampler *sampler, const Instruction *in,
                          const float coordinates[3]) {
  float gradients[2][3] = {0}, level;
  if (!in->list) return 0;
  uint32_t word = word_at(sampler, in->list->src[0]), half = in->list->src_count / 2;
  memcpy(&level, &word, 4);
  if (!half) return level;
  for (uint32_t k = 0; k < 2 * half; k++) {
    word = word_at(sampler, in->list->src[k]);
    memcpy(&gradients[k / half][k % half], &word, 4);
  }
  return sampler_level(sampler, coordinates, gradients);
}

static bool sample_lane(Sampler *sampler, const Instruction *in, Sample *sample) {
  Mode mode = (Mode)in->form.mode;
  bool is_layered = mode == MODE_TEX_A1D || mode == MODE_TEX_A2D || mode == MODE_TEX_ACUBE;
  uint32_t raw[3] = {0}, layer = is_layered ? word_at(sampler, in->src[1]) : 0;
  int count = sampler->dimensions + sampler->is_cube;
  for (int k = 0; k < count; k++) raw[k] = word_at(sampler, in->src[1 + is_layered + k]);
  if (in->form.type2 != TYPE_F32) {
    int32_t texels[3];
    memcpy(texels, raw, sizeof texels);
    return sampler_read_texel(sampler, texels, layer, sample);
  }
  float coordinates[3];
  memcpy(coordinates, raw, sizeof coordinates);
  if (in->form.op == OP_TLD4)
    return sampler_gather(sampler, coordinates, layer, in->form.part, sample);
  return sampler_read(sampler, coordinates, layer, wanted_level(sampler, in, coordinates), sample);
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
  Sampler sampler = {.context = context,
                     .warp = warp,
                     .dimensions = mode_dimensions(in->form.mode),
                     .is_cube = in->form.mode == MODE_TEX_CUBE || in->form.mode == MODE_TEX_ACUBE};
  uint32_t read = 0, texel_bytes = 0;
  for (uint32_t left = mask; left; left &= left - 1) {
    sampler.lane = __builtin_ctz(left);
    sampler.texture = texture_of(context, warp, in, sampler.lane);
    if (!sampler.texture) return;
    sampler.texel_bytes = texel_bytes = texture_texel_bytes(sampler.texture);
    if (!sample_lane(&sampler, in, &samples[sampler.lane])) return;
    Sample *sample = &samples[sampler.lane];
    if (!sample->address) continue;
    read |= 1u << sampler.lane;
    sample->address = texture_machine_address(sampler.texture, sample->address);
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
