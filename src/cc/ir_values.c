// SPDX-License-Identifier: MIT
// Reads the lines of a function in order.
#define _GNU_SOURCE  // memmem, memrchr
#include "cc/ir_values.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"

// ---- lines

bool ir_operand_parse(const char **at, IrOperand *operand) {
  char *end;
  bool is_value = **at == '%';
  long number = strtol(*at + is_value, &end, 10);
  if (end == *at + is_value) return false;
  *operand = is_value ? (IrOperand){number, 0} : (IrOperand){IR_NO_VALUE, number};
  *at = end;
  return true;
}

// The value behind the type of a pointer, `i32* %5` or `ptr %5`, in the rest of a line.
static bool pointer_parse(const char *at, IrOperand *operand) {
  at += strcspn(at, "%\n");
  return *at == '%' && ir_operand_parse(&at, operand);
}

const IrValue *ir_value(const IrFunction *function, long number) {
  static const IrValue none;
  if (number < 0 || number >= (long)function->count) return &none;
  return &function->values[number];
}

static IrValue *variable_at(IrFunction *function, long number) {
  bool is_variable = ir_value(function, number)->kind == IR_VARIABLE;
  return is_variable ? &function->values[number] : NULL;
}

static IrValue *loaded_from(IrFunction *function, IrOperand operand) {
  const IrValue *value = ir_value(function, operand.number);
  return value->kind == IR_LOAD ? variable_at(function, value->a.number) : NULL;
}

const IrValue *ir_loaded_variable(const IrFunction *function, IrOperand operand) {
  const IrValue *value = ir_value(function, operand.number);
  return value->kind == IR_LOAD ? ir_value(function, value->a.number) : NULL;
}

// ---- what values are

static void set_value(IrFunction *function, long number, IrValue value) {
  if (number < 0 || number > 1 << 24) return;
  while ((long)function->count <= number) {
    GROW(function->values, function->count, function->capacity);
    function->values[function->count++] = (IrValue){0};
  }
  function->values[number] = value;
}

static void note_load(IrFunction *function, long number, const char *at) {
  IrOperand pointer;
  if (!pointer_parse(at, &pointer)) return;
  IrValue *variable = variable_at(function, pointer.number);
  if (!variable) return;
  if (!variable->stores) variable->loads_before++;
  set_value(function, number, (IrValue){.kind = IR_LOAD, .a = pointer});
}

static void note_arithmetic(IrFunction *function, long number, IrKind kind, const char *at) {
  IrValue value = {.kind = kind};
  if (!ir_operand_parse(&at, &value.a) || strncmp(at, ", ", 2) != 0) return;
  at += 2;
  if (ir_operand_parse(&at, &value.b)) set_value(function, number, value);
}

static void note_extension(IrFunction *function, long number, const char *at) {
  IrValue value = {.kind = IR_EXTENSION};
  if (ir_operand_parse(&at, &value.a) && strncmp(at, " to i64", 7) == 0)
    set_value(function, number, value);
}

// The variable of a loop in `i < 30`.
static void note_comparison(IrFunction *function, const char *at) {
  IrOperand a, b;
  at += strcspn(at, " \n");  // the condition
  if (strncmp(at, " i32 ", 5) != 0) return;
  at += 5;
  if (!ir_operand_parse(&at, &a) || strncmp(at, ", ", 2) != 0) return;
  at += 2;
  IrValue *variable = loaded_from(function, a);
  if (!variable || !ir_operand_parse(&at, &b) || b.number != IR_NO_VALUE) return;
  if (variable->is_compared) return;  // the first one is the loop's
  variable->is_compared = true;
  variable->end = b;
}

static void note_stored(IrFunction *function, IrValue *variable, long number, IrOperand stored) {
  const IrValue *value = ir_value(function, stored.number);
  bool is_step =
      (value->kind == IR_SUM || value->kind == IR_DIFFERENCE) && value->b.number == IR_NO_VALUE;
  const IrValue *from = is_step ? ir_value(function, value->a.number) : NULL;
  if (stored.number == IR_NO_VALUE) {
    variable->first = stored;
  } else if (from && from->kind == IR_LOAD && from->a.number == number) {
    function->stepped = number;
    variable->step = value->kind == IR_SUM ? value->b.constant : -value->b.constant;
  } else {
    variable->is_set = true;
  }
  variable->stored = stored;
  variable->store_block = function->block;
  variable->stores++;
}

static bool note_store(IrFunction *function, const char *at) {
  IrOperand stored, pointer;
  if (!ir_operand_parse(&at, &stored) || *at != ',' || !pointer_parse(at, &pointer)) return false;
  IrValue *variable = variable_at(function, pointer.number);
  if (!variable || stored.number == pointer.number) return false;
  note_stored(function, variable, pointer.number, stored);
  return true;
}

static void note_start(IrFunction *function, Span line) {
  IrOperand pointer;
  if (!pointer_parse(line.at, &pointer)) return;
  const IrValue *bytes = ir_value(function, pointer.number);
  IrValue *variable =
      variable_at(function, bytes->kind == IR_BYTES ? bytes->a.number : pointer.number);
  if (!variable) return;
  variable->starts++;
  variable->start_block = function->block;
}

// Whether a node of metadata, `!12 = distinct !{!12, !13, !14}`, names another.
static bool names_note(const char *notes, long node, long other) {
  char name[32];
  snprintf(name, sizeof name, "\n!%ld = ", node);
  const char *at = strstr(notes, name);
  snprintf(name, sizeof name, "!%ld", other);
  size_t length = strlen(name);
  for (at = at ? at + 1 : "\n"; *at && *at != '\n'; at++)
    if (strncmp(at, name, length) == 0 && (at[length] == ',' || at[length] == '}')) return true;
  return false;
}

// #pragma unroll 1 and #pragma nounroll.
static bool is_rolled(const char *notes, long loop) {
  static const char *const kinds[] = {" = !{!\"llvm.loop.unroll.count\", i32 1}",
                                      " = !{!\"llvm.loop.unroll.disable\"}"};
  for (size_t i = 0; notes && i < sizeof kinds / sizeof *kinds; i++) {
    const char *found = strstr(notes, kinds[i]);
    const char *number = found ? memrchr(notes, '!', (size_t)(found - notes)) : NULL;
    if (number && names_note(notes, loop, strtol(number + 1, NULL, 10))) return true;
  }
  return false;
}

// `br label %5, !llvm.loop !12` after the step of a loop's variable.
static void note_loop(IrFunction *function, Span line) {
  static const char word[] = "!llvm.loop !";
  const char *loop = memmem(line.at, line.length, word, strlen(word));
  IrValue *variable = variable_at(function, function->stepped);
  if (!loop || !variable) return;
  if (is_rolled(function->notes, strtol(loop + strlen(word), NULL, 10))) variable->is_rolled = true;
}

// A line that may do anything with the variables in it.
static void note_uses(IrFunction *function, const char *at, const char *end) {
  while ((at = memchr(at, '%', (size_t)(end - at)))) {
    IrOperand used;
    const char *name = at++;
    if (!ir_operand_parse(&name, &used)) continue;
    const IrValue *value = ir_value(function, used.number);
    IrValue *variable =
        variable_at(function, value->kind == IR_BYTES ? value->a.number : used.number);
    if (variable) variable->is_shared = true;
  }
}

// What follows `%12 = `. False: not understood.
static bool note_result(IrFunction *function, long number, Span value) {
  static const struct {
    const char *word;
    IrKind kind;
  } operations[] = {
      {"add nsw i32 ", IR_SUM}, {"sub nsw i32 ", IR_DIFFERENCE}, {"mul nsw i32 ", IR_PRODUCT}};
  set_value(function, number, (IrValue){0});
  for (size_t i = 0; i < sizeof operations / sizeof *operations; i++)
    if (begins(value, operations[i].word))
      return note_arithmetic(function, number, operations[i].kind,
                             value.at + strlen(operations[i].word)),
             true;
  if (begins(value, "alloca i32,"))
    return set_value(function, number, (IrValue){.kind = IR_VARIABLE}), true;
  if (begins(value, "load i32, ")) return note_load(function, number, value.at + 10), true;
  if (begins(value, "icmp ")) return note_comparison(function, value.at + 5), true;
  if (begins(value, "sext i32 ")) return note_extension(function, number, value.at + 9), true;
  IrOperand pointer;
  if (!begins(value, "bitcast i32* ") || !span_contains(value, " to i8*")) return false;
  if (pointer_parse(value.at, &pointer))
    set_value(function, number, (IrValue){.kind = IR_BYTES, .a = pointer});
  return true;
}

static void note_line(IrFunction *function, Span line) {
  const char *at = line.at + 2, *end = line.at + line.length;
  if (line.length && *line.at >= '0' && *line.at <= '9') function->block++;
  if (!begins(line, "  ")) return;
  IrOperand result = {IR_NO_VALUE, 0};
  if (*at == '%' && ir_operand_parse(&at, &result) && strncmp(at, " = ", 3) == 0) {
    Span value = {at + 3, (size_t)(end - at - 3)};
    if (!note_result(function, result.number, value)) note_uses(function, value.at, end);
  } else if (begins(line, "  store i32 ")) {
    if (!note_store(function, line.at + 12)) note_uses(function, line.at + 12, end);
  } else if (span_contains(line, "@llvm.lifetime.start")) {
    note_start(function, line);
  } else if (begins(line, "  br label ")) {
    note_loop(function, line);
  } else if (!span_contains(line, "@llvm.lifetime.end")) {
    note_uses(function, line.at, end);
  }
}

void ir_function_read(IrFunction *function, const char *text, const char *notes) {
  function->count = 0;
  function->block = 0;
  function->stepped = IR_NO_VALUE;
  function->notes = notes;
  Span line;
  for (const char *at = text; *at; at += line.length) {
    line = line_at(at);
    if (begins(line, "}")) return;
    note_line(function, line);
  }
}

void ir_function_clear(IrFunction *function) {
  memory_free(function->values);
  *function = (IrFunction){0};
}
