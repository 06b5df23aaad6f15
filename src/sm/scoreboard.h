// SPDX-License-Identifier: MIT
// Scoreboards of the warps of an SM: the registers that are not written yet, and
// those of them that wait for a load: of shared memory or a constant (near), of
// anything else (far).
//
// A register is set when its writer issues and cleared when it is written. One
// bit suffices: an instruction does not issue before the registers that it
// writes are there (describe_hazards), so that none has two writers in flight.
#ifndef SM_SCOREBOARD_H
#define SM_SCOREBOARD_H

#include "sm/inflight.h"
#include "sm/issue_info.h"

typedef enum Board { BOARD_PENDING, BOARD_FAR, BOARD_NEAR, BOARDS } Board;

// A zeroed one has no registers.
typedef struct Scoreboards {
  uint64_t *rows;  // BOARDS of `words` words per warp slot; bit r % 64 of word r / 64: register r
  uint32_t words;  // as the widest kernel so far needs
} Scoreboards;

void scoreboards_clear(Scoreboards *boards);
// Makes room for rows of so many words. What is pending stays: kernels of different widths may be
// resident together.
void scoreboards_widen(Scoreboards *boards, uint32_t words);
// A warp begins in the slot.
void scoreboards_reset(Scoreboards *boards, uint32_t warp);

static inline uint64_t *scoreboard_of(const Scoreboards *boards, uint32_t warp, Board board) {
  return &boards->rows[((size_t)warp * BOARDS + board) * boards->words];
}

// The board of a load, besides BOARD_PENDING.
static inline Board scoreboard_of_load(const Inflight *inflight) {
  bool is_far =
      inflight->path == PATH_L1D || inflight->path == PATH_BYPASS || inflight->path == PATH_TEXTURE;
  return is_far ? BOARD_FAR : BOARD_NEAR;
}

// The registers that an instruction writes.
static inline void scoreboard_set(uint64_t *board, const IssueInfo *info) {
  for (int d = 0; d < info->destination_count; d++)
    board[info->destinations[d] / 64] |= UINT64_C(1) << info->destinations[d] % 64;
}
static inline void scoreboard_clear(uint64_t *board, const IssueInfo *info) {
  for (int d = 0; d < info->destination_count; d++)
    board[info->destinations[d] / 64] &= ~(UINT64_C(1) << info->destinations[d] % 64);
}

// Whether an instruction needs a register of the board; its hazards: what it reads or writes.
static inline bool scoreboard_needs(const uint64_t *board, const uint64_t *hazards,
                                    uint32_t words) {
  uint64_t hit = 0;
  for (uint32_t i = 0; i < words; i++) hit |= board[i] & hazards[i];
  return hit;
}

#endif
