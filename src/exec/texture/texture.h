// SPDX-License-Identifier: MIT
// Textures: what a texture reference or object stands for, and reading one.
//
// A program names a texture in one of two ways. A texture reference is a
// variable of the program, at an address in the texture window, and the host
// binds a texture to it; a texture object is a handle that the host makes.
// Both are 64-bit numbers, so an instruction needs not know:
//
//   TEXTURE_WINDOW + index * 16                reference `index`
//   TEXTURE_WINDOW + 0x800000 + index * 16     object `index`
//   PROGRAM_BASE or more                       reference at its variable's address
//
// Texels are in device memory in rows (pitch_bytes apart) and slices or
// layers (slice_bytes apart). Levels of mipmaps stand one behind the other.
//
// Arrays of real GPUs are block linear. Here the bytes stay in rows, so that copies
// are plain; with in_blocks the machine sees the address that the texel would have.
#ifndef EXEC_TEXTURE_TEXTURE_H
#define EXEC_TEXTURE_TEXTURE_H

#include "exec/memory/device_memory.h"

enum { TEXTURE_STRIDE = 16, TEXTURE_CHANNELS = 4 };
#define TEXTURE_OBJECTS (TEXTURE_WINDOW + 0x800000u)

typedef enum TextureChannel { CHANNEL_UNSIGNED, CHANNEL_SIGNED, CHANNEL_FLOAT } TextureChannel;
// Wrap and mirror need normalised coordinates; without, they mean clamp.
typedef enum TextureAddressing {
  ADDRESS_WRAP,
  ADDRESS_CLAMP,
  ADDRESS_MIRROR,
  ADDRESS_BORDER
} TextureAddressing;
typedef enum TextureFilter { FILTER_POINT, FILTER_LINEAR } TextureFilter;

typedef struct Texture {
  uint64_t address;                        // of the first texel
  uint32_t width, height, depth;           // in texels; 0 counts as 1
  uint32_t layers;                         // of a layered texture; 0 counts as 1
  uint64_t pitch_bytes;                    // from a row to the next
  uint64_t slice_bytes;                    // from a slice or layer to the next
  bool in_blocks;                          // block linear to the machine; pitch of whole blocks
  uint8_t channel_bits[TEXTURE_CHANNELS];  // x y z w: 8, 16, 32, or 0 for none; all alike
  TextureChannel channel;
  TextureAddressing addressing[3];
  TextureFilter filter;
  bool normalized_coordinates;  // 0 to 1 instead of 0 to width
  bool normalized_values;       // integers are read as 0 to 1 (or -1 to 1)
  bool is_srgb;                 // 8-bit colours are read as the light that they stand for
  float border[TEXTURE_CHANNELS];  // of textures that are read as floats; else it is zero
  uint32_t levels;              // of mipmaps, one behind the other; 0 counts as 1
  TextureFilter level_filter;   // between levels
  float level_bias, level_min, level_max;
} Texture;

typedef struct TextureTable TextureTable;

TextureTable *texture_table_create(void);
void texture_table_destroy(TextureTable *table);

// Makes a texture object and gives its handle. Refuses what no texel can be.
Status texture_table_add(TextureTable *table, const Texture *texture, uint64_t *handle, Error *err);
// Binds a texture to a texture reference, in place of what was bound before.
Status texture_table_bind(TextureTable *table, uint64_t reference, const Texture *texture,
                          Error *err);
// Ends an object or unbinds a reference; nothing happens if there is none.
void texture_table_remove(TextureTable *table, uint64_t handle);
// NULL if nothing is there. Valid until the next add or bind.
const Texture *texture_table_find(const TextureTable *table, uint64_t handle);

uint32_t texture_texel_bytes(const Texture *texture);

// From a row of an array to the next, and all bytes of a level of it. A texture
// with levels must be laid out so.
enum { ARRAY_ROW_ALIGNMENT = 512, BLOCK_WIDTH_BYTES = 64, BLOCK_ROWS = 8 };
uint64_t texture_row_bytes(uint32_t width, uint32_t texel_bytes);
// One level of a texture, as a texture of its own: each is half as large as the
// one before, rounded down; layers stay.
void texture_level(const Texture *texture, uint32_t level, Texture *to);

// Where a texel is, in texels: x y z, and the layer.
typedef struct TexelIndex {
  int64_t at[3];
  uint32_t layer;
} TexelIndex;

// The device address of the texel; false where it lies in the border, which
// reads as its own colour. Indices are brought into range as the addressing modes say.
bool texture_locate(const Texture *texture, TexelIndex index, int dimensions, uint64_t *address);

// What the machine takes for the address of a byte of the texture: the address itself, or with
// in_blocks the place in blocks of 64 bytes by 8 rows, one behind the other along a row.
uint64_t texture_machine_address(const Texture *texture, uint64_t address);

// A texel's channels as 32-bit patterns: floats, or integers where the texture
// has integers and does not normalise them. Channels that it lacks are zero.
void texture_decode(const Texture *texture, const uint8_t *texel, uint32_t value[TEXTURE_CHANNELS]);

// Whether values are floats, so that filtering has a meaning.
static inline bool texture_is_float(const Texture *texture) {
  return texture->channel == CHANNEL_FLOAT || texture->normalized_values;
}

#endif
