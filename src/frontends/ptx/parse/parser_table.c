// SPDX-License-Identifier: MIT
// Labelled tables: the prototype of indirect calls, or the targets of an
// indirect branch or call.
#include "frontends/ptx/parse/parser.h"

static Status read_prototype(Parser *p, PtxTable *table) {
  uint64_t ignored;
  table->kind = TABLE_PROTOTYPE;
  if (at(p, '('))
    TRY(parse_params(p, SPACE_FRAME, MEANING_TABLE, &table->results, &table->result_count));
  if (!parser_at_word(p, "_")) return parser_unexpected(p, "`_`");
  advance(p);
  if (at(p, '('))
    TRY(parse_params(p, SPACE_FRAME, MEANING_TABLE, &table->params, &table->param_count));
  while (at(p, TOKEN_DOTTED)) {
    KeywordKind kind = parser_keyword(p).kind;
    if (kind != KEYWORD_NO_RETURN && kind != KEYWORD_PERFORMANCE_VALUE)
      return parser_unexpected(p, "`;`");
    advance(p);
    if (kind == KEYWORD_PERFORMANCE_VALUE)
      TRY(parse_number(p, INT32_MAX, "a number of registers", &ignored));
  }
  return OK;
}

static void push_name(Parser *p, const char *text, PtxPosition position) {
  *LIST_PUSH(&p->operands) =
      (PtxOperand){.kind = OPERAND_LABEL, .name = text, .position = position};
}

// N<5>: N0 to N4
static Status push_range(Parser *p, const Name *prefix, PtxPosition position) {
  uint64_t count = token(p)->bits;
  if (!at(p, TOKEN_INTEGER) || count > MAX_UNWRITTEN)
    return parser_unexpected(p, "a small number of targets");
  advance(p);
  TRY(parser_spend(p, count * (1 + prefix->length / 32), position));
  for (uint64_t i = 0; i < count; i++)
    push_name(p, arena_printf(&p->module->arena, "%s%u", prefix->text, (unsigned)i), position);
  return parser_expect(p, '>', "`>`");
}

// A list of names, as operands with name and position.
static Status read_names(Parser *p) {
  do {
    PtxPosition position = token(p)->position;
    Name *name;
    TRY(parse_name(p, "a name", &name));
    if (parser_accept(p, '<'))
      TRY(push_range(p, name, position));
    else
      push_name(p, name->text, position);
  } while (parser_accept(p, ','));
  return OK;
}

static Name *intern_operand(Parser *p, const PtxOperand *operand) {
  return name_intern(&p->scopes, operand->name, strlen(operand->name));
}

static Status read_branch_targets(Parser *p, PtxTable *table) {
  table->kind = TABLE_BRANCH_TARGETS;
  TRY(read_names(p));
  table->target_count = p->operands.count;
  table->labels = ARENA_ARRAY(&p->module->arena, uint32_t, table->target_count);
  for (uint32_t i = 0; i < table->target_count; i++) {
    const PtxOperand *target = &p->operands.items[i];
    *LIST_PUSH(&p->label_uses) =
        (LabelUse){intern_operand(p, target), &table->labels[i], MEANING_LABEL, target->position};
  }
  p->operands.count = 0;
  return OK;
}

static Status read_call_targets(Parser *p, PtxTable *table) {
  table->kind = TABLE_CALL_TARGETS;
  TRY(read_names(p));
  table->target_count = p->operands.count;
  table->functions = ARENA_ARRAY(&p->module->arena, const char *, table->target_count);
  for (uint32_t i = 0; i < table->target_count; i++) {
    const PtxOperand *target = &p->operands.items[i];
    *LIST_PUSH(&p->symbol_uses) = (SymbolUse){intern_operand(p, target), target->position};
    table->functions[i] = target->name;
  }
  p->operands.count = 0;
  return OK;
}

Status parse_table(Parser *p, Name *name, PtxPosition position) {
  PtxTable table = {.name = name->text, .position = position};
  KeywordKind kind = parser_keyword(p).kind;
  advance(p);
  if (!scope_declare(&p->scopes, name, MEANING_TABLE, p->tables.count))
    return parser_declared_twice(p, name, position);
  if (kind == KEYWORD_CALL_PROTOTYPE)
    TRY(read_prototype(p, &table));
  else if (kind == KEYWORD_BRANCH_TARGETS)
    TRY(read_branch_targets(p, &table));
  else
    TRY(read_call_targets(p, &table));
  *LIST_PUSH(&p->tables) = table;
  return parser_expect(p, ';', "`;`");
}
