// SPDX-License-Identifier: MIT
// Which kernel parameter an address derives from: the array that an access is to.
//
// Before optimisation, while every PTX register is a register of its own. A register belongs to a
// parameter if it holds its address, is loaded from it, or is a copy of, or a sum with, such a
// register; products and subtrahends are indices. The analysis is flow-insensitive, and a
// register that belongs to several parameters counts for none. Pointers that are loaded from
// memory, and those of called functions, are not traced.
#include "base/memory.h"
#include "frontends/ptx/lower/lower.h"

// A parameter's index + 1, in a byte of an instruction.
enum { NONE = 0, SEVERAL = UINT8_MAX };
// Passes after which the analysis is given up. Compilers write definitions before uses: two or
// three are enough.
enum { MOST_PASSES = 16 };

typedef struct Tracing {
  const Lowering *lowering;
  uint8_t *params;  // by register
  bool has_changed;
} Tracing;

static uint8_t param_at(const Function *function, uint64_t offset) {
  for (uint32_t i = 0; i < function->param_count && i + 1 < SEVERAL; i++) {
    const Slot *param = &function->params[i];
    if (offset >= param->offset && offset - param->offset < param->size_bytes)
      return (uint8_t)(i + 1);
  }
  return NONE;
}

static void join(Tracing *tracing, Place to, uint8_t param) {
  if (to < 0 || param == NONE) return;
  uint8_t *known = &tracing->params[to];
  if (*known == param || *known == SEVERAL) return;
  *known = *known == NONE ? param : SEVERAL;
  tracing->has_changed = true;
}

// Values of a pointer's size; a structure may have several. Its address may be in a register.
static void trace_load(Tracing *tracing, const Instruction *in) {
  uint32_t count = in->form.vector > 1 ? in->form.vector : 1;
  uint64_t bytes = (uint64_t)type_bytes((DataType)in->form.type);
  if (in->form.space != SPACE_PARAM || bytes * 8 != tracing->lowering->module->address_size) return;
  for (uint32_t k = 0; k < count && k < MAX_DESTINATIONS; k++)
    join(tracing, in->dst[k],
         in->src[0] >= 0 ? tracing->params[in->src[0]]
                         : param_at(tracing->lowering->linked, (uint64_t)in->offset + k * bytes));
}

static void trace_source(Tracing *tracing, const Instruction *in, int source) {
  if (in->src[source] >= 0) join(tracing, in->dst[0], tracing->params[in->src[source]]);
}

// The parameter's address is a constant by now: only the syntax has its name.
static void trace_move(Tracing *tracing, const Instruction *in, const PtxInstruction *written) {
  if (in->dst[1] != NO_PLACE || in->src[1] != NO_PLACE) return;  // halves of a register
  const PtxOperand *source = written->operand_count > 1 ? &written->operands[1] : NULL;
  bool is_address = source && source->kind == OPERAND_PARAM && source->index + 1 < SEVERAL;
  if (is_address) join(tracing, in->dst[0], (uint8_t)(source->index + 1));
  trace_source(tracing, in, 0);
}

static void trace(Tracing *tracing, uint32_t index) {
  const Instruction *in = &tracing->lowering->code[index];
  if (in->list) return;
  switch (in->form.op) {
    case OP_LD: trace_load(tracing, in); return;
    case OP_MOV: trace_move(tracing, in, &tracing->lowering->syntax->instructions[index]); return;
    case OP_CVTA:
    case OP_SUB: trace_source(tracing, in, 0); return;
    case OP_ADD:
    case OP_SELP:
      trace_source(tracing, in, 0);
      trace_source(tracing, in, 1);
      return;
    case OP_MAD: trace_source(tracing, in, 2); return;
    default: return;
  }
}

static bool is_access(const Instruction *in) {
  Family family = opcode_info[in->form.op].family;
  return (family == FAMILY_MEMORY || family == FAMILY_ATOMIC) &&
         (in->form.space == SPACE_GLOBAL || in->form.space == SPACE_GENERIC);
}

static void mark(const Tracing *tracing, Instruction *in) {
  if (!is_access(in) || in->src[0] < 0) return;
  uint8_t param = tracing->params[in->src[0]];
  in->param = param == SEVERAL ? NONE : param;
}

void addresses_trace(Lowering *lowering) {
  if (!lowering->linked->is_kernel) return;
  Tracing tracing = {.lowering = lowering, .has_changed = true};
  tracing.params = memory_alloc(lowering->register_count + 1u);
  for (int pass = 0; tracing.has_changed && pass < MOST_PASSES; pass++) {
    tracing.has_changed = false;
    for (uint32_t i = 0; i < lowering->code_count; i++) trace(&tracing, i);
  }
  for (uint32_t i = 0; !tracing.has_changed && i < lowering->code_count; i++)
    mark(&tracing, &lowering->code[i]);
  memory_free(tracing.params);
}
