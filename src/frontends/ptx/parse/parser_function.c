// SPDX-License-Identifier: MIT
// Kernels and functions: head, directives, and the statements of the body.
//
// Nested blocks are parsed without recursion: a brace opens or closes a scope,
// and the body ends with the brace that closes the first one.
#include <string.h>

#include "frontends/ptx/parse/parser.h"

static Status name_param(Parser *p, PtxVariable *param, Name *name, MeaningKind kind,
                         uint32_t index) {
  Meaning *meaning =
      scope_declare(&p->scopes, name, param->is_register ? MEANING_REGISTER : kind, index);
  if (!meaning) return parser_declared_twice(p, name, param->position);
  if (!param->is_register) return OK;
  meaning->type = param->type;
  meaning->vector = (uint8_t)param->vector;
  TRY(parse_register_meaning(p, meaning, param->position));
  param->register_index = meaning->index;
  return OK;
}

// `.hidden`, which compilers put before tensor maps (PTX 9.1), changes nothing here.
static void skip_hidden(Parser *p) {
  static const char word[] = "hidden";
  const Token *t = token(p);
  if (t->kind == TOKEN_DOTTED && t->length == strlen(word) && !strncmp(t->start, word, t->length))
    advance(p);
}

static Status read_param(Parser *p, Space space, MeaningKind kind) {
  Declaration declaration = {0};
  skip_hidden(p);
  PtxVariable param;
  Name *name;
  PtxPosition position = token(p)->position;
  TRY(parse_declaration(p, &declaration));
  if (!declaration.is_register && declaration.space != SPACE_PARAM)
    return PARSE_ERROR(p, position, "expected `.param` or `.reg`");
  TRY(parse_declared_name(p, &declaration, &param, &name));
  if (!param.is_register) param.space = space;
  if (kind == MEANING_PARAM || kind == MEANING_RESULT)
    TRY(name_param(p, &param, name, kind, p->params.count));
  *LIST_PUSH(&p->params) = param;
  return OK;
}

Status parse_params(Parser *p, Space space, MeaningKind kind, PtxVariable **params,
                    uint32_t *count) {
  TRY(parser_expect(p, '(', "`(`"));
  if (!at(p, ')')) {
    do TRY(read_param(p, space, kind));
    while (parser_accept(p, ','));
  }
  *count = p->params.count;
  *params = LIST_TAKE(p, &p->params, 0);
  return parser_expect(p, ')', "`,` or `)`");
}

// One to three numbers; missing ones are 1.
static Status read_sizes(Parser *p, uint32_t sizes[3]) {
  advance(p);
  sizes[0] = sizes[1] = sizes[2] = 1;
  for (int i = 0; i < 3; i++) {
    uint64_t value;
    if (i && !parser_accept(p, ',')) break;
    TRY(parse_number(p, INT32_MAX, "a size", &value));
    sizes[i] = (uint32_t)value;
  }
  return OK;
}

static Status read_value(Parser *p, uint32_t *value) {
  uint64_t number;
  advance(p);
  TRY(parse_number(p, INT32_MAX, "a number", &number));
  *value = (uint32_t)number;
  return OK;
}

static Status read_directives(Parser *p, PtxFunction *f) {
  uint32_t ignored;
  while (at(p, TOKEN_DOTTED)) {
    switch (parser_keyword(p).kind) {
      case KEYWORD_MAX_THREADS: TRY(read_sizes(p, f->max_threads)); break;
      case KEYWORD_REQUIRED_THREADS: TRY(read_sizes(p, f->required_threads)); break;
      case KEYWORD_MIN_CTAS: TRY(read_value(p, &f->min_ctas_per_sm)); break;
      case KEYWORD_MAX_REGISTERS: TRY(read_value(p, &f->max_registers)); break;
      case KEYWORD_CLUSTER_SIZE: TRY(read_sizes(p, f->cluster)); break;
      case KEYWORD_PERFORMANCE_VALUE: TRY(read_value(p, &ignored)); break;
      case KEYWORD_PERFORMANCE_FLAG: advance(p); break;
      case KEYWORD_NO_RETURN:
        f->noreturn = true;
        advance(p);
        break;
      case KEYWORD_PRAGMA: TRY(parse_pragma(p)); break;
      case KEYWORD_ATTRIBUTE: TRY(parse_skip_attribute(p)); break;
      default: return parser_unexpected(p, "a directive, `;` or `{`");
    }
  }
  return OK;
}

// Resolves uses of labels defined in the scope that ends; the others stay
// pending for an enclosing scope. Depths are compared because the name may also
// be declared in an enclosing scope, which must not match yet.
static void resolve_labels(Parser *p) {
  uint32_t first = p->scopes.scopes[p->scopes.depth].first_use, kept = first;
  for (uint32_t i = first; i < p->label_uses.count; i++) {
    const LabelUse *use = &p->label_uses.items[i];
    const Meaning *meaning = use->name->meaning;
    if (meaning && meaning->depth == p->scopes.depth && meaning->kind == use->kind)
      *use->slot = meaning->index;
    else
      p->label_uses.items[kept++] = *use;
  }
  p->label_uses.count = kept;
}

static Status read_label(Parser *p) {
  PtxPosition position = token(p)->position;
  Name *name;
  TRY(parse_name(p, "a label", &name));
  advance(p);  // the colon
  switch (parser_keyword(p).kind) {
    case KEYWORD_BRANCH_TARGETS:
    case KEYWORD_CALL_TARGETS:
    case KEYWORD_CALL_PROTOTYPE: return parse_table(p, name, position);
    default: break;
  }
  if (!scope_declare(&p->scopes, name, MEANING_LABEL, p->labels.count))
    return parser_declared_twice(p, name, position);
  *LIST_PUSH(&p->labels) = (PtxLabel){name->text, p->instructions.count, true};
  return OK;
}

static Status read_directive(Parser *p) {
  Keyword keyword = parser_keyword(p);
  switch (keyword.kind) {
    case KEYWORD_REGISTER:
    case KEYWORD_SPACE: return parse_local_variables(p, LINKAGE_NONE);
    case KEYWORD_LINKAGE: advance(p); return parse_local_variables(p, (PtxLinkage)keyword.value);
    case KEYWORD_LOC: return parse_loc(p);
    case KEYWORD_FILE: return parse_file(p);
    case KEYWORD_PRAGMA: return parse_pragma(p);
    default: return parser_unexpected(p, "a statement");
  }
}

// A name is a label if a colon follows, else an opcode.
static Status read_statement(Parser *p) {
  if (parser_accept(p, ';')) return OK;
  if (at(p, TOKEN_DOTTED)) return read_directive(p);
  if (at(p, TOKEN_NAME) && lexer_peek(&p->lexer) == ':') return read_label(p);
  return parse_instruction(p);
}

static Status open_block(Parser *p) {
  if (!scope_open(&p->scopes, p->label_uses.count))
    return PARSE_ERROR(p, token(p)->position, "blocks nested more than %d deep", MAX_SCOPE_DEPTH);
  advance(p);
  return OK;
}

static Status declare_module_registers(Parser *p) {
  TRY(parser_spend(p, p->module_registers.count, token(p)->position));
  for (uint32_t i = 0; i < p->module_registers.count; i++)
    TRY(parser_declare_register(p, &p->module_registers.items[i]));
  return OK;
}

// A loop with a depth instead of recursion: scope_open limits the nesting, not the host's stack.
static Status read_body(Parser *p) {
  uint32_t outside = p->scopes.depth;
  TRY(open_block(p));
  while (p->scopes.depth > outside) {
    if (at(p, '{')) {
      TRY(open_block(p));
    } else if (parser_accept(p, '}')) {
      resolve_labels(p);
      scope_close(&p->scopes);
    } else {
      TRY(read_statement(p));
    }
  }
  if (p->label_uses.count == 0) return OK;
  const LabelUse *use = &p->label_uses.items[0];
  return PARSE_ERROR(p, use->position, "%s `%.80s` is not defined",
                     use->kind == MEANING_TABLE ? "table" : "label", use->name->text);
}

static Status read_head(Parser *p, PtxFunction *f) {
  Space space = f->is_entry ? SPACE_PARAM : SPACE_FRAME;
  Name *name;
  while (parser_keyword(p).kind == KEYWORD_ATTRIBUTE) TRY(parse_skip_attribute(p));
  if (!f->is_entry && at(p, '('))
    TRY(parse_params(p, space, MEANING_RESULT, &f->results, &f->result_count));
  f->position = token(p)->position;
  TRY(parse_name(p, "the function's name", &name));
  name->declared = true;
  f->name = name->text;
  if (at(p, '(')) TRY(parse_params(p, space, MEANING_PARAM, &f->params, &f->param_count));
  return read_directives(p, f);
}

static void finish(Parser *p, PtxFunction *f) {
  f->register_count = p->registers.count;
  f->registers = LIST_TAKE(p, &p->registers, 0);
  f->variable_count = p->variables.count;
  f->variables = LIST_TAKE(p, &p->variables, 0);
  f->label_count = p->labels.count;
  f->labels = LIST_TAKE(p, &p->labels, 0);
  f->table_count = p->tables.count;
  f->tables = LIST_TAKE(p, &p->tables, 0);
  f->instruction_count = p->instructions.count;
  f->instructions = LIST_TAKE(p, &p->instructions, 0);
  *LIST_PUSH(&p->functions) = *f;
}

Status parse_function(Parser *p, PtxLinkage linkage) {
  PtxFunction *f = &p->function;
  *f = (PtxFunction){.is_entry = parser_keyword(p).kind == KEYWORD_ENTRY, .linkage = linkage};
  p->file = p->source_line = p->source_column = 0;
  p->caller_file = p->caller_line = p->caller_column = 0;
  p->is_not_unrolled = false;
  advance(p);
  scope_open(&p->scopes, 0);  // module-level registers
  TRY(declare_module_registers(p));
  scope_open(&p->scopes, 0);  // parameters
  TRY(read_head(p, f));
  f->has_body = at(p, '{');
  if (f->has_body)
    TRY(read_body(p));
  else
    TRY(parser_expect(p, ';', "`;` or `{`"));
  scope_close(&p->scopes);
  scope_close(&p->scopes);
  finish(p, f);
  return OK;
}
