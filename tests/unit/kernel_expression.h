// SPDX-License-Identifier: MIT
// The arithmetic of kernel expectations: C's operators on 64-bit integers and
// doubles, one variable i, and no side effects.
//
//   i * 4 + 1     i < 16 ? 7 : -i     popc(i)     0x3f800000     1.5 / i     nan
//
// An operation on two integers is one on integers and wraps; with a double on
// either side it is one on doubles. Division by zero gives 0.
#ifndef UNIT_KERNEL_EXPRESSION_H
#define UNIT_KERNEL_EXPRESSION_H

#include <ctype.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct Number {
  bool is_double;
  int64_t integer;
  double real;
} Number;

typedef struct Expression {
  const char *at;  // what is left to read
  int64_t i;
  bool is_bad;
} Expression;

static inline Number number_of(int64_t value) {
  return (Number){false, value, (double)value};
}

static inline Number number_of_double(double value) {
  return (Number){true, isfinite(value) && fabs(value) < 9e18 ? (int64_t)value : 0, value};
}

static Number expression_read(Expression *expression);

static bool take_text(Expression *expression, const char *text) {
  while (*expression->at == ' ') expression->at++;
  if (strncmp(expression->at, text, strlen(text)) != 0) return false;
  expression->at += strlen(text);
  return true;
}

static Number read_literal(Expression *expression) {
  char *end, *end_real;
  unsigned long long integer = strtoull(expression->at, &end, 0);
  double real = strtod(expression->at, &end_real);
  bool is_double = end_real > end;
  expression->is_bad |= end == expression->at && end_real == expression->at;
  expression->at = is_double ? end_real : end;
  return is_double ? number_of_double(real) : number_of((int64_t)integer);
}

static Number read_function(Expression *expression, const char *name) {
  Number a = expression_read(expression), b = a;
  if (take_text(expression, ",")) b = expression_read(expression);
  expression->is_bad |= !take_text(expression, ")");
  if (strcmp(name, "popc(") == 0) return number_of(__builtin_popcountll((uint64_t)a.integer));
  bool is_less = a.is_double || b.is_double ? a.real < b.real : a.integer < b.integer;
  return is_less == (strcmp(name, "min(") == 0) ? a : b;
}

static Number read_primary(Expression *expression) {
  static const char *const functions[] = {"popc(", "min(", "max("};
  for (size_t k = 0; k < sizeof functions / sizeof *functions; k++)
    if (take_text(expression, functions[k])) return read_function(expression, functions[k]);
  if (take_text(expression, "(")) {
    Number inner = expression_read(expression);
    expression->is_bad |= !take_text(expression, ")");
    return inner;
  }
  if (take_text(expression, "nan")) return number_of_double(NAN);
  if (take_text(expression, "inf")) return number_of_double(INFINITY);
  if (take_text(expression, "i")) return number_of(expression->i);
  return read_literal(expression);
}

static Number read_unary(Expression *expression) {
  if (take_text(expression, "-")) {
    Number a = read_unary(expression);
    return a.is_double ? number_of_double(-a.real) : number_of((int64_t)(0 - (uint64_t)a.integer));
  }
  if (take_text(expression, "~")) return number_of(~read_unary(expression).integer);
  if (take_text(expression, "!")) return number_of(!read_unary(expression).integer);
  return read_primary(expression);
}

static Number apply_doubles(char op, double a, double b) {
  switch (op) {
    case '*': return number_of_double(a * b);
    case '/': return number_of_double(b == 0 ? 0 : a / b);
    case '+': return number_of_double(a + b);
    case '-': return number_of_double(a - b);
    case '<': return number_of(a < b);
    case '>': return number_of(a > b);
    case 'l': return number_of(a <= b);
    case 'g': return number_of(a >= b);
    case '=': return number_of(a == b);
    default: return number_of(a != b);
  }
}

static Number apply_integers(char op, int64_t a, int64_t b) {
  uint64_t x = (uint64_t)a, y = (uint64_t)b;
  switch (op) {
    case '*': return number_of((int64_t)(x * y));
    case '/': return number_of(b == 0 ? 0 : b == -1 ? (int64_t)(0 - x) : a / b);
    case '%': return number_of(b == 0 || b == -1 ? 0 : a % b);
    case '+': return number_of((int64_t)(x + y));
    case '-': return number_of((int64_t)(x - y));
    case 'L': return number_of(y > 63 ? 0 : (int64_t)(x << y));
    case 'R': return number_of(y > 63 ? 0 : (int64_t)(x >> y));
    case '&': return number_of(a & b);
    case '^': return number_of(a ^ b);
    case '|': return number_of(a | b);
    case 'A': return number_of(a && b);
    case 'O': return number_of(a || b);
    case '<': return number_of(a < b);
    case '>': return number_of(a > b);
    case 'l': return number_of(a <= b);
    case 'g': return number_of(a >= b);
    case '=': return number_of(a == b);
    default: return number_of(a != b);
  }
}

// How tightly operators bind; longer spellings before their prefixes.
static const struct {
  const char *text;
  int level;
  char op;
} expression_operators[] = {
    {"<<", 8, 'L'}, {">>", 8, 'R'}, {"<=", 7, 'l'}, {">=", 7, 'g'}, {"==", 6, '='}, {"!=", 6, '!'},
    {"&&", 2, 'A'}, {"||", 1, 'O'}, {"*", 10, '*'}, {"/", 10, '/'}, {"%", 10, '%'}, {"+", 9, '+'},
    {"-", 9, '-'},  {"<", 7, '<'},  {">", 7, '>'},  {"&", 5, '&'},  {"^", 4, '^'},  {"|", 3, '|'},
};

static char take_operator(Expression *expression, int least_level, int *level) {
  size_t count = sizeof expression_operators / sizeof *expression_operators;
  for (size_t k = 0; k < count; k++) {
    const char *before = expression->at;
    if (!take_text(expression, expression_operators[k].text)) continue;
    *level = expression_operators[k].level;
    if (*level >= least_level) return expression_operators[k].op;
    expression->at = before;
    return 0;
  }
  return 0;
}

static Number read_binary(Expression *expression, int least_level) {
  Number a = read_unary(expression);
  int level;
  char op;
  while ((op = take_operator(expression, least_level, &level)) != 0) {
    Number b = read_binary(expression, level + 1);
    bool is_real = (a.is_double || b.is_double) && !strchr("%&|^LRAO", op);
    a = is_real ? apply_doubles(op, a.real, b.real) : apply_integers(op, a.integer, b.integer);
  }
  return a;
}

// Reads one expression and stops behind it; is_bad says that there was none.
static Number expression_read(Expression *expression) {
  Number condition = read_binary(expression, 1);
  if (!take_text(expression, "?")) return condition;
  Number yes = expression_read(expression);
  expression->is_bad |= !take_text(expression, ":");
  Number no = expression_read(expression);
  return condition.integer || condition.real != 0 ? yes : no;
}

static inline bool expression_is_at_end(Expression *expression) {
  while (*expression->at == ' ') expression->at++;
  return !*expression->at;
}

#endif
