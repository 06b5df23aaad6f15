// SPDX-License-Identifier: MIT
// Declarations at module scope, and directives that are allowed anywhere.
#include <string.h>

#include "frontends/ptx/parse/parser.h"

static Status read_version(Parser *p) {
  uint32_t major = 0, minor = 0;
  advance(p);
  // 9.0 is a pair of numbers here, not a fraction, so the text is parsed again.
  const Token *t = token(p);
  const char *c = t->start;
  if (t->kind != TOKEN_DOUBLE || t->length > 6)
    return parser_unexpected(p, "a version such as 6.4");
  for (; *c >= '0' && *c <= '9'; c++) major = major * 10 + (uint32_t)(*c - '0');
  for (c++; *c >= '0' && *c <= '9'; c++) minor = minor * 10 + (uint32_t)(*c - '0');
  if (c != t->start + t->length || minor > 9) return parser_unexpected(p, "a version such as 6.4");
  p->module->version = major * 10 + minor;
  advance(p);
  return OK;
}

// Target options after the architecture are ignored. With map_f64_to_f32
// (targets before sm_13) results are still computed in double precision, which
// is more accurate than required.
static Status read_target(Parser *p) {
  Name *name, *option;
  advance(p);
  TRY(parse_name(p, "an architecture such as sm_70", &name));
  p->module->target = name->text;
  while (parser_accept(p, ',')) TRY(parse_name(p, "a target option", &option));
  return OK;
}

static Status read_address_size(Parser *p) {
  uint64_t bits;
  advance(p);
  PtxPosition position = token(p)->position;
  TRY(parse_number(p, 64, "an address size", &bits));
  if (bits != 32 && bits != 64) return PARSE_ERROR(p, position, "an address size must be 32 or 64");
  p->module->address_size = (uint32_t)bits;
  return OK;
}

// .file 1 "name" [, timestamp, size]; newer DWARF has a directory before the name.
Status parse_file(Parser *p) {
  uint64_t number, ignored;
  advance(p);
  TRY(parse_number(p, UINT32_MAX, "a file number", &number));
  if (!at(p, TOKEN_STRING)) return parser_unexpected(p, "a file name");
  const char *name = arena_strndup(&p->module->arena, token(p)->start, token(p)->length);
  advance(p);
  if (at(p, TOKEN_STRING)) {
    name = arena_printf(&p->module->arena, "%s/%.*s", name, (int)token(p)->length, token(p)->start);
    advance(p);
  }
  while (parser_accept(p, ',')) TRY(parse_number(p, UINT64_MAX, "a time or size", &ignored));
  *LIST_PUSH(&p->files) = (PtxFile){(uint32_t)number, name};
  return OK;
}

static Status read_place(Parser *p, uint64_t *file, uint64_t *line, uint64_t *column) {
  TRY(parse_number(p, UINT32_MAX, "a file number", file));
  TRY(parse_number(p, UINT32_MAX, "a line number", line));
  return parse_number(p, UINT32_MAX, "a column", column);
}

// .loc 1 10 5 [, function_name label [+ 8]] [, inlined_at 1 20 3]
Status parse_loc(Parser *p) {
  uint64_t file, line, column, caller_file = 0, caller_line = 0, caller_column = 0;
  Name *name;
  int64_t offset;
  advance(p);
  TRY(read_place(p, &file, &line, &column));
  while (parser_accept(p, ',')) {
    bool is_name = parser_at_word(p, "function_name");
    if (!is_name && !parser_at_word(p, "inlined_at"))
      return parser_unexpected(p, "`function_name` or `inlined_at`");
    advance(p);
    if (!is_name) {
      TRY(read_place(p, &caller_file, &caller_line, &caller_column));
      continue;
    }
    TRY(parse_name(p, "a label", &name));
    TRY(parse_offset(p, &offset));
  }
  p->file = (uint32_t)file;
  p->source_line = (uint32_t)line;
  p->source_column = (uint32_t)column;
  p->caller_file = (uint32_t)caller_file;
  p->caller_line = (uint32_t)caller_line;
  p->caller_column = (uint32_t)caller_column;
  return OK;
}

static bool is_hint(const Parser *p, const char *hint) {
  const Token *word = token(p);
  size_t length = strlen(hint);
  const char *start = word->start + (*word->start == '"');
  return at(p, TOKEN_STRING) && word->length >= length && memcmp(start, hint, length) == 0;
}

// Pragmas are hints to ptxas; the optimising pass honours "nounroll".
Status parse_pragma(Parser *p) {
  do {
    advance(p);
    if (is_hint(p, "nounroll")) p->is_not_unrolled = true;
    TRY(parser_expect(p, TOKEN_STRING, "a string"));
  } while (at(p, ','));
  return parser_expect(p, ';', "`;`");
}

static Status read_section(Parser *p) {
  PtxPosition position = token(p)->position;
  advance(p);
  if (!at(p, TOKEN_DOTTED) && !at(p, TOKEN_NAME)) return parser_unexpected(p, "a section's name");
  advance(p);
  if (!at(p, '{')) return parser_unexpected(p, "`{`");
  if (lexer_skip_block(&p->lexer)) return OK;
  return PARSE_ERROR(p, position, "unterminated section");
}

static Status refuse_alias(Parser *p) {
  return ptx_error(p->module, p->err, ERR_UNSUPPORTED, token(p)->position,
                   "`.alias` is not supported (two names for one function)");
}

static Status read_linkage(Parser *p, PtxLinkage *linkage) {
  while (parser_keyword(p).kind == KEYWORD_LINKAGE) {
    if (*linkage) return parser_unexpected(p, "a declaration");
    *linkage = (PtxLinkage)parser_keyword(p).value;
    advance(p);
  }
  return OK;
}

static Status read_item(Parser *p) {
  PtxLinkage linkage = LINKAGE_NONE;
  TRY(read_linkage(p, &linkage));
  switch (parser_keyword(p).kind) {
    case KEYWORD_ENTRY:
    case KEYWORD_FUNC: return parse_function(p, linkage);
    case KEYWORD_SPACE:
    case KEYWORD_REGISTER: return parse_module_variables(p, linkage);
    default: break;
  }
  if (linkage) return parser_unexpected(p, "a variable or a function");
  switch (parser_keyword(p).kind) {
    case KEYWORD_VERSION: return read_version(p);
    case KEYWORD_TARGET: return read_target(p);
    case KEYWORD_ADDRESS_SIZE: return read_address_size(p);
    case KEYWORD_FILE: return parse_file(p);
    case KEYWORD_LOC: return parse_loc(p);
    case KEYWORD_PRAGMA: return parse_pragma(p);
    case KEYWORD_SECTION: return read_section(p);
    case KEYWORD_ALIAS: return refuse_alias(p);
    default: return parser_unexpected(p, "a directive, a variable or a function");
  }
}

Status parse_module(Parser *p) {
  if (parser_keyword(p).kind != KEYWORD_VERSION) return parser_unexpected(p, "`.version`");
  while (!at(p, TOKEN_END))
    if (!parser_accept(p, ';')) TRY(read_item(p));
  if (!p->module->target) return parser_unexpected(p, "`.target`");
  return OK;
}
