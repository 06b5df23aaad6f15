// SPDX-License-Identifier: MIT
// wgmma.mma_async: D = A * B (+ D) of four warps, 64 rows by N columns; each warp has 16 of the
// rows. Of a sparse A (.sp) half the elements are given, and a register with the rows of B that
// they are multiplied with, as for mma.sp.
//
// B, and A unless it is in registers, are in shared memory as descriptors say:
//
//   bits 0-13   address / 16            bits 32-45  stride offset / 16
//   bits 16-29  leading offset / 16     bits 62-63  swizzling: 0 none, 1 128, 2 64, 3 32 bytes
//
// The places of elements are those of the canonical layouts: 8 rows by 16 bytes each are a core
// matrix. The product is computed when the instruction executes: what it reads must not change
// before the group is over, so that this is one of the orders that hardware may choose.
//
//   src[0]  descriptor of A, or NO_PLACE: registers, the first four of the list's sources
//   src[1]  descriptor of B          src[2]  a predicate: whether D is added
//   src[3]  indices of a sparse A
//   offset  GroupFlag bits           list    D, and as sources A and D
#include "exec/matrix/elements.h"
#include "exec/matrix/exec_matrix.h"
#include "exec/matrix/group.h"
#include "exec/memory/tensor_map.h"
#include "exec/warp_group.h"

enum { ROWS = 16, MAX_COLUMNS = 256, MAX_DEPTH = 32, MAX_BITS_DEPTH = 256 };

typedef struct Descriptor {
  uint64_t address, leading, stride;
  uint32_t swizzle;    // bits: 0 to 3
  bool is_transposed;  // rows (of A) or columns (of B) are contiguous, not k
} Descriptor;

static Descriptor descriptor_of(uint64_t word, bool is_transposed) {
  static const uint8_t bits[] = {0, 3, 2, 1};
  return (Descriptor){.address = (word & 0x3fff) << 4,
                      .leading = (word >> 16 & 0x3fff) << 4,
                      .stride = (word >> 32 & 0x3fff) << 4,
                      .swizzle = bits[word >> 62],
                      .is_transposed = is_transposed};
}

// Where element k of row (or column) i begins, with `chunk` elements in 16 bytes.
static uint64_t element_address(const Descriptor *d, uint32_t i, uint32_t k, uint32_t chunk,
                                uint32_t element_bits) {
  uint64_t width = UINT64_C(16) << d->swizzle, at;
  if (!d->is_transposed) {
    // Only the B of a sparse product may be wider than a swizzled row of 32 bytes.
    uint32_t chunks = d->swizzle ? 1u << d->swizzle : 1;
    at = i % 8 * width + i / 8 * d->stride + k / chunk / chunks * d->leading +
         k / chunk % chunks * 16 + k % chunk * element_bits / 8;
  } else if (!d->swizzle) {
    at = i / chunk * d->stride + i % chunk * element_bits / 8 + k % 8 * 16 + k / 8 * d->leading;
  } else {
    uint32_t row = chunk << d->swizzle;
    at = i % row * element_bits / 8 + i / row * d->leading + k % 8 * width + k / 8 * d->stride;
  }
  return swizzled(d->address + at, d->swizzle);
}

typedef struct GroupProduct {
  double a[ROWS][MAX_BITS_DEPTH], b[MAX_BITS_DEPTH][MAX_COLUMNS], sum[ROWS][MAX_COLUMNS];
} GroupProduct;

static double value_of(DataType type, uint64_t bits) {
  if (type_kind(type) == KIND_FLOAT) return element_value(type, bits);
  return type == TYPE_B1 ? (double)(bits & 1) : element_integer(type, bits);
}

// Reads `count` rows of `depth` elements; false after a fault.
static bool read_shared(ExecContext *context, const Warp *warp, const Descriptor *d, uint32_t first,
                        uint32_t count, uint32_t depth, DataType type, double *out,
                        uint32_t row_step, uint32_t k_step) {
  uint32_t bits = (uint32_t)type_bits(type), chunk = 128 / bits;
  const Cta *cta = warp->cta;
  for (uint32_t i = 0; i < count; i++)
    for (uint32_t k = 0; k < depth; k++) {
      uint64_t at = element_address(d, first + i, k, chunk, bits), word = 0;
      uint32_t bytes = bits < 8 ? 1 : bits / 8;
      if (at + bytes > cta->shared_bytes) {
        fault_raise_access(context, warp, FAULT_OUT_OF_BOUNDS, 0, SPACE_SHARED, at, bytes, false);
        return false;
      }
      memcpy(&word, cta->shared + at, bytes);
      if (bits == 1) word >>= k % 8;
      out[i * row_step + k * k_step] = value_of(type, word);
    }
  return true;
}

static void read_registers(const Warp *warp, const Instruction *in, DataType type, uint32_t depth,
                           GroupProduct *x) {
  Fragment a = {.part = PART_A,
                .type = type,
                .rows = ROWS,
                .columns = depth,
                .elements = 32 / (uint32_t)type_bits(type),
                .registers = 4,
                .distinct = 4};
  EACH_ELEMENT(a, x->a[at.row][at.column] = value_of(
                      type, lane_element(place_at(warp, in->list->src[reg]), type, lane, e)));
}

static Fragment sum_fragment(const GroupShape *shape, DataType type) {
  uint32_t elements = type_bits(type) == 16 ? 2 : 1;
  uint32_t registers = group_sum_registers(shape, type);
  return (Fragment){.part = PART_D,
                    .type = type,
                    .rows = ROWS,
                    .columns = shape->n,
                    .elements = elements,
                    .registers = registers,
                    .distinct = registers};
}

static void multiply(GroupProduct *x, const GroupShape *shape, double scale) {
  for (uint32_t i = 0; i < ROWS; i++)
    for (uint32_t s = 0; s < shape->k; s++) {
      double a = x->a[i][s] * scale;
      for (uint32_t j = 0; j < shape->n; j++) x->sum[i][j] += a * x->b[s][j];
    }
}

// The rows of B that the elements of row i of a sparse A are multiplied with.
static void read_indices(const Warp *warp, const Instruction *in, uint32_t depth, uint32_t i,
                         uint32_t rows[MAX_DEPTH]) {
  const Lane32 *words = place_at(warp, in->src[3]);
  Form form = group_metadata_form(&in->form);
  uint32_t selector = (uint32_t)(in->offset / GROUP_SELECTOR);
  for (uint32_t s = 0; s < depth; s++) {
    MetadataPlace at = metadata_place(&form, selector, i, s);
    rows[s] = metadata_row(&form, s, words[at.lane] >> at.bit & ((1u << at.bits) - 1));
  }
}

static void multiply_sparse(const Warp *warp, const Instruction *in, GroupProduct *x,
                            const GroupShape *shape, double scale) {
  uint32_t rows[MAX_DEPTH];
  for (uint32_t i = 0; i < ROWS; i++) {
    read_indices(warp, in, shape->depth, i, rows);
    for (uint32_t s = 0; s < shape->depth; s++) {
      double a = x->a[i][s] * scale;
      for (uint32_t j = 0; j < shape->n; j++) x->sum[i][j] += a * x->b[rows[s]][j];
    }
  }
}

static uint64_t sum_bits(DataType type, double value, bool saturates) {
  if (type_kind(type) == KIND_FLOAT) return element_bits(type, value);
  if (saturates) value = value > INT32_MAX ? INT32_MAX : value < INT32_MIN ? INT32_MIN : value;
  return (uint32_t)(int64_t)value;
}

static bool read_factors(ExecContext *context, const Warp *warp, const Instruction *in,
                         const GroupShape *shape, GroupProduct *x) {
  DataType a = (DataType)in->form.type2, b = (DataType)in->form.type3;
  const Lane64 *words = place_at(warp, in->src[1]);
  Descriptor of_b = descriptor_of(words[0], in->offset & GROUP_TRANSPOSE_B);
  if (in->src[0] == NO_PLACE) {
    read_registers(warp, in, a, shape->depth, x);
  } else {
    words = place_at(warp, in->src[0]);
    Descriptor of_a = descriptor_of(words[0], in->offset & GROUP_TRANSPOSE_A);
    if (!read_shared(context, warp, &of_a, warp->index % 4 * ROWS, ROWS, shape->depth, a, x->a[0],
                     MAX_BITS_DEPTH, 1))
      return false;
  }
  return read_shared(context, warp, &of_b, 0, shape->n, shape->k, b, x->b[0], 1, MAX_COLUMNS);
}

static bool adds(const Warp *warp, const Instruction *in) {
  bool is_true = *predicate_at(warp, in->src[2]) & 1;
  return in->negated >> 2 & 1 ? !is_true : is_true;
}

EXEC(exec_group_product) {
  static _Thread_local GroupProduct x;  // 640 KB: too large for the stack
  GroupShape shape = group_shape(&in->form);
  DataType type = (DataType)in->form.type;
  if (!warp_is_whole(context, warp, mask) || !read_factors(context, warp, in, &shape, &x)) return;
  Fragment d = sum_fragment(&shape, type);
  uint32_t first = in->src[0] == NO_PLACE ? 4 : 0;
  bool has_sum = adds(warp, in);
  EACH_ELEMENT(d, x.sum[at.row][at.column] =
                      !has_sum
                          ? 0
                          : value_of(type, lane_element(place_at(warp, in->list->src[first + reg]),
                                                        type, lane, e)));
  bool is_negated = !(in->offset & GROUP_NEGATE_A) != !(in->offset & GROUP_NEGATE_B);
  double scale = is_negated ? -1 : 1;
  if (group_is_sparse(&in->form))
    multiply_sparse(warp, in, &x, &shape, scale);
  else
    multiply(&x, &shape, scale);
  EACH_ELEMENT(d, put_element(place_at(warp, in->list->dst[reg]), type, lane, e,
                              sum_bits(type, x.sum[at.row][at.column], in->form.satfinite)));
  warp_group_multiplied(warp);
}

EXEC(exec_group_commit) {
  (void)context;
  (void)in;
  (void)mask;
  warp_group_committed(warp);
}

EXEC(exec_group_wait) {
  (void)context;
  warp_group_wait(warp, in, mask, (uint32_t)in->offset);
}

static void exec_nothing(ExecContext *context, Warp *warp, const Instruction *in, uint32_t mask) {
  (void)context;
  (void)warp;
  (void)in;
  (void)mask;
}

ExecFn exec_find_group(const Form *form) {
  if (form->mode == MODE_COMMIT) return exec_group_commit;
  if (form->mode == MODE_WAIT) return exec_group_wait;
  if (form->mode != MODE_MMA_ASYNC) return form->mode ? exec_nothing : NULL;
  return group_exists(form) ? exec_group_product : NULL;
}
