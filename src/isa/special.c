// SPDX-License-Identifier: MIT
// Names and widths of the special registers. What they show: special_read.
#include "isa/special.h"

#include <string.h>

static const struct {
  const char *name;
  int bits;
} specials[SPECIAL_COUNT] = {
#define X(name, text, bits) {text, bits},
    SPECIAL_LIST(X)
#undef X
};

SpecialRegister special_from_name(const char *name) {
  for (int i = 1; i < SPECIAL_COUNT; i++)
    if (strcmp(specials[i].name, name) == 0) return (SpecialRegister)i;
  return SPECIAL_NONE;
}

int special_bits(SpecialRegister special) {
  return specials[special].bits;
}
