// SPDX-License-Identifier: MIT
// Atomics of a warp at one address: one lane performs them for all, as the assembler has it since
// CUDA 9 (NVIDIA Developer Blog, "Optimized Filtering with Warp-Aggregated Atomics").
//
// Which of them, by the code that ptxas 13.0 makes of 30 kernels for 7.5, 8.0 and 9.0: the address
// must be uniform (uniform.h). Sums of a uniform value are aggregated by population count, with any
// active lanes and for 64 bits, too. Other values of 32 bits are combined by shuffles if all lanes
// are active, from 8.0 on by REDUX with any lanes, unless the result is used; of those with a
// result, sums are aggregated if all lanes are active. Not inc, dec, exch, cas, or floats. 7.0 is
// taken to be as 7.5. The instructions that combine the values, five to fifteen, are not counted.
#include "base/memory.h"
#include "frontends/ptx/optimise/steps.h"
#include "frontends/ptx/optimise/uniform.h"

static bool combines(Operation operation) {
  switch (operation) {
    case OPERATION_ADD:
    case OPERATION_AND:
    case OPERATION_OR:
    case OPERATION_XOR:
    case OPERATION_MIN:
    case OPERATION_MAX: return true;
    default: return false;
  }
}

static Aggregation aggregation_of(const Instruction *in, const bool *varying,
                                  const CompilerRules *rules) {
  bool is_sum = in->form.operation == OPERATION_ADD, has_result = in->dst[0] != NO_PLACE;
  bool is_wide = type_bytes((DataType)in->form.type) != 4;
  if (type_kind((DataType)in->form.type) == KIND_FLOAT || in->form.vector > 1 ||
      !combines((Operation)in->form.operation))
    return BY_LANE;
  if (in->form.space == SPACE_SHARED || place_is_unequal(varying, in->src[0])) return BY_LANE;
  if (is_sum && !place_is_unequal(varying, in->src[1])) return BY_WARP;
  if (is_wide || (has_result && !is_sum)) return BY_LANE;
  return rules->reduces_warps && !has_result ? BY_WARP : BY_FULL_WARP;
}

void atomics_aggregate(Graph *graph, const CompilerRules *rules) {
  Lowering *lowering = graph->lowering;
  bool *varying = unequal_find(graph);
  for (uint32_t i = 0; i < lowering->code_count; i++) {
    Instruction *in = &lowering->code[i];
    if (in->form.op == OP_ATOM || in->form.op == OP_RED)
      in->aggregation = (uint8_t)aggregation_of(in, varying, rules);
  }
  memory_free(varying);
}
