// SPDX-License-Identifier: MIT
// Regions with one entry, a branch, and one end at which its two sides meet, but for lanes that
// leave. Sought from the branch: a block joins once all its predecessors have, and one that both
// sides reach may be the end. Blocks of loops never join, as their heads wait for their ends:
// ptxas breaks out of `if`, and lets the exits of a loop meet behind all of them.
#include "frontends/ptx/lower/regions.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum { MOST_BLOCKS = 128 };  // of a region; larger ones keep the post-dominator
enum { FIRST_SIDE = 1, SECOND_SIDE = 2, BOTH_SIDES = 3 };
#define NO_BLOCK UINT32_MAX

typedef struct Region {
  uint32_t head, end, outer;  // blocks; outer: the flow's exit if the lanes that leave end
  uint32_t blocks[MOST_BLOCKS], block_count;
} Region;

typedef struct Seeker {
  const Flow *flow;
  Instruction *code;
  uint32_t *first_pred, *preds;  // predecessors by block, as Flow.edges
  uint32_t *meetings;            // by block: its post-dominator
  uint8_t *sides;                // by block: from where the present head reaches it
  bool *is_inside;               // by block: it has joined
  uint32_t reached[2 * MOST_BLOCKS + 2], reached_count;
} Seeker;

static Instruction *last_of(const Seeker *seeker, uint32_t block) {
  return &seeker->code[seeker->flow->blocks[block].end - 1];
}

// ret and exit by themselves: ptxas has EXIT in place of a jump there.
static bool is_end(const Seeker *seeker, uint32_t block) {
  if (block == seeker->flow->block_count) return true;
  const Instruction *first = &seeker->code[seeker->flow->blocks[block].first];
  return first->guard == NO_PLACE && (first->form.op == OP_RET || first->form.op == OP_EXIT);
}

static void collect_predecessors(Seeker *seeker) {
  const Flow *flow = seeker->flow;
  uint32_t nodes = flow->block_count + 1;
  seeker->first_pred = memory_alloc(sizeof(uint32_t) * (nodes + 1));
  seeker->preds = memory_alloc(sizeof(uint32_t) * (flow->edge_count + 1));
  for (uint32_t i = 0; i < flow->edge_count; i++) seeker->first_pred[flow->edges[i] + 1]++;
  for (uint32_t n = 0; n < nodes; n++) seeker->first_pred[n + 1] += seeker->first_pred[n];
  uint32_t *next = memory_alloc(sizeof *next * nodes);
  memcpy(next, seeker->first_pred, sizeof *next * nodes);
  for (uint32_t b = 0; b < flow->block_count; b++)
    for (uint32_t i = 0; i < flow->blocks[b].successor_count; i++)
      seeker->preds[next[flow->edges[flow->blocks[b].successors + i]]++] = b;
  memory_free(next);
}

// Ends need no meeting: lanes that get there are waited for no longer.
static void reach(Seeker *seeker, const Region *region, uint32_t block, uint8_t side) {
  if (block == region->outer || is_end(seeker, block)) return;
  if (!seeker->sides[block]) seeker->reached[seeker->reached_count++] = block;
  seeker->sides[block] |= side;
}

static bool may_join(const Seeker *seeker, const Region *region, uint32_t block) {
  if (seeker->is_inside[block] || seeker->sides[block] == BOTH_SIDES) return false;
  if (seeker->flow->blocks[block].successor_count > 2) return false;
  for (uint32_t i = seeker->first_pred[block]; i < seeker->first_pred[block + 1]; i++)
    if (seeker->preds[i] != region->head && !seeker->is_inside[seeker->preds[i]]) return false;
  return true;
}

static void join(Seeker *seeker, Region *region, uint32_t block) {
  const FlowBlock *joins = &seeker->flow->blocks[block];
  region->blocks[region->block_count++] = block;
  seeker->is_inside[block] = true;
  for (uint32_t i = 0; i < joins->successor_count; i++)
    reach(seeker, region, seeker->flow->edges[joins->successors + i], seeker->sides[block]);
}

// Again and again: a block may have been what others waited for.
static bool grow(Seeker *seeker, Region *region) {
  uint32_t before;
  do {
    before = region->block_count;
    for (uint32_t i = 0; i < seeker->reached_count; i++) {
      if (!may_join(seeker, region, seeker->reached[i])) continue;
      if (region->block_count == MOST_BLOCKS) return false;
      join(seeker, region, seeker->reached[i]);
    }
  } while (region->block_count > before);
  return true;
}

// The only block that was reached and has not joined.
static uint32_t only_end(const Seeker *seeker) {
  uint32_t found = NO_BLOCK;
  for (uint32_t i = 0; i < seeker->reached_count; i++) {
    uint32_t block = seeker->reached[i];
    if (seeker->is_inside[block]) continue;
    if (found != NO_BLOCK || seeker->sides[block] != BOTH_SIDES) return NO_BLOCK;
    found = block;
  }
  return found;
}

static bool leads_to(const Flow *flow, uint32_t block, uint32_t successor) {
  for (uint32_t i = 0; i < flow->blocks[block].successor_count; i++)
    if (flow->edges[flow->blocks[block].successors + i] == successor) return true;
  return false;
}

// Lanes leave by jumping: who falls through, or takes an entry of a table, executes no BREAK.
static bool leaves_by_jumps(const Seeker *seeker, const Region *region) {
  if (is_end(seeker, region->outer)) return true;
  uint32_t outside = seeker->flow->blocks[region->outer].first;
  if (!outside) return false;  // Instruction.outer is 0 where there is none
  for (uint32_t i = 0; i < region->block_count; i++) {
    uint32_t block = region->blocks[i];
    const Instruction *last = last_of(seeker, block);
    if (!leads_to(seeker->flow, block, region->outer)) continue;
    if (last->form.op != OP_BRA || last->target != outside) return false;
    if (seeker->flow->blocks[block].end == outside) return false;
  }
  return true;
}

static bool is_two_way(const Seeker *seeker, uint32_t block) {
  const Instruction *last = last_of(seeker, block);
  return last->form.op == OP_BRA && last->guard != NO_PLACE &&
         seeker->flow->blocks[block].successor_count == 2;
}

static void forget(Seeker *seeker) {
  for (uint32_t i = 0; i < seeker->reached_count; i++) {
    seeker->sides[seeker->reached[i]] = 0;
    seeker->is_inside[seeker->reached[i]] = false;
  }
  seeker->reached_count = 0;
}

static bool find_region(Seeker *seeker, uint32_t head, Region *region) {
  const Flow *flow = seeker->flow;
  if (!is_two_way(seeker, head)) return false;
  *region = (Region){.head = head, .outer = seeker->meetings[head]};
  const uint32_t *sides = &flow->edges[flow->blocks[head].successors];
  reach(seeker, region, sides[0], FIRST_SIDE);
  reach(seeker, region, sides[1], SECOND_SIDE);
  bool is_found = seeker->reached_count == 2 && grow(seeker, region);
  if (is_found) region->end = only_end(seeker);
  is_found = is_found && region->end != NO_BLOCK && leaves_by_jumps(seeker, region);
  forget(seeker);
  return is_found;
}

// Branches inside that would meet outside meet at the end, too.
static void mark_block(const Seeker *seeker, const Region *region, uint32_t block) {
  const FlowBlock *blocks = seeker->flow->blocks;
  Instruction *last = last_of(seeker, block);
  if (last->form.op != OP_BRA) return;
  bool is_ending = is_end(seeker, region->outer);
  if (!is_ending && last->target == blocks[region->outer].first) {
    last->leaves = true;
    last->reconverge = last->target;
    return;
  }
  uint32_t meeting = seeker->meetings[block];
  bool meets_outside = meeting == region->outer || is_end(seeker, meeting);
  if (!is_two_way(seeker, block) || !meets_outside) return;
  last->reconverge = blocks[region->end].first;
  last->outer = is_ending ? 0 : blocks[region->outer].first;
}

static void note_meetings(Seeker *seeker) {
  const Flow *flow = seeker->flow;
  seeker->meetings = memory_alloc(sizeof(uint32_t) * (flow->block_count + 1));
  for (uint32_t b = 0; b < flow->block_count; b++) {
    uint32_t meeting = last_of(seeker, b)->reconverge;
    seeker->meetings[b] = meeting == NO_RECONVERGENCE ? flow->block_count : flow->block_of[meeting];
  }
}

static int by_size(const void *a, const void *b) {
  const Region *left = a, *right = b;
  if (left->block_count != right->block_count)
    return left->block_count < right->block_count ? 1 : -1;
  return left->head < right->head ? -1 : left->head > right->head;
}

void regions_find(const Flow *flow, Instruction *code) {
  Seeker seeker = {.flow = flow,
                   .code = code,
                   .sides = memory_alloc(flow->block_count + 1),
                   .is_inside = memory_alloc(flow->block_count + 1)};
  Region *regions = NULL;
  uint32_t count = 0, capacity = 0;
  collect_predecessors(&seeker);
  note_meetings(&seeker);
  for (uint32_t b = 0; b < flow->block_count; b++) {
    GROW(regions, count, capacity);
    count += find_region(&seeker, b, &regions[count]);
  }
  // The innermost last, whose end counts.
  if (count) qsort(regions, count, sizeof *regions, by_size);
  for (uint32_t r = 0; r < count; r++) {
    mark_block(&seeker, &regions[r], regions[r].head);
    for (uint32_t i = 0; i < regions[r].block_count; i++)
      mark_block(&seeker, &regions[r], regions[r].blocks[i]);
  }
  memory_free(regions);
  memory_free(seeker.first_pred);
  memory_free(seeker.preds);
  memory_free(seeker.meetings);
  memory_free(seeker.sides);
  memory_free(seeker.is_inside);
}
