// SPDX-License-Identifier: MIT
// The table of textures: objects, references and their checks.
#include "exec/texture/texture.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "exec/arithmetic/half.h"

enum { MAX_TEXTURES = 1 << 16 };

typedef struct TextureSlot {
  Texture texture;
  uint64_t address;  // of a reference that is a program's variable
  bool is_used;
} TextureSlot;

// References or objects, by index.
typedef struct TextureList {
  TextureSlot *slots;
  uint32_t count, capacity;
} TextureList;

struct TextureTable {
  TextureList references, objects;
  TextureList variables;  // references by the address of their variable; a program has few
};

TextureTable *texture_table_create(void) {
  return memory_alloc(sizeof(TextureTable));
}

void texture_table_destroy(TextureTable *table) {
  if (!table) return;
  memory_free(table->references.slots);
  memory_free(table->objects.slots);
  memory_free(table->variables.slots);
  memory_free(table);
}

static uint32_t size_or_one(uint32_t size) {
  return size ? size : 1;
}

// A descriptor whose last texel can be addressed without overflow.
static Status check(const Texture *texture, Error *err) {
  uint32_t bits = texture->channel_bits[0];
  if (bits != 8 && bits != 16 && bits != 32)
    return error_set(err, ERR_UNSUPPORTED, "texture with %u-bit channels", bits);
  if (texture->channel == CHANNEL_FLOAT && bits == 8)
    return error_set(err, ERR_UNSUPPORTED, "texture with 8-bit floats");
  for (int c = 1; c < TEXTURE_CHANNELS; c++)
    if (texture->channel_bits[c] && texture->channel_bits[c] != bits)
      return error_set(err, ERR_UNSUPPORTED, "texture with channels of different widths");
  const uint64_t most = UINT64_C(1) << 40;
  if (!texture->width || texture->pitch_bytes > most || texture->slice_bytes > most)
    return error_set(err, ERR_CONFIG, "texture of %u texels with a pitch of %" PRIu64 " bytes",
                     texture->width, texture->pitch_bytes);
  return OK;
}

static void put(TextureList *list, uint32_t index, const Texture *texture) {
  while (list->count <= index) {
    GROW(list->slots, list->count, list->capacity);
    memset(&list->slots[list->count++], 0, sizeof(TextureSlot));
  }
  list->slots[index] = (TextureSlot){.texture = *texture, .is_used = true};
}

Status texture_table_add(TextureTable *table, const Texture *texture, uint64_t *handle,
                         Error *err) {
  TRY(check(texture, err));
  uint32_t index = 0;
  while (index < table->objects.count && table->objects.slots[index].is_used) index++;
  if (index == MAX_TEXTURES) return error_set(err, ERR_LIMIT, "%u textures exist", index);
  put(&table->objects, index, texture);
  *handle = TEXTURE_OBJECTS + (uint64_t)index * TEXTURE_STRIDE;
  return OK;
}

static TextureSlot *variable_slot(const TextureTable *table, uint64_t address) {
  for (uint32_t i = 0; i < table->variables.count; i++)
    if (table->variables.slots[i].address == address) return &table->variables.slots[i];
  return NULL;
}

static Status bind_variable(TextureTable *table, uint64_t address, const Texture *texture,
                            Error *err) {
  TextureSlot *slot = variable_slot(table, address);
  if (!slot) {
    TextureList *list = &table->variables;
    if (list->count == MAX_TEXTURES)
      return error_set(err, ERR_LIMIT, "%u textures exist", list->count);
    GROW(list->slots, list->count, list->capacity);
    slot = &list->slots[list->count++];
  }
  *slot = (TextureSlot){.texture = *texture, .address = address, .is_used = true};
  return OK;
}

Status texture_table_bind(TextureTable *table, uint64_t reference, const Texture *texture,
                          Error *err) {
  TRY(check(texture, err));
  if (reference >= PROGRAM_BASE) return bind_variable(table, reference, texture, err);
  uint64_t index = (reference - TEXTURE_WINDOW) / TEXTURE_STRIDE;
  if (reference < TEXTURE_WINDOW || reference % TEXTURE_STRIDE || index >= MAX_TEXTURES)
    return error_set(err, ERR_CONFIG, "no texture reference at address 0x%" PRIx64, reference);
  put(&table->references, (uint32_t)index, texture);
  return OK;
}

static TextureSlot *slot_of(const TextureTable *table, uint64_t handle) {
  if (handle >= PROGRAM_BASE) return variable_slot(table, handle);
  bool is_object = handle >= TEXTURE_OBJECTS;
  const TextureList *list = is_object ? &table->objects : &table->references;
  uint64_t offset = handle - (is_object ? TEXTURE_OBJECTS : TEXTURE_WINDOW);
  if (handle < TEXTURE_WINDOW || offset % TEXTURE_STRIDE) return NULL;
  if (offset / TEXTURE_STRIDE >= list->count) return NULL;
  return &list->slots[offset / TEXTURE_STRIDE];
}

void texture_table_remove(TextureTable *table, uint64_t handle) {
  TextureSlot *slot = slot_of(table, handle);
  if (slot) slot->is_used = false;
}

const Texture *texture_table_find(const TextureTable *table, uint64_t handle) {
  const TextureSlot *slot = table ? slot_of(table, handle) : NULL;
  return slot && slot->is_used ? &slot->texture : NULL;
}

uint32_t texture_texel_bytes(const Texture *texture) {
  uint32_t bits = 0;
  for (int c = 0; c < TEXTURE_CHANNELS; c++) bits += texture->channel_bits[c];
  return bits / 8;
}

uint64_t texture_row_bytes(uint32_t width, uint32_t texel_bytes) {
  uint64_t row = (uint64_t)width * texel_bytes;
  return (row + ARRAY_ROW_ALIGNMENT - 1) / ARRAY_ROW_ALIGNMENT * ARRAY_ROW_ALIGNMENT;
}

static uint32_t half_of(uint32_t size) {
  return size > 1 ? size / 2 : size;
}

void texture_level(const Texture *texture, uint32_t level, Texture *to) {
  *to = *texture;
  to->levels = 0;
  for (uint32_t i = 0; i < level; i++) {
    to->address += to->slice_bytes * size_or_one(to->depth) * size_or_one(to->layers);
    to->width = half_of(to->width);
    to->height = half_of(to->height);
    to->depth = half_of(to->depth);
    to->pitch_bytes = texture_row_bytes(to->width, texture_texel_bytes(to));
    to->slice_bytes = to->pitch_bytes * size_or_one(to->height);
  }
}

// Brings an index into [0, size); -1 if it lies in the border.
static int64_t bring_into_range(int64_t index, int64_t size, TextureAddressing addressing) {
  if (index >= 0 && index < size) return index;
  if (addressing == ADDRESS_BORDER) return -1;
  if (addressing == ADDRESS_CLAMP) return index < 0 ? 0 : size - 1;
  int64_t period = addressing == ADDRESS_MIRROR ? 2 * size : size;
  index %= period;
  if (index < 0) index += period;
  return index < size ? index : period - 1 - index;
}

bool texture_locate(const Texture *texture, TexelIndex index, int dimensions, uint64_t *address) {
  const uint32_t sizes[3] = {texture->width, size_or_one(texture->height),
                             size_or_one(texture->depth)};
  const uint64_t pitches[3] = {texture_texel_bytes(texture), texture->pitch_bytes,
                               texture->slice_bytes};
  uint64_t at = texture->address;
  for (int d = 0; d < dimensions; d++) {
    TextureAddressing addressing = texture->addressing[d];
    if (!texture->normalized_coordinates && addressing != ADDRESS_BORDER)
      addressing = ADDRESS_CLAMP;
    int64_t inside = bring_into_range(index.at[d], sizes[d], addressing);
    if (inside < 0) return false;
    at += (uint64_t)inside * pitches[d];
  }
  uint32_t last_layer = size_or_one(texture->layers) - 1;
  at += (index.layer < last_layer ? index.layer : last_layer) * texture->slice_bytes;
  *address = at;
  return true;
}

// A block (GOB) as the Tegra X1 manual has it: 32-byte sectors of 16 bytes by 2 rows, of which
// 2 by 2 are a line of 128 bytes and 2 by 8 half a block.
static uint64_t place_in_block(uint64_t x, uint64_t y) {
  return x % BLOCK_WIDTH_BYTES / 32 * 256 + y % BLOCK_ROWS / 2 * 64 + x % 32 / 16 * 32 +
         y % 2 * 16 + x % 16;
}

uint64_t texture_machine_address(const Texture *texture, uint64_t address) {
  if (!texture->in_blocks) return address;
  uint64_t offset = address - texture->address, pitch = texture->pitch_bytes;
  uint64_t inside = texture->slice_bytes ? offset % texture->slice_bytes : offset;
  uint64_t x = inside % pitch, y = inside / pitch;
  uint64_t block = y / BLOCK_ROWS * (pitch / BLOCK_WIDTH_BYTES) + x / BLOCK_WIDTH_BYTES;
  return address - inside + block * (BLOCK_WIDTH_BYTES * BLOCK_ROWS) + place_in_block(x, y);
}

static uint32_t float_bits(float value) {
  uint32_t bits;
  memcpy(&bits, &value, 4);
  return bits;
}

// Integers as fractions of the largest; the smallest signed one is -1 as well.
static uint32_t normalize(uint32_t raw, uint32_t bits, bool is_signed) {
  uint32_t largest = is_signed    ? (1u << (bits - 1)) - 1
                     : bits == 32 ? UINT32_MAX
                                  : (1u << bits) - 1;
  double value = is_signed ? (double)(int32_t)raw / largest : (double)raw / largest;
  return float_bits(value < -1 ? -1.0f : (float)value);
}

// As IEC 61966-2-1 has it.
static uint32_t light_of(uint32_t bits) {
  float value;
  memcpy(&value, &bits, 4);
  double v = (double)value;
  return float_bits((float)(v <= 0.04045 ? v / 12.92 : pow((v + 0.055) / 1.055, 2.4)));
}

void texture_decode(const Texture *texture, const uint8_t *texel,
                    uint32_t value[TEXTURE_CHANNELS]) {
  uint32_t bits = texture->channel_bits[0];
  for (int c = 0; c < TEXTURE_CHANNELS; c++) {
    value[c] = 0;
    if (!texture->channel_bits[c]) continue;
    uint32_t raw = 0;
    memcpy(&raw, texel, bits / 8);
    texel += bits / 8;
    bool is_signed = texture->channel == CHANNEL_SIGNED;
    if (is_signed) raw = (uint32_t)((int32_t)(raw << (32 - bits)) >> (32 - bits));
    if (texture->channel == CHANNEL_FLOAT)
      value[c] = bits == 16 ? float_bits((float)half_to_double((uint16_t)raw, &format_f16)) : raw;
    else
      value[c] = texture->normalized_values ? normalize(raw, bits, is_signed) : raw;
    if (texture->is_srgb && texture->normalized_values && bits == 8 && c < 3)
      value[c] = light_of(value[c]);
  }
}
