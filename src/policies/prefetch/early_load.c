// SPDX-License-Identifier: MIT
// State of one load in the prefetcher `early`: its strides, the lines of an execution, the warp
// that executed it last, and the outcomes of its prefetches.
#include "policies/prefetch/early_load.h"

#include "policies/prefetch/stride_table.h"

enum { TRUSTED = 2, MOST_TRUST = 3 };

static void learn(Stride *stride, int64_t bytes) {
  if (bytes == stride->bytes) {
    if (stride->trust < MOST_TRUST) stride->trust++;
  } else if (stride->trust) {
    stride->trust--;
  } else {
    stride->bytes = bytes;
    stride->trust = 1;
  }
}

bool stride_is_trusted(const Stride *stride) {
  return stride->trust >= TRUSTED;
}

// ---- lines

static void close_footprint(Footprint *footprint) {
  if (!footprint->has_lowest || !footprint->line_count) return;
  footprint->offset_count = footprint->line_count;
  for (uint32_t i = 0; i < footprint->line_count; i++)
    footprint->offsets[i] = (int64_t)(footprint->lines[i] - footprint->lowest);
}

static bool has_line(const Footprint *footprint, uint64_t line) {
  for (uint32_t i = 0; i < footprint->line_count; i++)
    if (footprint->lines[i] == line) return true;
  return false;
}

// A transaction of another warp, or of a line that was there before, begins the
// next execution.
void footprint_note(Footprint *footprint, const L1dAccess *access) {
  if (footprint->warp != access->requester.warp || has_line(footprint, access->line) ||
      (footprint->has_lowest && access->is_lowest)) {
    close_footprint(footprint);
    footprint->line_count = 0;
    footprint->has_lowest = false;
    footprint->warp = access->requester.warp;
  }
  if (footprint->line_count < EARLY_MOST_LINES)
    footprint->lines[footprint->line_count++] = access->line;
  if (!access->is_lowest) return;
  footprint->has_lowest = true;
  footprint->lowest = access->line;
}

// ---- executions

bool early_load_note(EarlyLoad *load, const L1dAccess *access, uint32_t *round) {
  const Requester *requester = &access->requester;
  Execution *last = &load->last[requester->warp];
  bool again = last->is_known && last->cta == requester->cta && last->kernel == requester->kernel;
  *round = again ? last->round + 1 : 0;
  if (again) learn(&load->loop, (int64_t)(access->lane_address - last->address));
  *last = (Execution){requester->cta, access->lane_address, requester->kernel, *round, true};

  Leader *leader = &load->leaders[requester->cta_slot % EARLY_CTA_SLOTS];
  bool same_cta =
      leader->is_known && leader->cta == requester->cta && leader->kernel == requester->kernel;
  if (same_cta && *round == leader->round && requester->warp_in_cta != leader->warp) {
    int64_t warps = (int64_t)requester->warp_in_cta - leader->warp;
    int64_t distance = (int64_t)(access->lane_address - leader->address);
    learn(&load->warp, stride_between(distance, warps));
  }
  if (same_cta && *round <= leader->round) return false;
  *leader = (Leader){requester->cta, access->lane_address,   requester->kernel,
                     *round,         requester->warp_in_cta, true};
  return true;
}

bool early_load_has_run(const EarlyLoad *load, int slot, const Requester *requester,
                        uint32_t round) {
  const Execution *last = &load->last[slot];
  return last->is_known && last->cta == requester->cta && last->kernel == requester->kernel &&
         last->round >= round;
}

bool early_load_is_led(const EarlyLoad *load, uint64_t cta, uint32_t kernel) {
  for (uint32_t i = 0; i < EARLY_CTA_SLOTS; i++)
    if (load->leaders[i].is_known && load->leaders[i].cta == cta &&
        load->leaders[i].kernel == kernel)
      return true;
  return false;
}

// ---- CTAs

CtaDistance cta_distance(uint64_t grid_columns, uint64_t from, uint64_t to) {
  uint64_t width = grid_columns ? grid_columns : 1;
  return (CtaDistance){(int64_t)(to % width) - (int64_t)(from % width),
                       (int64_t)(to / width) - (int64_t)(from / width)};
}

// The column stride is the remainder of a distance in both once the row stride is known.
void early_load_learn_cta(EarlyLoad *load, uint64_t grid_columns, const Leader *before,
                          const Leader *now) {
  CtaDistance away = cta_distance(grid_columns, before->cta, now->cta);
  if (!away.rows)
    learn(&load->row, stride_between((int64_t)(now->address - before->address), away.columns));
  else if (!away.columns || stride_is_trusted(&load->row))
    learn(&load->column,
          stride_between(
              (int64_t)(now->address - stride_step(before->address, away.columns, load->row.bytes)),
              away.rows));
}

// ---- what became of prefetches

enum { BEST_SCORE = 16, WORST_SCORE = -12, PAUSE = 256, MOST_PAUSES = 8 };

// One loss outweighs three uses: where one in four is lost, prefetches pause. Of gathers more than
// half may be lost, since a lane's last iteration is not known before it.
static int32_t loss_of(Reason reason) {
  return reason == FOR_GATHER ? 1 : 3;
}

bool early_load_score(EarlyLoad *load, Reason reason, bool used) {
  int32_t *score = &load->score[reason];
  *score += used ? 1 : -loss_of(reason);
  if (*score > BEST_SCORE) *score = BEST_SCORE;
  if (*score >= WORST_SCORE) return false;
  *score = 0;
  load->pause[reason] = PAUSE << load->pauses[reason];
  if (load->pauses[reason] < MOST_PAUSES) load->pauses[reason]++;
  return true;
}
