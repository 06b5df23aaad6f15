// SPDX-License-Identifier: MIT
// Parses and evaluates expressions of statistics.
#include "study/expression.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

struct Expression {
  char what;  // + - * / |, 'n' a name, '0' a number
  double number;
  const char *name;
  const Expression *left, *right;
};

typedef struct Parser {
  Arena *arena;
  const char *text, *at;
  int depth;
} Parser;

enum { DEEPEST = 100 };

static Status parse_alternatives(Parser *parser, Expression **out, Error *err);

static char next_char(Parser *parser) {
  while (*parser->at == ' ') parser->at++;
  return *parser->at;
}

static Status fail_here(const Parser *parser, const char *what, Error *err) {
  return error_set(err, ERR_SYNTAX, "'%.200s': %s at '%.40s'", parser->text, what, parser->at);
}

static bool is_of_name(char c) {
  return isalnum((unsigned char)c) || c == '_' || c == '.';
}

static Status parse_leaf(Parser *parser, Expression **out, Error *err) {
  char c = next_char(parser);
  if (c == '(') {
    parser->at++;
    if (++parser->depth > DEEPEST) return fail_here(parser, "too many parentheses", err);
    TRY(parse_alternatives(parser, out, err));
    if (next_char(parser) != ')') return fail_here(parser, "a ')' is missing", err);
    parser->at++;
    return OK;
  }
  *out = ARENA_NEW(parser->arena, Expression);
  if (isdigit((unsigned char)c)) {
    char *end;
    **out = (Expression){.what = '0', .number = strtod(parser->at, &end)};
    parser->at = end;
    return OK;
  }
  size_t length = 0;
  while (is_of_name(parser->at[length])) length++;
  if (!length) return fail_here(parser, "expected the name of a statistic", err);
  **out = (Expression){.what = 'n', .name = arena_strndup(parser->arena, parser->at, length)};
  parser->at += length;
  return OK;
}

// Parts with one of the operators between them, from left to right.
static Status parse_chain(Parser *parser, Expression **out, const char *operators,
                          Status (*part)(Parser *, Expression **, Error *), Error *err) {
  TRY(part(parser, out, err));
  for (char c; (c = next_char(parser)) && strchr(operators, c);) {
    Expression *both = ARENA_NEW(parser->arena, Expression), *right;
    parser->at++;
    TRY(part(parser, &right, err));
    *both = (Expression){.what = c, .left = *out, .right = right};
    *out = both;
  }
  return OK;
}

static Status parse_product(Parser *parser, Expression **out, Error *err) {
  return parse_chain(parser, out, "*/", parse_leaf, err);
}

static Status parse_sum(Parser *parser, Expression **out, Error *err) {
  return parse_chain(parser, out, "+-", parse_product, err);
}

static Status parse_alternatives(Parser *parser, Expression **out, Error *err) {
  return parse_chain(parser, out, "|", parse_sum, err);
}

Status expression_parse(Expression **expression, Arena *arena, const char *text, Error *err) {
  Parser parser = {arena, text, text, 0};
  TRY(parse_alternatives(&parser, expression, err));
  return next_char(&parser) ? fail_here(&parser, "unexpected text after the expression", err) : OK;
}

bool expression_value(const Expression *expression, StatisticFn statistic, void *self,
                      double *value) {
  double left, right;
  if (expression->what == 'n') return statistic(self, expression->name, value);
  if (expression->what == '0') {
    *value = expression->number;
    return true;
  }
  if (expression->what == '|')
    return expression_value(expression->left, statistic, self, value) ||
           expression_value(expression->right, statistic, self, value);
  if (!expression_value(expression->left, statistic, self, &left) ||
      !expression_value(expression->right, statistic, self, &right))
    return false;
  if (expression->what == '/' && right == 0) return false;
  *value = expression->what == '+'   ? left + right
           : expression->what == '-' ? left - right
           : expression->what == '*' ? left * right
                                     : left / right;
  return true;
}

void expression_names(const Expression *expression, void (*on_name)(void *self, const char *name),
                      void *self) {
  if (expression->what == 'n') on_name(self, expression->name);
  if (expression->left) expression_names(expression->left, on_name, self);
  if (expression->right) expression_names(expression->right, on_name, self);
}
