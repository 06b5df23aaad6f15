// SPDX-License-Identifier: MIT
// mma in every shape and type against products written out from the manual's
// formulas for the elements of a lane; ldmatrix, stmatrix and movmatrix.
#include <stdlib.h>

#include "unit/exec_support.h"

enum { REGISTERS = 40, LANES = WARP_LANES };

typedef struct MatrixRig {
  Rig rig;
  _Alignas(64) uint8_t registers[REGISTERS][256];
  Place places[REGISTERS];
  PlaceList list;
} MatrixRig;

static void matrix_rig_init(MatrixRig *m, Form form, uint32_t dst_count, uint32_t src_count) {
  memset(m, 0, sizeof *m);
  rig_init(&m->rig);
  m->rig.warp.base[0] = m->registers[0];
  for (int i = 0; i < REGISTERS; i++) m->places[i] = i * 256;
  m->list = (PlaceList){dst_count, src_count, m->places, m->places + dst_count};
  m->rig.in.form = form;
  m->rig.in.list = &m->list;
}

static void put(MatrixRig *m, uint32_t reg, uint32_t lane, int bits, uint64_t value) {
  memcpy(m->registers[reg] + lane * (bits == 64 ? 8 : 4), &value, bits == 64 ? 8 : 4);
}

static uint64_t get(const MatrixRig *m, uint32_t reg, uint32_t lane, int bits) {
  uint64_t value = 0;
  memcpy(&value, m->registers[reg] + lane * (bits == 64 ? 8 : 4), bits == 64 ? 8 : 4);
  return value;
}

// What one of the manual's tables says: of element i of a lane.
typedef struct At {
  int row, column;
} At;

static At a_at(int m, int lane, int i, int per_register) {
  int group = lane >> 2, thread = lane % 4, r = i / per_register, part = i % per_register;
  int row = m == 16 && r % 2 ? group + 8 : group;
  int column = thread * per_register + part + (m == 16 ? r / 2 : r) * 4 * per_register;
  return (At){row, column};
}

static At b_at(int lane, int i, int per_register) {
  int r = i / per_register;
  return (At){lane % 4 * per_register + i % per_register + r * 4 * per_register, lane >> 2};
}

static At c_at(int lane, int i) {
  return (At){(lane >> 2) + (i >= 2 ? 8 : 0), lane % 4 * 2 + (i & 1)};
}

static int bits_of(DataType type) {
  return type == TYPE_B1 ? 1 : type_bits(type);
}

static double value_of(DataType type, uint64_t bits) {
  static const int e4m3_bias = 7;
  switch (type) {
    case TYPE_F16:
    case TYPE_BF16: return half_value(bits, type);
    case TYPE_TF32: return (double)f32_of(bits & ~UINT64_C(0x1fff));
    case TYPE_F32: return (double)f32_of(bits);
    case TYPE_F64: return f64_of(bits);
    case TYPE_E5M2: return half_value(bits << 8, TYPE_F16);
    case TYPE_E4M3: {
      int exponent = (int)(bits >> 3 & 15), fraction = (int)(bits & 7);
      double size = exponent ? ldexp(8 + fraction, exponent - e4m3_bias - 3) : ldexp(fraction, -9);
      return bits & 0x80 ? -size : size;
    }
    case TYPE_S8:
    case TYPE_S4:
    case TYPE_S32: return (double)signed_of(bits, bits_of(type));
    default: return (double)bits;
  }
}

// Numbers whose products and sums need no rounding in any format.
static uint64_t draw(Rig *rig, DataType type) {
  int small = (int)(rig_random(rig) >> 40) % 9 - 4;
  switch (type) {
    case TYPE_F16:
      return (uint64_t[]){
          0xc400, 0xc200, 0xc000, 0xbc00, 0, 0x3c00, 0x4000, 0x4200, 0x4400}[small + 4];
    case TYPE_BF16: return bits_of_f32((float)small / 2) >> 16;
    case TYPE_TF32: return bits_of_f32((float)small / 2) | (rig_random(rig) & 0x1fff);
    case TYPE_F32: return bits_of_f32((float)small * 3);
    case TYPE_F64: return bits_of_f64(small * 5);
    case TYPE_E5M2:
      return (uint64_t[]){0xc4, 0xc2, 0xc0, 0xbc, 0, 0x3c, 0x40, 0x42, 0x44}[small + 4];
    case TYPE_E4M3:
      return (uint64_t[]){0xc8, 0xc4, 0xc0, 0xb8, 1, 0x38, 0x40, 0x44, 0x48}[small + 4];
    case TYPE_S32: return (uint32_t)(rig_random(rig) % 2000000 - 1000000);
    default: return rig_random(rig) & ((UINT64_C(1) << bits_of(type)) - 1);
  }
}

typedef struct Case {
  MatrixShape shape;
  int m, n, k;
  DataType d, a, b, c;
  Operation operation;
} Case;

static double a_value[16][256], b_value[256][8], c_value[16][8];

// Fills the registers from `first` on; returns how many there are.
static uint32_t fill(MatrixRig *m, uint32_t first, int elements, DataType type, char part,
                     int rows) {
  int bits = bits_of(type), per = bits < 32 ? 32 / bits : 1;
  uint32_t count = (uint32_t)(elements / per);
  for (int lane = 0; lane < LANES; lane++)
    for (int r = 0; r < (int)count; r++) {
      uint64_t packed = 0;
      for (int e = 0; e < per; e++) {
        uint64_t drawn = draw(&m->rig, type);
        int i = r * per + e;
        packed |= drawn << (bits < 32 ? bits * e : 0);
        At at = part == 'a'   ? a_at(rows, lane, i, per)
                : part == 'b' ? b_at(lane, i, per)
                              : c_at(lane, i);
        *(part == 'a'   ? &a_value[at.row][at.column]
          : part == 'b' ? &b_value[at.row][at.column]
                        : &c_value[at.row][at.column]) = value_of(type, drawn);
      }
      put(m, first + (uint32_t)r, (uint32_t)lane, bits, packed);
    }
  return count;
}

static double wanted_at(const Case *x, int row, int column) {
  double sum = c_value[row][column];
  for (int s = 0; s < x->k; s++) {
    double a = a_value[row][s], b = b_value[s][column];
    sum += x->operation == OPERATION_XOR ? (a != b) : a * b;
  }
  return sum;
}

static void try_case(const Case *x, int round) {
  MatrixRig m;
  Form form = {.op = OP_MMA,
               .type = (uint8_t)x->d,
               .type2 = (uint8_t)x->a,
               .type3 = (uint8_t)x->b,
               .type4 = (uint8_t)x->c,
               .shape = (uint8_t)x->shape,
               .operation = (uint8_t)x->operation,
               .layouts = 2,
               .column2 = true,
               .vector = 1};
  int sums = x->m * x->n / LANES, d_bits = bits_of(x->d), d_per = d_bits < 32 ? 2 : 1;
  uint32_t d_count = (uint32_t)(sums / d_per);
  matrix_rig_init(&m, form, d_count, 0);
  m.rig.random += (uint64_t)round * 77;
  uint32_t next = d_count;
  next += fill(&m, next, x->m * x->k / LANES, x->a, 'a', x->m);
  next += fill(&m, next, x->n * x->k / LANES, x->b, 'b', x->m);
  next += fill(&m, next, sums, x->c, 'c', x->m);
  m.list.src_count = next - d_count;
  ExecFn exec = exec_find(&form);
  assert_non_null(exec);
  exec(&m.rig.context, &m.rig.warp, &m.rig.in, FULL_MASK);
  assert_int_equal(m.rig.context.fault.kind, FAULT_NONE);
  for (int lane = 0; lane < LANES; lane++)
    for (int i = 0; i < sums; i++) {
      At at = c_at(lane, i);
      uint64_t got = get(&m, (uint32_t)(i / d_per), (uint32_t)lane, d_bits);
      if (d_per == 2) got = got >> 16 * (i % 2) & 0xffff;
      double wanted = wanted_at(x, at.row, at.column);
      if (value_of(x->d, got) != wanted)
        fail_msg("shape %dx%dx%d type %s: row %d column %d: wanted %g got %g", x->m, x->n, x->k,
                 type_name(x->a), at.row, at.column, wanted, value_of(x->d, got));
    }
}

#define SHAPE(m, n, k) SHAPE_M##m##N##n##K##k, m, n, k

static void products_are_those_of_the_manual(void **state) {
  (void)state;
  static const Case cases[] = {
      {SHAPE(16, 8, 8), TYPE_F32, TYPE_F16, TYPE_F16, TYPE_F32, 0},
      {SHAPE(16, 8, 16), TYPE_F32, TYPE_F16, TYPE_F16, TYPE_F32, 0},
      {SHAPE(16, 8, 16), TYPE_F16, TYPE_F16, TYPE_F16, TYPE_F16, 0},
      {SHAPE(16, 8, 16), TYPE_F32, TYPE_F16, TYPE_F16, TYPE_F16, 0},
      {SHAPE(16, 8, 8), TYPE_F32, TYPE_BF16, TYPE_BF16, TYPE_F32, 0},
      {SHAPE(16, 8, 16), TYPE_F32, TYPE_BF16, TYPE_BF16, TYPE_F32, 0},
      {SHAPE(16, 8, 4), TYPE_F32, TYPE_TF32, TYPE_TF32, TYPE_F32, 0},
      {SHAPE(16, 8, 8), TYPE_F32, TYPE_TF32, TYPE_TF32, TYPE_F32, 0},
      {SHAPE(8, 8, 4), TYPE_F64, TYPE_F64, TYPE_F64, TYPE_F64, 0},
      {SHAPE(16, 8, 4), TYPE_F64, TYPE_F64, TYPE_F64, TYPE_F64, 0},
      {SHAPE(16, 8, 8), TYPE_F64, TYPE_F64, TYPE_F64, TYPE_F64, 0},
      {SHAPE(16, 8, 16), TYPE_F64, TYPE_F64, TYPE_F64, TYPE_F64, 0},
      {SHAPE(8, 8, 16), TYPE_S32, TYPE_S8, TYPE_S8, TYPE_S32, 0},
      {SHAPE(16, 8, 16), TYPE_S32, TYPE_U8, TYPE_S8, TYPE_S32, 0},
      {SHAPE(16, 8, 32), TYPE_S32, TYPE_S8, TYPE_U8, TYPE_S32, 0},
      {SHAPE(8, 8, 32), TYPE_S32, TYPE_S4, TYPE_U4, TYPE_S32, 0},
      {SHAPE(16, 8, 32), TYPE_S32, TYPE_U4, TYPE_U4, TYPE_S32, 0},
      {SHAPE(16, 8, 64), TYPE_S32, TYPE_S4, TYPE_S4, TYPE_S32, 0},
      {SHAPE(8, 8, 128), TYPE_S32, TYPE_B1, TYPE_B1, TYPE_S32, OPERATION_XOR},
      {SHAPE(16, 8, 128), TYPE_S32, TYPE_B1, TYPE_B1, TYPE_S32, OPERATION_AND},
      {SHAPE(16, 8, 256), TYPE_S32, TYPE_B1, TYPE_B1, TYPE_S32, OPERATION_XOR},
      {SHAPE(16, 8, 16), TYPE_F32, TYPE_E4M3, TYPE_E5M2, TYPE_F32, 0},
      {SHAPE(16, 8, 32), TYPE_F32, TYPE_E5M2, TYPE_E4M3, TYPE_F32, 0},
  };
  for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++)
    for (int round = 0; round < 50; round++) try_case(&cases[i], round);
}

// mma of these types, A by row and B by column.
static Form mma_form(MatrixShape shape, DataType sum, DataType factor) {
  return (Form){.op = OP_MMA,
                .type = (uint8_t)sum,
                .type2 = (uint8_t)factor,
                .type3 = (uint8_t)factor,
                .type4 = (uint8_t)sum,
                .shape = (uint8_t)shape,
                .layouts = 2,
                .column2 = true,
                .vector = 1};
}

// ---- mma.sp

typedef struct SparseCase {
  MatrixShape shape;
  int k;
  DataType a, d;
  int chunk, unit;  // elements of which half are left out, in runs of `unit`
  int selectors;
} SparseCase;

// The manual's figures: the lane and the first bit of the index of run j (of those that are kept)
// of a row. With 16-bit elements and wider, 16 bits of a register belong to row g and 16 to row
// g + 8; else a register belongs to one row.
static void index_place(const SparseCase *x, int selector, int row, int j, int *lane, int *bit) {
  int bits = x->a == TYPE_TF32 ? 4 : 2, at = j * bits, g = row % 8;
  if (type_bits(x->a) >= 16) {
    *lane = 4 * g + (x->selectors == 4 ? selector : 2 * selector + at / 16);
    *bit = at % 16 + (row >= 8 ? 16 : 0);
  } else {
    *lane = 4 * g + (x->selectors == 2 ? 2 * selector : 2 * (at / 32)) + (row >= 8);
    *bit = at % 32;
  }
}

static void put_index(MatrixRig *m, uint32_t reg, int lane, int bit, uint32_t code) {
  uint64_t word = get(m, reg, (uint32_t)lane, 32);
  put(m, reg, (uint32_t)lane, 32, word | (uint64_t)code << bit);
}

// Fills the register of indices, and a_value with the dense A that the compressed one stands for.
static void draw_indices(MatrixRig *m, const SparseCase *x, int selector, uint32_t reg) {
  static double compressed[16][256];
  memcpy(compressed, a_value, sizeof compressed);
  memset(a_value, 0, sizeof a_value);
  int runs = x->chunk / x->unit, kept = runs / 2;
  for (int row = 0; row < 16; row++)
    for (int c = 0; c < x->k / x->chunk; c++) {
      int first = (int)(rig_random(&m->rig) >> 33) % (runs - kept + 1), second = first + 1;
      if (kept == 2 && second < runs - 1)
        second += (int)(rig_random(&m->rig) >> 33) % (runs - second);
      for (int j = 0; j < kept; j++) {
        int run = j ? second : first, lane, bit;
        index_place(x, selector, row, c * kept + j, &lane, &bit);
        put_index(m, reg, lane, bit, x->a == TYPE_TF32 ? (run ? 14u : 4u) : (uint32_t)run);
        for (int e = 0; e < x->unit; e++)
          a_value[row][c * x->chunk + run * x->unit + e] =
              compressed[row][(c * kept + j) * x->unit + e];
      }
    }
}

static void try_sparse(const SparseCase *x, int selector, int round) {
  MatrixRig m;
  Form form = {.op = OP_MMA,
               .mode = MODE_SPARSE,
               .type = (uint8_t)x->d,
               .type2 = (uint8_t)x->a,
               .type3 = (uint8_t)x->a,
               .type4 = (uint8_t)x->d,
               .shape = (uint8_t)x->shape,
               .layouts = 2,
               .column2 = true,
               .vector = 1};
  Case dense = {x->shape, 16, 8, x->k, x->d, x->a, x->a, x->d, 0};
  matrix_rig_init(&m, form, 4, 0);
  m.rig.random += (uint64_t)round * 91;
  uint32_t next = 4;
  next += fill(&m, next, 16 * x->k / 2 / LANES, x->a, 'a', 16);
  next += fill(&m, next, 8 * x->k / LANES, x->a, 'b', 16);
  next += fill(&m, next, 4, x->d, 'c', 16);
  draw_indices(&m, x, selector, next);
  m.list.src_count = next + 1 - 4;
  m.rig.in.offset = selector;
  ExecFn exec = exec_find(&form);
  assert_non_null(exec);
  exec(&m.rig.context, &m.rig.warp, &m.rig.in, FULL_MASK);
  for (int lane = 0; lane < LANES; lane++)
    for (int i = 0; i < 4; i++) {
      At at = c_at(lane, i);
      double wanted = wanted_at(&dense, at.row, at.column);
      double got = value_of(x->d, get(&m, (uint32_t)i, (uint32_t)lane, 32));
      if (x->d == TYPE_F32) wanted = (double)(float)wanted;  // sums of 64 products of e4m3
      if (got != wanted)
        fail_msg("sparse k%d %s selector %d: row %d column %d: wanted %g got %g", x->k,
                 type_name(x->a), selector, at.row, at.column, wanted, got);
    }
}

static void sparse_products_select_rows_of_b(void **state) {
  (void)state;
  static const SparseCase cases[] = {
      {SHAPE_M16N8K16, 16, TYPE_F16, TYPE_F32, 4, 1, 4},
      {SHAPE_M16N8K32, 32, TYPE_F16, TYPE_F32, 4, 1, 2},
      {SHAPE_M16N8K16, 16, TYPE_BF16, TYPE_F32, 4, 1, 4},
      {SHAPE_M16N8K32, 32, TYPE_BF16, TYPE_F32, 4, 1, 2},
      {SHAPE_M16N8K8, 8, TYPE_TF32, TYPE_F32, 2, 1, 4},
      {SHAPE_M16N8K16, 16, TYPE_TF32, TYPE_F32, 2, 1, 2},
      {SHAPE_M16N8K32, 32, TYPE_S8, TYPE_S32, 4, 1, 2},
      {SHAPE_M16N8K64, 64, TYPE_U8, TYPE_S32, 4, 1, 1},
      {SHAPE_M16N8K64, 64, TYPE_S4, TYPE_S32, 8, 2, 2},
      {SHAPE_M16N8K128, 128, TYPE_U4, TYPE_S32, 8, 2, 1},
      {SHAPE_M16N8K64, 64, TYPE_E4M3, TYPE_F32, 4, 1, 1},
  };
  for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++)
    for (int selector = 0; selector < cases[i].selectors; selector++)
      for (int round = 0; round < 20; round++) try_sparse(&cases[i], selector, round);
}

// Where lane holds element i of the sums of mma.m8n8k4.
typedef struct QuadPlace {
  uint32_t quad, row, column;
} QuadPlace;

static QuadPlace sum_place(uint32_t lane, uint32_t i, bool is_half) {
  uint32_t up = lane < 16 ? 0 : 4;
  return (QuadPlace){.quad = lane % 16 / 4,
                     .row = is_half ? lane % 4 + up : (lane & 1) + (i & 2) + up,
                     .column = is_half ? i : (i & 4) + (lane & 2) + (i & 1)};
}

// mma.m8n8k4 on f16: the manual's formulas, with X and Y for the two quads.
static void four_quads_multiply_apart(void **state) {
  (void)state;
  for (int layouts = 0; layouts < 8; layouts++) {
    bool a_column = layouts & 1, b_column = layouts & 2, is_half = layouts & 4;
    DataType sum_type = is_half ? TYPE_F16 : TYPE_F32;
    MatrixRig m;
    Form form = mma_form(SHAPE_M8N8K4, sum_type, TYPE_F16);
    form.column = a_column;
    form.column2 = b_column;
    uint32_t sums = is_half ? 4 : 8;
    matrix_rig_init(&m, form, sums, 4 + sums);
    double a[4][8][4], b[4][4][8], c[4][8][8];
    for (uint32_t lane = 0; lane < LANES; lane++) {
      uint32_t quad = lane % 16 / 4, up = lane < 16 ? 0 : 4, t = lane % 4;
      uint64_t packed[4] = {0};
      for (uint32_t i = 0; i < 4; i++) {
        uint64_t x = draw(&m.rig, TYPE_F16), y = draw(&m.rig, TYPE_F16);
        packed[i / 2] |= x << 16 * (i % 2);
        packed[2 + i / 2] |= y << 16 * (i % 2);
        *(a_column ? &a[quad][i + up][t] : &a[quad][t + up][i]) = half_value(x, TYPE_F16);
        *(b_column ? &b[quad][i][t + up] : &b[quad][t][i + up]) = half_value(y, TYPE_F16);
      }
      for (uint32_t r = 0; r < 4; r++) put(&m, sums + r, lane, 32, packed[r]);
      for (uint32_t i = 0; i < 8; i++) {
        uint64_t z = draw(&m.rig, sum_type);
        QuadPlace at = sum_place(lane, i, is_half);
        c[at.quad][at.row][at.column] = value_of(sum_type, z);
        uint32_t reg = sums + 4 + (is_half ? i / 2 : i);
        put(&m, reg, lane, 32, is_half && i % 2 ? get(&m, reg, lane, 32) | z << 16 : z);
      }
    }
    exec_find (&form)(&m.rig.context, &m.rig.warp, &m.rig.in, FULL_MASK);
    for (uint32_t lane = 0; lane < LANES; lane++)
      for (uint32_t i = 0; i < 8; i++) {
        QuadPlace at = sum_place(lane, i, is_half);
        double wanted = c[at.quad][at.row][at.column];
        for (int k = 0; k < 4; k++) wanted += a[at.quad][at.row][k] * b[at.quad][k][at.column];
        uint64_t got = get(&m, is_half ? i / 2 : i, lane, 32);
        if (is_half) got = got >> 16 * (i % 2) & 0xffff;
        assert_true(value_of(sum_type, got) == wanted);
      }
  }
}

// One product, one sum: what is added in the end is rounded once.
static void sums_are_rounded_once(void **state) {
  (void)state;
  MatrixRig m;
  Form form = mma_form(SHAPE_M16N8K8, TYPE_F32, TYPE_F16);
  matrix_rig_init(&m, form, 4, 2 + 1 + 4);
  // Row 0 of A: 2^-12, 2^-12, ...; column 0 of B: 2^-12, 0 ...; C = 1: 1 + 2^-24 + 2^-24.
  for (uint32_t lane = 0; lane < 4; lane++) {
    put(&m, 4, lane, 32, 0x0c000c00);
    put(&m, 6, lane, 32, lane == 0 ? 0x0c000c00 : 0);
  }
  put(&m, 7, 0, 32, 0x3f800000);
  exec_find (&form)(&m.rig.context, &m.rig.warp, &m.rig.in, FULL_MASK);
  assert_int_equal(get(&m, 0, 0, 32), 0x3f800001);
}

static void integers_wrap_or_clamp(void **state) {
  (void)state;
  for (int saturates = 0; saturates < 2; saturates++) {
    MatrixRig m;
    Form form = mma_form(SHAPE_M8N8K16, TYPE_S32, TYPE_U8);
    form.satfinite = saturates;
    matrix_rig_init(&m, form, 2, 1 + 1 + 2);
    for (uint32_t lane = 0; lane < LANES; lane++) {
      put(&m, 2, lane, 32, 0x01010101);
      put(&m, 3, lane, 32, 0x01010101);
      put(&m, 4, lane, 32, 0x7ffffff8);
    }
    exec_find (&form)(&m.rig.context, &m.rig.warp, &m.rig.in, FULL_MASK);
    assert_int_equal(get(&m, 0, 5, 32), saturates ? 0x7fffffff : 0x80000008);
    assert_int_equal(get(&m, 1, 5, 32), 16);
  }
}

static void matrices_are_transposed_in_registers_and_memory(void **state) {
  (void)state;
  MatrixRig m;
  _Alignas(16) uint16_t shared[4][8][8], copy[4][8][8];
  for (int i = 0; i < 256; i++) shared[i / 64][i / 8 % 8][i % 8] = (uint16_t)(i * 257 + 3);
  Form load = {
      .op = OP_LDMATRIX, .type = TYPE_B16, .shape = SHAPE_M8N8, .space = SPACE_SHARED, .vector = 4};
  for (int transposed = 0; transposed < 2; transposed++) {
    load.column = transposed;
    matrix_rig_init(&m, load, 4, 0);
    m.rig.cta.shared = (uint8_t *)shared;
    m.rig.cta.shared_bytes = sizeof shared;
    m.rig.in.src[0] = 10 * 256;
    m.rig.in.address_bytes = 4;
    for (uint32_t lane = 0; lane < LANES; lane++) put(&m, 10, lane, 32, lane * 16);
    exec_find (&load)(&m.rig.context, &m.rig.warp, &m.rig.in, FULL_MASK);
    assert_int_equal(m.rig.context.access.bytes, 16);
    for (uint32_t lane = 0; lane < LANES; lane++)
      for (uint32_t j = 0; j < 4; j++) {
        uint32_t r = lane / 4, c = lane % 4 * 2;
        uint16_t low = transposed ? shared[j][c][r] : shared[j][r][c];
        uint16_t high = transposed ? shared[j][c + 1][r] : shared[j][r][c + 1];
        assert_int_equal(get(&m, j, lane, 32), low | (uint32_t)high << 16);
      }
    // What stmatrix writes is what ldmatrix read.
    memset(copy, 0, sizeof copy);
    m.rig.cta.shared = (uint8_t *)copy;
    m.rig.in.form.op = OP_STMATRIX;
    m.list = (PlaceList){0, 4, NULL, m.places};
    exec_find (&m.rig.in.form)(&m.rig.context, &m.rig.warp, &m.rig.in, FULL_MASK);
    assert_memory_equal(copy, shared, sizeof copy);
  }
  Form move = {
      .op = OP_MOVMATRIX, .type = TYPE_B16, .shape = SHAPE_M8N8, .column = true, .vector = 1};
  matrix_rig_init(&m, move, 0, 0);
  m.rig.in.src[0] = m.rig.in.dst[0] = 0;
  for (uint32_t lane = 0; lane < LANES; lane++)
    put(&m, 0, lane, 32,
        shared[0][lane / 4][lane % 4 * 2] | (uint32_t)shared[0][lane / 4][lane % 4 * 2 + 1] << 16);
  exec_find (&move)(&m.rig.context, &m.rig.warp, &m.rig.in, FULL_MASK);
  for (uint32_t lane = 0; lane < LANES; lane++)
    assert_int_equal(
        get(&m, 0, lane, 32),
        shared[0][lane % 4 * 2][lane / 4] | (uint32_t)shared[0][lane % 4 * 2 + 1][lane / 4] << 16);
}

// ---- wgmma

typedef struct GroupCase {
  DataType a, d;
  int n, k, swizzle;  // bytes of a swizzled row: 16 (none), 32, 64, 128
  bool a_transposed, b_transposed, a_in_registers, is_sparse;
} GroupCase;

enum { GROUP_A = 0, GROUP_B = 65536, GROUP_SHARED = 196608 };

static double group_a[64][64], group_b[256][64], group_c[64][256];

// As of an A with half the columns.
static GroupCase halved(const GroupCase *x) {
  GroupCase half = *x;
  if (x->is_sparse) half.k /= 2;
  return half;
}

// Where element (row, k) of a factor lies, `bytes` each, as the manual's figures have it: by k,
// rows of `swizzle` bytes, eight of them in a group; transposed, rows are contiguous.
static uint32_t element_at(const GroupCase *x, bool transposed, int row, int k, int bytes,
                           int rows) {
  int line = transposed ? k : row, along = (transposed ? row : k) * bytes, width = x->swizzle;
  if (width == 16) {
    // Core matrices of 8 x 16 bytes: by k side by side, then rows; transposed the other way round.
    int cores = transposed ? rows * bytes / 16 : x->k * bytes / 16;
    return (uint32_t)((line / 8 * cores + along / 16) * 128 + line % 8 * 16 + along % 16);
  }
  int lines = transposed ? x->k : rows, panel = along / width;
  uint32_t chunk = (uint32_t)(along % width / 16);
  uint32_t at =
      (uint32_t)(panel * lines * width + line * width) + chunk * 16 + (uint32_t)(along % 16);
  return at ^ ((at / 128 % 8 & (uint32_t)(width / 16 - 1)) << 4);
}

static uint64_t descriptor(const GroupCase *x, bool transposed, uint32_t address, int bytes,
                           int rows) {
  static const uint64_t modes[] = {[1] = 0, [2] = 3, [4] = 2, [8] = 1};
  uint32_t lines = (uint32_t)(transposed ? x->k : rows), width = (uint32_t)x->swizzle;
  uint32_t leading, stride;
  if (width == 16) {
    uint32_t cores = (uint32_t)(transposed ? rows : x->k) * (uint32_t)bytes / 16;
    // Side by side 128 bytes, below one another a row of core matrices.
    leading = transposed ? cores * 128 : 128;
    stride = transposed ? 128 : cores * 128;
  } else {
    leading = lines * width;
    stride = 8 * width;
  }
  return address / 16 | (uint64_t)(leading / 16) << 16 | (uint64_t)(stride / 16) << 32 |
         modes[x->swizzle / 16] << 62;
}

static uint64_t draw_into(MatrixRig *m, uint8_t *shared, uint32_t at, DataType type,
                          double *value) {
  uint64_t bits = draw(&m->rig, type);
  *value = value_of(type, bits);
  if (shared) memcpy(shared + at, &bits, (size_t)type_bytes(type));
  return bits;
}

enum { GROUP_INDICES = 213 };

// The manual's figures for wgmma are those for mma.sp, of the warp's 16 rows. Makes the dense rows
// of what was given.
static void draw_group_indices(MatrixRig *m, const GroupCase *x, int warp, int selector,
                               uint8_t *words) {
  bool is_tf32 = x->a == TYPE_TF32;
  SparseCase indices = {
      SHAPE_NONE, x->k, x->a, x->d, is_tf32 ? 2 : 4, 1, type_bits(x->a) >= 16 ? 2 : 1};
  int first = 16 * (warp % 4);
  for (int row = 0; row < 16; row++) memcpy(a_value[row], group_a[first + row], sizeof group_a[0]);
  static MatrixRig to;
  matrix_rig_init(&to, (Form){.op = OP_WGMMA, .vector = 1}, 0, 0);
  to.rig.random = m->rig.random;
  draw_indices(&to, &indices, selector, 0);
  for (int row = 0; row < 16; row++) memcpy(group_a[first + row], a_value[row], sizeof group_a[0]);
  for (uint32_t lane = 0; lane < LANES; lane++) {
    uint32_t word = (uint32_t)get(&to, 0, lane, 32);
    memcpy(words + lane * 4, &word, 4);
  }
}

static void try_group(const GroupCase *x, int warp) {
  static MatrixRig m;
  static _Alignas(1024) uint8_t shared[GROUP_SHARED];
  static uint8_t registers[300][256];
  static Place places[300];
  int bytes = type_bytes(x->a), d_per = type_bits(x->d) == 16 ? 2 : 1, sums = x->n / 2 / d_per;
  Form form = {.op = OP_WGMMA,
               .mode = MODE_MMA_ASYNC,
               .type = (uint8_t)x->d,
               .type2 = (uint8_t)x->a,
               .type3 = (uint8_t)x->a,
               .group_n = (uint16_t)x->n,
               .group_k = (uint16_t)x->k,
               .option = x->is_sparse ? OPTION_SPARSE : 0,
               .vector = 1};
  GroupCase of_a = halved(x);
  int selector = x->is_sparse && type_bits(x->a) >= 16 ? warp % 2 : 0;
  matrix_rig_init(&m, form, 0, 0);
  m.rig.random += (uint64_t)warp * 13 + (uint64_t)x->n;
  m.rig.warp.base[0] = registers[0];
  for (int i = 0; i < 300; i++) places[i] = i * 256;
  uint32_t first = x->a_in_registers ? 4 : 0;
  m.list = (PlaceList){(uint32_t)sums, first + (uint32_t)sums, places, places + (first ? 200 : 0)};
  Place sources[300];
  for (uint32_t i = 0; i < first; i++) sources[i] = (Place)(200 + i) * 256;
  for (uint32_t i = 0; i < (uint32_t)sums; i++) sources[first + i] = (Place)i * 256;
  m.list.src = sources;
  m.rig.cta.shared = shared;
  m.rig.cta.shared_bytes = sizeof shared;
  m.rig.warp.index = (uint32_t)warp;
  memset(registers, 0, sizeof registers);
  for (int i = 0; i < 64; i++)
    for (int k = 0; k < of_a.k; k++)
      draw_into(&m, shared, GROUP_A + element_at(&of_a, x->a_transposed, i, k, bytes, 64), x->a,
                &group_a[i][k]);
  for (int j = 0; j < x->n; j++)
    for (int k = 0; k < x->k; k++)
      draw_into(&m, shared, GROUP_B + element_at(x, x->b_transposed, j, k, bytes, x->n), x->a,
                &group_b[j][k]);
  int per = 32 / type_bits(x->a);
  for (int lane = 0; lane < LANES && first; lane++)
    for (int i = 0; i < 4 * per; i++) {
      At at = a_at(16, lane, i, per);
      uint32_t word;
      memcpy(&word, registers[200 + i / per] + lane * 4, 4);
      uint64_t bits = draw_into(&m, NULL, 0, x->a, &group_a[16 * (warp % 4) + at.row][at.column]);
      word |= (uint32_t)(bits << (i % per * type_bits(x->a)));
      memcpy(registers[200 + i / per] + lane * 4, &word, 4);
    }
  for (int lane = 0; lane < LANES; lane++)
    for (int i = 0; i < x->n / 2; i++) {
      int row = lane / 4 + i / 2 % 2 * 8, column = i / 4 * 8 + lane % 4 * 2 + i % 2;
      uint32_t word;
      memcpy(&word, registers[i / d_per] + lane * 4, 4);
      uint64_t bits = draw_into(&m, NULL, 0, x->d, &group_c[row][column]);
      word |= (uint32_t)(bits << (i % d_per * 16));
      memcpy(registers[i / d_per] + lane * 4, &word, 4);
    }
  if (x->is_sparse) draw_group_indices(&m, x, warp, selector, registers[GROUP_INDICES]);
  uint64_t a_word = descriptor(&of_a, x->a_transposed, GROUP_A, bytes, 64);
  uint64_t b_word = descriptor(x, x->b_transposed, GROUP_B, bytes, x->n);
  for (int lane = 0; lane < LANES; lane++) {
    memcpy(registers[210] + lane * 8, &a_word, 8);
    memcpy(registers[211] + lane * 8, &b_word, 8);
  }
  memset(registers[212], 0xff, 4);
  m.rig.in.src[0] = first ? NO_PLACE : 210 * 256;
  m.rig.in.src[1] = 211 * 256;
  m.rig.in.src[2] = 212 * 256;
  m.rig.in.src[3] = GROUP_INDICES * 256;
  m.rig.in.offset = (x->a_transposed ? 4 : 0) | (x->b_transposed ? 8 : 0) | 16 * selector;
  ExecFn exec = exec_find(&form);
  assert_non_null(exec);
  exec(&m.rig.context, &m.rig.warp, &m.rig.in, FULL_MASK);
  assert_int_equal(m.rig.context.fault.kind, FAULT_NONE);
  for (int lane = 0; lane < LANES; lane++)
    for (int i = 0; i < x->n / 2; i++) {
      int row = lane / 4 + i / 2 % 2 * 8, column = i / 4 * 8 + lane % 4 * 2 + i % 2;
      double wanted = group_c[row][column];
      for (int k = 0; k < x->k; k++)
        wanted += group_a[16 * (warp % 4) + row][k] * group_b[column][k];
      uint32_t word;
      memcpy(&word, registers[i / d_per] + lane * 4, 4);
      double got = value_of(x->d, d_per == 2 ? word >> 16 * (i % 2) & 0xffff : word);
      if (x->d == TYPE_F32) wanted = (double)(float)wanted;
      if (got != wanted)
        fail_msg(
            "wgmma %s n%d swizzle %d transposed %d %d registers %d sparse %d warp %d: row %d "
            "column %d: wanted %g got %g",
            type_name(x->a), x->n, x->swizzle, x->a_transposed, x->b_transposed, x->a_in_registers,
            x->is_sparse, warp, row, column, wanted, got);
    }
}

static void groups_multiply_what_descriptors_describe(void **state) {
  (void)state;
  static const GroupCase cases[] = {
      {TYPE_F16, TYPE_F32, 64, 16, 128, false, false, false, false},
      {TYPE_F16, TYPE_F32, 256, 16, 128, false, false, true, false},
      {TYPE_F16, TYPE_F32, 24, 16, 64, false, false, false, false},
      {TYPE_BF16, TYPE_F32, 40, 16, 32, false, false, false, false},
      {TYPE_F16, TYPE_F16, 32, 16, 16, false, false, false, false},
      {TYPE_F16, TYPE_F32, 128, 16, 128, true, true, false, false},
      {TYPE_BF16, TYPE_F32, 64, 16, 64, true, false, false, false},
      {TYPE_F16, TYPE_F32, 64, 16, 32, false, true, false, false},
      {TYPE_F16, TYPE_F32, 16, 16, 16, true, true, false, false},
      {TYPE_TF32, TYPE_F32, 8, 8, 32, false, false, false, false},
      {TYPE_S8, TYPE_S32, 96, 32, 128, false, false, false, false},
      {TYPE_U8, TYPE_S32, 16, 32, 32, false, false, true, false},
      {TYPE_E4M3, TYPE_F32, 16, 32, 64, false, false, false, false},
      {TYPE_F16, TYPE_F32, 64, 32, 128, false, false, false, true},
      {TYPE_F16, TYPE_F16, 256, 32, 32, false, true, true, true},
      {TYPE_BF16, TYPE_F32, 24, 32, 64, true, false, false, true},
      {TYPE_TF32, TYPE_F32, 40, 16, 32, false, false, false, true},
      {TYPE_S8, TYPE_S32, 96, 64, 128, false, false, true, true},
      {TYPE_U8, TYPE_S32, 16, 64, 16, false, false, false, true},
      {TYPE_E5M2, TYPE_F32, 8, 64, 64, false, false, false, true},
  };
  for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++)
    for (int warp = 0; warp < 4; warp++) try_group(&cases[i], warp);
}

static void a_part_of_a_warp_cannot_multiply(void **state) {
  (void)state;
  MatrixRig m;
  Form form = mma_form(SHAPE_M8N8K4, TYPE_F64, TYPE_F64);
  matrix_rig_init(&m, form, 2, 4);
  exec_find (&form)(&m.rig.context, &m.rig.warp, &m.rig.in, 0xffff);
  assert_int_equal(m.rig.context.fault.kind, FAULT_PARTIAL_WARP);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(products_are_those_of_the_manual),
      cmocka_unit_test(sparse_products_select_rows_of_b),
      cmocka_unit_test(four_quads_multiply_apart),
      cmocka_unit_test(sums_are_rounded_once),
      cmocka_unit_test(integers_wrap_or_clamp),
      cmocka_unit_test(matrices_are_transposed_in_registers_and_memory),
      cmocka_unit_test(groups_multiply_what_descriptors_describe),
      cmocka_unit_test(a_part_of_a_warp_cannot_multiply),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
