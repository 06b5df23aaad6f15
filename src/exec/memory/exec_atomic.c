// SPDX-License-Identifier: MIT
// atom and red: lanes one after another, in lane order.
//
//   src[0]  address    src[1]  operand; of cas what is compared    src[2]  of cas the new value
//
// A vector has its elements in src[1..] and dst[0..], one of eight in the list;
// each element is atomic by itself, as on the hardware. red has no dst[0].
// 128-bit exch and cas are not supported.
#include "exec/memory/exec_atomic.h"

#include "exec/arithmetic/half.h"
#include "exec/memory/exec_memory.h"
#include "exec/memory/memory_access.h"

typedef struct AtomicLanes {
  uint8_t *const *at;
  uint32_t offset;      // of the element within a vector
  const uint8_t *data;  // the first operand's lanes, data_stride apart
  size_t data_stride;
  const uint64_t *other;  // the second operand's lanes
  void *result;           // lanes of 8 bytes where the element has 8, else of 4; or NULL
} AtomicLanes;

typedef void (*AtomicFn)(const AtomicLanes *lanes, uint32_t mask);

// The hardware has one NaN where an operation makes one.
static uint32_t add_f32(uint32_t a, uint32_t b) {
  float x, y;
  uint32_t bits;
  memcpy(&x, &a, 4);
  memcpy(&y, &b, 4);
  x += y;
  memcpy(&bits, &x, 4);
  return x != x ? 0x7fffffffu : bits;
}

// A subnormal has exponent 0; its sign is kept.
static uint32_t flush_f32(uint32_t bits) {
  return bits & 0x7f800000u ? bits : bits & 0x80000000u;
}

static uint32_t add_f32_flushed(uint32_t a, uint32_t b) {
  return flush_f32(add_f32(flush_f32(a), flush_f32(b)));
}

static uint64_t add_f64(uint64_t a, uint64_t b) {
  double x, y;
  memcpy(&x, &a, 8);
  memcpy(&y, &b, 8);
  x += y;
  memcpy(&a, &x, 8);
  return a;
}

// double has more than twice the digits of a half, so rounding twice is exact.
static uint16_t add_half(uint16_t a, uint16_t b, const FloatFormat *format) {
  return half_from_double(half_to_double(a, format) + half_to_double(b, format), format);
}

static uint32_t add_halves(uint32_t a, uint32_t b, const FloatFormat *format) {
  return add_half((uint16_t)a, (uint16_t)b, format) |
         (uint32_t)add_half((uint16_t)(a >> 16), (uint16_t)(b >> 16), format) << 16;
}

// The number where one is a NaN; -0 is below 0.
static uint16_t extreme_half(uint16_t a, uint16_t b, const FloatFormat *format, bool is_min) {
  double x = half_to_double(a, format), y = half_to_double(b, format);
  if (x != x || y != y) return x != x ? (y != y ? 0x7fff : b) : a;
  bool less = x < y || (x == y && a & 0x8000);
  return less == is_min ? a : b;
}

static uint32_t extreme_halves(uint32_t a, uint32_t b, const FloatFormat *format, bool is_min) {
  return extreme_half((uint16_t)a, (uint16_t)b, format, is_min) |
         (uint32_t)extreme_half((uint16_t)(a >> 16), (uint16_t)(b >> 16), format, is_min) << 16;
}

// The comparison is done in T, the value is kept in the unsigned type: signed minima need no
// other element type.
#define SMALLER(T, x, y) ((T)(x) < (T)(y) ? (x) : (y))
#define LARGER(T, x, y) ((T)(x) > (T)(y) ? (x) : (y))

// name, element, register lane, what replaces `old`; a and b are the operands
#define ATOMIC_LIST(X)                                                           \
  X(add_32, uint32_t, uint32_t, old + a)                                         \
  X(add_64, uint64_t, uint64_t, old + a)                                         \
  X(add_f32, uint32_t, uint32_t, add_f32(old, a))                                \
  X(add_f32_flushed, uint32_t, uint32_t, add_f32_flushed(old, a))                \
  X(add_f64, uint64_t, uint64_t, add_f64(old, a))                                \
  X(add_f16, uint16_t, uint32_t, add_half(old, a, &format_f16))                  \
  X(add_bf16, uint16_t, uint32_t, add_half(old, a, &format_bf16))                \
  X(add_f16x2, uint32_t, uint32_t, add_halves(old, a, &format_f16))              \
  X(add_bf16x2, uint32_t, uint32_t, add_halves(old, a, &format_bf16))            \
  X(min_f16, uint16_t, uint32_t, extreme_half(old, a, &format_f16, true))        \
  X(max_f16, uint16_t, uint32_t, extreme_half(old, a, &format_f16, false))       \
  X(min_bf16, uint16_t, uint32_t, extreme_half(old, a, &format_bf16, true))      \
  X(max_bf16, uint16_t, uint32_t, extreme_half(old, a, &format_bf16, false))     \
  X(min_f16x2, uint32_t, uint32_t, extreme_halves(old, a, &format_f16, true))    \
  X(max_f16x2, uint32_t, uint32_t, extreme_halves(old, a, &format_f16, false))   \
  X(min_bf16x2, uint32_t, uint32_t, extreme_halves(old, a, &format_bf16, true))  \
  X(max_bf16x2, uint32_t, uint32_t, extreme_halves(old, a, &format_bf16, false)) \
  X(min_u32, uint32_t, uint32_t, SMALLER(uint32_t, old, a))                      \
  X(min_s32, uint32_t, uint32_t, SMALLER(int32_t, old, a))                       \
  X(min_u64, uint64_t, uint64_t, SMALLER(uint64_t, old, a))                      \
  X(min_s64, uint64_t, uint64_t, SMALLER(int64_t, old, a))                       \
  X(max_u32, uint32_t, uint32_t, LARGER(uint32_t, old, a))                       \
  X(max_s32, uint32_t, uint32_t, LARGER(int32_t, old, a))                        \
  X(max_u64, uint64_t, uint64_t, LARGER(uint64_t, old, a))                       \
  X(max_s64, uint64_t, uint64_t, LARGER(int64_t, old, a))                        \
  X(inc_32, uint32_t, uint32_t, old >= a ? 0 : old + 1)                          \
  X(dec_32, uint32_t, uint32_t, old == 0 || old > a ? a : old - 1)               \
  X(and_32, uint32_t, uint32_t, old &a)                                          \
  X(and_64, uint64_t, uint64_t, old &a)                                          \
  X(or_32, uint32_t, uint32_t, old | a)                                          \
  X(or_64, uint64_t, uint64_t, old | a)                                          \
  X(xor_32, uint32_t, uint32_t, old ^ a)                                         \
  X(xor_64, uint64_t, uint64_t, old ^ a)                                         \
  X(exch_16, uint16_t, uint32_t, a)                                              \
  X(exch_32, uint32_t, uint32_t, a)                                              \
  X(exch_64, uint64_t, uint64_t, a)                                              \
  X(cas_16, uint16_t, uint32_t, old == a ? b : old)                              \
  X(cas_32, uint32_t, uint32_t, old == a ? b : old)                              \
  X(cas_64, uint64_t, uint64_t, old == a ? b : old)

#define X(name, Type, Lane, expression)                                      \
  static void atomic_##name(const AtomicLanes *lanes, uint32_t mask) {       \
    for (uint32_t left = mask; left; left &= left - 1) {                     \
      int lane = __builtin_ctz(left);                                        \
      uint8_t *at = lanes->at[lane] + lanes->offset;                         \
      Type old, a, b = (Type)lanes->other[lane];                             \
      memcpy(&old, at, sizeof old);                                          \
      memcpy(&a, lanes->data + (size_t)lane * lanes->data_stride, sizeof a); \
      Type replacement = (Type)(expression);                                 \
      (void)b;                                                               \
      memcpy(at, &replacement, sizeof replacement);                          \
      if (lanes->result) ((Lane *)lanes->result)[lane] = old;                \
    }                                                                        \
  }
ATOMIC_LIST(X)
#undef X

static AtomicFn find_add(DataType type, bool is_global) {
  switch (type) {
    case TYPE_B32:
    case TYPE_U32:
    case TYPE_S32: return atomic_add_32;
    case TYPE_B64:
    case TYPE_U64:
    case TYPE_S64: return atomic_add_64;
    // The manual: on global memory subnormals are flushed, on shared they are not.
    case TYPE_F32: return is_global ? atomic_add_f32_flushed : atomic_add_f32;
    case TYPE_F64: return atomic_add_f64;
    case TYPE_F16: return atomic_add_f16;
    case TYPE_BF16: return atomic_add_bf16;
    case TYPE_F16X2: return atomic_add_f16x2;
    case TYPE_BF16X2: return atomic_add_bf16x2;
    default: return NULL;
  }
}

static AtomicFn find_order(DataType type, bool is_min) {
  switch (type) {
    case TYPE_U32: return is_min ? atomic_min_u32 : atomic_max_u32;
    case TYPE_S32: return is_min ? atomic_min_s32 : atomic_max_s32;
    case TYPE_U64: return is_min ? atomic_min_u64 : atomic_max_u64;
    case TYPE_S64: return is_min ? atomic_min_s64 : atomic_max_s64;
    case TYPE_F16: return is_min ? atomic_min_f16 : atomic_max_f16;
    case TYPE_BF16: return is_min ? atomic_min_bf16 : atomic_max_bf16;
    case TYPE_F16X2: return is_min ? atomic_min_f16x2 : atomic_max_f16x2;
    case TYPE_BF16X2: return is_min ? atomic_min_bf16x2 : atomic_max_bf16x2;
    default: return NULL;
  }
}

static AtomicFn by_size(DataType type, AtomicFn of_16, AtomicFn of_32, AtomicFn of_64) {
  switch (element_bytes((uint8_t)type)) {
    case 2: return of_16;
    case 4: return of_32;
    case 8: return of_64;
    default: return NULL;
  }
}

static AtomicFn find_function(const Form *form, bool is_global) {
  DataType type = form->type;
  switch (form->operation) {
    case OPERATION_ADD: return find_add(type, is_global);
    case OPERATION_MIN: return find_order(type, true);
    case OPERATION_MAX: return find_order(type, false);
    case OPERATION_INC: return by_size(type, NULL, atomic_inc_32, NULL);
    case OPERATION_DEC: return by_size(type, NULL, atomic_dec_32, NULL);
    case OPERATION_AND: return by_size(type, NULL, atomic_and_32, atomic_and_64);
    case OPERATION_OR: return by_size(type, NULL, atomic_or_32, atomic_or_64);
    case OPERATION_XOR: return by_size(type, NULL, atomic_xor_32, atomic_xor_64);
    case OPERATION_EXCH: return by_size(type, atomic_exch_16, atomic_exch_32, atomic_exch_64);
    case OPERATION_CAS: return by_size(type, atomic_cas_16, atomic_cas_32, atomic_cas_64);
    default: return NULL;
  }
}

// The second operand, widened, so that one loop serves registers and queue.
static void other_lanes(const Warp *warp, const Instruction *in, uint64_t other[WARP_LANES]) {
  if (in->form.operation != OPERATION_CAS) return;
  const void *lanes = place_at(warp, in->src[2]);
  bool is_wide = element_bytes(in->form.type) == 8;
  for (int i = 0; i < WARP_LANES; i++)
    other[i] = is_wide ? ((const uint64_t *)lanes)[i] : ((const uint32_t *)lanes)[i];
}

static void apply_now(const Warp *warp, const Instruction *in, uint32_t mask, uint8_t *const *at,
                      const uint64_t *other, bool is_global) {
  uint32_t size = element_bytes(in->form.type), count = form_elements(&in->form);
  AtomicFn function = find_function(&in->form, is_global);
  for (uint32_t k = 0; k < count; k++) {
    Place result = vector_destinations(in)[k];
    AtomicLanes lanes = {.at = at,
                         .offset = k * size,
                         .data = place_at(warp, vector_sources(in)[k]),
                         .data_stride = size == 8 ? 8 : 4,
                         .other = other,
                         .result = result == NO_PLACE ? NULL : place_at(warp, result)};
    function(&lanes, mask);
  }
}

// A vector's results are all in one frame: the queue keeps where the first is.
static Place first_result(const Instruction *in) {
  uint32_t count = form_elements(&in->form), k = 0;
  const Place *results = vector_destinations(in);
  while (k < count - 1 && results[k] == NO_PLACE) k++;
  return results[k];
}

static void apply_later(ExecContext *context, const Warp *warp, const Instruction *in,
                        uint32_t mask, uint8_t *const *at, const uint64_t *other) {
  uint32_t size = element_bytes(in->form.type), count = form_elements(&in->form);
  Place result = first_result(in);
  PendingStore *pending = store_queue_push(context->stores);
  pending->in = in;
  pending->mask = mask;
  pending->bytes = size * count;
  pending->result = result == NO_PLACE ? NULL : place_at(warp, result);
  memcpy(pending->at, at, sizeof pending->at);
  memcpy(pending->operand2, other, sizeof pending->operand2);
  for (uint32_t k = 0; k < count; k++) {
    const uint8_t *data = place_at(warp, vector_sources(in)[k]);
    for (int i = 0; i < WARP_LANES; i++)
      memcpy(pending->data[i] + k * size, data + i * (size == 8 ? 8 : 4), size);
  }
}

void atomic_apply_pending(const PendingStore *pending) {
  const Instruction *in = pending->in;
  uint32_t size = element_bytes(in->form.type), count = form_elements(&in->form);
  AtomicFn function = find_function(&in->form, true);
  Place first = first_result(in);
  for (uint32_t k = 0; k < count; k++) {
    Place result = vector_destinations(in)[k];
    bool has_result = pending->result && result != NO_PLACE;
    AtomicLanes lanes = {
        .at = pending->at,
        .offset = k * size,
        .data = pending->data[0] + k * size,
        .data_stride = STORE_MAX_BYTES,
        .other = pending->operand2,
        .result = has_result ? (uint8_t *)pending->result + (result - first) : NULL};
    function(&lanes, pending->mask);
  }
}

bool atomic_exists(const Form *form) {
  return find_function(form, true) != NULL;
}

void atomic_apply_bytes(const Form *form, uint8_t *at, const uint8_t *data, uint32_t bytes,
                        bool is_global) {
  static const uint64_t other[WARP_LANES];
  uint32_t size = element_bytes(form->type);
  AtomicFn function = find_function(form, is_global);
  for (uint32_t done = 0; done < bytes; done += size) {
    AtomicLanes lanes = {.at = &at, .offset = done, .data = data + done, .other = other};
    function(&lanes, 1);
  }
}

void exec_atomic(ExecContext *context, Warp *warp, const Instruction *in, uint32_t mask) {
  uint32_t bytes = element_bytes(in->form.type) * form_elements(&in->form);
  uint64_t where[WARP_LANES], other[WARP_LANES] = {0};
  uint8_t *at[WARP_LANES];
  Reach reach;
  address_lanes(warp, in->src[0], in->address_bytes, address_extra(warp, in),
                context->access.address);
  address_fill_idle(context->access.address, mask);
  access_note(context, mask, in->form.space, bytes, true, true);
  bool is_shared = in->form.space == SPACE_SHARED;
  if (is_shared ? !memory_reach(context, warp, SPACE_SHARED, bytes, true, where, &reach)
                : !memory_reach(context, warp, SPACE_GLOBAL, bytes, true, where, &reach))
    return;
  for (int i = 0; i < WARP_LANES; i++) at[i] = reach_at(reach, i);
  other_lanes(warp, in, other);

  uint32_t own = context->access.generic_shared | context->access.generic_local;
  if (is_shared) own = mask;
  uint32_t global = mask & ~own;
  if (own) apply_now(warp, in, own, at, other, false);
  if (!global) return;
  if (context->stores)
    apply_later(context, warp, in, global, at, other);
  else
    apply_now(warp, in, global, at, other, true);
}

static bool is_half_order(const Form *form) {
  bool is_half = type_kind((DataType)form->type) == KIND_FLOAT && element_bytes(form->type) <= 4 &&
                 form->type != TYPE_F32;
  return is_half && (form->operation == OPERATION_MIN || form->operation == OPERATION_MAX);
}

// At most 16 bytes in global memory; of halves also extremes, which come in vectors only.
static bool vector_is_known(const Form *form) {
  bool is_add = form->operation == OPERATION_ADD;
  if (form->space == SPACE_SHARED || element_bytes(form->type) * form->vector > 16) return false;
  switch (form->type) {
    case TYPE_F32: return is_add;
    case TYPE_F16:
    case TYPE_BF16:
    case TYPE_F16X2:
    case TYPE_BF16X2: return is_add || is_half_order(form);
    default: return false;
  }
}

ExecFn exec_find_atomic(const Form *form) {
  if (form->mode == MODE_ASYNC) return exec_find_reduce_async(form);
  bool is_vector = form_elements(form) > 1;
  if (is_vector ? !vector_is_known(form) : is_half_order(form)) return NULL;
  if (form->space != SPACE_GENERIC && form->space != SPACE_GLOBAL && form->space != SPACE_SHARED)
    return NULL;
  return atomic_exists(form) ? exec_atomic : NULL;
}
