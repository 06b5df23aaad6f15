// SPDX-License-Identifier: MIT
// Allocates and resets the scoreboards of an SM.
#include "sm/scoreboard.h"

#include <string.h>

#include "base/memory.h"
#include "sm/sm_config.h"

void scoreboards_clear(Scoreboards *boards) {
  memory_free(boards->rows);
  *boards = (Scoreboards){0};
}

void scoreboards_widen(Scoreboards *boards, uint32_t words) {
  enum { ROWS = MAX_WARPS_PER_SM * BOARDS };
  uint64_t *wider = memory_alloc(sizeof *wider * words * ROWS);
  for (uint32_t row = 0; row < ROWS; row++)
    for (uint32_t i = 0; i < boards->words; i++)
      wider[row * words + i] = boards->rows[row * boards->words + i];
  memory_free(boards->rows);
  *boards = (Scoreboards){.rows = wider, .words = words};
}

// The boards of a warp are contiguous.
void scoreboards_reset(Scoreboards *boards, uint32_t warp) {
  memset(scoreboard_of(boards, warp, BOARD_PENDING), 0, sizeof(uint64_t) * BOARDS * boards->words);
}
