// SPDX-License-Identifier: MIT
// Matrices between memory and registers: wmma.load, wmma.store, ldmatrix,
// stmatrix, and movmatrix, which transposes one in the registers.
//
// wmma reads and writes its tile in chunks of up to 16 bytes, 32 at a time. The
// access that the machine sees is the tile divided among the lanes, in one
// piece each: 32 bytes of a tile of f32, aligned. That touches the sectors that
// the tile touches, unless its rows begin in the middle of one.
#include "exec/matrix/exec_matrix.h"

#include "exec/lanes.h"
#include "exec/matrix/matrix.h"
#include "exec/memory/memory_access.h"
#include "exec/memory/store_queue.h"

enum { MAX_TILE_BYTES = 1024, MAX_CHUNK_BYTES = 16, ROW_BYTES = 16 };

typedef struct Tile {
  Fragment fragment;
  bool by_column;       // columns are contiguous, not rows
  uint32_t line_bytes;  // what is contiguous
  uint32_t bytes, chunk_bytes, rounds;
  uint64_t address, stride_bytes;  // from a line to the next
  uint8_t data[MAX_TILE_BYTES];
} Tile;

static bool tile_init(Tile *tile, const Warp *warp, const Instruction *in) {
  if (!fragment_of(&in->form, (MatrixPart)in->form.part, &tile->fragment)) return false;
  const Fragment *fragment = &tile->fragment;
  uint64_t address[WARP_LANES];
  uint32_t bits = (uint32_t)type_bits(fragment->type);
  tile->by_column = in->form.column;
  uint32_t line = tile->by_column ? fragment->rows : fragment->columns;
  tile->line_bytes = line * bits / 8;
  tile->bytes = fragment->rows * fragment->columns * bits / 8;
  tile->chunk_bytes = tile->bytes / WARP_LANES;
  if (tile->chunk_bytes > MAX_CHUNK_BYTES) tile->chunk_bytes = MAX_CHUNK_BYTES;
  tile->rounds = tile->bytes / (tile->chunk_bytes * WARP_LANES);
  address_lanes(warp, in->src[0], in->address_bytes, address_extra(warp, in), address);
  tile->address = address[0];
  // The stride counts elements of the form's type: of b1 single bits.
  uint64_t stride = line;
  if (in->src[1] != NO_PLACE) stride = ((const Lane32 *)place_at(warp, in->src[1]))[0];
  bool in_words = in->src[1] == NO_PLACE;
  tile->stride_bytes = stride * (in_words ? bits : (uint32_t)type_bits(in->form.type)) / 8;
  return true;
}

static uint64_t tile_address(const Tile *tile, uint32_t byte) {
  return tile->address + byte / tile->line_bytes * tile->stride_bytes + byte % tile->line_bytes;
}

// Where a round's chunks are; false after a fault.
static bool tile_reach(ExecContext *context, const Warp *warp, const Instruction *in,
                       const Tile *tile, uint32_t round, uint64_t where[WARP_LANES]) {
  for (uint32_t i = 0; i < WARP_LANES; i++)
    context->access.address[i] = tile_address(tile, (round * WARP_LANES + i) * tile->chunk_bytes);
  access_note(context, FULL_MASK, in->form.space, tile->chunk_bytes, in->form.mode == MODE_STORE,
              false);
  return memory_resolve(context, warp, where);
}

// What the machine sees of a tile larger than a round.
static void tile_note(ExecContext *context, const Tile *tile) {
  MemoryAccess *access = &context->access;
  if (tile->rounds == 1) return;
  uint32_t bytes = tile->bytes / WARP_LANES;
  uint64_t window = tile_address(tile, (WARP_LANES - 1 + WARP_LANES) * tile->chunk_bytes) -
                    access->address[WARP_LANES - 1];
  for (uint32_t i = 0; i < WARP_LANES; i++)
    access->address[i] = (tile_address(tile, i * bytes) - window) & ~(uint64_t)(bytes - 1);
  access->bytes = (uint8_t)bytes;
}

static uint8_t *tile_element(Tile *tile, MatrixPlace at, uint32_t *bit) {
  uint32_t line = tile->by_column ? at.column : at.row;
  uint32_t along = tile->by_column ? at.row : at.column;
  *bit = along * (uint32_t)type_bits(tile->fragment.type);
  return tile->data + line * tile->line_bytes + *bit / 8;
}

static void tile_to_lanes(const Warp *warp, const Instruction *in, Tile *tile) {
  const Fragment *fragment = &tile->fragment;
  uint32_t bits = (uint32_t)type_bits(fragment->type), bit;
  for (uint32_t reg = 0; reg < fragment->registers; reg++) {
    void *lanes = place_at(warp, in->list->dst[reg]);
    for (uint32_t lane = 0; lane < WARP_LANES; lane++) {
      uint64_t value = 0;
      for (uint32_t e = 0; e < fragment->elements; e++) {
        const uint8_t *from = tile_element(tile, fragment_place(fragment, lane, reg, e), &bit);
        uint64_t part = 0;
        memcpy(&part, from, bits < 8 ? 1 : bits / 8);
        if (bits < 8) part = part >> bit % 8 & ((1u << bits) - 1);
        value |= part << bits * e;
      }
      if (bits == 64)
        ((Lane64 *)lanes)[lane] = value;
      else
        ((Lane32 *)lanes)[lane] = (uint32_t)value;
    }
  }
}

// What is stored are sums: elements of 16 bits or more.
static void lanes_to_tile(const Warp *warp, const Instruction *in, Tile *tile) {
  const Fragment *fragment = &tile->fragment;
  uint32_t bits = (uint32_t)type_bits(fragment->type), bit;
  for (uint32_t reg = 0; reg < fragment->registers; reg++) {
    const void *lanes = place_at(warp, in->list->src[reg]);
    for (uint32_t lane = 0; lane < WARP_LANES; lane++) {
      uint64_t value = bits == 64 ? ((const Lane64 *)lanes)[lane] : ((const Lane32 *)lanes)[lane];
      for (uint32_t e = 0; e < fragment->elements; e++) {
        uint64_t part = value >> bits * e;
        memcpy(tile_element(tile, fragment_place(fragment, lane, reg, e), &bit), &part, bits / 8);
      }
    }
  }
}

EXEC(exec_wmma_load) {
  Tile tile;
  uint64_t where[WARP_LANES];
  if (!warp_is_whole(context, warp, mask) || !tile_init(&tile, warp, in)) return;
  for (uint32_t round = 0; round < tile.rounds; round++) {
    if (!tile_reach(context, warp, in, &tile, round, where)) return;
    for (uint32_t i = 0; i < WARP_LANES; i++)
      memcpy(tile.data + (round * WARP_LANES + i) * tile.chunk_bytes,
             (const uint8_t *)(uintptr_t)where[i], tile.chunk_bytes);
  }
  tile_note(context, &tile);
  tile_to_lanes(warp, in, &tile);
}

// Stores chunks of a warp's lanes, now or at the end of the cycle.
static void store_chunks(ExecContext *context, const Instruction *in, uint32_t mask,
                         const uint64_t where[WARP_LANES], const uint8_t *data,
                         uint32_t chunk_bytes) {
  bool is_own = in->form.space == SPACE_SHARED ||
                (context->access.generic_shared | context->access.generic_local);
  if (!is_own && context->stores) {
    PendingStore *pending = store_queue_push(context->stores);
    *pending = (PendingStore){.in = in, .mask = mask, .bytes = chunk_bytes};
    for (uint32_t i = 0; i < WARP_LANES; i++) {
      pending->at[i] = (uint8_t *)(uintptr_t)where[i];
      memcpy(pending->data[i], data + i * chunk_bytes, chunk_bytes);
    }
    return;
  }
  for (uint32_t left = mask; left; left &= left - 1) {
    int lane = __builtin_ctz(left);
    memcpy((uint8_t *)(uintptr_t)where[lane], data + (uint32_t)lane * chunk_bytes, chunk_bytes);
  }
}

EXEC(exec_wmma_store) {
  Tile tile;
  uint64_t where[2][WARP_LANES];
  if (!warp_is_whole(context, warp, mask) || !tile_init(&tile, warp, in)) return;
  lanes_to_tile(warp, in, &tile);
  for (uint32_t round = 0; round < tile.rounds; round++)
    if (!tile_reach(context, warp, in, &tile, round, where[round])) return;
  for (uint32_t round = 0; round < tile.rounds; round++)
    store_chunks(context, in, FULL_MASK, where[round],
                 tile.data + round * WARP_LANES * tile.chunk_bytes, tile.chunk_bytes);
  tile_note(context, &tile);
}

// ---- 8 x 8 matrices of 16 bits, whose rows lanes point to

// The addresses of the rows; of fewer than four matrices the first lanes have them.
static bool rows_reach(ExecContext *context, const Warp *warp, const Instruction *in, bool write,
                       uint32_t *mask, uint64_t where[WARP_LANES]) {
  uint32_t rows = 8 * form_elements(&in->form);
  *mask = rows == 32 ? FULL_MASK : (1u << rows) - 1;
  address_lanes(warp, in->src[0], in->address_bytes, address_extra(warp, in),
                context->access.address);
  access_note(context, *mask, in->form.space, ROW_BYTES, write, false);
  return memory_resolve(context, warp, where);
}

// The matrix element that half h of a lane's register holds.
static MatrixPlace half_place(const Form *form, uint32_t lane, uint32_t h) {
  MatrixPlace place = {lane / 4, lane % 4 * 2 + h};
  return form->column ? (MatrixPlace){place.column, place.row} : place;
}

EXEC(exec_ldmatrix) {
  uint64_t where[WARP_LANES];
  uint32_t row_mask, count = form_elements(&in->form);
  uint8_t rows[WARP_LANES][ROW_BYTES];
  if (!warp_is_whole(context, warp, mask)) return;
  if (!rows_reach(context, warp, in, false, &row_mask, where)) return;
  for (uint32_t i = 0; i < 8 * count; i++)
    memcpy(rows[i], (const uint8_t *)(uintptr_t)where[i], ROW_BYTES);
  for (uint32_t j = 0; j < count; j++) {
    Lane32 *lanes = place_at(warp, in->list->dst[j]);
    for (uint32_t lane = 0; lane < WARP_LANES; lane++) {
      uint16_t half[2];
      for (uint32_t h = 0; h < 2; h++) {
        MatrixPlace at = half_place(&in->form, lane, h);
        memcpy(&half[h], rows[8 * j + at.row] + 2 * at.column, 2);
      }
      lanes[lane] = half[0] | (uint32_t)half[1] << 16;
    }
  }
}

EXEC(exec_stmatrix) {
  uint64_t where[WARP_LANES];
  uint32_t row_mask, count = form_elements(&in->form);
  uint8_t rows[WARP_LANES][ROW_BYTES];
  if (!warp_is_whole(context, warp, mask)) return;
  if (!rows_reach(context, warp, in, true, &row_mask, where)) return;
  for (uint32_t j = 0; j < count; j++) {
    const Lane32 *lanes = place_at(warp, in->list->src[j]);
    for (uint32_t lane = 0; lane < WARP_LANES; lane++)
      for (uint32_t h = 0; h < 2; h++) {
        uint16_t half = (uint16_t)(lanes[lane] >> 16 * h);
        MatrixPlace at = half_place(&in->form, lane, h);
        memcpy(rows[8 * j + at.row] + 2 * at.column, &half, 2);
      }
  }
  store_chunks(context, in, row_mask, where, rows[0], ROW_BYTES);
}

EXEC(exec_movmatrix) {
  uint32_t result[WARP_LANES];
  if (!warp_is_whole(context, warp, mask)) return;
  const Lane32 *from = place_at(warp, in->src[0]);
  for (uint32_t lane = 0; lane < WARP_LANES; lane++) {
    result[lane] = 0;
    for (uint32_t h = 0; h < 2; h++) {
      MatrixPlace at = half_place(&in->form, lane, h);
      uint32_t pair = from[at.row * 4 + at.column / 2];
      result[lane] |= (pair >> 16 * (at.column % 2) & 0xffff) << 16 * h;
    }
  }
  memcpy(place_at(warp, in->dst[0]), result, sizeof result);
}

static ExecFn find_wmma(const Form *form) {
  Fragment fragment;
  if (form->mode == MODE_MMA) return exec_find_product(form);
  bool is_known_space =
      form->space == SPACE_GENERIC || form->space == SPACE_GLOBAL || form->space == SPACE_SHARED;
  if (!is_known_space || form->satfinite || form->rounding || form->operation) return NULL;
  if (!fragment_of(form, (MatrixPart)form->part, &fragment)) return NULL;
  return form->mode == MODE_LOAD ? exec_wmma_load : exec_wmma_store;
}

ExecFn exec_find_matrix(const Form *form) {
  bool is_half = form->shape == SHAPE_M8N8 && form->type == TYPE_B16 && !form->layouts;
  bool is_shared = form->space == SPACE_GENERIC || form->space == SPACE_SHARED;
  switch (form->op) {
    case OP_MMA: return exec_find_product(form);
    case OP_WMMA: return find_wmma(form);
    case OP_WGMMA: return exec_find_group(form);
    case OP_LDMATRIX: return is_half && is_shared ? exec_ldmatrix : NULL;
    case OP_STMATRIX: return is_half && is_shared ? exec_stmatrix : NULL;
    case OP_MOVMATRIX: return is_half && form->column ? exec_movmatrix : NULL;
    default: return NULL;
  }
}
