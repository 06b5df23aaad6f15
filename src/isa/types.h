// SPDX-License-Identifier: MIT
// The types of PTX operands: their names, widths and kinds.
#ifndef ISA_TYPES_H
#define ISA_TYPES_H

#include <stdbool.h>
#include <stdint.h>

typedef enum TypeKind { KIND_NONE, KIND_PREDICATE, KIND_BITS, KIND_UNSIGNED, KIND_SIGNED, KIND_FLOAT } TypeKind;

// enumerator, as PTX spells it, bits, kind
#define TYPE_LIST(X)                       \
  X(NONE, "", 0, KIND_NONE)                \
  X(PRED, "pred", 1, KIND_PREDICATE)       \
  X(B8, "b8", 8, KIND_BITS)                \
  X(B16, "b16", 16, KIND_BITS)             \
  X(B32, "b32", 32, KIND_BITS)             \
  X(B64, "b64", 64, KIND_BITS)             \
  X(B128, "b128", 128, KIND_BITS)          \
  X(U8, "u8", 8, KIND_UNSIGNED)            \
  X(U16, "u16", 16, KIND_UNSIGNED)         \
  X(U32, "u32", 32, KIND_UNSIGNED)         \
  X(U64, "u64", 64, KIND_UNSIGNED)         \
  X(S8, "s8", 8, KIND_SIGNED)              \
  X(S16, "s16", 16, KIND_SIGNED)           \
  X(S32, "s32", 32, KIND_SIGNED)           \
  X(S64, "s64", 64, KIND_SIGNED)           \
  X(F16, "f16", 16, KIND_FLOAT)            \
  X(F16X2, "f16x2", 32, KIND_FLOAT)        \
  X(BF16, "bf16", 16, KIND_FLOAT)          \
  X(BF16X2, "bf16x2", 32, KIND_FLOAT)      \
  X(F32, "f32", 32, KIND_FLOAT)            \
  X(F64, "f64", 64, KIND_FLOAT)            \
  X(TEXREF, "texref", 64, KIND_BITS)       \
  X(SAMPLERREF, "samplerref", 64, KIND_BITS) \
  X(SURFREF, "surfref", 64, KIND_BITS)     \
  /* of instructions only: nothing is declared with them */ \
  X(TF32, "tf32", 32, KIND_FLOAT)          \
  X(F32X2, "f32x2", 64, KIND_FLOAT)        \
  X(U16X2, "u16x2", 32, KIND_UNSIGNED)     \
  X(S16X2, "s16x2", 32, KIND_SIGNED)       \
  X(E4M3, "e4m3", 8, KIND_FLOAT)           \
  X(E5M2, "e5m2", 8, KIND_FLOAT)           \
  X(E4M3X2, "e4m3x2", 16, KIND_FLOAT)      \
  X(E5M2X2, "e5m2x2", 16, KIND_FLOAT)      \
  X(UE8M0X2, "ue8m0x2", 16, KIND_FLOAT)    \
  X(S4, "s4", 4, KIND_SIGNED)              \
  X(U4, "u4", 4, KIND_UNSIGNED)            \
  X(B1, "b1", 1, KIND_BITS)

typedef enum DataType {
#define X(name, text, bits, kind) TYPE_##name,
  TYPE_LIST(X)
#undef X
      TYPE_COUNT
} DataType;

const char *type_name(DataType type);
int type_bits(DataType type);
TypeKind type_kind(DataType type);

static inline bool type_is_declarable(DataType type) { return type <= TYPE_SURFREF; }
static inline int type_bytes(DataType type) { return (type_bits(type) + 7) / 8; }

// State spaces. SPACE_FRAME is the .param space inside a .func: each thread's
// own, laid out in its stack frame; SPACE_PARAM is a kernel's parameter block.
#define SPACE_LIST(X) \
  X(GENERIC, "generic") X(GLOBAL, "global") X(SHARED, "shared") X(LOCAL, "local") \
  X(CONST, "const") X(PARAM, "param") X(FRAME, "param") X(TEXTURE, "tex")

typedef enum Space {
#define X(name, text) SPACE_##name,
  SPACE_LIST(X)
#undef X
} Space;

const char *space_name(Space space);

#endif
