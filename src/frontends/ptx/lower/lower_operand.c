// SPDX-License-Identifier: MIT
// Lowers operands: registers with their types, immediates, vectors, hidden registers.
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "frontends/ptx/lower/lower.h"

Status lower_error(const Lowering *lowering, PtxPosition position, Error *err, Status status,
                   const char *format, ...) {
  char text[512];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  return ptx_error(lowering->module, err, status, position, "%s: %s", lowering->in->text, text);
}

Status lower_want_operands(const Lowering *lowering, uint32_t least, uint32_t most, Error *err) {
  uint32_t count = lowering->in->operand_count;
  if (count >= least && count <= most) return OK;
  if (least == most)
    return lower_error(lowering, lowering->in->position, err, ERR_SYNTAX,
                       "expected %u operands, found %u", least, count);
  return lower_error(lowering, lowering->in->position, err, ERR_SYNTAX,
                     "expected %u to %u operands, found %u", least, most, count);
}

// Registers without a name in the PTX: sinks, special registers and those of the optimising pass.
Place lower_hidden(Lowering *lowering, DataType type) {
  GROW(lowering->register_types, lowering->register_count, lowering->register_capacity);
  lowering->register_types[lowering->register_count] = type;
  return (Place)lowering->register_count++;
}

PlaceList *lower_new_list(Lowering *lowering, uint32_t dst_count, uint32_t src_count) {
  Arena *arena = &lowering->linker->program->arena;
  uint32_t count = dst_count + src_count;
  PlaceList *list = ARENA_NEW(arena, PlaceList);
  *list = (PlaceList){dst_count, src_count, ARENA_ARRAY(arena, Place, count), NULL};
  list->src = list->dst + dst_count;
  for (uint32_t i = 0; i < count; i++) list->dst[i] = NO_PLACE;
  return list;
}

int lower_register_bytes(const Lowering *lowering, Place place) {
  return type_bytes(lowering->register_types[place]);
}

static int lane_bytes_of(DataType type) {
  return type_bits(type) == 64 ? 8 : 4;
}

// PTX types need not match, widths must (manual, "Operand Size Exceeding Instruction-Type
// Size"): loads and stores accept wider registers, all others the exact width.
static Status check_register(const Lowering *lowering, const PtxOperand *operand, DataType expected,
                             WidthRule rule, Error *err) {
  if (operand->selector)
    return lower_error(lowering, operand->position, err, ERR_SYNTAX,
                       "register selectors are only valid in video instructions");
  const PtxRegister *reg = &lowering->syntax->registers[operand->index];
  bool wants_predicate = expected == TYPE_PRED, is_predicate = reg->type == TYPE_PRED;
  int have = type_bits(reg->type), want = type_bits(expected);
  bool fits = rule == WIDTH_EXACT ? have == want : have >= want;
  if (wants_predicate == is_predicate && fits && have <= 64) return OK;
  return lower_error(lowering, operand->position, err, ERR_SYNTAX,
                     "register %s is .%s, expected .%s", reg->name, type_name(reg->type),
                     type_name(expected));
}

static uint64_t float_bits(const PtxOperand *operand, DataType type) {
  double wide;
  float single;
  if (operand->is_single) {
    uint32_t low = (uint32_t)operand->bits;
    if (type_bits(type) == 32) return low;
    memcpy(&single, &low, sizeof single);
    wide = single;
  } else {
    memcpy(&wide, &operand->bits, sizeof wide);
  }
  uint64_t bits = 0;
  if (type_bits(type) == 64) {
    memcpy(&bits, &wide, sizeof wide);
  } else {
    single = (float)wide;
    memcpy(&bits, &single, sizeof single);
  }
  return bits;
}

// Encoding of an integer constant in a lane of a type: unused upper bits of
// narrow types are zero.
static uint64_t integer_bits(uint64_t bits, DataType type) {
  int width = type_bits(type);
  return width >= 64 ? bits : bits & ((UINT64_C(1) << width) - 1);
}

// Several values in one register: a constant denotes its bits.
static bool is_packed(DataType type) {
  return type == TYPE_F16X2 || type == TYPE_BF16X2 || type == TYPE_F32X2;
}

// Constants become places in the pool, replicated in 32 lanes, so that execution treats them like
// registers.
static Status lower_constant(Lowering *lowering, const PtxOperand *operand, DataType expected,
                             Place *place, Error *err) {
  Constants *constants = &lowering->linker->constants;
  if (expected == TYPE_PRED) {
    *place = constant_predicate(constants, operand->bits != 0);
    return OK;
  }
  if (operand->kind == OPERAND_FLOAT) {
    if (type_bits(expected) < 32)
      return lower_error(lowering, operand->position, err, ERR_UNSUPPORTED,
                         "%d-bit float constant; write its bits in hexadecimal",
                         type_bits(expected));
    *place = constant_place(constants, float_bits(operand, expected), lane_bytes_of(expected));
    return OK;
  }
  TypeKind kind = type_kind(expected);
  bool is_plain_float = kind == KIND_FLOAT && type_bits(expected) >= 32 && !is_packed(expected);
  if (is_plain_float)
    return lower_error(lowering, operand->position, err, ERR_SYNTAX,
                       "integer constant, expected .%s", type_name(expected));
  *place =
      constant_place(constants, integer_bits(operand->bits, expected), lane_bytes_of(expected));
  return OK;
}

// Read into a hidden register before the instruction executes. ptxas allows special registers only
// in mov, but in other instructions they are unambiguous.
static Status lower_special(Lowering *lowering, const PtxOperand *operand, DataType expected,
                            Instruction *out, Place *place, Error *err) {
  if (special_bits((SpecialRegister)operand->index) == 1)
    return lower_error(lowering, operand->position, err, ERR_UNSUPPORTED,
                       "special register is a predicate; move it to a register first");
  if (type_bits(expected) > special_bits((SpecialRegister)operand->index))
    return lower_error(lowering, operand->position, err, ERR_SYNTAX,
                       "special register narrower than .%s", type_name(expected));
  int i = 0;
  while (i < MAX_SPECIALS && out->special[i]) i++;
  if (i == MAX_SPECIALS)
    return lower_error(
        lowering, operand->position, err, ERR_UNSUPPORTED,
        "more than %d special registers in one instruction; move them to registers first",
        MAX_SPECIALS);
  bool is_wide = special_bits((SpecialRegister)operand->index) == 64;
  if (is_wide && type_bits(expected) != 64)
    return lower_error(lowering, operand->position, err, ERR_SYNTAX,
                       "64-bit special register, expected .%s", type_name(expected));
  out->special[i] = (uint8_t)operand->index;
  out->special_place[i] = lower_hidden(lowering, is_wide ? TYPE_B64 : TYPE_B32);
  *place = out->special_place[i];
  return OK;
}

Status lower_source(Lowering *lowering, const PtxOperand *operand, DataType expected,
                    WidthRule rule, Instruction *out, Place *place, Error *err) {
  uint64_t address;
  AddressBase base;
  Space space;
  switch (operand->kind) {
    case OPERAND_REGISTER:
      if (operand->negated && expected != TYPE_PRED)
        return lower_error(lowering, operand->position, err, ERR_SYNTAX,
                           "only a predicate can be negated here");
      *place = (Place)operand->index;
      return check_register(lowering, operand, expected, rule, err);
    case OPERAND_INTEGER:
    case OPERAND_FLOAT: return lower_constant(lowering, operand, expected, place, err);
    case OPERAND_SPECIAL: return lower_special(lowering, operand, expected, out, place, err);
    case OPERAND_VARIABLE:
    case OPERAND_PARAM:
    case OPERAND_RESULT:
    case OPERAND_SYMBOL:
      TRY(lower_symbol(lowering, operand, &address, &base, &space, err));
      if (base != BASE_ABSOLUTE)
        return lower_error(lowering, operand->position, err, ERR_UNSUPPORTED,
                           "address not known until the kernel runs; move it to a register");
      *place = constant_place(&lowering->linker->constants, integer_bits(address, expected),
                              lane_bytes_of(expected));
      return OK;
    default:
      return lower_error(lowering, operand->position, err, ERR_SYNTAX,
                         "expected a register or a constant");
  }
}

// A sink becomes a register that is never read, so that execution needs no special case.
Status lower_destination(Lowering *lowering, const PtxOperand *operand, DataType expected,
                         WidthRule rule, Place *place, Error *err) {
  if (operand->kind == OPERAND_SINK) {
    *place = lower_hidden(lowering, expected);
    return OK;
  }
  if (operand->kind != OPERAND_REGISTER || operand->negated)
    return lower_error(lowering, operand->position, err, ERR_SYNTAX,
                       "the destination must be a register");
  *place = (Place)operand->index;
  return check_register(lowering, operand, expected, rule, err);
}

Status lower_predicate(Lowering *lowering, const PtxOperand *operand, int k, Instruction *out,
                       Error *err) {
  if (operand->negated) out->negated |= (uint8_t)(1u << k);
  return lower_source(lowering, operand, TYPE_PRED, WIDTH_EXACT, out, &out->src[k], err);
}

// A parameter or result of the function itself.
static void slot_address(const Lowering *lowering, const PtxOperand *operand, uint64_t *value,
                         AddressBase *base, Space *space) {
  const Function *linked = lowering->linked;
  bool is_param = operand->kind == OPERAND_PARAM;
  bool is_kernel_param = is_param && linked->is_kernel;
  *value = (is_param ? linked->params : linked->results)[operand->index].offset;
  *base = is_kernel_param ? BASE_ABSOLUTE : BASE_FRAME;
  *space = is_kernel_param ? SPACE_PARAM : SPACE_FRAME;
}

static void variable_address(const Lowering *lowering, uint32_t index, uint64_t *value,
                             AddressBase *base, Space *space) {
  uint64_t at = lowering->function->variable_addresses[index];
  *space = lowering->syntax->variables[index].space;
  *base = *space == SPACE_SHARED ? BASE_ABSOLUTE : BASE_FRAME;
  *value = *space == SPACE_SHARED ? lowering->linker->shared[at].address : at;
}

static Status symbol_address(const Lowering *lowering, const PtxOperand *operand, uint64_t *value,
                             AddressBase *base, Space *space, Error *err) {
  const Symbol *symbol = symbol_find(lowering->linker, lowering->function->module, operand->name);
  *base = BASE_ABSOLUTE;
  if (!symbol)
    return lower_error(lowering, operand->position, err, ERR_LINK, "%s is not defined",
                       operand->name);
  if (!symbol->variable) {
    *space = SPACE_GENERIC;
    *value = function_address(symbol->function_index);
    return OK;
  }
  *space = symbol->variable->space;
  *value = symbol->address;
  if (*space == SPACE_SHARED && symbol->is_dynamic_shared) {
    *base = BASE_DYNAMIC_SHARED;
    *value = 0;
  } else if (*space == SPACE_SHARED) {
    *value = lowering->linker->shared[symbol->shared_index].address;
  }
  return OK;
}

Status lower_symbol(Lowering *lowering, const PtxOperand *operand, uint64_t *value,
                    AddressBase *base, Space *space, Error *err) {
  if (operand->kind == OPERAND_VARIABLE)
    variable_address(lowering, operand->index, value, base, space);
  else if (operand->kind == OPERAND_SYMBOL)
    TRY(symbol_address(lowering, operand, value, base, space, err));
  else
    slot_address(lowering, operand, value, base, space);
  *value += (uint64_t)operand->offset;
  return OK;
}

bool operand_is_symbol(const PtxOperand *operand) {
  return operand->kind == OPERAND_SYMBOL || operand->kind == OPERAND_VARIABLE ||
         operand->kind == OPERAND_PARAM || operand->kind == OPERAND_RESULT;
}

// Whether an instruction on space `wanted` may name a variable in space `actual`.
static bool space_fits(Space wanted, Space actual) {
  if (wanted == actual || actual == SPACE_GENERIC) return true;
  return wanted == SPACE_PARAM && actual == SPACE_FRAME;
}

// Addresses wrap around, as in registers, so any offset is valid.
static void add_to_offset(Instruction *out, uint64_t value) {
  out->offset = (int64_t)((uint64_t)out->offset + value);
}

static Status use_symbol(Lowering *lowering, const PtxOperand *operand, Instruction *out,
                         Error *err) {
  uint64_t value;
  AddressBase base;
  Space space, wanted = out->form.space;
  TRY(lower_symbol(lowering, operand, &value, &base, &space, err));
  if (wanted == SPACE_GENERIC) {
    // A generic ld may name a variable: the access then takes the variable's space.
    out->form.space = (uint8_t)space;
  } else if (!space_fits(wanted, space)) {
    return lower_error(lowering, operand->position, err, ERR_SYNTAX, "%s is in .%s memory",
                       operand->name ? operand->name : "this variable", space_name(space));
  } else if (wanted == SPACE_PARAM) {
    out->form.space = (uint8_t)space;
  }
  add_to_offset(out, value);
  out->address_base = (uint8_t)base;
  return OK;
}

Status lower_address(Lowering *lowering, const PtxOperand *operand, int source, Instruction *out,
                     Error *err) {
  if (operand->kind != OPERAND_ADDRESS)
    return lower_error(lowering, operand->position, err, ERR_SYNTAX, "expected an address [..]");
  out->offset = operand->offset;
  out->address_bytes = 8;
  bool in_function = !lowering->linked->is_kernel;
  for (uint32_t i = 0; i < operand->element_count; i++) {
    const PtxOperand *part = &operand->elements[i];
    if (operand_is_symbol(part)) {
      TRY(use_symbol(lowering, part, out, err));
    } else if (part->kind == OPERAND_INTEGER) {
      add_to_offset(out, part->bits);
    } else if (part->kind == OPERAND_REGISTER && out->src[source] == NO_PLACE) {
      DataType type = lowering->syntax->registers[part->index].type;
      if (type_bits(type) != 32 && type_bits(type) != 64)
        return lower_error(lowering, part->position, err, ERR_SYNTAX,
                           "an address register must have 32 or 64 bits");
      out->src[source] = (Place)part->index;
      out->address_bytes = (uint8_t)type_bytes(type);
      if (out->form.space == SPACE_PARAM && in_function) out->form.space = SPACE_FRAME;
    } else {
      return lower_error(lowering, part->position, err, ERR_SYNTAX, "not allowed in an address");
    }
  }
  return OK;
}
