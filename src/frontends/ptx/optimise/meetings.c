// SPDX-License-Identifier: MIT
// Overhead of divergence in instructions: for Volta, ptxas emits two before a divergent branch,
// which set the reconvergence point (BMOV, BSSY), and one at that point, which waits (BSYNC);
// other architectures: isa/compiler.c.
#include "frontends/ptx/optimise/meetings.h"

#include "base/memory.h"
#include "frontends/ptx/lower/regions.h"
#include "frontends/ptx/optimise/loaded.h"

// Further back edges are ignored.
enum { MOST_LOOPS = 512 };

typedef struct Loop {
  uint32_t first, last;  // instructions
} Loop;

typedef struct Finder {
  const Lowering *lowering;
  bool *varies;  // by register
  Loop loops[MOST_LOOPS];
  uint32_t loop_count;
} Finder;

static void find_loops(Finder *finder) {
  const Lowering *lowering = finder->lowering;
  for (uint32_t i = 0; i < lowering->code_count && finder->loop_count < MOST_LOOPS; i++)
    if (lowering->code[i].form.op == OP_BRA && lowering->code[i].target <= i)
      finder->loops[finder->loop_count++] = (Loop){lowering->code[i].target, i};
}

static bool contains(const Loop *loop, uint32_t index) {
  return loop->first <= index && index <= loop->last;
}

// For threads that leave a loop, the divergence steps precede the loop.
static uint32_t parting_place(const Finder *finder, uint32_t branch, uint32_t meeting) {
  uint32_t place = branch;
  for (uint32_t k = 0; k < finder->loop_count; k++) {
    const Loop *loop = &finder->loops[k];
    if (contains(loop, branch) && !contains(loop, meeting) && loop->first < place)
      place = loop->first;
  }
  return place;
}

static bool is_end(const Lowering *lowering, uint32_t index) {
  Opcode op = (Opcode)lowering->code[index].form.op;
  return op == OP_RET || op == OP_EXIT;
}

static bool parts(const Finder *finder, const Instruction *in) {
  return in->form.op == OP_BRA && in->guard != NO_PLACE && finder->varies[in->guard] &&
         in->reconverge != NO_RECONVERGENCE && !is_end(finder->lowering, in->reconverge);
}

// The pass may change the code; what holds for the final one is found then.
static void forget_meeting(Instruction *in) {
  in->reconverge = NO_RECONVERGENCE;
  in->outer = 0;
  in->leaves = false;
}

void meetings_find(Meetings *meetings, Lowering *lowering) {
  Finder finder = {.lowering = lowering, .varies = varying_find(lowering)};
  Flow flow;
  uint32_t count = lowering->code_count;
  meetings->parts = memory_alloc(count + 1u);
  meetings->meets = memory_alloc(count + 1u);
  flow_build(&flow, lowering->code, count);
  flow_reconverge(&flow, lowering->code);
  if (compiler_rules(lowering->linker->compiler)->breaks_regions)
    regions_find(&flow, lowering->code);
  find_loops(&finder);
  for (uint32_t i = 0; i < count; i++) {
    uint32_t meeting = lowering->code[i].reconverge;
    if (!parts(&finder, &lowering->code[i]) || meetings->meets[meeting]) continue;
    meetings->meets[meeting] = true;
    meetings->parts[parting_place(&finder, i, meeting)] = true;
  }
  for (uint32_t i = 0; i < count; i++) forget_meeting(&lowering->code[i]);
  flow_clear(&flow);
  memory_free(finder.varies);
}

void meetings_clear(Meetings *meetings) {
  memory_free(meetings->parts);
  memory_free(meetings->meets);
}
