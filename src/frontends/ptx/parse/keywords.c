// SPDX-License-Identifier: MIT
// Binary search in the sorted tables of keywords and types.
#include "frontends/ptx/parse/keywords.h"

#include <string.h>

#include "frontends/ptx/parse/syntax.h"

static const struct {
  const char *word;
  Keyword keyword;
} keywords[] = {
#define KEYWORD(word, kind, value) {word, {KEYWORD_##kind, value}},
#include "frontends/ptx/parse/keywords.def"
#undef KEYWORD
};

static const struct {
  const char *word;
  DataType type;
} types[] = {
    {"b1", TYPE_B1},
    {"b128", TYPE_B128},
    {"b16", TYPE_B16},
    {"b32", TYPE_B32},
    {"b64", TYPE_B64},
    {"b8", TYPE_B8},
    {"bf16", TYPE_BF16},
    {"bf16x2", TYPE_BF16X2},
    {"e4m3", TYPE_E4M3},
    {"e4m3x2", TYPE_E4M3X2},
    {"e5m2", TYPE_E5M2},
    {"e5m2x2", TYPE_E5M2X2},
    {"f16", TYPE_F16},
    {"f16x2", TYPE_F16X2},
    {"f32", TYPE_F32},
    {"f32x2", TYPE_F32X2},
    {"f64", TYPE_F64},
    {"pred", TYPE_PRED},
    {"s16", TYPE_S16},
    {"s16x2", TYPE_S16X2},
    {"s32", TYPE_S32},
    {"s4", TYPE_S4},
    {"s64", TYPE_S64},
    {"s8", TYPE_S8},
    {"samplerref", TYPE_SAMPLERREF},
    {"surfref", TYPE_SURFREF},
    {"texref", TYPE_TEXREF},
    {"tf32", TYPE_TF32},
    {"u16", TYPE_U16},
    {"u16x2", TYPE_U16X2},
    {"u32", TYPE_U32},
    {"u4", TYPE_U4},
    {"u64", TYPE_U64},
    {"u8", TYPE_U8},
    {"ue8m0x2", TYPE_UE8M0X2},
};

static int compare(const char *text, size_t length, const char *word) {
  int order = strncmp(text, word, length);
  return order || !word[length] ? order : -1;
}

DataType keyword_type(const char *text, size_t length) {
  size_t low = 0, high = sizeof types / sizeof *types;
  while (low < high) {
    size_t middle = (low + high) / 2;
    int order = compare(text, length, types[middle].word);
    if (order == 0) return types[middle].type;
    if (order < 0)
      high = middle;
    else
      low = middle + 1;
  }
  return TYPE_NONE;
}

Keyword keyword_find(const char *text, size_t length) {
  size_t low = 0, high = sizeof keywords / sizeof *keywords;
  while (low < high) {
    size_t middle = (low + high) / 2;
    int order = compare(text, length, keywords[middle].word);
    if (order == 0) return keywords[middle].keyword;
    if (order < 0)
      high = middle;
    else
      low = middle + 1;
  }
  DataType type = keyword_type(text, length);
  bool is_type = type && type_is_declarable(type);
  return (Keyword){is_type ? KEYWORD_TYPE : KEYWORD_NONE, (int)type};
}
