// SPDX-License-Identifier: MIT
#include "device/recording/schedule_causes.h"

#include <string.h>

#include "isa/special.h"
#include "trace/recording.h"

// Whether an instruction of the same function reads a register that this one writes. Hidden
// registers have no ids: then it counts as read.
static bool is_result_read(const Program *program, uint32_t pc) {
  const RegisterUse *use = &program->register_uses[pc];
  const Function *function = program_function_at(program, pc);
  if (program->code[pc].dst[0] == NO_PLACE) return false;
  if (!function || !use->destination_count) return true;
  for (uint32_t i = function->entry; i < function->entry + function->code_count; i++) {
    const RegisterUse *other = &program->register_uses[i];
    for (uint32_t d = 0; d < use->destination_count; d++) {
      if (other->guard == use->destinations[d]) return true;
      for (uint32_t s = 0; s < other->source_count; s++)
        if (other->sources[s] == use->destinations[d]) return true;
    }
  }
  return false;
}

// Integer additions, minima and the like give the same whatever their order. Simplified: two
// different operations on one word would not, and are taken for independent of it.
static uint32_t causes_of_atomic(const Program *program, uint32_t pc) {
  const Instruction *in = &program->code[pc];
  uint32_t causes = 0;
  TypeKind kind = type_kind(in->form.type);
  bool is_float = kind == KIND_FLOAT;
  Operation operation = in->form.operation;
  if (in->form.op == OP_ATOM && is_result_read(program, pc)) causes |= CAUSE_ATOMIC_RESULT;
  if ((is_float && operation == OPERATION_ADD) || operation == OPERATION_EXCH ||
      operation == OPERATION_CAS)
    causes |= CAUSE_ATOMIC_ORDER;
  return causes;
}

static uint32_t causes_of_special(uint8_t special) {
  switch ((SpecialRegister)special) {
    case SPECIAL_CLOCK:
    case SPECIAL_CLOCK_HI:
    case SPECIAL_CLOCK64:
    case SPECIAL_GLOBALTIMER:
    case SPECIAL_GLOBALTIMER_LO:
    case SPECIAL_GLOBALTIMER_HI: return CAUSE_CLOCK;
    case SPECIAL_SMID:
    case SPECIAL_NSMID:
    case SPECIAL_WARPID:
    case SPECIAL_NWARPID: return CAUSE_PLACE;
    default: return 0;
  }
}

// Output of printf is lost in a recording; that of other functions is a value.
static bool is_harmless(const Function *callee) {
  return !callee->native || !strcmp(callee->name, "vprintf") ||
         !strcmp(callee->name, "__assertfail");
}

static bool calls_runtime(const Program *program, const CallSite *site) {
  if (site->callee) return !is_harmless(site->callee);
  for (uint32_t i = 0; i < program->function_count; i++)
    if (!is_harmless(&program->functions[i])) return true;
  return false;
}

static bool is_strong_load(const Form *form) {
  bool is_far = form->space == SPACE_GLOBAL || form->space == SPACE_GENERIC;
  return form->op == OP_LD && is_far && (form->volatile_ || form->order & ORDER_IS_STRONG);
}

uint32_t schedule_causes(const Program *program, uint32_t pc) {
  const Instruction *in = &program->code[pc];
  const Form *form = &in->form;
  uint32_t causes = 0;
  for (int i = 0; i < MAX_SPECIALS; i++) causes |= causes_of_special(in->special[i]);
  if (form->op == OP_ATOM || form->op == OP_RED) causes |= causes_of_atomic(program, pc);
  if (is_strong_load(form)) causes |= CAUSE_STRONG_LOAD;
  if (form->op == OP_MBARRIER && (form->mode == MODE_TEST_WAIT || form->mode == MODE_TRY_WAIT))
    causes |= CAUSE_SPINNING;
  if (form->op == OP_CALL && in->call && calls_runtime(program, in->call)) causes |= CAUSE_CALL;
  if (form->op == OP_SUST) causes |= CAUSE_SURFACE;
  return causes;
}
