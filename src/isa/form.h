// SPDX-License-Identifier: MIT
// The form of an instruction: its opcode and what its dotted suffixes say.
//
// A Form is all that is needed to choose the function that executes an
// instruction. It is kept in the instruction, so that rare forms can be
// interpreted by one function that looks at it.
#ifndef ISA_FORM_H
#define ISA_FORM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "isa/types.h"

typedef enum Family {
  FAMILY_ARITHMETIC, FAMILY_VIDEO, FAMILY_COMPARE, FAMILY_CONVERT, FAMILY_MOVE, FAMILY_MEMORY, FAMILY_ATOMIC,
  FAMILY_TEXTURE, FAMILY_CONTROL, FAMILY_BARRIER, FAMILY_LANE, FAMILY_MATRIX, FAMILY_SYSTEM
} Family;

// Rows of the machine's latency tables; the column is the type's kind.
typedef enum LatencyClass {
  CLASS_ADD, CLASS_MAX, CLASS_MUL, CLASS_MAD, CLASS_FMA, CLASS_DIV, CLASS_SFU, CLASS_SIMPLE,
  CLASS_LANE, CLASS_CONTROL, CLASS_BARRIER, CLASS_FENCE, CLASS_MEMORY, CLASS_TEXTURE, CLASS_TENSOR
} LatencyClass;

// Groups of suffixes.
enum {
  MOD_ROUND = 1 << 0,       // rn rz rm rp rna, rni rzi rmi rpi
  MOD_FTZ = 1 << 1,         // ftz
  MOD_SAT = 1 << 2,         // sat
  MOD_CC = 1 << 3,          // cc
  MOD_WIDTH = 1 << 4,       // lo hi wide
  MOD_APPROX = 1 << 5,      // approx full
  MOD_NAN = 1 << 6,         // NaN, xorsign.abs
  MOD_RELU = 1 << 7,        // relu
  MOD_CLAMP = 1 << 8,       // clamp wrap
  MOD_COMPARE = 1 << 9,     // eq ne lt le gt ge lo ls hi hs equ neu ltu leu gtu geu num nan
  MOD_OPERATION = 1 << 10,  // and or xor popc add min max inc dec cas exch
  MOD_MODE = 1 << 11,       // the opcode's own words: see Mode
  MOD_SPACE = 1 << 12,      // global shared local const param
  MOD_CACHE = 1 << 13,      // ca cg cs lu cv wb wt nc
  MOD_VECTOR = 1 << 14,     // v2 v4
  MOD_ORDER = 1 << 15,      // volatile weak relaxed acquire release acq_rel sc mmio; scopes
  MOD_LEVEL = 1 << 16,      // L1 L2 and their hints
  MOD_UNI = 1 << 17,        // uni
  MOD_SHAPE = 1 << 18,      // m16n8k16 etc.
  MOD_LAYOUT = 1 << 19,     // row col trans
  MOD_PART = 1 << 20,       // a b c d, of wmma.load and .store; trap clamp zero; r g b a
  MOD_FINITE = 1 << 21,     // satfinite
  MOD_OPTION = 1 << 22,     // further words of single opcodes: see FormOption
};

typedef enum Rounding { ROUND_NONE, ROUND_NEAREST, ROUND_ZERO, ROUND_DOWN, ROUND_UP, ROUND_AWAY } Rounding;
typedef enum Width { WIDTH_NONE, WIDTH_LOW, WIDTH_HIGH, WIDTH_WIDE } Width;
typedef enum Compare {
  COMPARE_NONE, COMPARE_EQ, COMPARE_NE, COMPARE_LT, COMPARE_LE, COMPARE_GT, COMPARE_GE,
  COMPARE_EQU, COMPARE_NEU, COMPARE_LTU, COMPARE_LEU, COMPARE_GTU, COMPARE_GEU,  // or unordered
  COMPARE_NUM, COMPARE_NAN
} Compare;
typedef enum Operation {
  OPERATION_NONE, OPERATION_AND, OPERATION_OR, OPERATION_XOR, OPERATION_POPC, OPERATION_ADD,
  OPERATION_MIN, OPERATION_MAX, OPERATION_INC, OPERATION_DEC, OPERATION_CAS, OPERATION_EXCH
} Operation;
typedef enum CacheOperator {
  CACHE_DEFAULT, CACHE_ALL, CACHE_GLOBAL, CACHE_STREAMING, CACHE_LAST_USE, CACHE_VOLATILE,
  CACHE_WRITE_BACK, CACHE_WRITE_THROUGH, CACHE_NON_COHERENT
} CacheOperator;

// Out-of-bounds access to a surface.
typedef enum Boundary { BOUNDARY_TRAP, BOUNDARY_CLAMP, BOUNDARY_ZERO } Boundary;

// Scope of a strong access, an atomic or a fence.
typedef enum Scope { SCOPE_NONE, SCOPE_CTA, SCOPE_CLUSTER, SCOPE_GPU, SCOPE_SYSTEM } Scope;

// Memory order of a load, a store or an atomic, a bit each; none: weak.
enum { ORDER_IS_STRONG = 1, ORDER_ACQUIRES = 2, ORDER_RELEASES = 4 };

// Words that belong to single opcodes.
#define MODE_LIST(X)                                                                              \
  X(NONE, "")                                                                                     \
  X(UP, "up")                                                                                     \
  X(DOWN, "down")                                                                                 \
  X(BFLY, "bfly")                                                                                 \
  X(IDX, "idx")                                                         /* shfl, brx */           \
      X(ALL, "all") X(ANY, "any") X(UNIFORM, "uni") X(BALLOT, "ballot") /* vote, match */         \
      X(LEFT, "l") X(RIGHT, "r")                                        /* shf */                 \
      X(F4E, "f4e") X(B4E, "b4e") X(RC8, "rc8") X(ECL, "ecl") X(ECR, "ecr")                       \
          X(RC16, "rc16")     /* prmt */                                                          \
      X(SHIFTAMT, "shiftamt") /* bfind */                                                         \
      X(FINITE, "finite") X(INFINITE, "infinite") X(NUMBER, "number") X(NOTANUMBER, "notanumber") \
          X(NORMAL, "normal") X(SUBNORMAL, "subnormal")                 /* testp */               \
      X(TO, "to")                                                       /* cvta */                \
      X(SYNC, "sync") X(ARRIVE, "arrive") X(RED, "red") X(WARP, "warp") /* bar */                 \
      X(TEX_1D, "1d") X(TEX_2D, "2d") X(TEX_3D, "3d") X(TEX_A1D, "a1d") X(TEX_A2D, "a2d")         \
          X(TEX_CUBE, "cube") X(TEX_ACUBE, "acube") X(TEX_WIDTH, "width") X(TEX_HEIGHT, "height") \
              X(TEX_DEPTH, "depth") /* tex, suld, txq */                                          \
      X(ASYNC, "async") X(COMMIT, "commit_group") X(WAIT, "wait_group")                           \
          X(WAIT_ALL, "wait_all")                              /* cp */                           \
      X(PACK, "pack")                                          /* cvt */                          \
      X(PROXY, "proxy")                                        /* fence, membar */                \
      X(GRID_WAIT, "wait") X(GRID_LAUNCH, "launch_dependents") /* griddepcontrol */               \
      X(INCREASE, "inc") X(DECREASE, "dec")                    /* setmaxnreg */                   \
      X(MASK, "mask")                                          /* pmevent */                      \
      X(LOAD, "load") X(STORE, "store") X(MMA, "mma")          /* wmma */                         \
      X(MMA_ASYNC, "mma_async") X(GROUP_FENCE, "fence")        /* wgmma */                        \
      X(BULK_TENSOR, "tensor")                                 /* cp */                           \
      X(SPARSE, "sp")                                          /* mma */                          \
      X(INIT, "init") X(INVALIDATE, "inval") X(EXPECT_TX, "expect_tx")                            \
          X(COMPLETE_TX, "complete_tx") X(ARRIVE_DROP, "arrive_drop") X(TEST_WAIT, "test_wait")   \
              X(TRY_WAIT, "try_wait") X(PENDING_COUNT, "pending_count")       /* mbarrier */      \
      X(COPY_ARRIVE, "mbarrier") X(BULK, "bulk") X(BULK_PREFETCH, "prefetch") /* cp */            \
      X(MAP_REPLACE, "replace") X(MAP_COPY, "cp_fenceproxy")                  /* tensormap */

typedef enum Mode {
#define X(name, text) MODE_##name,
  MODE_LIST(X)
#undef X
} Mode;

// Which field tensormap.replace changes.
typedef enum MapField {
  FIELD_ADDRESS,
  FIELD_RANK,
  FIELD_BOX,
  FIELD_SIZE,
  FIELD_STRIDE,
  FIELD_ELEMENT_STRIDE,
  FIELD_ELEMENT,
  FIELD_INTERLEAVE,
  FIELD_SWIZZLE,
  FIELD_FILL
} MapField;

// Words that go with a mode, a bit each.
typedef enum FormOption {
  OPTION_EXPECT_TX = 1,     // mbarrier.arrive.expect_tx
  OPTION_NO_COMPLETE = 2,   // mbarrier.arrive.noComplete
  OPTION_PARITY = 4,        // mbarrier.test_wait.parity
  OPTION_NO_INCREMENT = 8,  // cp.async.mbarrier.arrive.noinc
  OPTION_CLUSTER = 16,      // barrier.cluster
  OPTION_PLUS_ONE = 32,     // vmad.po
  OPTION_SHIFT_7 = 64,      // vmad.shr7
  OPTION_SHIFT_15 = 128,    // vmad.shr15
  OPTION_MULTICAST = 512,   // cp.async.bulk.tensor...multicast::cluster
  OPTION_BULK = 256,        // cp.async.bulk.commit_group, .wait_group
  OPTION_SPARSE = 1024,     // wgmma.mma_async.sp
  OPTION_REDUCE = 4096,     // cp.reduce.async.bulk
  OPTION_PREFETCH = 8192,   // cp.async.bulk.prefetch.tensor
  OPTION_A_SHARED = 2048,   // wgmma.mma_async with A in shared memory, by its operands
} FormOption;

// Shapes of matrices: enumerator, word, M, N, K.
#define SHAPE_LIST(X)                                                                    \
  X(NONE, "", 0, 0, 0) X(M8N8, "m8n8", 8, 8, 0)                                          \
  X(M8N8K4, "m8n8k4", 8, 8, 4) X(M8N8K16, "m8n8k16", 8, 8, 16)                           \
  X(M8N8K32, "m8n8k32", 8, 8, 32) X(M8N8K128, "m8n8k128", 8, 8, 128)                     \
  X(M16N8K4, "m16n8k4", 16, 8, 4) X(M16N8K8, "m16n8k8", 16, 8, 8)                        \
  X(M16N8K16, "m16n8k16", 16, 8, 16) X(M16N8K32, "m16n8k32", 16, 8, 32)                  \
  X(M16N8K64, "m16n8k64", 16, 8, 64) X(M16N8K128, "m16n8k128", 16, 8, 128)               \
  X(M16N8K256, "m16n8k256", 16, 8, 256) X(M16N16K8, "m16n16k8", 16, 16, 8)               \
  X(M16N16K16, "m16n16k16", 16, 16, 16) X(M32N8K16, "m32n8k16", 32, 8, 16)               \
  X(M8N32K16, "m8n32k16", 8, 32, 16)

typedef enum MatrixShape {
#define X(name, text, m, n, k) SHAPE_##name,
  SHAPE_LIST(X)
#undef X
} MatrixShape;

typedef enum Opcode {
#define OPCODE(name, text, family, class, destinations, sources, modifiers) OP_##name,
#include "isa/opcodes.def"
#undef OPCODE
  OPCODE_COUNT
} Opcode;

typedef struct OpcodeInfo {
  const char *name;
  Family family;
  LatencyClass latency_class;
  const char *destinations, *sources;
  uint32_t modifiers;
} OpcodeInfo;

extern const OpcodeInfo opcode_info[OPCODE_COUNT];

// The opcode of that name (length characters of it), or OPCODE_COUNT.
Opcode opcode_find(const char *name, size_t length);

typedef struct Form {
  uint8_t op;          // Opcode
  uint8_t type;        // DataType: the first type suffix (the destination's, for cvt and set)
  uint8_t type2;       // the second (the source's, for cvt, set and tex), or TYPE_NONE
  uint8_t type3;       // dp4a has none; cvt.pack has; of mma, the types of D, A, B and C ...
  uint8_t type4;       // ... in this order
  uint8_t rounding;    // Rounding
  uint8_t width;       // Width
  uint8_t compare;     // Compare
  uint8_t operation;   // Operation
  uint8_t mode;        // Mode
  uint8_t space;       // Space
  uint8_t space2;      // of cp: where it reads
  uint16_t option;     // FormOption bits
  uint8_t cache;       // CacheOperator
  uint8_t vector;      // elements: 1, 2 or 4
  uint8_t scope;       // Scope
  uint8_t order;       // ORDER_IS_STRONG and the others
  uint8_t shape;       // MatrixShape
  uint8_t part;        // MatrixPart (matrix.h), of wmma.load and wmma.store; of suld and sust,
                       // Boundary; of tld4, the channel; of tensormap.replace, MapField
  uint8_t layouts;     // how many of .row and .col there are
  bool column, column2;  // ... of which the first or second is .col; of ldmatrix, .trans
  uint16_t group_n, group_k;  // of wgmma: the shape m64nNkK
  bool satfinite;
  bool integer_round;  // .rni, .rzi, .rmi, .rpi: to an integral value
  // volatile_ also for relaxed, acquire, release and mmio loads and stores of
  // more than CTA scope: like volatile ones, they go past the L1.
  bool ftz, sat, carry_out, approx, full, nan, xorsign, relu, wrap, volatile_, uni;
} Form;

// Latency class of a form: wmma also has loads and stores.
static inline LatencyClass form_class(const Form *form) {
  bool is_access = form->op == OP_WMMA && form->mode != MODE_MMA;
  if (form->op == OP_WGMMA && form->mode != MODE_MMA_ASYNC) return CLASS_SIMPLE;
  return is_access ? CLASS_MEMORY : opcode_info[form->op].latency_class;
}

#endif
