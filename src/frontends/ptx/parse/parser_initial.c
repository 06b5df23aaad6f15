// SPDX-License-Identifier: MIT
// Initialisers of variables: numbers, addresses and nested braces, flattened.
//
// An incomplete brace is padded with zeros to the size of its dimension.
// Elements after the last brace are zero without being stored.
#include <string.h>

#include "frontends/ptx/parse/parser.h"

typedef struct Extents {
  const PtxVariable *variable;
  uint64_t elements[MAX_DIMENSIONS + 1];  // per brace of each level; 0 = no limit
  int levels;
} Extents;

static uint64_t float_bits(float number) {
  uint32_t bits;
  memcpy(&bits, &number, sizeof bits);
  return bits;
}

static uint64_t double_bits(double number) {
  uint64_t bits;
  memcpy(&bits, &number, sizeof bits);
  return bits;
}

// Converts a constant to the element's encoding. Floats in .b32 or .b64 keep theirs.
static uint64_t encode(DataType type, Constant c) {
  int bits = type_bits(type);
  if (type == TYPE_F64)
    return c.kind == CONSTANT_DOUBLE ? c.bits : double_bits(constant_to_double(c));
  if (type == TYPE_F32 && c.kind != CONSTANT_SINGLE)
    return float_bits((float)constant_to_double(c));
  if (c.kind == CONSTANT_DOUBLE && bits == 32) return float_bits((float)constant_to_double(c));
  return bits < 64 ? c.bits & (((uint64_t)1 << bits) - 1) : c.bits;
}

static Status read_constant(Parser *p, DataType type, PtxInitial *initial) {
  Constant constant;
  TRY(parse_expression(p, &constant));
  bool fits = constant.kind < CONSTANT_SINGLE || type_bits(type) >= 32;
  if (!fits)
    return PARSE_ERROR(p, initial->position, "float value does not fit in `.%s`", type_name(type));
  initial->bits = encode(type, constant);
  return OK;
}

static Status read_symbol(Parser *p, PtxInitial *initial) {
  PtxPosition position = token(p)->position;
  int64_t offset;
  Name *name;
  TRY(parse_name(p, "the name of a variable or function", &name));
  *LIST_PUSH(&p->symbol_uses) = (SymbolUse){name, position};
  initial->symbol = name->text;
  TRY(parse_offset(p, &offset));
  initial->bits += (uint64_t)offset;
  return OK;
}

// name, name+8, generic(name), generic(name)+8
static Status read_address(Parser *p, PtxInitial *initial) {
  int64_t offset;
  if (!parser_at_word(p, "generic") || lexer_peek(&p->lexer) != '(') return read_symbol(p, initial);
  initial->generic = true;
  advance(p);
  TRY(parser_expect(p, '(', "`(`"));
  TRY(read_symbol(p, initial));
  TRY(parser_expect(p, ')', "`)`"));
  TRY(parse_offset(p, &offset));
  initial->bits += (uint64_t)offset;
  return OK;
}

// 0xFF00(name): one byte of an address
static Status read_masked(Parser *p, PtxInitial *initial) {
  uint64_t mask = token(p)->bits;
  initial->masked = true;
  while (initial->mask_shift < 56 && mask >> initial->mask_shift != 0xff) initial->mask_shift += 8;
  if (mask != (uint64_t)0xff << initial->mask_shift)
    return PARSE_ERROR(p, token(p)->position, "the mask of an address must select one byte");
  advance(p);
  TRY(parser_expect(p, '(', "`(`"));
  TRY(read_address(p, initial));
  return parser_expect(p, ')', "`)`");
}

static Status read_element(Parser *p, DataType type) {
  PtxInitial *initial = LIST_PUSH(&p->initials);
  initial->position = token(p)->position;
  if (at(p, TOKEN_INTEGER) && lexer_peek(&p->lexer) == '(') return read_masked(p, initial);
  if (expression_starts(p)) return read_constant(p, type, initial);
  if (at(p, TOKEN_NAME)) return read_address(p, initial);
  return parser_unexpected(p, "a number or an address");
}

static Status fill(Parser *p, uint64_t until, PtxPosition position) {
  if (until <= p->initials.count) return OK;
  TRY(parser_spend(p, until - p->initials.count, position));
  while (p->initials.count < until) LIST_PUSH(&p->initials)->position = position;
  return OK;
}

static Status read_brace(Parser *p, const Extents *extents, int level) {
  PtxPosition position = token(p)->position;
  if (level > 0 && level >= extents->levels)
    return PARSE_ERROR(p, position, "more braces than the variable has dimensions");
  uint64_t first = p->initials.count, limit = extents->elements[level];
  advance(p);
  while (!at(p, '}')) {
    PtxPosition element = token(p)->position;
    if (at(p, '{'))
      TRY(read_brace(p, extents, level + 1));
    else
      TRY(read_element(p, extents->variable->type));
    if (limit && p->initials.count - first > limit)
      return PARSE_ERROR(p, element, "too many initial values");
    if (!parser_accept(p, ',') && !at(p, '}')) return parser_unexpected(p, "`,` or `}`");
  }
  advance(p);
  return level > 0 ? fill(p, first + limit, position) : OK;
}

Status parse_initials(Parser *p, PtxVariable *variable, const uint64_t *dimensions, int count) {
  Extents extents = {.variable = variable, .levels = count};
  extents.elements[count] = 1;
  for (int i = count - 1; i >= 0; i--)
    extents.elements[i] = extents.elements[i + 1] * dimensions[i];
  if (variable->type >= TYPE_TEXREF)
    return ptx_error(p->module, p->err, ERR_UNSUPPORTED, token(p)->position,
                     "initial values of textures, samplers and surfaces are not supported");
  if (at(p, '{'))
    TRY(read_brace(p, &extents, 0));
  else
    TRY(read_element(p, variable->type));
  variable->initial_count = p->initials.count;
  variable->initials = LIST_TAKE(p, &p->initials, 0);
  return OK;
}
