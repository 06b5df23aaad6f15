// SPDX-License-Identifier: MIT
// Constant expressions: signed and unsigned 64-bit integers and doubles, with
// the operators of C.
//
// A binary operation is unsigned if one operand is, and computed in double
// precision if one operand is a float. A lone 0f literal keeps its 32 bits.
#include <string.h>

#include "frontends/ptx/parse/parser.h"

// Each level takes a few stack frames; fuzzers find deep nesting immediately.
enum { MAX_EXPRESSION_DEPTH = 64 };

static Status read_unary(Parser *p, Constant *value, int depth);
static Status read_choice(Parser *p, Constant *value, int depth);

bool expression_starts(const Parser *p) {
  switch (token(p)->kind) {
    case TOKEN_INTEGER:
    case TOKEN_SINGLE:
    case TOKEN_DOUBLE:
    case '-':
    case '+':
    case '~':
    case '!':
    case '(': return true;
    default: return parser_at_word(p, "WARP_SZ");
  }
}

static bool is_float(Constant c) {
  return c.kind >= CONSTANT_SINGLE;
}

double constant_to_double(Constant c) {
  double number;
  float single;
  uint32_t low = (uint32_t)c.bits;
  switch (c.kind) {
    case CONSTANT_SIGNED: return (double)(int64_t)c.bits;
    case CONSTANT_UNSIGNED: return (double)c.bits;
    case CONSTANT_SINGLE: memcpy(&single, &low, sizeof single); return (double)single;
    default: memcpy(&number, &c.bits, sizeof number); return number;
  }
}

static Constant from_double(double number) {
  Constant c = {CONSTANT_DOUBLE, 0};
  memcpy(&c.bits, &number, sizeof number);
  return c;
}

static Constant from_bool(bool truth) {
  return (Constant){CONSTANT_SIGNED, truth};
}

static bool is_true(Constant c) {
  return is_float(c) ? constant_to_double(c) != 0 : c.bits != 0;
}

static Status read_primary(Parser *p, Constant *value, int depth) {
  const Token *t = token(p);
  switch (t->kind) {
    case TOKEN_INTEGER:
      *value = (Constant){t->is_unsigned ? CONSTANT_UNSIGNED : CONSTANT_SIGNED, t->bits};
      break;
    case TOKEN_SINGLE: *value = (Constant){CONSTANT_SINGLE, t->bits}; break;
    case TOKEN_DOUBLE: *value = (Constant){CONSTANT_DOUBLE, t->bits}; break;
    case '(':
      advance(p);
      TRY(read_choice(p, value, depth));
      return parser_expect(p, ')', "`)`");
    default:
      if (!parser_at_word(p, "WARP_SZ")) return parser_unexpected(p, "a constant");
      *value = (Constant){CONSTANT_SIGNED, 32};
  }
  advance(p);
  return OK;
}

static Constant negated(Constant c) {
  if (c.kind == CONSTANT_SINGLE) return (Constant){c.kind, c.bits ^ 0x80000000u};
  if (c.kind == CONSTANT_DOUBLE) return (Constant){c.kind, c.bits ^ (uint64_t)1 << 63};
  return (Constant){c.kind, 0 - c.bits};
}

static Status read_cast(Parser *p, Constant *value, int depth) {
  advance(p);
  PtxPosition position = token(p)->position;
  DataType type = keyword_type(token(p)->start, token(p)->length);
  if (type != TYPE_S64 && type != TYPE_U64) return parser_unexpected(p, "`.s64` or `.u64`");
  advance(p);
  TRY(parser_expect(p, ')', "`)`"));
  TRY(read_unary(p, value, depth + 1));
  if (is_float(*value)) return PARSE_ERROR(p, position, "a float cannot be cast");
  value->kind = type == TYPE_S64 ? CONSTANT_SIGNED : CONSTANT_UNSIGNED;
  return OK;
}

static Status read_unary(Parser *p, Constant *value, int depth) {
  if (depth > MAX_EXPRESSION_DEPTH)
    return PARSE_ERROR(p, token(p)->position, "expression nested too deeply");
  PtxPosition position = token(p)->position;
  int kind = token(p)->kind;
  if (kind == '(' && lexer_peek(&p->lexer) == '.') return read_cast(p, value, depth);
  if (kind != '-' && kind != '+' && kind != '~' && kind != '!')
    return read_primary(p, value, depth + 1);
  advance(p);
  TRY(read_unary(p, value, depth + 1));
  if (kind == '-') *value = negated(*value);
  if (kind == '!') *value = from_bool(!is_true(*value));
  if (kind == '~' && is_float(*value)) return PARSE_ERROR(p, position, "`~` of a float");
  if (kind == '~') value->bits = ~value->bits;
  return OK;
}

// Precedence of a binary operator; 0 for other tokens.
static int precedence(int kind) {
  switch (kind) {
    case '*':
    case '/':
    case '%': return 10;
    case '+':
    case '-': return 9;
    case TOKEN_SHIFT_LEFT:
    case TOKEN_SHIFT_RIGHT: return 8;
    case '<':
    case '>':
    case TOKEN_LESS_EQUAL:
    case TOKEN_GREATER_EQUAL: return 7;
    case TOKEN_EQUAL:
    case TOKEN_NOT_EQUAL: return 6;
    case '&': return 5;
    case '^': return 4;
    case '|': return 3;
    case TOKEN_AND_AND: return 2;
    case TOKEN_OR_OR: return 1;
    default: return 0;
  }
}

// Returns false if the operator is not defined for doubles.
static bool combine_doubles(int kind, double a, double b, Constant *result) {
  switch (kind) {
    case '*': *result = from_double(a * b); return true;
    case '/': *result = from_double(a / b); return true;
    case '+': *result = from_double(a + b); return true;
    case '-': *result = from_double(a - b); return true;
    case '<': *result = from_bool(a < b); return true;
    case '>': *result = from_bool(a > b); return true;
    case TOKEN_LESS_EQUAL: *result = from_bool(a <= b); return true;
    case TOKEN_GREATER_EQUAL: *result = from_bool(a >= b); return true;
    case TOKEN_EQUAL: *result = from_bool(a == b); return true;
    case TOKEN_NOT_EQUAL: *result = from_bool(a != b); return true;
    default: return false;
  }
}

static uint64_t divide(uint64_t a, uint64_t b, bool is_signed, bool remainder) {
  if (!is_signed) return remainder ? a % b : a / b;
  // INT64_MIN / -1, the only quotient that overflows, wraps.
  if (b == UINT64_MAX) return remainder ? 0 : 0 - a;
  return (uint64_t)(remainder ? (int64_t)a % (int64_t)b : (int64_t)a / (int64_t)b);
}

// Shifts by 64 or more are undefined in C; PTX clamps them.
static uint64_t shift_right(uint64_t a, uint64_t count, bool is_signed) {
  uint64_t fill = is_signed && a >> 63 ? UINT64_MAX : 0;
  if (count > 63) return fill;
  return count ? a >> count | (fill & ~(UINT64_MAX >> count)) : a;
}

static bool less(uint64_t a, uint64_t b, bool is_signed) {
  return is_signed ? (int64_t)a < (int64_t)b : a < b;
}

static Constant combine_integers(int kind, Constant left, Constant right) {
  bool is_signed = left.kind == CONSTANT_SIGNED && right.kind == CONSTANT_SIGNED;
  ConstantKind type = is_signed ? CONSTANT_SIGNED : CONSTANT_UNSIGNED;
  uint64_t a = left.bits, b = right.bits;
  switch (kind) {
    case '*': return (Constant){type, a * b};
    case '/': return (Constant){type, divide(a, b, is_signed, false)};
    case '%': return (Constant){type, divide(a, b, is_signed, true)};
    case '+': return (Constant){type, a + b};
    case '-': return (Constant){type, a - b};
    case TOKEN_SHIFT_LEFT: return (Constant){left.kind, b > 63 ? 0 : a << b};
    case TOKEN_SHIFT_RIGHT:
      return (Constant){left.kind, shift_right(a, b, left.kind == CONSTANT_SIGNED)};
    case '<': return from_bool(less(a, b, is_signed));
    case '>': return from_bool(less(b, a, is_signed));
    case TOKEN_LESS_EQUAL: return from_bool(!less(b, a, is_signed));
    case TOKEN_GREATER_EQUAL: return from_bool(!less(a, b, is_signed));
    case TOKEN_EQUAL: return from_bool(a == b);
    case TOKEN_NOT_EQUAL: return from_bool(a != b);
    case '&': return (Constant){type, a & b};
    case '^': return (Constant){type, a ^ b};
    default: return (Constant){type, a | b};
  }
}

static Status combine(Parser *p, int kind, PtxPosition position, Constant *left, Constant right) {
  if (kind == TOKEN_AND_AND || kind == TOKEN_OR_OR) {
    bool a = is_true(*left), b = is_true(right);
    *left = from_bool(kind == TOKEN_AND_AND ? a && b : a || b);
    return OK;
  }
  if (is_float(*left) || is_float(right)) {
    if (combine_doubles(kind, constant_to_double(*left), constant_to_double(right), left))
      return OK;
    return PARSE_ERROR(p, position, "operator not defined for floats");
  }
  if ((kind == '/' || kind == '%') && right.bits == 0)
    return PARSE_ERROR(p, position, "division by zero");
  *left = combine_integers(kind, *left, right);
  return OK;
}

// Precedence climbing: the right operand is parsed at the next higher precedence, which makes all
// operators left-associative.
static Status read_binary(Parser *p, Constant *value, int least, int depth) {
  TRY(read_unary(p, value, depth + 1));
  for (;;) {
    int kind = token(p)->kind, binding = precedence(kind);
    if (binding == 0 || binding < least) return OK;
    PtxPosition position = token(p)->position;
    Constant right;
    advance(p);
    TRY(read_binary(p, &right, binding + 1, depth + 1));
    TRY(combine(p, kind, position, value, right));
  }
}

static Status read_choice(Parser *p, Constant *value, int depth) {
  Constant yes, no;
  TRY(read_binary(p, value, 1, depth));
  if (!parser_accept(p, '?')) return OK;
  TRY(read_choice(p, &yes, depth + 1));
  TRY(parser_expect(p, ':', "`:`"));
  TRY(read_choice(p, &no, depth + 1));
  *value = is_true(*value) ? yes : no;
  return OK;
}

Status parse_expression(Parser *p, Constant *value) {
  return read_choice(p, value, 0);
}

Status parse_integer(Parser *p, int64_t *value) {
  PtxPosition position = token(p)->position;
  Constant constant;
  TRY(parse_expression(p, &constant));
  if (is_float(constant)) return PARSE_ERROR(p, position, "expected an integer");
  *value = (int64_t)constant.bits;
  return OK;
}

Status parse_offset(Parser *p, int64_t *offset) {
  *offset = 0;
  if (!at(p, '+') && !at(p, '-')) return OK;
  parser_accept(p, '+');
  return parse_integer(p, offset);
}
