// SPDX-License-Identifier: MIT
// 64-bit registers whose upper half is never used (narrow.h), and the code that
// computes them, become 32-bit: addresses within shared and local memory, which have
// 32 bits on hardware, and truncated indices.
//
// A register can be narrowed if every instruction that references it has a 32-bit form
// that needs no other 64-bit register. The set therefore shrinks from all candidates
// to a fixed point.
#include "base/memory.h"
#include "frontends/ptx/optimise/narrow.h"
#include "frontends/ptx/optimise/simplify.h"
#include "frontends/ptx/optimise/steps.h"

typedef struct Shortening {
  Lowering *lowering;
  bool *is_short, *is_small;  // by register
  Instruction *in;
  bool has_short, has_long, changed;
} Shortening;

static bool is_long_type(uint8_t type) {
  return type == TYPE_U64 || type == TYPE_S64 || type == TYPE_B64;
}

static uint8_t short_type(uint8_t type) {
  return type == TYPE_S64   ? TYPE_S32
         : type == TYPE_U64 ? TYPE_U32
         : type == TYPE_B64 ? TYPE_B32
                            : type;
}

static bool is_integer(uint8_t type) {
  TypeKind kind = type_kind((DataType)type);
  return kind == KIND_BITS || kind == KIND_SIGNED || kind == KIND_UNSIGNED;
}

// ---- 32-bit forms

static bool shorten_arithmetic(Instruction *in) {
  Form *form = &in->form;
  if (!instruction_is_low(in)) return false;
  if (form->width == WIDTH_WIDE)
    form->width = WIDTH_LOW;
  else
    form->type = short_type(form->type);
  in->exec = exec_find(form);
  return in->exec && type_bits((DataType)form->type) == 32;
}

// Integer conversion: the result, the source or both become 32-bit.
static bool shorten_conversion(Instruction *in, bool dst_is_short, bool src_is_short) {
  Form *form = &in->form;
  if (form->sat || !is_integer(form->type) || !is_integer(form->type2)) return false;
  if (dst_is_short) {
    form->type = short_type(form->type);
    in->dst_bytes = 4;
  }
  if (src_is_short) {
    form->type2 = short_type(form->type2);
    in->src_bytes = 4;
  }
  in->exec = exec_find(form);
  return in->exec && type_bits((DataType)form->type) <= 32 &&
         type_bits((DataType)form->type2) <= 32;
}

static bool shorten_move(Instruction *in) {
  if (in->exec == exec_mov_address && in->dst_bytes == 8) {
    in->dst_bytes = 4;
  } else if (in->exec == exec_mov_64) {
    in->exec = exec_mov_32;
  } else {
    return false;
  }
  in->form.type = TYPE_B32;
  return true;
}

static bool shorten_comparison(const Shortening *shortening, Instruction *in) {
  if (!instruction_compares_smalls(shortening->lowering, in, shortening->is_small)) return false;
  in->form.type = in->form.type == TYPE_B64 ? TYPE_B32 : TYPE_U32;
  in->exec = exec_find(&in->form);
  return in->exec != NULL;
}

static bool is_short(const Shortening *shortening, Place place) {
  return place >= 0 && shortening->is_short[place];
}

// Tries the 32-bit form of an instruction that references a narrowed register.
static bool shorten(const Shortening *shortening, Instruction *in) {
  bool is_result = is_short(shortening, in->dst[0]);
  if (in->special[0] || in->list || in->call || is_short(shortening, in->dst[1])) return false;
  switch (in->form.op) {
    case OP_MOV: return is_result && shorten_move(in);
    case OP_SETP: return shorten_comparison(shortening, in);
    case OP_CVT: return shorten_conversion(in, is_result, is_short(shortening, in->src[0]));
    case OP_LD:
    case OP_ST:
    case OP_ATOM:
    case OP_RED:
      in->address_bytes = 4;
      return in->src[0] >= 0 && !is_result && is_short(shortening, in->src[0]) &&
             access_is_near(in);
    default: return is_result && shorten_arithmetic(in);
  }
}

// ---- the set

static bool has_long_type(const Lowering *lowering, Place place) {
  return is_long_type((uint8_t)lowering->register_types[place]);
}

static void look(void *state, Place *place, PlaceUse use) {
  Shortening *shortening = state;
  (void)use;
  shortening->has_short |= shortening->is_short[*place];
  shortening->has_long |=
      !shortening->is_short[*place] && has_long_type(shortening->lowering, *place);
}

static void drop(void *state, Place *place, PlaceUse use) {
  Shortening *shortening = state;
  (void)use;
  shortening->changed |= shortening->is_short[*place];
  shortening->is_short[*place] = false;
}

// Only accesses may also store or load 64-bit registers.
static bool is_open(const Shortening *shortening, const Instruction *in) {
  Instruction attempt = *in;
  if (!shorten(shortening, &attempt)) return false;
  if (!access_is_near(in)) return !shortening->has_long;
  for (int k = 1; k < MAX_SOURCES; k++)
    if (is_short(shortening, in->src[k])) return false;
  for (int k = 0; k < MAX_DESTINATIONS; k++)
    if (is_short(shortening, in->dst[k])) return false;
  return true;
}

static void shrink(Shortening *shortening) {
  const Lowering *lowering = shortening->lowering;
  const Function *function = lowering->linked;
  while (shortening->changed) {
    shortening->changed = false;
    for (uint32_t i = 0; i < lowering->code_count; i++) {
      Instruction *in = &lowering->code[i];
      shortening->has_short = shortening->has_long = false;
      instruction_each_place(in, function, look, shortening);
      if (shortening->has_short && !is_open(shortening, in))
        instruction_each_place(in, function, drop, shortening);
    }
  }
}

static void find_candidates(Shortening *shortening) {
  const Lowering *lowering = shortening->lowering;
  const Function *function = lowering->linked;
  Narrow narrow;
  narrow_find(&narrow, lowering, true);
  for (uint32_t v = 0; v < lowering->register_count; v++)
    shortening->is_short[v] = has_long_type(lowering, (Place)v) && !narrow.needs_high[v];
  narrow_clear(&narrow);
  for (uint32_t i = 0; i < function->param_count; i++)
    if (function->params[i].place >= 0) shortening->is_short[function->params[i].place] = false;
  for (uint32_t i = 0; i < function->result_count; i++)
    if (function->results[i].place >= 0) shortening->is_short[function->results[i].place] = false;
}

// ---- rewriting

// 64-bit constants are truncated. Shift amounts and factors of a wide product already
// have 32 bits.
static void shorten_constants(const Lowering *lowering, Instruction *in,
                              const Instruction *before) {
  bool was_wide = before->form.width == WIDTH_WIDE;
  int count = before->form.op == OP_MAD ? 3 : before->form.op == OP_SHL ? 1 : 2;
  for (int k = was_wide ? 2 : 0; k < count; k++) {
    uint64_t value;
    if (in->src[k] < 0 && constant_value(lowering, in->src[k], 64, &value))
      in->src[k] = constant_place(&lowering->linker->constants, (uint32_t)value, 4);
  }
}

static void rewrite(Shortening *shortening, Instruction *in) {
  Instruction before = *in;
  shorten(shortening, in);
  if (before.form.op == OP_CVT || access_is_near(&before)) return;
  if (before.exec != exec_mov_address) shorten_constants(shortening->lowering, in, &before);
  if (before.form.op == OP_SETP) return;
  instruction_rename(shortening->lowering, in,
                     arena_printf(&shortening->lowering->linker->program->arena, "%s%s",
                                  opcode_info[in->form.op].name,
                                  in->form.op == OP_MUL || in->form.op == OP_MAD ? ".lo" : ""));
}

static void rewrite_all(Shortening *shortening) {
  Lowering *lowering = shortening->lowering;
  for (uint32_t i = 0; i < lowering->code_count; i++) {
    Instruction *in = &lowering->code[i];
    shortening->has_short = false;
    instruction_each_place(in, lowering->linked, look, shortening);
    if (shortening->has_short) rewrite(shortening, in);
  }
  for (uint32_t v = 0; v < lowering->register_count; v++)
    if (shortening->is_short[v])
      lowering->register_types[v] = (DataType)short_type((uint8_t)lowering->register_types[v]);
}

void registers_shorten(Lowering *lowering) {
  Shortening shortening = {.lowering = lowering,
                           .is_short = memory_alloc(lowering->register_count + 1u),
                           .is_small = smalls_find(lowering),
                           .changed = true};
  find_candidates(&shortening);
  shrink(&shortening);
  rewrite_all(&shortening);
  memory_free(shortening.is_short);
  memory_free(shortening.is_small);
}
