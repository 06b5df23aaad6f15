// SPDX-License-Identifier: MIT
// Finds the instructions by which the steps of a warp could depend on its schedule.
#include "device/recording/schedule_causes.h"

#include <string.h>

#include "base/memory.h"
#include "frontends/ptx/lower/liveness.h"
#include "isa/special.h"
#include "trace/recording.h"

// ---- whether a result is used

typedef struct Search {
  const Program *program;
  const Function *function;
  Place place;               // that is looked for
  bool is_read, is_written;  // by the instruction that is visited
  bool *is_seen;             // by index in the function
  uint32_t *next;            // instructions to be visited
  uint32_t count;
} Search;

static void visit_place(void *state, Place *place, PlaceUse use) {
  Search *search = state;
  if (*place != search->place) return;
  search->is_read |= use == PLACE_READ;
  search->is_written |= use != PLACE_READ;
}

static void add_next(Search *search, uint32_t pc) {
  uint32_t index = pc - search->function->entry;
  if (index >= search->function->code_count || search->is_seen[index]) return;
  search->is_seen[index] = true;
  search->next[search->count++] = pc;
}

static void add_followers(Search *search, uint32_t pc) {
  const Instruction *in = &search->program->code[pc];
  bool ends = in->form.op == OP_EXIT || in->form.op == OP_RET ||
              (in->form.op == OP_BRA && in->guard == NO_PLACE);
  if (in->form.op == OP_BRA) add_next(search, in->target);
  for (int64_t i = 0; in->form.op == OP_BRX && i < in->offset; i++)
    add_next(search, in->targets[i]);
  if (!ends || in->guard != NO_PLACE) add_next(search, pc + 1);
}

// Along every path from the instruction, up to where its destination is written again.
static bool find_reader(Search *search, uint32_t pc) {
  add_followers(search, pc);
  while (search->count) {
    uint32_t at = search->next[--search->count];
    Instruction in = search->program->code[at];
    search->is_read = search->is_written = false;
    instruction_each_place(&in, search->function, visit_place, search);
    if (search->is_read) return true;
    if (!search->is_written || in.guard != NO_PLACE) add_followers(search, at);
  }
  return false;
}

static bool is_result_read(const Program *program, uint32_t pc) {
  const Instruction *in = &program->code[pc];
  const Function *function = program_function_at(program, pc);
  if (in->dst[0] == NO_PLACE) return false;
  if (!function || in->dst[1] != NO_PLACE) return true;  // a vector
  Search search = {.program = program,
                   .function = function,
                   .place = in->dst[0],
                   .is_seen = memory_alloc(sizeof(bool) * (function->code_count + 1)),
                   .next = memory_alloc(sizeof(uint32_t) * (function->code_count + 1))};
  bool is_read = find_reader(&search, pc);
  memory_free(search.is_seen);
  memory_free(search.next);
  return is_read;
}

// ---- causes

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
