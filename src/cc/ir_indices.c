// SPDX-License-Identifier: MIT
// Reads each function twice: what its values are, then the addresses that use indices.
#define _GNU_SOURCE  // memmem, memrchr
#include "cc/ir_indices.h"

#include <string.h>

#include "cc/ir_values.h"

// Loops of more iterations are not unrolled completely; larger expressions stay.
enum { MAX_ITERATIONS = 64, MAX_DEPTH = 12, MAX_VISITS = 200, MAX_TERMS = 8 };

typedef struct Rewriter {
  IrFunction function;
  int visits;      // of an expression's values
  long next_name;  // of a new value, in the module
  FILE *file;
} Rewriter;

// ---- expressions

// With few iterations.
static bool is_counter(const IrValue *variable) {
  if (!ir_is_counter(variable)) return false;
  long iterations = (variable->end.constant - variable->first.constant) / variable->step;
  return iterations > 1 && iterations <= MAX_ITERATIONS;
}

static bool is_arithmetic(const IrValue *value) {
  return value->kind == IR_SUM || value->kind == IR_DIFFERENCE || value->kind == IR_PRODUCT;
}

// Looks through variables that keep their value.
static IrOperand origin(Rewriter *rewriter, IrOperand operand) {
  for (int i = 0; i < MAX_DEPTH; i++) {
    const IrValue *variable = ir_loaded_variable(&rewriter->function, operand);
    if (!variable || !ir_is_settled(variable)) break;
    operand = variable->stored;
  }
  return operand;
}

// How often variables of loops are in an expression.
static int counters_in(Rewriter *rewriter, IrOperand operand, int depth) {
  if (depth == MAX_DEPTH || rewriter->visits++ > MAX_VISITS) return MAX_TERMS + 1;
  operand = origin(rewriter, operand);
  const IrValue *value = ir_value(&rewriter->function, operand.number);
  if (is_arithmetic(value))
    return counters_in(rewriter, value->a, depth + 1) + counters_in(rewriter, value->b, depth + 1);
  const IrValue *variable = ir_loaded_variable(&rewriter->function, operand);
  return variable && is_counter(variable);
}

static bool has_counter(Rewriter *rewriter, IrOperand operand) {
  rewriter->visits = 0;
  return counters_in(rewriter, operand, 0) > 0;
}

// Two variables of loops, which is computed in 32 bits.
static bool is_product_of_counters(Rewriter *rewriter, const IrValue *value) {
  return value->kind == IR_PRODUCT && has_counter(rewriter, value->a) &&
         has_counter(rewriter, value->b);
}

// Whether there is a product with a sum that has the variable of a loop in it.
static bool has_product(Rewriter *rewriter, IrOperand operand, bool is_factor) {
  operand = origin(rewriter, operand);
  const IrValue *value = ir_value(&rewriter->function, operand.number);
  bool is_product = value->kind == IR_PRODUCT;
  if (!is_arithmetic(value) || is_product_of_counters(rewriter, value)) return false;
  if (is_factor && !is_product) return has_counter(rewriter, operand);
  return has_product(rewriter, value->a, is_product) || has_product(rewriter, value->b, is_product);
}

// ---- sums of 64 bits

// factor times the variable of a loop.
typedef struct Term {
  IrOperand counter, factor;
} Term;

// An expression as a sum; `rest` has no variable of a loop in it. Operands are of 64 bits, but
// the variables. Sums and products may wrap around, the whole does not.
typedef struct Sum {
  IrOperand rest;
  Term terms[MAX_TERMS];
  int count;
} Sum;

static const IrOperand zero = {IR_NO_VALUE, 0}, one = {IR_NO_VALUE, 1},
                       minus_one = {IR_NO_VALUE, -1};

static bool is_constant(IrOperand operand, long constant) {
  return operand.number == IR_NO_VALUE && operand.constant == constant;
}

static void print_operand(const Rewriter *rewriter, IrOperand operand) {
  if (operand.number == IR_NO_VALUE)
    fprintf(rewriter->file, "%ld", operand.constant);
  else
    fprintf(rewriter->file, "%%heddle.wide.%ld", operand.number);
}

static IrOperand print_extension(Rewriter *rewriter, IrOperand operand) {
  if (operand.number == IR_NO_VALUE) return operand;
  IrOperand result = {rewriter->next_name++, 0};
  fputs("  ", rewriter->file);
  print_operand(rewriter, result);
  fprintf(rewriter->file, " = sext i32 %%%ld to i64\n", operand.number);
  return result;
}

static long computed(IrKind kind, long a, long b) {
  unsigned long x = (unsigned long)a, y = (unsigned long)b;
  return (long)(kind == IR_SUM ? x + y : kind == IR_DIFFERENCE ? x - y : x * y);
}

static IrOperand print_operation(Rewriter *rewriter, IrKind kind, IrOperand a, IrOperand b) {
  static const char *const names[] = {
      [IR_SUM] = "add", [IR_DIFFERENCE] = "sub", [IR_PRODUCT] = "mul"};
  if (a.number == IR_NO_VALUE && b.number == IR_NO_VALUE)
    return (IrOperand){IR_NO_VALUE, computed(kind, a.constant, b.constant)};
  if (kind == IR_PRODUCT ? is_constant(b, 1) : is_constant(b, 0)) return a;
  if ((kind == IR_PRODUCT && is_constant(a, 1)) || (kind == IR_SUM && is_constant(a, 0))) return b;
  IrOperand result = {rewriter->next_name++, 0};
  fputs("  ", rewriter->file);
  print_operand(rewriter, result);
  fprintf(rewriter->file, " = %s i64 ", names[kind]);
  print_operand(rewriter, a);
  fputs(", ", rewriter->file);
  print_operand(rewriter, b);
  fputc('\n', rewriter->file);
  return result;
}

static void multiply(Rewriter *rewriter, Sum *sum, IrOperand factor) {
  sum->rest = print_operation(rewriter, IR_PRODUCT, sum->rest, factor);
  for (int i = 0; i < sum->count; i++)
    sum->terms[i].factor = print_operation(rewriter, IR_PRODUCT, sum->terms[i].factor, factor);
}

// One of the factors of a product has no terms.
static void combine(Rewriter *rewriter, IrKind kind, Sum *sum, Sum *other) {
  if (kind == IR_PRODUCT && other->count) {
    multiply(rewriter, other, sum->rest);
    *sum = *other;
  } else if (kind == IR_PRODUCT) {
    multiply(rewriter, sum, other->rest);
  } else {
    sum->rest = print_operation(rewriter, kind, sum->rest, other->rest);
    for (int i = 0; i < other->count; i++) {
      Term term = other->terms[i];
      if (kind == IR_DIFFERENCE)
        term.factor = print_operation(rewriter, IR_PRODUCT, term.factor, minus_one);
      sum->terms[sum->count++] = term;
    }
  }
}

// Prints what computes an expression of at most MAX_TERMS variables of loops, except its terms.
static void print_parts(Rewriter *rewriter, IrOperand operand, Sum *sum) {
  Sum other;
  operand = origin(rewriter, operand);
  const IrValue *value = ir_value(&rewriter->function, operand.number);
  *sum = (Sum){.rest = zero};
  if (!has_counter(rewriter, operand) || is_product_of_counters(rewriter, value)) {
    sum->rest = print_extension(rewriter, operand);
  } else if (!is_arithmetic(value)) {
    sum->terms[sum->count++] = (Term){operand, one};
  } else {
    print_parts(rewriter, value->a, sum);
    print_parts(rewriter, value->b, &other);
    combine(rewriter, value->kind, sum, &other);
  }
}

// ---- addresses

// `getelementptr inbounds [4 x float], [4 x float]* %5, i64 0, i64 %8`.
typedef struct Address {
  Span result, front;  // `%9`; up to the index
  Span element;        // the type that it steps by: float
  IrOperand index;
  bool has_typed_pointers;
} Address;

// Length of a type at the start of a text, up to a comma outside of brackets.
static size_t type_length(Span it) {
  int depth = 0;
  for (size_t i = 0; i < it.length; i++) {
    char c = it.at[i];
    if (strchr("{[(<", c)) depth++;
    if (strchr("}])>", c)) depth--;
    if (c == ',' && depth == 0) return i;
  }
  return it.length;
}

// `float` of `[4 x float]`.
static bool element_parse(Span *type) {
  const char *by = memmem(type->at, type->length, " x ", 3);
  if (*type->at != '[' || !by) return false;
  *type = (Span){by + 3, (size_t)(type->at + type->length - 1 - (by + 3))};
  return true;
}

static bool ends(Span it, const char *words) {
  size_t length = strlen(words);
  return it.length >= length && memcmp(it.at + it.length - length, words, length) == 0;
}

// Whether the pointer has the type that is named first.
static bool pointer_kind_parse(Address *address, const char *at) {
  Span type = address->element;
  address->has_typed_pointers = strncmp(at, "ptr ", 4) != 0;
  if (!address->has_typed_pointers) return true;
  return strncmp(at, type.at, type.length) == 0 && strncmp(at + type.length, "* ", 2) == 0;
}

static bool address_parse(Address *address, Span line) {
  static const char word[] = " = getelementptr inbounds ", last[] = ", i64 %";
  const char *found = begins(line, "  %") ? memmem(line.at, line.length, word, strlen(word)) : NULL;
  const char *note = memmem(line.at, line.length, ", !", 3);  // such as a line of the source
  size_t length = note ? (size_t)(note - line.at) : line.length;
  const char *comma = found ? memrchr(line.at, ',', length) : NULL;
  if (!comma || strncmp(comma, last, strlen(last)) != 0) return false;
  const char *at = comma + strlen(last) - 1, *type = found + strlen(word);
  if (!ir_operand_parse(&at, &address->index) || (*at != '\n' && at != note)) return false;
  address->result = (Span){line.at + 2, (size_t)(found - line.at - 2)};
  address->front = (Span){type, (size_t)(comma - type)};
  address->element = (Span){type, type_length(address->front)};
  if (!pointer_kind_parse(address, type + address->element.length + 2)) return false;
  if (ends(address->front, ", i64 0")) return element_parse(&address->element);
  return !span_contains(address->front, ", i64 ") && !span_contains(address->front, ", i32 ");
}

// The address that a step begins at, in front of the number of elements.
static void print_from(Rewriter *rewriter, const Address *address, long base) {
  Span type = address->element;
  fprintf(rewriter->file, " = getelementptr %.*s, ", (int)type.length, type.at);
  if (address->has_typed_pointers)
    fprintf(rewriter->file, "%.*s* ", (int)type.length, type.at);
  else
    fputs("ptr ", rewriter->file);
  fprintf(rewriter->file, "%%heddle.step.%ld, i64 ", base);
}

// From an address to the next by one term.
static void print_step(Rewriter *rewriter, const Address *address, const Term *term, long base) {
  IrOperand counter = print_extension(rewriter, term->counter);
  IrOperand offset = print_operation(rewriter, IR_PRODUCT, counter, term->factor);
  fprintf(rewriter->file, "  %%heddle.step.%ld", base + 1);
  print_from(rewriter, address, base);
  print_operand(rewriter, offset);
  fputc('\n', rewriter->file);
}

// From the address without variables of loops, all of whose steps may be outside of the array.
static void print_steps(Rewriter *rewriter, const Address *address, const Sum *sum) {
  long base = rewriter->next_name;
  rewriter->next_name += sum->count + 1;
  fprintf(rewriter->file, "  %%heddle.step.%ld = getelementptr %.*s, i64 ", base,
          (int)address->front.length, address->front.at);
  print_operand(rewriter, sum->rest);
  fputc('\n', rewriter->file);
  for (int i = 0; i < sum->count; i++) print_step(rewriter, address, &sum->terms[i], base + i);
  fprintf(rewriter->file, "  %.*s", (int)address->result.length, address->result.at);
  print_from(rewriter, address, base + sum->count);
  fputs("0\n", rewriter->file);
}

// False: the line stays.
static bool print_address(Rewriter *rewriter, Span line) {
  Address address;
  Sum sum;
  if (!address_parse(&address, line)) return false;
  const IrValue *index = ir_value(&rewriter->function, address.index.number);
  rewriter->visits = 0;
  if (index->kind != IR_EXTENSION || counters_in(rewriter, index->a, 0) > MAX_TERMS) return false;
  if (!has_product(rewriter, index->a, false)) return false;
  print_parts(rewriter, index->a, &sum);
  print_steps(rewriter, &address, &sum);
  return true;
}

void ir_indices_print(const char *text, FILE *file) {
  Rewriter rewriter = {.file = file};
  const char *notes = strstr(text, "\n!");
  Span line;
  for (const char *at = text; *at; at += line.length) {
    line = line_at(at);
    if (begins(line, "define ")) ir_function_read(&rewriter.function, at, notes);
    if (begins(line, "}")) rewriter.function.count = 0;
    if (!print_address(&rewriter, line)) fwrite(line.at, 1, line.length, file);
  }
  ir_function_clear(&rewriter.function);
}
