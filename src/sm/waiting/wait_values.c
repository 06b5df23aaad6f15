// SPDX-License-Identifier: MIT
// Changes of registers per period, instruction by instruction: sums and products of what changes by
// constant amounts, and the periods for which a comparison keeps its outcome.
#include "sm/waiting/wait_values.h"

#include <string.h>

#include "base/memory.h"

// Differences of 64-bit values and their multiples.
__extension__ typedef __int128 Wide;

// One instruction, as far as it is executed.
typedef struct Step {
  WaitValues *values;
  const Warp *warp;
  const Instruction *in;
  const Form *form;
  uint32_t mask;
  WaitTime *time;
} Step;

static uint64_t lane_at(const void *lanes, uint32_t bytes, int lane) {
  return bytes == 8 ? ((const uint64_t *)lanes)[lane] : ((const uint32_t *)lanes)[lane];
}

static void lane_set(void *lanes, uint32_t bytes, int lane, uint64_t value) {
  if (bytes == 8)
    ((uint64_t *)lanes)[lane] = value;
  else
    ((uint32_t *)lanes)[lane] = (uint32_t)value;
}

static uint64_t value_of(const Step *step, int source, uint32_t bytes, int lane) {
  return lane_at(place_at(step->warp, step->in->src[source]), bytes, lane);
}

// Constants do not change.
static uint64_t change_of(const Step *step, int source, uint32_t bytes, int lane) {
  Place place = step->in->src[source];
  return place < 0 ? 0 : lane_at(step->values->current + place, bytes, lane);
}

static int64_t as_signed(uint64_t change, uint32_t bytes) {
  return bytes == 8 ? (int64_t)change : (int32_t)(uint32_t)change;
}

static void set_change(const Step *step, Place place, uint32_t bytes, int lane, uint64_t change) {
  if (place >= 0) lane_set(step->values->current + place, bytes, lane, change);
}

// ---- limits

static void limit(const Step *step, Wide periods) {
  if (periods < 0) periods = 0;
  if ((Wide)step->time->limit > periods) step->time->limit = (uint64_t)periods;
}

// For as long as value + j * change stays within the bounds.
static void limit_range(const Step *step, Wide value, Wide change, Wide lowest, Wide highest) {
  if (change > 0) limit(step, (highest - value) / change);
  if (change < 0) limit(step, (value - lowest) / -change);
}

static void limit_to_type(const Step *step, Wide value, Wide change, uint32_t bytes,
                          bool is_signed) {
  Wide size = (Wide)1 << bytes * 8;
  limit_range(step, value, change, is_signed ? -size / 2 : 0, (is_signed ? size / 2 : size) - 1);
}

// For as long as difference + j * change is negative, or is not, as it is now.
static void limit_sign(const Step *step, Wide difference, Wide change) {
  if (difference < 0 && change > 0) limit(step, (-difference - 1) / change);
  if (difference >= 0 && change < 0) limit(step, difference / -change);
}

// ... is zero, or is not.
static void limit_zero(const Step *step, Wide difference, Wide change) {
  if (!change) return;
  if (!difference) limit(step, 0);
  Wide distance = difference < 0 ? -difference : difference;
  Wide speed = change < 0 ? -change : change;
  if ((difference < 0) != (change < 0)) limit(step, (distance - 1) / speed);
}

// ---- operations

static bool is_fixed(const Step *step, int source, uint32_t bytes) {
  for (uint32_t left = step->mask; left; left &= left - 1)
    if (change_of(step, source, bytes, __builtin_ctz(left))) return false;
  return true;
}

static bool source_is_predicate(const Step *step, int source) {
  char kind = opcode_info[step->form->op].sources[source];
  return step->form->type == TYPE_PRED || kind == 'p' || step->in->exec == exec_mov_predicate ||
         (step->form->op == OP_SETP && source == 2);
}

static uint32_t source_bytes(const Step *step, int source) {
  const Form *form = step->form;
  char kind = opcode_info[form->op].sources[source];
  if (kind == 'w' && form->width == WIDTH_WIDE) return 8;
  if (kind == 'u') return 4;
  return type_bits((DataType)form->type) == 64 ? 8 : 4;
}

// Of mov and setp, whose tables leave the operands to their families, one and two, and a predicate.
static int source_count(const Step *step) {
  const char *sources = opcode_info[step->form->op].sources;
  if (step->form->op == OP_SETP) return 3;
  if (sources[0] == '*') return 1;
  int count = 0;
  for (; *sources; sources++) count += *sources != '?';
  return count;
}

static void step_fixed(const Step *step) {
  int count = source_count(step);
  for (int k = 0; k < count; k++) {
    if (step->in->src[k] == NO_PLACE || source_is_predicate(step, k)) continue;
    if (!is_fixed(step, k, source_bytes(step, k))) step->time->is_unknown = true;
  }
  uint32_t bytes = wait_bytes(step->in);
  for (uint32_t left = bytes ? step->mask : 0; left; left &= left - 1)
    set_change(step, step->in->dst[0], bytes, __builtin_ctz(left), 0);
}

// ---- by lane

static uint64_t change_of_sum(const Step *step, uint32_t bytes, int lane) {
  const Instruction *in = step->in;
  uint64_t a = change_of(step, 0, bytes, lane), b = change_of(step, 1, bytes, lane);
  if (in->exec == exec_add_three) {
    uint64_t c = change_of(step, 2, bytes, lane);
    return (in->offset & 1 ? -a : a) + (in->offset & 2 ? -b : b) + (in->offset & 4 ? -c : c);
  }
  return step->form->op == OP_SUB ? a - b : a + b;
}

static uint64_t change_of_shift(const Step *step, uint32_t bytes, int lane) {
  uint64_t a = change_of(step, 0, bytes, lane), count = value_of(step, 1, 4, lane);
  if (change_of(step, 1, 4, lane)) step->time->is_unknown = true;
  return count < bytes * 8 ? a << count : 0;
}

static uint64_t change_of_product(const Step *step, uint32_t bytes, int lane) {
  if (step->form->op == OP_SHL) return change_of_shift(step, bytes, lane);
  uint64_t a = change_of(step, 0, bytes, lane), b = change_of(step, 1, bytes, lane);
  if (a && b) step->time->is_unknown = true;
  uint64_t product = a * value_of(step, 1, bytes, lane) + b * value_of(step, 0, bytes, lane);
  return step->form->op == OP_MAD ? product + change_of(step, 2, bytes, lane) : product;
}

static Wide extend(uint64_t value, uint32_t bytes, bool is_signed) {
  if (is_signed) return as_signed(value, bytes);
  return (Wide)(bytes == 8 ? value : (uint32_t)value);
}

static uint64_t change_of_conversion(const Step *step, int lane) {
  DataType to = (DataType)step->form->type, from = (DataType)step->form->type2;
  uint32_t bytes = (uint32_t)type_bytes(from);
  uint64_t change = change_of(step, 0, bytes, lane);
  if (type_bytes(to) <= type_bytes(from)) return change;
  bool is_signed = type_kind(from) == KIND_SIGNED;
  Wide value = extend(value_of(step, 0, bytes, lane), bytes, is_signed);
  limit_to_type(step, value, as_signed(change, bytes), bytes, is_signed);
  return (uint64_t)as_signed(change, bytes);
}

// A half that does not wrap.
static uint64_t change_of_pack(const Step *step, int lane) {
  int64_t low = as_signed(change_of(step, 0, 4, lane), 4);
  limit_to_type(step, (Wide)value_of(step, 0, 4, lane), low, 4, false);
  return (uint64_t)low + (change_of(step, 1, 4, lane) << 32);
}

// The upper half does not change until the lower one wraps.
static void unpack(const Step *step, int lane) {
  uint64_t change = change_of(step, 0, 8, lane);
  Wide low = (Wide)(value_of(step, 0, 8, lane) & UINT32_MAX);
  limit_to_type(step, low, (Wide)(int64_t)change, 4, false);
  set_change(step, step->in->dst[0], 4, lane, change);
  set_change(step, step->in->dst[1], 4, lane, 0);
}

static uint64_t change_of_choice(const Step *step, uint32_t bytes, int lane) {
  uint32_t chosen = *predicate_at(step->warp, step->in->src[2]);
  if (step->in->negated >> 2 & 1) chosen = ~chosen;
  return change_of(step, chosen >> lane & 1 ? 0 : 1, bytes, lane);
}

static void compare(const Step *step, int lane) {
  DataType type = (DataType)step->form->type;
  uint32_t bytes = (uint32_t)type_bytes(type);
  bool is_signed = type_kind(type) == KIND_SIGNED;
  Wide a = extend(value_of(step, 0, bytes, lane), bytes, is_signed);
  Wide b = extend(value_of(step, 1, bytes, lane), bytes, is_signed);
  Wide da = as_signed(change_of(step, 0, bytes, lane), bytes);
  Wide db = as_signed(change_of(step, 1, bytes, lane), bytes);
  limit_to_type(step, a, da, bytes, is_signed);
  limit_to_type(step, b, db, bytes, is_signed);
  switch (step->form->compare) {
    case COMPARE_LT:
    case COMPARE_GE: limit_sign(step, a - b, da - db); break;
    case COMPARE_GT:
    case COMPARE_LE: limit_sign(step, b - a, db - da); break;
    default: limit_zero(step, a - b, da - db);
  }
}

// ---- special registers

// The upper half of a time stays until the lower one wraps.
static uint64_t change_of_upper(const Step *step, uint64_t now, uint64_t change) {
  limit_to_type(step, (Wide)(now & UINT32_MAX), (Wide)change, 4, false);
  return 0;
}

static uint64_t change_of_special(const Step *step, const ExecContext *context,
                                  SpecialRegister special) {
  const WaitTime *time = step->time;
  uint64_t lanes[WARP_LANES];
  switch (special) {
    case SPECIAL_CLOCK:
    case SPECIAL_CLOCK64: return time->cycles;
    case SPECIAL_CLOCK_HI: return change_of_upper(step, context->clock, time->cycles);
    case SPECIAL_GLOBALTIMER:
    case SPECIAL_GLOBALTIMER_LO: return time->nanoseconds;
    case SPECIAL_GLOBALTIMER_HI:
      special_read(context, step->warp, SPECIAL_GLOBALTIMER, lanes);
      return change_of_upper(step, lanes[0], time->nanoseconds);
    default: return 0;
  }
}

static void set_special(const Step *step, const ExecContext *context, SpecialRegister special,
                        Place place) {
  uint32_t bytes = special_bits(special) == 64 ? 8 : 4;
  uint64_t change = change_of_special(step, context, special);
  for (uint32_t left = step->mask; left; left &= left - 1)
    set_change(step, place, bytes, __builtin_ctz(left), change);
}

// ---- an instruction

static void step_lane(const Step *step, WaitOp op, uint32_t bytes, int lane) {
  Place to = step->in->dst[0];
  switch (op) {
    case WAIT_COPY: set_change(step, to, bytes, lane, change_of(step, 0, bytes, lane)); break;
    case WAIT_SUM: set_change(step, to, bytes, lane, change_of_sum(step, bytes, lane)); break;
    case WAIT_PRODUCT:
      set_change(step, to, bytes, lane, change_of_product(step, bytes, lane));
      break;
    case WAIT_CONVERT: set_change(step, to, bytes, lane, change_of_conversion(step, lane)); break;
    case WAIT_PACK: set_change(step, to, 8, lane, change_of_pack(step, lane)); break;
    case WAIT_SELECT: set_change(step, to, bytes, lane, change_of_choice(step, bytes, lane)); break;
    case WAIT_UNPACK: unpack(step, lane); break;
    default: compare(step, lane);
  }
}

void wait_values_step(WaitValues *values, const Warp *warp, const ExecContext *context,
                      WaitTime *time) {
  const SimtEntry *top = warp_top(warp);
  const Instruction *in = &warp->code[top->pc];
  Step step = {values, warp, in, wait_form(in), top->mask, time};
  if (in->guard != NO_PLACE) {
    uint32_t guard = *predicate_at(warp, in->guard);
    step.mask &= in->guard_negated ? ~guard : guard;
  }
  WaitOp op = wait_op(in);
  if (op == WAIT_SPECIAL) {
    set_special(&step, context, (SpecialRegister)in->special[0], in->dst[0]);
    return;
  }
  for (int i = 0; i < MAX_SPECIALS && in->special[i]; i++)
    set_special(&step, context, (SpecialRegister)in->special[i], in->special_place[i]);
  if (op == WAIT_STEP || op == WAIT_BRANCH) return;
  if (op == WAIT_FIXED) {
    step_fixed(&step);
    return;
  }
  uint32_t bytes = wait_bytes(in);
  for (uint32_t left = step.mask; left; left &= left - 1)
    step_lane(&step, op, bytes, __builtin_ctz(left));
}

// ---- periods

static void reserve(WaitValues *values, uint32_t bytes) {
  values->bytes = bytes;
  if (bytes <= values->capacity) return;
  wait_values_clear(values);
  values->bytes = values->capacity = bytes;
  values->values = memory_alloc(bytes);
  values->changes = memory_alloc(bytes);
  values->current = memory_alloc(bytes);
}

void wait_values_note(WaitValues *values, const Warp *warp) {
  reserve(values, warp_top(warp)->function->frame_bytes);
  memcpy(values->values, warp->base[0], values->bytes);
}

void wait_values_begin(WaitValues *values, const Warp *warp, const WaitLoop *loop) {
  memset(values->changes, 0, values->bytes);
  for (uint32_t i = 0; i < loop->place_count; i++) {
    const WaitPlace *place = &loop->places[i];
    const uint8_t *now = warp->base[0] + place->place, *before = values->values + place->place;
    for (int lane = 0; lane < WARP_LANES; lane++)
      lane_set(values->changes + place->place, place->bytes, lane,
               lane_at(now, place->bytes, lane) - lane_at(before, place->bytes, lane));
  }
  memcpy(values->current, values->changes, values->bytes);
  memcpy(values->values, warp->base[0], values->bytes);
}

bool wait_values_hold(const WaitValues *values, const Warp *warp, const WaitLoop *loop) {
  if (memcmp(values->current, values->changes, values->bytes) != 0) return false;
  for (uint32_t i = 0; i < loop->place_count; i++) {
    const WaitPlace *place = &loop->places[i];
    const uint8_t *now = warp->base[0] + place->place, *before = values->values + place->place;
    for (int lane = 0; lane < WARP_LANES; lane++) {
      uint64_t change = lane_at(values->changes + place->place, place->bytes, lane);
      uint64_t difference = lane_at(now, place->bytes, lane) - lane_at(before, place->bytes, lane);
      if (place->bytes == 4 ? (uint32_t)difference != (uint32_t)change : difference != change)
        return false;
    }
  }
  return true;
}

void wait_values_pass(const WaitValues *values, const Warp *warp, const WaitLoop *loop,
                      uint64_t periods) {
  for (uint32_t i = 0; i < loop->place_count; i++) {
    const WaitPlace *place = &loop->places[i];
    uint8_t *now = warp->base[0] + place->place;
    for (int lane = 0; lane < WARP_LANES; lane++) {
      uint64_t change = lane_at(values->changes + place->place, place->bytes, lane);
      lane_set(now, place->bytes, lane, lane_at(now, place->bytes, lane) + periods * change);
    }
  }
}

void wait_values_clear(WaitValues *values) {
  memory_free(values->values);
  memory_free(values->changes);
  memory_free(values->current);
  *values = (WaitValues){0};
}
