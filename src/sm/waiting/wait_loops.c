// SPDX-License-Identifier: MIT
// Finds loops that wait for a time, and lists the registers that they use.
#include "sm/waiting/wait_loops.h"

#include "base/memory.h"
#include "exec/execute.h"
#include "isa/special.h"

// Of the optimising pass: a division, say, is a sequence of steps, the last of which computes.
const Form *wait_form(const Instruction *in) {
  return in->exec == exec_real ? &in->real->form : &in->form;
}

static ExecFn exec_of(const Instruction *in) {
  return in->exec == exec_real ? in->real->exec : in->exec;
}

static bool is_wide_or_word(DataType type) {
  return type_bits(type) == 32 || type_bits(type) == 64;
}

static bool is_integer(DataType type) {
  return is_wide_or_word(type) && type_kind(type) != KIND_FLOAT;
}

uint32_t wait_bytes(const Instruction *in) {
  const Form *form = wait_form(in);
  ExecFn exec = exec_of(in);
  if (exec == exec_mov_special) return special_bits((SpecialRegister)in->special[0]) == 64 ? 8 : 4;
  if (exec == exec_mov_64) return 8;
  if (exec == exec_mov_32 || exec == exec_add_three || exec == exec_mov_unpack) return 4;
  if (exec == exec_mov_predicate || form->op == OP_SETP || form->type == TYPE_PRED) return 0;
  if (form->width == WIDTH_WIDE) return 8;
  return type_bits((DataType)form->type) == 64 ? 8 : 4;
}

static WaitOp op_of_mov(const Instruction *in) {
  ExecFn exec = exec_of(in);
  bool is_long = type_bits((DataType)wait_form(in)->type) == 64;
  if (exec == exec_mov_64 || exec == exec_mov_32) return WAIT_COPY;
  if (exec == exec_mov_special) return WAIT_SPECIAL;
  if (exec == exec_mov_predicate) return WAIT_FIXED;
  if (exec == exec_mov_pack && is_long && in->src[2] == NO_PLACE) return WAIT_PACK;
  if (exec == exec_mov_unpack && is_long && in->dst[2] == NO_PLACE) return WAIT_UNPACK;
  return WAIT_OTHER;
}

// Registers may be wider than the types of a conversion.
static WaitOp op_of_cvt(const Instruction *in, const Form *form) {
  DataType to = (DataType)form->type, from = (DataType)form->type2;
  if (!is_integer(to) || !is_integer(from) || form->sat || form->mode) return WAIT_OTHER;
  if (in->dst_bytes && in->dst_bytes != type_bytes(to)) return WAIT_OTHER;
  if (in->src_bytes && in->src_bytes != type_bytes(from)) return WAIT_OTHER;
  return WAIT_CONVERT;
}

static WaitOp op_of_form(const Instruction *in, const Form *form) {
  bool is_plain = is_integer((DataType)form->type) && !form->sat && form->type2 == TYPE_NONE;
  switch (form->op) {
    case OP_ADD:
    case OP_SUB: return is_plain ? WAIT_SUM : WAIT_FIXED;
    case OP_MUL:
    case OP_MAD: return is_plain && form->width == WIDTH_LOW ? WAIT_PRODUCT : WAIT_FIXED;
    case OP_SHL: return is_plain ? WAIT_PRODUCT : WAIT_FIXED;
    case OP_CVT: return op_of_cvt(in, form);
    case OP_SETP: return is_plain ? WAIT_COMPARE : WAIT_FIXED;
    case OP_SELP: return WAIT_SELECT;
    case OP_FMA:
    case OP_DIV:
    case OP_REM:
    case OP_ABS:
    case OP_NEG:
    case OP_MIN:
    case OP_MAX:
    case OP_AND:
    case OP_OR:
    case OP_XOR:
    case OP_NOT:
    case OP_SHR: return WAIT_FIXED;
    case OP_NANOSLEEP: return WAIT_FIXED;
    case OP_BRA: return WAIT_BRANCH;
    default: return WAIT_OTHER;
  }
}

WaitOp wait_op(const Instruction *in) {
  const Form *form = wait_form(in);
  if (in->exec == exec_mov_32 && form->op != OP_MOV) return WAIT_STEP;
  if (in->list || form->carry_out) return WAIT_OTHER;
  if (in->exec == exec_add_three) return WAIT_SUM;
  if (form->op == OP_MOV) return op_of_mov(in);
  if (exec_of(in) != exec_find(form)) return WAIT_OTHER;
  if (form->op == OP_BRA || form->op == OP_NANOSLEEP) return op_of_form(in, form);
  bool is_known = is_wide_or_word((DataType)form->type) || form->type == TYPE_PRED;
  bool has_one = in->dst[1] == NO_PLACE || form->op == OP_SETP;
  return is_known && has_one ? op_of_form(in, form) : WAIT_OTHER;
}

// ---- loops

static bool reads(const Instruction *in, uint32_t first, uint32_t last) {
  for (int i = 0; i < MAX_SPECIALS; i++)
    if (in->special[i] >= first && in->special[i] <= last) return true;
  return false;
}

static bool reads_timer(const Instruction *in) {
  return reads(in, SPECIAL_GLOBALTIMER, SPECIAL_GLOBALTIMER_HI);
}

static bool waits(const Instruction *in) {
  return reads(in, SPECIAL_CLOCK, SPECIAL_GLOBALTIMER_HI) || in->form.op == OP_NANOSLEEP;
}

// Whether the branch at `last` closes such a loop. Few loops have a clock, which is looked for
// first.
static bool is_wait(const Program *program, uint32_t last) {
  const Instruction *code = program->code;
  uint32_t first = code[last].target;
  if (code[last].form.op != OP_BRA || first > last) return false;
  bool has_wait = false;
  for (uint32_t pc = first; pc <= last && !has_wait; pc++) has_wait = waits(&code[pc]);
  if (!has_wait) return false;
  for (uint32_t pc = first; pc <= last; pc++)
    if (wait_op(&code[pc]) == WAIT_OTHER) return false;
  return program_function_at(program, first) == program_function_at(program, last);
}

static bool add_place(WaitLoop *loop, Place place, uint32_t bytes) {
  if (place < 0 || !bytes) return true;
  for (uint32_t i = 0; i < loop->place_count; i++) {
    const WaitPlace *other = &loop->places[i];
    if (other->place == place && other->bytes == bytes) return true;
    bool is_apart = place + (Place)bytes * WARP_LANES <= other->place ||
                    other->place + (Place)other->bytes * WARP_LANES <= place;
    if (!is_apart) return false;
  }
  loop->places[loop->place_count++] = (WaitPlace){place, bytes};
  return true;
}

// False: a register is used in two widths.
static bool add_places(WaitLoop *loop, const Instruction *in) {
  for (int i = 0; i < MAX_SPECIALS && in->special[i]; i++) {
    uint32_t bytes = special_bits((SpecialRegister)in->special[i]) == 64 ? 8 : 4;
    if (in->exec != exec_mov_special && !add_place(loop, in->special_place[i], bytes)) return false;
  }
  if (wait_op(in) == WAIT_STEP) return true;
  for (int d = 0; d < MAX_DESTINATIONS; d++)
    if (!add_place(loop, in->dst[d], wait_bytes(in))) return false;
  return true;
}

static void add_register(WaitLoop *loop, uint16_t id) {
  for (uint32_t i = 0; i < loop->register_count; i++)
    if (loop->registers[i] == id) return;
  loop->registers[loop->register_count++] = id;
}

static void add_registers(WaitLoop *loop, const RegisterUse *use) {
  for (int i = 0; i < use->source_count; i++) add_register(loop, use->sources[i]);
  for (int i = 0; i < use->destination_count; i++) add_register(loop, use->destinations[i]);
  if (use->guard != NO_REGISTER) add_register(loop, use->guard);
}

static void loop_clear(WaitLoop *loop) {
  memory_free(loop->registers);
  memory_free(loop->places);
}

static bool describe(WaitLoop *loop, const Program *program) {
  uint32_t count = loop->last - loop->first + 1;
  loop->places = memory_alloc(sizeof *loop->places * count * (MAX_DESTINATIONS + MAX_SPECIALS));
  loop->registers = memory_alloc(sizeof *loop->registers * count *
                                 (MAX_REGISTER_SOURCES + MAX_REGISTER_DESTINATIONS + 1));
  for (uint32_t pc = loop->first; pc <= loop->last; pc++) {
    if (!add_places(loop, &program->code[pc])) return false;
    add_registers(loop, &program->register_uses[pc]);
    loop->reads_timer |= reads_timer(&program->code[pc]);
  }
  return true;
}

// Loops end in the order of the code: one that begins before the end of the last is joined to it.
static void add_loop(WaitLoops *loops, uint32_t first, uint32_t last) {
  while (loops->count && loops->loops[loops->count - 1].last >= first) {
    WaitLoop *other = &loops->loops[--loops->count];
    if (other->first < first) first = other->first;
  }
  GROW(loops->loops, loops->count, loops->capacity);
  loops->loops[loops->count++] = (WaitLoop){.first = first, .last = last};
}

void wait_loops_find(WaitLoops *loops, const Program *program) {
  *loops = (WaitLoops){0};
  for (uint32_t pc = 0; pc < program->code_count; pc++)
    if (is_wait(program, pc)) add_loop(loops, program->code[pc].target, pc);
  uint32_t kept = 0;
  for (uint32_t i = 0; i < loops->count; i++) {
    WaitLoop loop = loops->loops[i];
    if (describe(&loop, program))
      loops->loops[kept++] = loop;
    else
      loop_clear(&loop);
  }
  loops->count = kept;
}

void wait_loops_clear(WaitLoops *loops) {
  for (uint32_t i = 0; i < loops->count; i++) loop_clear(&loops->loops[i]);
  memory_free(loops->loops);
  *loops = (WaitLoops){0};
}

const WaitLoop *wait_loops_at(const WaitLoops *loops, uint32_t pc) {
  for (uint32_t i = 0; i < loops->count; i++)
    if (pc >= loops->loops[i].first && pc <= loops->loops[i].last) return &loops->loops[i];
  return NULL;
}
