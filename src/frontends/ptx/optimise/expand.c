// SPDX-License-Identifier: MIT
// PTX instructions that hardware implements as sequences: division, roots,
// transcendental functions, 64-bit integer arithmetic. Each becomes a sequence with
// the cost of the code that ptxas emits for sm_75 (measured with one kernel per
// instruction; the path of normal numbers); its last instruction computes the
// result. Where ptxas calls a function for numbers that are not normal, three
// instructions are added for the divergence (meetings.h).
//
// A sequence is a word with one letter per instruction before the last. Capital
// letters form a dependence chain, on which the last instruction depends; small
// letters depend on the operand only.
//
//   S  rcp.approx     F  fma.f32    M  mul.f32    D  fma.f64
//   I  add.s32        X  mad.lo.s32 V  cvt between integers and floats
//   H  shl.b32
//   i  add.s32        c  a comparison or a branch that falls through
//   v  FCHK, on the unit of conversions
//   g  a comparison whose result b waits for; G: of the chain
//   b  a branch around the call, or the reconvergence behind it: no step passes it (schedule.c)
#include <string.h>

#include "base/memory.h"
#include "frontends/ptx/optimise/meetings.h"
#include "frontends/ptx/optimise/narrow.h"
#include "frontends/ptx/optimise/steps.h"

typedef struct Sequence {
  const char *steps;
  char last;  // cost of the last instruction; 0: determined by its form
} Sequence;

static const Sequence none = {"", 0};

// Divisors whose reciprocals are in registers: ptxas computes them once in a block.
enum { MOST_DIVISORS = 8 };

typedef struct Divisor {
  Place place;
  bool is_signed;
} Divisor;

typedef struct Expansion {
  Lowering *lowering;
  const CompilerRules *rules;
  Narrow narrow;
  Divisor divisors[MOST_DIVISORS];
  uint32_t divisor_count;
  bool *is_small;   // by register: a 64-bit value without upper half
  bool *is_unused;  // ... which nothing has used yet
  Instruction *code;
  uint32_t count, capacity;
} Expansion;

// ---- choice of the sequence

// Where the machine's latencies are those of whole functions.
static Sequence of_counted_f32(const Form *form) {
  if (form->op == OP_DIV) return (Sequence){"S", 'M'};
  return none;
}

static Sequence of_f32(const Form *form, const CompilerRules *rules) {
  bool is_exact = !form->approx && !form->full;
  if (!is_exact && rules->counts_functions) return of_counted_f32(form);
  switch (form->op) {
    case OP_DIV:
      if (is_exact && rules->follows_ptxas_13) return (Sequence){"iiSvFFFFbb", 'F'};
      if (is_exact) return (Sequence){"iiiSFFFFcc", 'F'};
      return form->full ? (Sequence){"ccMMMSM", 'M'} : (Sequence){"cMSM", 'M'};
    case OP_RCP:
      if (is_exact && rules->follows_ptxas_13) return (Sequence){"iiiiSgbFFb", 'F'};
      if (is_exact) return (Sequence){"iiiiiccSFF", 'F'};
      return form->ftz ? none : (Sequence){"ccMSii", 'M'};
    case OP_SQRT:
      if (is_exact && rules->follows_ptxas_13) return (Sequence){"iiSigbMMFb", 'F'};
      if (is_exact) return (Sequence){"iiiiccSMMF", 'F'};
      return form->ftz ? none : (Sequence){"cMS", 'M'};
    case OP_RSQRT:
    case OP_EX2: return form->ftz ? none : (Sequence){"cMS", 'M'};
    case OP_LG2: return form->ftz ? none : (Sequence){"cMS", 'F'};
    case OP_SIN:
    case OP_COS: return (Sequence){"M", 0};
    default: return none;
  }
}

static Sequence of_f64(const Form *form, const CompilerRules *rules) {
  bool branches = rules->follows_ptxas_13;
  switch (form->op) {
    case OP_DIV: return (Sequence){branches ? "iiSDDDDDDDciFGbb" : "iiiSDDDDDDDciccF", 'D'};
    case OP_RCP: return (Sequence){branches ? "iiiiSigbDDDDcb" : "iiiiiiSDDDDccc", 'D'};
    case OP_SQRT: return (Sequence){branches ? "iiiiSigbDDDDDDDb" : "iiiiiSDDDDDDDcci", 'D'};
    case OP_MIN:
    case OP_MAX: return (Sequence){"icici", 0};
    default: return none;
  }
}

static Sequence of_division(const Instruction *in, bool is_wide, bool is_signed) {
  bool is_constant = in->src[1] < 0, is_rest = in->form.op == OP_REM;
  if (is_wide)
    return (Sequence){"iicVSIVXXXXXXXXIIIXXXXXXXXIIIXXXXXXXXIIIIIIcIIIcIIIIcIIIiiciiiciiiciii",
                      'I'};
  if (is_constant && is_signed)
    return (Sequence){is_rest ? "VSIVXXXXIcIcici" : "VSIVXXXXXIcIcicii", 'I'};
  if (is_constant) return (Sequence){is_rest ? "VSIVXXXXIcIc" : "VSIVXXXXIcIci", 'I'};
  if (is_signed)
    return (Sequence){is_rest ? "iicVSIVXXXXXXIcIcIcic" : "iicVSIVXXXXXXIcIcIciciI", 'I'};
  return (Sequence){is_rest ? "VSIVXXXXXIcIcici" : "VSIVXXXXXIcIcicii", 'I'};
}

// ... without what leads to the reciprocal.
static Sequence of_shared_division(bool is_rest, bool is_signed) {
  if (is_signed) return (Sequence){is_rest ? "iXXXIcIcIci" : "iXXXIcIcIcici", 'I'};
  return (Sequence){is_rest ? "XXIcIcic" : "XXIcIcici", 'I'};
}

static bool is_shared_division(const Expansion *expansion, const Instruction *in, bool is_signed) {
  for (uint32_t k = 0; k < expansion->divisor_count; k++) {
    const Divisor *divisor = &expansion->divisors[k];
    if (divisor->place == in->src[1] && divisor->is_signed == is_signed) return true;
  }
  return false;
}

static bool is_small_factor(const Expansion *expansion, Place place) {
  return place >= 0 && expansion->is_small[place];
}

// IMAD.WIDE, an IMAD for each upper half, and a sum. ptxas 13 (7.5, 8.6, 9.0) needs no sum where
// only the first factor has no upper half; which is first is not known here.
static Sequence of_long_product(const Expansion *expansion, const Instruction *in) {
  static const char *const steps[] = {"XXI", "XI", "I"};
  int count = is_small_factor(expansion, in->src[0]) + is_small_factor(expansion, in->src[1]);
  return (Sequence){steps[expansion->rules->follows_ptxas_13 ? count : 0], 0};
}

// A half that a constant mask or shift clears or keeps is no instruction of ptxas 13.
static bool spares_half(const Expansion *expansion, const Instruction *in) {
  bool is_shift = in->form.op == OP_SHL || in->form.op == OP_SHR;
  uint64_t value;
  if (!expansion->rules->follows_ptxas_13 ||
      !constant_value(expansion->lowering, in->src[1], is_shift ? 32 : 64, &value))
    return false;
  if (is_shift) return value >= 32 && type_kind((DataType)in->form.type) != KIND_SIGNED;
  uint32_t low = (uint32_t)value, high = (uint32_t)(value >> 32);
  return !low || !high || low == UINT32_MAX || high == UINT32_MAX;
}

static Sequence of_long(const Expansion *expansion, const Instruction *in) {
  switch (in->form.op) {
    case OP_AND:
    case OP_SHL:
    case OP_SHR: return spares_half(expansion, in) ? none : (Sequence){"I", 0};
    case OP_ADD:
    case OP_SUB:
    case OP_OR:
    case OP_XOR:
    case OP_LOP3:
    case OP_NOT:
    case OP_NEG:
    case OP_SELP:
    case OP_SETP: return (Sequence){"I", 0};
    case OP_MOV: return in->form.vector > 1 || in->special[0] ? none : (Sequence){"i", 0};
    case OP_MUL:
      return in->form.width == WIDTH_HIGH ? (Sequence){"XXXXII", 0}
                                          : of_long_product(expansion, in);
    // With a constant factor it is mostly a shift: combine.c.
    case OP_MAD: return in->src[1] < 0 ? (Sequence){"I", 0} : of_long_product(expansion, in);
    case OP_MIN:
    case OP_MAX: return (Sequence){"IcI", 0};
    case OP_ABS: return (Sequence){"IIcI", 0};
    case OP_POPC: return (Sequence){"iI", 0};
    case OP_CLZ: return (Sequence){"IIIII", 0};
    default: return none;
  }
}

// From Volta on, in the code of ptxas 13 for 7.5, 8.0 and 9.0: a byte is PRMT, another constant
// field SHF and LOP3, any other field three instructions.
static Sequence of_field(const Expansion *expansion, const Instruction *in) {
  uint64_t first, length;
  bool is_constant = in->src[1] < 0 && in->src[2] < 0;
  if (!expansion->rules->follows_ptxas_13)
    return is_constant ? (Sequence){"I", 0} : (Sequence){"IIIII", 0};
  if (!is_constant) return (Sequence){"II", 0};
  bool is_byte = type_kind((DataType)in->form.type) == KIND_UNSIGNED &&
                 constant_value(expansion->lowering, in->src[1], 32, &first) && first % 8 == 0 &&
                 constant_value(expansion->lowering, in->src[2], 32, &length) && length == 8;
  return is_byte ? none : (Sequence){"I", 0};
}

static Sequence of_short(const Expansion *expansion, const Instruction *in, int bits) {
  switch (in->form.op) {
    case OP_CLZ: return (Sequence){"I", 0};
    case OP_BFE: return of_field(expansion, in);
    case OP_BFI: return (Sequence){"I", 0};
    case OP_MUL24: return (Sequence){"ii", 0};
    case OP_SLCT: return (Sequence){"c", 0};
    case OP_MUL: return bits == 16 && in->form.width == WIDTH_LOW ? (Sequence){"I", 0} : none;
    default: return none;
  }
}

static bool is_power_of_two(const Lowering *lowering, Place place, int bits) {
  uint64_t value;
  return constant_value(lowering, place, bits, &value) && value && !(value & (value - 1));
}

// A scaled sum: ISCADD; of 64 bits two shifts and two sums on Maxwell, else IMAD and IMAD.HI.
static Sequence of_mad(const Expansion *expansion, const Instruction *in, bool is_wide) {
  const CompilerRules *rules = expansion->rules;
  bool is_scale = is_power_of_two(expansion->lowering, in->src[1], is_wide ? 64 : 32);
  bool is_widening = in->form.width == WIDTH_WIDE;
  if (is_scale && (is_wide || is_widening) && rules->has_triples) return (Sequence){"HHI", 'I'};
  if (is_widening) return (Sequence){"X", 0};
  return is_scale && !is_wide ? (Sequence){"", 'H'} : none;
}

static Sequence sequence_of(const Expansion *expansion, const Instruction *in) {
  const CompilerRules *rules = expansion->rules;
  const Narrow *narrow = &expansion->narrow;
  const Form *form = &in->form;
  Family family = opcode_info[form->op].family;
  bool is_open = family == FAMILY_ARITHMETIC || form->op == OP_SELP || form->op == OP_SETP ||
                 form->op == OP_SLCT || in->exec == exec_mov_64;
  DataType type = (DataType)form->type;
  TypeKind kind = type_kind(type);
  if (!is_open || in->src[0] == NO_PLACE || in->src[MAX_SOURCES - 1] != NO_PLACE || in->list ||
      instruction_uses_carry(in) || type == TYPE_PRED)
    return none;
  if (type == TYPE_F32) return of_f32(form, rules);
  if (type == TYPE_F64) return of_f64(form, rules);
  if (kind == KIND_FLOAT) return none;
  bool is_wide = type_bits(type) == 64;
  bool is_signed = kind == KIND_SIGNED;
  if (form->op == OP_DIV || form->op == OP_REM)
    return is_shared_division(expansion, in, is_signed)
               ? of_shared_division(form->op == OP_REM, is_signed)
               : of_division(in, is_wide, is_signed);
  if (form->op == OP_MAD && rules->uses_adder_for_scale && !(is_wide && in->src[1] >= 0)) {
    Sequence sequence = of_mad(expansion, in, is_wide);
    if (sequence.last || sequence.steps[0]) return sequence;
  }
  if (!is_wide) return of_short(expansion, in, type_bits(type));
  bool is_cut = in->dst[0] >= 0 && !narrow->needs_high[in->dst[0]];
  return is_cut ? none : of_long(expansion, in);
}

// ---- emission

static Form form_of(char letter) {
  switch (letter) {
    case 'S':
      return (Form){.op = OP_RCP, .type = TYPE_F32, .approx = true, .ftz = true, .vector = 1};
    case 'F': return (Form){.op = OP_FMA, .type = TYPE_F32, .rounding = ROUND_NEAREST, .vector = 1};
    case 'M': return (Form){.op = OP_MUL, .type = TYPE_F32, .vector = 1};
    case 'D': return (Form){.op = OP_FMA, .type = TYPE_F64, .rounding = ROUND_NEAREST, .vector = 1};
    case 'X': return (Form){.op = OP_MAD, .type = TYPE_S32, .width = WIDTH_LOW, .vector = 1};
    case 'v':
    case 'V': return (Form){.op = OP_CVT, .type = TYPE_F32, .type2 = TYPE_S32, .vector = 1};
    case 'H': return (Form){.op = OP_SHL, .type = TYPE_B32, .vector = 1};
    case 'c': return (Form){.op = OP_AND, .type = TYPE_B32, .vector = 1};
    default: return (Form){.op = OP_ADD, .type = TYPE_S32, .vector = 1};
  }
}

static void append(Expansion *expansion, const Instruction *in) {
  GROW(expansion->code, expansion->count, expansion->capacity);
  expansion->code[expansion->count++] = *in;
}

// A step moves its operand to a register that only the next step reads.
static Place append_step(Expansion *expansion, const Instruction *in, char letter, Place from) {
  Instruction step = *in;
  Place to = lower_hidden(expansion->lowering, TYPE_B32);
  for (int i = 0; i < MAX_DESTINATIONS; i++) step.dst[i] = NO_PLACE;
  for (int i = 0; i < MAX_SOURCES; i++) step.src[i] = NO_PLACE;
  step.dst[0] = to;
  step.src[0] = from;
  step.negated = 0;
  step.is_cover = true;
  step.exec = exec_mov_32;
  step.form = form_of(letter);
  append(expansion, &step);
  return to;
}

// Steps without dependences, before an instruction.
static void append_idle(Expansion *expansion, const Instruction *before, uint32_t count,
                        bool is_reconvergence) {
  Instruction like = {.guard = NO_PLACE,
                      .reconverge = NO_RECONVERGENCE,
                      .text = "meet",
                      .is_meeting = true,
                      .is_reconvergence = is_reconvergence,
                      .line = before->line,
                      .source = before->source};
  for (int i = 0; i < MAX_SPECIALS; i++) like.special_place[i] = NO_PLACE;
  Place zero = constant_place(&expansion->lowering->linker->constants, 0, 4);
  for (uint32_t i = 0; i < count; i++) append_step(expansion, &like, 'i', zero);
}

// Conversions from 32 to 64 bits are no instructions of SASS: the upper half is RZ. Here they are
// one, in place of a step of the first that uses the result. True once for each.
static bool uses_conversion(Expansion *expansion, const Instruction *in) {
  if (type_bits((DataType)in->form.type) != 64) return false;
  for (int k = 0; k < MAX_SOURCES; k++) {
    if (in->src[k] < 0 || !expansion->is_unused[in->src[k]]) continue;
    expansion->is_unused[in->src[k]] = false;
    return true;
  }
  return false;
}

// Whether a guard of b is true is known only to hardware: numbers here take the path of normal
// ones.
static Place append_comparison(Expansion *expansion, const Instruction *in, Place of) {
  Place condition = lower_hidden(expansion->lowering, TYPE_PRED);
  append_step(expansion, in, 'i', of);
  Instruction *step = &expansion->code[expansion->count - 1];
  step->form = (Form){.op = OP_SETP, .type = TYPE_U32, .compare = COMPARE_EQ, .vector = 1};
  step->exec = exec_find(&step->form);
  step->dst[0] = condition;
  step->src[1] = of;
  return condition;
}

static void append_branch(Expansion *expansion, const Instruction *in, Place condition) {
  append_idle(expansion, in, 1, true);
  expansion->code[expansion->count - 1].guard = condition;
}

// Of 32 bits; a register that is written is no longer the divisor.
static void note_divisor(Expansion *expansion, const Instruction *in) {
  uint32_t kept = 0;
  for (uint32_t k = 0; k < expansion->divisor_count; k++)
    if (in->dst[0] != expansion->divisors[k].place && in->dst[1] == NO_PLACE)
      expansion->divisors[kept++] = expansion->divisors[k];
  expansion->divisor_count = kept;
  DataType type = (DataType)in->form.type;
  bool is_division = (in->form.op == OP_DIV || in->form.op == OP_REM) && type_bits(type) == 32 &&
                     type_kind(type) != KIND_FLOAT && in->guard == NO_PLACE;
  bool is_signed = type_kind(type) == KIND_SIGNED;
  if (!is_division || in->src[1] < 0 || in->dst[0] == in->src[1] || kept == MOST_DIVISORS ||
      is_shared_division(expansion, in, is_signed))
    return;
  expansion->divisors[expansion->divisor_count++] = (Divisor){in->src[1], is_signed};
}

// ptxas 13 for sm_75 to sm_90: beyond a CTA, MEMBAR stands before a store or atomic that releases.
static bool needs_fence(const Form *form) {
  bool writes = form->op == OP_ST || form->op == OP_ATOM || form->op == OP_RED;
  return writes && form->order & ORDER_RELEASES && form->scope > SCOPE_CTA &&
         form->space != SPACE_SHARED;
}

static void append_fence(Expansion *expansion, const Instruction *before) {
  Instruction fence = {.form = {.op = OP_FENCE, .scope = before->form.scope},
                       .guard = before->guard,
                       .guard_negated = before->guard_negated,
                       .reconverge = NO_RECONVERGENCE,
                       .text = "fence",
                       .line = before->line,
                       .source = before->source};
  for (int i = 0; i < MAX_DESTINATIONS; i++) fence.dst[i] = NO_PLACE;
  for (int i = 0; i < MAX_SOURCES; i++) fence.src[i] = NO_PLACE;
  for (int i = 0; i < MAX_SPECIALS; i++) fence.special_place[i] = NO_PLACE;
  fence.exec = exec_find(&fence.form);
  append(expansion, &fence);
}

static void expand_instruction(Expansion *expansion, Instruction in) {
  if (expansion->rules->follows_ptxas_13 && needs_fence(&in.form)) append_fence(expansion, &in);
  Sequence sequence = sequence_of(expansion, &in);
  if (expansion->rules->follows_ptxas_13 && sequence.steps[0] && uses_conversion(expansion, &in))
    sequence.steps++;
  Place from = in.src[0], last = NO_PLACE, condition = NO_PLACE;
  for (const char *letter = sequence.steps; *letter; letter++) {
    bool is_chained = *letter >= 'A' && *letter <= 'Z';
    if (*letter == 'g' || *letter == 'G') {
      condition = append_comparison(expansion, &in, is_chained ? last : from);
      continue;
    }
    if (*letter == 'b') {
      append_branch(expansion, &in, condition);
      condition = NO_PLACE;
      continue;
    }
    Place made = append_step(expansion, &in, *letter, is_chained && last >= 0 ? last : from);
    if (is_chained) last = made;
  }
  if (last >= 0) in.src[MAX_SOURCES - 1] = last;
  if (sequence.last) {
    RealOperation *real = ARENA_NEW(&expansion->lowering->linker->program->arena, RealOperation);
    *real = (RealOperation){in.exec, in.form};
    in.real = real;
    in.exec = exec_real;
    in.form = form_of(sequence.last);
  }
  append(expansion, &in);
}

// A back edge skips the divergence steps before the loop.
static uint32_t target_of(const uint32_t *moved, const uint32_t *inner, uint32_t at, uint32_t to) {
  return moved[to] <= at ? inner[to] : moved[to];
}

static void retarget(const Expansion *expansion, const uint32_t *moved, const uint32_t *inner) {
  for (uint32_t i = 0; i < expansion->count; i++) {
    Instruction *in = &expansion->code[i];
    if (in->form.op == OP_BRA) in->target = target_of(moved, inner, i, in->target);
    if (in->form.op == OP_BRX)
      for (int64_t k = 0; k < in->offset; k++)
        ((uint32_t *)(uintptr_t)in->targets)[k] = target_of(moved, inner, i, in->targets[k]);
  }
}

// Instructions that are branched to: blocks begin there.
static bool *targets_find(const Lowering *lowering) {
  bool *is_target = memory_alloc(lowering->code_count + 1u);
  memset(is_target, 0, lowering->code_count + 1u);
  for (uint32_t i = 0; i < lowering->code_count; i++) {
    const Instruction *in = &lowering->code[i];
    if (in->form.op == OP_BRA) is_target[in->target] = true;
    if (in->form.op == OP_BRX)
      for (int64_t k = 0; k < in->offset; k++) is_target[in->targets[k]] = true;
  }
  return is_target;
}

static void expand_all(Expansion *expansion, const Meetings *meetings) {
  Lowering *lowering = expansion->lowering;
  const CompilerRules *rules = expansion->rules;
  size_t bytes = sizeof(uint32_t) * (lowering->code_count + 1u);
  uint32_t *moved = memory_alloc(bytes), *inner = memory_alloc(bytes);
  bool *is_target = targets_find(lowering);
  for (uint32_t i = 0; i < lowering->code_count; i++) {
    const Instruction *in = &lowering->code[i];
    moved[i] = expansion->count;
    if (meetings->meets[i]) append_idle(expansion, in, rules->meeting_steps, true);
    if (meetings->parts[i]) append_idle(expansion, in, rules->parting_steps, false);
    inner[i] = expansion->count;
    if (is_target[i]) expansion->divisor_count = 0;
    expand_instruction(expansion, lowering->code[i]);
    if (rules->follows_ptxas_13) note_divisor(expansion, &lowering->code[i]);
  }
  retarget(expansion, moved, inner);
  memory_free(is_target);
  memory_free(moved);
  memory_free(inner);
}

void instructions_expand(Lowering *lowering, const CompilerRules *rules) {
  Expansion expansion = {.lowering = lowering, .rules = rules};
  Meetings meetings;
  narrow_find(&expansion.narrow, lowering, false);
  expansion.is_small = smalls_find(lowering);
  expansion.is_unused = smalls_find(lowering);
  meetings_find(&meetings, lowering);
  expand_all(&expansion, &meetings);
  lower_reserve(lowering, expansion.count);
  memcpy(lowering->code, expansion.code, sizeof(Instruction) * expansion.count);
  lowering->code_count = expansion.count;
  narrow_clear(&expansion.narrow);
  memory_free(expansion.is_small);
  memory_free(expansion.is_unused);
  meetings_clear(&meetings);
  memory_free(expansion.code);
}
