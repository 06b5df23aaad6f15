// SPDX-License-Identifier: MIT
// Instructions: guard, opcode with suffixes, operands.
//
// The text of an opcode is interned like other names and caches its form:
// suffixes are parsed once per module, not once per instruction.
#include <string.h>

#include "frontends/ptx/parse/parser.h"
#include "frontends/ptx/parse/suffixes.h"

// Longer opcodes occur only in damaged files.
enum { MAX_OPCODE_BYTES = 160 };

static Status read_guard(Parser *p, PtxInstruction *in) {
  PtxOperand guard;
  if (!parser_accept(p, '@')) return OK;
  in->guard_negated = parser_accept(p, '!');
  TRY(parse_named_operand(p, &guard));
  if (guard.kind != OPERAND_REGISTER || guard.selector || p->registers.items[guard.index].type != TYPE_PRED)
    return PARSE_ERROR(p, guard.position, "the guard must be a predicate");
  in->has_guard = true;
  in->guard = guard.index;
  return OK;
}

static Status learn_form(Parser *p, Name *name, PtxPosition position) {
  Error problem;
  Status status = form_parse(&name->form, name->text, &problem);
  if (status != OK) return ptx_error(p->module, p->err, status, position, "%s", problem.text);
  name->is_form = true;
  if (strstr(name->text, ".L2::cache_hint")) name->dropped_operands = 1;
  return OK;
}

// The opcode and its suffixes, which white space may separate.
static Status read_opcode(Parser *p, PtxInstruction *in, Name **name) {
  char text[MAX_OPCODE_BYTES];
  uint32_t length = 0;
  in->position = token(p)->position;
  if (!at(p, TOKEN_NAME)) return parser_unexpected(p, "an instruction");
  do {
    const Token *t = token(p);
    if (length + t->length + 2 > sizeof text)
      return PARSE_ERROR(p, in->position, "instruction name too long");
    if (t->kind == TOKEN_DOTTED) text[length++] = '.';
    memcpy(text + length, t->start, t->length);
    length += t->length;
    advance(p);
  } while (at(p, TOKEN_DOTTED));
  *name = name_intern(&p->scopes, text, length);
  if (!(*name)->is_form) TRY(learn_form(p, *name, in->position));
  in->text = (*name)->text;
  in->form = (*name)->form;
  return OK;
}

static Status read_operand(Parser *p) {
  PtxOperand operand;
  TRY(parse_operand(p, &operand));
  *LIST_PUSH(&p->operands) = operand;
  return OK;
}

// The name of a label or table, resolved when its scope ends (resolve_labels): branches may be
// forward, and a label of an inner scope hides one outside it.
static Status read_label(Parser *p, PtxOperandKind kind) {
  PtxPosition position = token(p)->position;
  Name *name;
  TRY(parse_name(p, "a label", &name));
  *LIST_PUSH(&p->operands) = (PtxOperand){.kind = kind, .name = name->text, .position = position};
  return OK;
}

static Status read_branch(Parser *p) {
  return read_label(p, OPERAND_LABEL);
}

static Status read_indexed_branch(Parser *p) {
  TRY(read_operand(p));
  TRY(parser_expect(p, ',', "`,`"));
  return read_label(p, OPERAND_LIST);
}

// ( a, b ), or nothing: an empty list.
static Status read_list(Parser *p) {
  PtxOperand list = {.kind = OPERAND_LIST, .position = token(p)->position};
  uint32_t first = p->operands.count;
  if (parser_accept(p, '(')) {
    if (!at(p, ')')) {
      do TRY(read_operand(p));
      while (parser_accept(p, ','));
    }
    TRY(parser_expect(p, ')', "`,` or `)`"));
  }
  list.element_count = p->operands.count - first;
  list.elements = LIST_TAKE(p, &p->operands, first);
  *LIST_PUSH(&p->operands) = list;
  return OK;
}

// call [(results),] target [, (arguments)] [, table]
// Always three operands, with empty lists if omitted, so that lowering finds the target at a fixed
// index.
static Status read_call(Parser *p) {
  bool has_results = at(p, '(');
  TRY(read_list(p));
  if (has_results) TRY(parser_expect(p, ',', "`,`"));
  PtxOperand target;
  TRY(parse_named_operand(p, &target));
  if (target.kind != OPERAND_SYMBOL && target.kind != OPERAND_REGISTER)
    return PARSE_ERROR(p, target.position, "expected a function or a register that holds one");
  *LIST_PUSH(&p->operands) = target;
  bool more = parser_accept(p, ',');
  bool has_arguments = more && at(p, '(');
  TRY(read_list(p));
  if (has_arguments) more = parser_accept(p, ',');
  return more ? read_label(p, OPERAND_LIST) : OK;
}

// a, b, ...; the first may be d|p.
static Status read_plain_operands(Parser *p, PtxInstruction *in) {
  if (at(p, ';')) return OK;
  do {
    TRY(read_operand(p));
    const PtxOperand *last = &p->operands.items[p->operands.count - 1];
    if (!at(p, '|') || p->operands.count > 1) continue;
    if (last->kind == OPERAND_VECTOR)
      return ptx_error(p->module, p->err, ERR_UNSUPPORTED, token(p)->position,
                       "sparse textures are not supported (a predicate in addition to the texel)");
    advance(p);
    TRY(read_operand(p));
    in->has_pair = true;
  } while (parser_accept(p, ','));
  return OK;
}

static Status read_operands(Parser *p, PtxInstruction *in) {
  switch (in->form.op) {
    case OP_BRA: return read_branch(p);
    case OP_BRX: return read_indexed_branch(p);
    case OP_CALL: return read_call(p);
    default: return read_plain_operands(p, in);
  }
}

// The cache policy operand of .L2::cache_hint is not modelled.
static Status drop_last_operands(Parser *p, const PtxInstruction *in, const Name *opcode) {
  if (p->operands.count < opcode->dropped_operands)
    return PARSE_ERROR(p, in->position, "an operand is missing");
  p->operands.count -= opcode->dropped_operands;
  return OK;
}

// Registers label uses once the operands have their final address: LIST_TAKE moves them into the
// arena, and a pointer into the growing list would dangle.
static void wait_for_labels(Parser *p, const PtxInstruction *in) {
  for (uint32_t i = 0; i < in->operand_count; i++) {
    PtxOperand *operand = &in->operands[i];
    bool is_table = operand->kind == OPERAND_LIST && operand->name;
    if (operand->kind != OPERAND_LABEL && !is_table) continue;
    *LIST_PUSH(&p->label_uses) =
        (LabelUse){name_intern(&p->scopes, operand->name, strlen(operand->name)), &operand->index,
                   is_table ? MEANING_TABLE : MEANING_LABEL, operand->position};
  }
}

Status parse_instruction(Parser *p) {
  PtxInstruction in = {.file = p->file,
                       .source_line = p->source_line,
                       .source_column = p->source_column,
                       .caller_file = p->caller_file,
                       .caller_line = p->caller_line,
                       .caller_column = p->caller_column,
                       .is_not_unrolled = p->is_not_unrolled};
  p->is_not_unrolled = false;
  Name *opcode = NULL;
  TRY(read_guard(p, &in));
  TRY(read_opcode(p, &in, &opcode));
  TRY(read_operands(p, &in));
  TRY(drop_last_operands(p, &in, opcode));
  in.operand_count = p->operands.count;
  in.operands = LIST_TAKE(p, &p->operands, 0);
  wait_for_labels(p, &in);
  *LIST_PUSH(&p->instructions) = in;
  return parser_expect(p, ';', "`,` or `;`");
}
