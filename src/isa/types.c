// SPDX-License-Identifier: MIT
// The types of PTX operands: their names, widths and kinds.
#include "isa/types.h"

static const struct {
  const char *name;
  int bits;
  TypeKind kind;
} types[] = {
#define X(name, text, bits, kind) {text, bits, kind},
    TYPE_LIST(X)
#undef X
};

const char *type_name(DataType type) {
  return types[type].name;
}

int type_bits(DataType type) {
  return types[type].bits;
}

TypeKind type_kind(DataType type) {
  return types[type].kind;
}

const char *space_name(Space space) {
  static const char *const names[] = {
#define X(name, text) text,
      SPACE_LIST(X)
#undef X
  };
  return names[space];
}
