// SPDX-License-Identifier: MIT
// Operands: registers, constants, names, vectors, addresses, textures.
#include <stdio.h>
#include <string.h>

#include "frontends/ptx/parse/parser.h"
#include "exec/arithmetic/video.h"

// 0..3 if the current token is .x .y .z .w (or .r .g .b .a); else -1.
static int element_here(const Parser *p) {
  static const char letters[] = "xrygzbwa";
  const Token *t = token(p);
  if (t->kind != TOKEN_DOTTED || t->length != 1) return -1;
  const char *found = strchr(letters, *t->start);
  return found ? (int)(found - letters) / 2 : -1;
}

static void set_vector(Parser *p, PtxOperand *operand, uint32_t first) {
  operand->kind = OPERAND_VECTOR;
  operand->element_count = p->operands.count - first;
  operand->elements = LIST_TAKE(p, &p->operands, first);
}

// .b3 or .h10 after a register; false if something else follows.
static bool read_selector(Parser *p, PtxOperand *operand) {
  const Token *t = token(p);
  if (t->kind != TOKEN_DOTTED || t->length < 2 || t->length > 5) return false;
  if (*t->start != 'b' && *t->start != 'h') return false;
  uint16_t selector = SELECTOR_PRESENT;
  if (*t->start == 'h') selector |= SELECTOR_HALF;
  uint32_t digits = (uint32_t)t->length - 1;
  for (uint32_t i = 0; i < digits; i++) {
    char digit = t->start[digits - i];
    if (digit < '0' || digit > '7') return false;
    selector |= (uint16_t)((uint32_t)(digit - '0') << 3 * i);
  }
  operand->selector = selector;
  operand->selector_digits = (uint8_t)digits;
  advance(p);
  return true;
}

// A name may be one register, an element of a vector register (%v.x), part of one (.b2 of video
// instructions), or a whole vector. The dot is ambiguous until the register is known.
static Status read_register(Parser *p, const Meaning *meaning, PtxOperand *operand) {
  int element = element_here(p);
  operand->kind = OPERAND_REGISTER;
  operand->index = meaning->index;
  if (meaning->vector == 1 && !at(p, TOKEN_DOTTED)) return OK;
  if (element >= 0 && element < meaning->vector && meaning->vector > 1) {
    operand->index += (uint32_t)element;
    advance(p);
    return OK;
  }
  if (meaning->vector == 1 && read_selector(p, operand)) return OK;
  if (at(p, TOKEN_DOTTED)) return parser_unexpected(p, "the end of the operand");
  uint32_t first = p->operands.count;
  for (uint32_t i = 0; i < meaning->vector; i++)
    *LIST_PUSH(&p->operands) = (PtxOperand){
        .kind = OPERAND_REGISTER, .index = meaning->index + i, .position = operand->position};
  set_vector(p, operand, first);
  return OK;
}

static SpecialRegister find_special(const Name *name, char element) {
  char text[64];
  if (name->length > 40) return SPECIAL_NONE;
  snprintf(text, sizeof text, element ? "%s.%c" : "%s", name->text, element);
  return special_from_name(text);
}

// %tid without an element is a vector of four whose last element is 0.
static bool read_special_vector(Parser *p, const Name *name, PtxOperand *operand) {
  uint32_t first = p->operands.count;
  if (find_special(name, 'x') == SPECIAL_NONE) return false;
  for (int i = 0; i < 3; i++)
    *LIST_PUSH(&p->operands) = (PtxOperand){.kind = OPERAND_SPECIAL,
                                            .index = (uint32_t)find_special(name, "xyz"[i]),
                                            .position = operand->position};
  *LIST_PUSH(&p->operands) = (PtxOperand){.kind = OPERAND_INTEGER, .position = operand->position};
  set_vector(p, operand, first);
  return true;
}

static Status read_special(Parser *p, const Name *name, PtxOperand *operand) {
  int element = element_here(p);
  SpecialRegister special = find_special(name, element < 0 ? '\0' : "xyzw"[element]);
  operand->kind = OPERAND_SPECIAL;
  operand->index = (uint32_t)special;
  if (special != SPECIAL_NONE) {
    if (element >= 0) advance(p);
    return OK;
  }
  bool is_vector = find_special(name, 'x') != SPECIAL_NONE;
  if (is_vector && element == 3) {  // %tid.w
    advance(p);
    operand->kind = OPERAND_INTEGER;
    return OK;
  }
  if (is_vector && read_special_vector(p, name, operand)) return OK;
  return PARSE_ERROR(p, operand->position,
                     "`%.80s` is neither a declared register nor a supported special register",
                     name->text);
}

static Status read_symbol(Parser *p, const Name *name, PtxOperand *operand) {
  operand->kind = OPERAND_SYMBOL;
  operand->name = name->text;
  *LIST_PUSH(&p->symbol_uses) = (SymbolUse){name, operand->position};
  return OK;
}

static Status read_meaning(Parser *p, const Meaning *meaning, PtxOperand *operand) {
  operand->index = meaning->index;
  operand->name = meaning->name->text;
  switch (meaning->kind) {
    case MEANING_REGISTER: return read_register(p, meaning, operand);
    case MEANING_VARIABLE: operand->kind = OPERAND_VARIABLE; return OK;
    case MEANING_PARAM: operand->kind = OPERAND_PARAM; return OK;
    case MEANING_RESULT: operand->kind = OPERAND_RESULT; return OK;
    case MEANING_SYMBOL:
      operand->kind = OPERAND_SYMBOL;
      operand->name = meaning->symbol;
      return OK;
    default:
      return PARSE_ERROR(p, operand->position, "label `%.80s` not allowed here", operand->name);
  }
}

// Declared names take precedence: a program may declare a register with the name of a special one.
Status parse_named_operand(Parser *p, PtxOperand *operand) {
  *operand = (PtxOperand){.position = token(p)->position};
  Name *name;
  bool fresh;
  TRY(parse_name(p, "an operand", &name));
  if (strcmp(name->text, "_") == 0) {
    operand->kind = OPERAND_SINK;
    return OK;
  }
  Meaning *meaning = scope_find(&p->scopes, name, &fresh);
  if (fresh) TRY(parse_register_meaning(p, meaning, operand->position));
  if (meaning) return read_meaning(p, meaning, operand);
  return name->text[0] == '%' ? read_special(p, name, operand) : read_symbol(p, name, operand);
}

static Status read_constant(Parser *p, PtxOperand *operand) {
  Constant constant;
  *operand = (PtxOperand){.position = token(p)->position};
  TRY(parse_expression(p, &constant));
  operand->kind = constant.kind >= CONSTANT_SINGLE ? OPERAND_FLOAT : OPERAND_INTEGER;
  operand->is_single = constant.kind == CONSTANT_SINGLE;
  operand->bits = constant.bits;
  return OK;
}

static Status read_scalar(Parser *p, PtxOperand *operand) {
  return expression_starts(p) ? read_constant(p, operand) : parse_named_operand(p, operand);
}

// { a, b, _ }: pushes its elements.
static Status read_elements(Parser *p) {
  advance(p);
  do {
    PtxOperand element;
    TRY(read_scalar(p, &element));
    *LIST_PUSH(&p->operands) = element;
  } while (parser_accept(p, ','));
  return parser_expect(p, '}', "`,` or `}`");
}

static Status read_vector(Parser *p, PtxOperand *operand) {
  uint32_t first = p->operands.count;
  *operand = (PtxOperand){.position = token(p)->position};
  TRY(read_elements(p));
  set_vector(p, operand, first);
  return OK;
}

// The part after the first comma of [texture, {x, y}], [texture, sampler, {x, y}] or [texture, x].
static Status read_texture(Parser *p, PtxOperand *operand) {
  bool second_is_scalar = !at(p, '{');
  operand->kind = OPERAND_TEXTURE;
  do {
    PtxOperand element;
    if (at(p, '{')) {
      TRY(read_elements(p));
      break;
    }
    TRY(read_scalar(p, &element));
    *LIST_PUSH(&p->operands) = element;
    operand->has_sampler = second_is_scalar && at(p, ',');
  } while (parser_accept(p, ','));
  return OK;
}

static bool is_address_base(const PtxOperand *base) {
  if (base->selector) return false;
  switch (base->kind) {
    case OPERAND_REGISTER:
    case OPERAND_VARIABLE:
    case OPERAND_SYMBOL:
    case OPERAND_PARAM:
    case OPERAND_RESULT: return true;
    default: return false;
  }
}

static Status read_address(Parser *p, PtxOperand *operand) {
  uint32_t first = p->operands.count;
  *operand = (PtxOperand){.kind = OPERAND_ADDRESS, .position = token(p)->position};
  advance(p);
  if (expression_starts(p)) {
    TRY(parse_integer(p, &operand->offset));
  } else {
    PtxOperand base;
    TRY(parse_named_operand(p, &base));
    if (!is_address_base(&base)) return PARSE_ERROR(p, base.position, "invalid address");
    *LIST_PUSH(&p->operands) = base;
    TRY(parse_offset(p, &operand->offset));
  }
  if (parser_accept(p, ',')) TRY(read_texture(p, operand));
  operand->element_count = p->operands.count - first;
  operand->elements = LIST_TAKE(p, &p->operands, first);
  return parser_expect(p, ']', "`]`");
}

// !%p, or -%r
static Status read_negated(Parser *p, PtxOperand *operand) {
  PtxPosition position = token(p)->position;
  advance(p);
  TRY(parse_named_operand(p, operand));
  if (operand->kind != OPERAND_REGISTER)
    return PARSE_ERROR(p, position, "only a register can be negated");
  operand->negated = true;
  return OK;
}

// Whether a ! or - precedes a name; before WARP_SZ it belongs to a constant.
static bool negates_name(const Parser *p) {
  if ((!at(p, '!') && !at(p, '-')) || !lexer_is_name_start(lexer_peek(&p->lexer))) return false;
  Lexer ahead = p->lexer;
  lexer_advance(&ahead);
  return ahead.token.length != 7 || memcmp(ahead.token.start, "WARP_SZ", 7) != 0;
}

// Order matters: `-` may start a constant or negate a register, `(` always starts a constant.
Status parse_operand(Parser *p, PtxOperand *operand) {
  int kind = token(p)->kind;
  if (kind == '{') return read_vector(p, operand);
  if (kind == '[') return read_address(p, operand);
  if (negates_name(p)) return read_negated(p, operand);
  if (expression_starts(p)) return read_constant(p, operand);
  TRY(parse_named_operand(p, operand));
  bool has_address = is_address_base(operand) && operand->kind != OPERAND_REGISTER;
  return has_address ? parse_offset(p, &operand->offset) : OK;
}
