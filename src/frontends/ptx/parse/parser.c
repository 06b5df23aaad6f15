// SPDX-License-Identifier: MIT
// Entry point of the parser, final checks, and common helpers.
#include "frontends/ptx/parse/parser.h"

#include <string.h>

// Positions and counts have 32 bits.
enum { MAX_TEXT_BYTES = 1 << 30 };

// Lists are malloc'ed while they grow and copied into the module's arena when complete. Until
// then items are addressed by index, because growing moves them.
void *parser_grow_list(void *items, uint32_t count, uint32_t *capacity, size_t item_bytes) {
  if (count == *capacity) {
    *capacity = count ? count * 2 : 16;
    items = memory_resize(items, *capacity * item_bytes);
  }
  memset((char *)items + count * item_bytes, 0, item_bytes);
  return items;
}

void *parser_take_list(Parser *p, const void *items, uint32_t first, uint32_t *count,
                       size_t item_bytes) {
  size_t bytes = (*count - first) * item_bytes;
  *count = first;
  if (bytes == 0) return NULL;
  return memcpy(arena_alloc(&p->module->arena, bytes), (const char *)items + first * item_bytes,
                bytes);
}

bool parser_accept(Parser *p, int kind) {
  if (!at(p, kind)) return false;
  advance(p);
  return true;
}

Status parser_expect(Parser *p, int kind, const char *what) {
  return parser_accept(p, kind) ? OK : parser_unexpected(p, what);
}

// Quoted text is truncated to 80 characters: a damaged file may have a token of megabytes.
Status parser_unexpected(Parser *p, const char *expected) {
  const Token *t = token(p);
  if (t->kind == TOKEN_BAD) return PARSE_ERROR(p, t->position, "%s", t->problem);
  if (t->kind == TOKEN_END)
    return PARSE_ERROR(p, t->position, "expected %s, found the end of the file", expected);
  int shown = t->length < 80 ? (int)t->length : 80;
  return PARSE_ERROR(p, t->position, "expected %s, found `%s%.*s`", expected,
                     t->kind == TOKEN_DOTTED ? "." : "", shown, t->start);
}

Keyword parser_keyword(const Parser *p) {
  if (!at(p, TOKEN_DOTTED)) return (Keyword){0};
  return keyword_find(token(p)->start, token(p)->length);
}

bool parser_at_word(const Parser *p, const char *word) {
  const Token *t = token(p);
  return t->kind == TOKEN_NAME && t->length == strlen(word) &&
         memcmp(t->start, word, t->length) == 0;
}

Name *parser_name_here(Parser *p) {
  return name_intern(&p->scopes, token(p)->start, token(p)->length);
}

Status parse_name(Parser *p, const char *what, Name **name) {
  if (!at(p, TOKEN_NAME)) return parser_unexpected(p, what);
  *name = parser_name_here(p);
  advance(p);
  return OK;
}

Status parse_number(Parser *p, uint64_t most, const char *what, uint64_t *value) {
  PtxPosition position = token(p)->position;
  Constant constant;
  if (!expression_starts(p)) return parser_unexpected(p, what);
  TRY(parse_expression(p, &constant));
  bool negative = constant.kind == CONSTANT_SIGNED && (int64_t)constant.bits < 0;
  if (constant.kind > CONSTANT_UNSIGNED || negative || constant.bits > most)
    return PARSE_ERROR(p, position, "%s must be an integer from 0 to %llu", what,
                       (unsigned long long)most);
  *value = constant.bits;
  return OK;
}

// `.reg .b32 %r<1000000000>` is 26 bytes of text: without a limit on implicit declarations a small
// file could exhaust memory.
Status parser_spend(Parser *p, uint64_t items, PtxPosition position) {
  if (items > MAX_UNWRITTEN - p->unwritten)
    return PARSE_ERROR(p, position, "the module declares more ranges or arrays than are supported");
  p->unwritten += items;
  return OK;
}

Status parse_skip_attribute(Parser *p) {
  advance(p);
  TRY(parser_expect(p, '(', "`(`"));
  for (int depth = 1; depth;) {
    if (at(p, TOKEN_END) || at(p, TOKEN_BAD) || at(p, ';')) return parser_unexpected(p, "`)`");
    depth += at(p, '(') - at(p, ')');
    advance(p);
  }
  return OK;
}

// Variables and functions must be declared somewhere in the module. ptxas
// requires that before the first use; we do not.
static Status check_symbols(Parser *p) {
  for (uint32_t i = 0; i < p->symbol_uses.count; i++) {
    const SymbolUse *use = &p->symbol_uses.items[i];
    if (!use->name->declared)
      return PARSE_ERROR(p, use->position, "`%.80s` is not declared", use->name->text);
  }
  return OK;
}

static void free_parser(Parser *p) {
  void *lists[] = {p->module_variables.items, p->functions.items,       p->files.items,
                   p->symbol_uses.items,      p->registers.items,       p->variables.items,
                   p->labels.items,           p->tables.items,          p->instructions.items,
                   p->label_uses.items,       p->operands.items,        p->params.items,
                   p->initials.items,         p->module_registers.items};
  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) memory_free(lists[i]);
  scope_stack_clear(&p->scopes);
}

static Status parse_all(Parser *p) {
  PtxModule *module = p->module;
  TRY(parse_module(p));
  TRY(check_symbols(p));
  module->variable_count = p->module_variables.count;
  module->variables = LIST_TAKE(p, &p->module_variables, 0);
  module->function_count = p->functions.count;
  module->functions = LIST_TAKE(p, &p->functions, 0);
  module->file_count = p->files.count;
  module->files = LIST_TAKE(p, &p->files, 0);
  return OK;
}

// Fat binaries pad their texts with NULs; a NUL before that is an error.
static Status check_text(PtxModule *module, size_t length, Error *err) {
  const char *nul = memchr(module->text, '\0', length);
  if (!nul) return OK;
  PtxPosition position = {1, 1};
  for (const char *c = module->text; c < nul; c++) {
    position.column++;
    if (*c == '\n') position = (PtxPosition){position.line + 1, 1};
  }
  return ptx_error(module, err, ERR_SYNTAX, position, "NUL byte in PTX text");
}

// The text is copied and NUL-terminated, so that the lexer needs no comparison with an end pointer.
Status ptx_parse(PtxModule **out, const char *path, const char *text, size_t length, Error *err) {
  *out = NULL;
  while (length && text[length - 1] == '\0') length--;
  if (length > MAX_TEXT_BYTES)
    return error_set(err, ERR_SYNTAX, "%s: PTX file too large (%zu bytes)", path, length);
  PtxModule *module = memory_alloc(sizeof *module);
  module->path = arena_strdup(&module->arena, path);
  module->text = arena_strndup(&module->arena, text, length);
  // Default of the PTX manual if .address_size is absent.
  module->address_size = 32;
  Status status = check_text(module, length, err);
  if (status == OK) {
    Parser parser = {.module = module, .err = err};
    scope_stack_init(&parser.scopes, &module->arena);
    lexer_init(&parser.lexer, module->text);
    status = parse_all(&parser);
    free_parser(&parser);
  }
  if (status == OK)
    *out = module;
  else
    ptx_module_destroy(module);
  return status;
}
