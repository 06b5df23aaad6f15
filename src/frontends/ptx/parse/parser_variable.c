// SPDX-License-Identifier: MIT
// Declarations: `.global .align 8 .v2 .f32 name[4][2] = {...}, other;`, and
// registers: `.reg .b32 %r<8>, %a;`.
#include "frontends/ptx/parse/parser.h"

// Keeps the product of dimensions within 64 bits; the linker's limit is lower.
static const uint64_t max_variable_bytes = (uint64_t)1 << 40;
enum { MAX_ALIGNMENT = 1 << 16 };

static Status read_alignment(Parser *p, uint32_t *alignment) {
  PtxPosition position = token(p)->position;
  uint64_t value;
  advance(p);
  TRY(parse_number(p, MAX_ALIGNMENT, "an alignment", &value));
  if (value == 0 || (value & (value - 1)))
    return PARSE_ERROR(p, position, "an alignment must be a power of two");
  *alignment = (uint32_t)value;
  return OK;
}

// State of a declaration: words after .ptr describe the object that the parameter points to.
typedef struct Words {
  bool has_space, pointer;
} Words;

static Status read_space(Parser *p, Declaration *declaration, Words *words, Space space) {
  if (words->has_space && !words->pointer) return parser_unexpected(p, "a type or a name");
  if (!words->pointer) declaration->space = space;
  words->has_space = true;
  advance(p);
  return OK;
}

static Status read_word(Parser *p, Declaration *declaration, Words *words) {
  Keyword keyword = parser_keyword(p);
  uint32_t pointee;
  switch (keyword.kind) {
    case KEYWORD_SPACE: return read_space(p, declaration, words, (Space)keyword.value);
    case KEYWORD_ALIGN:
      return read_alignment(p, words->pointer ? &pointee : &declaration->alignment);
    case KEYWORD_ATTRIBUTE: return parse_skip_attribute(p);
    case KEYWORD_REGISTER:
      if (words->has_space) return parser_unexpected(p, "a type or a name");
      words->has_space = declaration->is_register = true;
      break;
    case KEYWORD_TYPE:
      if (declaration->type) return parser_unexpected(p, "a name");
      declaration->type = (DataType)keyword.value;
      break;
    case KEYWORD_VECTOR: declaration->vector = (uint32_t)keyword.value; break;
    case KEYWORD_POINTER: words->pointer = true; break;
    default: return parser_unexpected(p, "a state space, a type or a name");
  }
  advance(p);
  return OK;
}

Status parse_declaration(Parser *p, Declaration *declaration) {
  Words words = {0};
  declaration->vector = 1;
  PtxPosition position = token(p)->position;
  while (at(p, TOKEN_DOTTED)) TRY(read_word(p, declaration, &words));
  if (!words.has_space) return parser_unexpected(p, "a state space");
  if (declaration->type == TYPE_NONE) return parser_unexpected(p, "a type");
  bool opaque = declaration->type >= TYPE_TEXREF;
  // `.tex .u32 name` is how PTX 1 spells `.global .texref name`.
  if (declaration->space == SPACE_TEXTURE) declaration->type = TYPE_TEXREF;
  if (opaque && declaration->space == SPACE_GLOBAL) declaration->space = SPACE_TEXTURE;
  if (opaque && declaration->is_register)
    return PARSE_ERROR(p, position, "a register cannot hold a texture, sampler or surface");
  if (declaration->type == TYPE_PRED && !declaration->is_register)
    return PARSE_ERROR(p, position, "a predicate can only be a register");
  return OK;
}

// The dimensions in brackets, then the vector's.
typedef struct Dimensions {
  uint64_t sizes[MAX_DIMENSIONS];
  int count;
  bool unsized;  // []
} Dimensions;

static Status read_dimensions(Parser *p, Dimensions *dimensions) {
  while (at(p, '[')) {
    PtxPosition position = token(p)->position;
    uint64_t size = 0;
    advance(p);
    if (dimensions->count == MAX_DIMENSIONS - 1)
      return PARSE_ERROR(p, position, "more than %d dimensions", MAX_DIMENSIONS - 1);
    if (at(p, ']') && dimensions->count == 0)
      dimensions->unsized = true;
    else
      TRY(parse_number(p, max_variable_bytes, "a dimension", &size));
    dimensions->sizes[dimensions->count++] = size;
    TRY(parser_expect(p, ']', "`]`"));
  }
  return OK;
}

// The product for the overflow check excludes an empty dimension, which would hide the others.
static Status measure(Parser *p, PtxVariable *variable, const Dimensions *dimensions) {
  uint64_t count = 1, element_bytes = (uint64_t)type_bytes(variable->type);
  bool is_empty = false;
  for (int i = 0; i < dimensions->count; i++) {
    uint64_t size = dimensions->sizes[i];
    if (size > max_variable_bytes / element_bytes / count)
      return PARSE_ERROR(p, variable->position, "`%.80s` is too large", variable->name);
    if (size == 0)
      is_empty = true;
    else
      count *= size;
  }
  if (is_empty) count = 0;
  variable->count = count;
  variable->size_bytes = count * element_bytes;
  return OK;
}

// The initialiser determines the size of an unsized array, rounded up to whole rows.
static void measure_by_initials(PtxVariable *variable, const Dimensions *dimensions) {
  uint64_t row = 1;
  for (int i = 1; i < dimensions->count; i++) row *= dimensions->sizes[i];
  if (row == 0) return;
  variable->count = (variable->initial_count + row - 1) / row * row;
  variable->size_bytes = variable->count * (uint64_t)type_bytes(variable->type);
}

Status parse_declared_name(Parser *p, const Declaration *declaration, PtxVariable *variable,
                           Name **name) {
  Dimensions dimensions = {0};
  *variable = (PtxVariable){.space = declaration->space,
                            .linkage = declaration->linkage,
                            .type = declaration->type,
                            .vector = declaration->vector,
                            .is_register = declaration->is_register,
                            .position = token(p)->position};
  TRY(parse_name(p, "a name", name));
  variable->name = (*name)->text;
  variable->alignment = declaration->alignment;
  if (!variable->alignment)
    variable->alignment = (uint32_t)type_bytes(variable->type) * variable->vector;
  TRY(read_dimensions(p, &dimensions));
  if (variable->vector > 1) dimensions.sizes[dimensions.count++] = variable->vector;
  TRY(measure(p, variable, &dimensions));
  if (!parser_accept(p, '=')) return OK;
  if (variable->space == SPACE_PARAM || variable->is_register)
    return PARSE_ERROR(p, variable->position, "`%.80s` cannot have an initial value",
                       variable->name);
  TRY(parse_initials(p, variable, dimensions.sizes, dimensions.count));
  if (dimensions.unsized) measure_by_initials(variable, &dimensions);
  return OK;
}

Status parser_declared_twice(Parser *p, const Name *name, PtxPosition position) {
  return PARSE_ERROR(p, position, "`%.80s` is declared twice in this scope", name->text);
}

// GPGPU-Sim assigns register banks by this number (sm.bank_rule = name).
static uint32_t trailing_number(const char *text, uint32_t length) {
  uint32_t number = 0, scale = 1;
  for (uint32_t digits = 0; digits < 9 && digits < length; digits++, scale *= 10) {
    char c = text[length - 1 - digits];
    if (c < '0' || c > '9') break;
    number += (uint32_t)(c - '0') * scale;
  }
  return number;
}

// Registers of a range are created at their first use: compilers declare thousands and use few.
Status parse_register_meaning(Parser *p, Meaning *meaning, PtxPosition position) {
  const Name *name = meaning->name;
  if (p->registers.count + meaning->vector > MAX_REGISTERS_PER_FUNCTION)
    return PARSE_ERROR(p, position, "more than %d registers in a function",
                       MAX_REGISTERS_PER_FUNCTION);
  meaning->index = p->registers.count;
  for (int i = 0; i < meaning->vector; i++) {
    PtxRegister *r = LIST_PUSH(&p->registers);
    r->name = meaning->vector == 1
                  ? name->text
                  : arena_printf(&p->module->arena, "%s.%c", name->text, "xyzw"[i]);
    r->type = meaning->type;
    r->number = trailing_number(name->text, name->length);
  }
  return OK;
}

Status parser_declare_register(Parser *p, const DeclaredRegister *declared) {
  bool is_range = declared->range_count > 0;
  Meaning *meaning = is_range
                         ? scope_declare_range(&p->scopes, declared->name, declared->range_count)
                         : scope_declare(&p->scopes, declared->name, MEANING_REGISTER, 0);
  if (!meaning) return parser_declared_twice(p, declared->name, declared->position);
  meaning->type = declared->type;
  meaning->vector = (uint8_t)declared->vector;
  return is_range ? OK : parse_register_meaning(p, meaning, declared->position);
}

static Status read_register(Parser *p, const Declaration *declaration, bool in_module) {
  DeclaredRegister declared = {
      .type = declaration->type, .vector = declaration->vector, .position = token(p)->position};
  TRY(parse_name(p, "a register", &declared.name));
  if (parser_accept(p, '<')) {
    // Not an expression, which would take the > for an operator.
    if (!at(p, TOKEN_INTEGER) || token(p)->bits > UINT32_MAX)
      return parser_unexpected(p, "a number of registers");
    declared.range_count = (uint32_t)token(p)->bits;
    advance(p);
    TRY(parser_expect(p, '>', "`>`"));
    if (declared.range_count == 0) return OK;
  }
  if (!in_module) return parser_declare_register(p, &declared);
  *LIST_PUSH(&p->module_registers) = declared;
  return OK;
}

static Status read_module_variable(Parser *p, const Declaration *declaration) {
  Name *name;
  PtxVariable variable;
  TRY(parse_declared_name(p, declaration, &variable, &name));
  name->declared = true;
  *LIST_PUSH(&p->module_variables) = variable;
  return OK;
}

Status parse_module_variables(Parser *p, PtxLinkage linkage) {
  Declaration declaration = {.linkage = linkage};
  PtxPosition position = token(p)->position;
  TRY(parse_declaration(p, &declaration));
  if (declaration.space == SPACE_PARAM)
    return PARSE_ERROR(p, position, "parameter outside a function");
  do {
    TRY(declaration.is_register ? read_register(p, &declaration, true)
                                : read_module_variable(p, &declaration));
  } while (parser_accept(p, ','));
  return parser_expect(p, ';', "`,` or `;`");
}

// A .global declared in a function becomes a module variable with a longer name.
static Status hoist(Parser *p, PtxVariable *variable, Name *name) {
  Meaning *meaning = scope_declare(&p->scopes, name, MEANING_SYMBOL, 0);
  if (!meaning) return parser_declared_twice(p, name, variable->position);
  variable->name = meaning->symbol =
      arena_printf(&p->module->arena, "%s$local%u", name->text, p->module_variables.count);
  *LIST_PUSH(&p->module_variables) = *variable;
  return OK;
}

static Status read_local(Parser *p, const Declaration *declaration) {
  PtxVariable variable;
  Name *name;
  TRY(parse_declared_name(p, declaration, &variable, &name));
  if (variable.space == SPACE_PARAM) variable.space = SPACE_FRAME;
  if (variable.space == SPACE_GLOBAL || variable.space == SPACE_CONST ||
      variable.space == SPACE_TEXTURE)
    return hoist(p, &variable, name);
  if (!scope_declare(&p->scopes, name, MEANING_VARIABLE, p->variables.count))
    return parser_declared_twice(p, name, variable.position);
  *LIST_PUSH(&p->variables) = variable;
  return OK;
}

Status parse_local_variables(Parser *p, PtxLinkage linkage) {
  Declaration declaration = {.linkage = linkage};
  TRY(parse_declaration(p, &declaration));
  do {
    TRY(declaration.is_register ? read_register(p, &declaration, false)
                                : read_local(p, &declaration));
  } while (parser_accept(p, ','));
  return parser_expect(p, ';', "`,` or `;`");
}
