// SPDX-License-Identifier: MIT
// Random study files, and the expressions of their figures.
#include <stdlib.h>
#include <string.h>

#include "study/expression.h"
#include "study/study.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool one(void *self, const char *name, double *value) {
  (void)self;
  *value = (double)strlen(name) - 4;
  return true;
}

static void try_figures(Study *study) {
  for (uint32_t i = 0; i < study->figure_count; i++) {
    Expression *expression;
    Error err;
    double value;
    if (expression_parse(&expression, &study->arena, study->figures[i].statistic, &err) == OK)
      expression_value(expression, one, NULL, &value);
    else if (!err.text[0])
      abort();
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  Study study;
  Error err;
  char *text = malloc(size + 1);
  memcpy(text, data, size);
  text[size] = '\0';
  err.text[0] = '\0';
  if (study_read(&study, "fuzz.ini", text, &err) == OK) {
    try_figures(&study);
    study_clear(&study);
  } else if (strncmp(err.text, "fuzz.ini", 8) != 0) {
    abort();
  }
  free(text);
  return 0;
}
