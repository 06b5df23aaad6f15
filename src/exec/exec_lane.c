// SPDX-License-Identifier: MIT
// Warp-level primitives: shfl, vote, match, redux, elect.
//
//   shfl   dst d, p     src a, b, c, membermask
//   vote   dst d        src predicate, membermask
//   match  dst d, p     src a, membermask
//   redux  dst d        src a, membermask
//   elect  dst lane, p  src membermask
//
// Missing operands (the forms without .sync have no membermask) are NO_PLACE.
// The participating lanes are those of a lane's membermask that execute the instruction
// together: a warp never waits for lanes on another path, so these are excluded even if the
// membermask names them. Lanes may have different masks, as in tiles of cooperative groups.
//
// shfl from an inactive lane returns 0. The manual leaves it undefined; with 0, reductions
// over a partial warp are correct.
#include "exec/execute.h"

// For each lane of mask, the lanes that it shares the instruction with.
static void member_lanes(const Warp *warp, Place place, uint32_t mask,
                         uint32_t members[WARP_LANES]) {
  const uint32_t *wanted = place == NO_PLACE ? NULL : place_at(warp, place);
  for (int i = 0; i < WARP_LANES; i++) members[i] = wanted ? wanted[i] & mask : mask;
}

static void write_lanes(const Warp *warp, Place place, uint32_t mask, const uint32_t *values) {
  if (place == NO_PLACE) return;
  uint32_t *to = place_at(warp, place);
  for (int i = 0; i < WARP_LANES; i++) to[i] = mask >> i & 1 ? values[i] : to[i];
}

static void write_predicate(const Warp *warp, Place place, uint32_t mask, uint32_t value) {
  if (place == NO_PLACE) return;
  uint32_t *to = predicate_at(warp, place);
  *to = (*to & ~mask) | (value & mask);
}

// Which lane a lane reads; *is_inside tells whether that is in its segment.
static inline __attribute__((always_inline)) int shfl_source(uint8_t mode, int lane, int b, int c,
                                                             bool *is_inside) {
  int distance = b & 31, clamp = c & 31, segment = c >> 8 & 31;
  int first = lane & segment;
  int last = first | (clamp & ~segment);
  int source = mode == MODE_UP     ? lane - distance
               : mode == MODE_DOWN ? lane + distance
               : mode == MODE_BFLY ? lane ^ distance
                                   : first | (distance & ~segment);
  *is_inside = mode == MODE_UP ? source >= last : source <= last;
  return *is_inside ? source : lane;
}

// Two loops: the first is all arithmetic and becomes vector code, the second
// is a load a lane.
static inline __attribute__((always_inline)) void shfl(Warp *warp, const Instruction *in,
                                                       uint32_t mask, uint8_t mode) {
  const uint32_t *a = place_at(warp, in->src[0]), *b = place_at(warp, in->src[1]);
  const uint32_t *c = place_at(warp, in->src[2]);
  uint32_t values[WARP_LANES], in_range = 0;
  int source[WARP_LANES];
  for (int i = 0; i < WARP_LANES; i++) {
    bool is_inside;
    source[i] = shfl_source(mode, i, (int)b[i], (int)c[i], &is_inside);
    in_range |= (uint32_t)is_inside << i;
  }
  for (int i = 0; i < WARP_LANES; i++) {
    int from = source[i] & (WARP_LANES - 1);
    values[i] = mask >> from & 1 ? a[from] : 0;
  }
  write_lanes(warp, in->dst[0], mask, values);
  write_predicate(warp, in->dst[1], mask, in_range);
}

#define SHFL(name, MODE)                                                           \
  static void shfl_##name(ExecContext *context, Warp *warp, const Instruction *in, \
                          uint32_t mask) {                                         \
    (void)context;                                                                 \
    shfl(warp, in, mask, MODE);                                                    \
  }
SHFL(up, MODE_UP)
SHFL(down, MODE_DOWN)
SHFL(bfly, MODE_BFLY)
SHFL(idx, MODE_IDX)

static void exec_vote(ExecContext *context, Warp *warp, const Instruction *in, uint32_t mask) {
  (void)context;
  uint32_t members[WARP_LANES], ballots[WARP_LANES], result = 0;
  uint32_t said_yes = *predicate_at(warp, in->src[0]);
  if (in->negated & 1) said_yes = ~said_yes;
  member_lanes(warp, in->src[1], mask, members);
  for (int i = 0; i < WARP_LANES; i++) {
    ballots[i] = said_yes & members[i];
    bool all = ballots[i] == members[i], any = ballots[i] != 0;
    bool answer = in->form.mode == MODE_ALL ? all : in->form.mode == MODE_ANY ? any : all || !any;
    result |= (uint32_t)answer << i;
  }
  if (in->form.mode == MODE_BALLOT)
    write_lanes(warp, in->dst[0], mask, ballots);
  else
    write_predicate(warp, in->dst[0], mask, result);
}

static uint64_t lane_value(const void *lanes, bool is_wide, int lane) {
  return is_wide ? ((const uint64_t *)lanes)[lane] : ((const uint32_t *)lanes)[lane];
}

static void exec_match(ExecContext *context, Warp *warp, const Instruction *in, uint32_t mask) {
  (void)context;
  uint32_t members[WARP_LANES], equal[WARP_LANES], all = 0;
  const void *lanes = place_at(warp, in->src[0]);
  bool is_wide = type_bits(in->form.type) == 64;
  member_lanes(warp, in->src[1], mask, members);
  for (int i = 0; i < WARP_LANES; i++) {
    equal[i] = 0;
    for (uint32_t left = members[i]; left; left &= left - 1) {
      int other = __builtin_ctz(left);
      bool same = lane_value(lanes, is_wide, other) == lane_value(lanes, is_wide, i);
      equal[i] |= (uint32_t)same << other;
    }
    all |= (uint32_t)(equal[i] == members[i]) << i;
    if (in->form.mode == MODE_ALL && equal[i] != members[i]) equal[i] = 0;
  }
  write_lanes(warp, in->dst[0], mask, equal);
  write_predicate(warp, in->dst[1], mask, all);
}

static uint32_t reduce_pair(uint8_t operation, bool is_signed, uint32_t a, uint32_t b) {
  bool less = is_signed ? (int32_t)a < (int32_t)b : a < b;
  switch (operation) {
    case OPERATION_ADD: return a + b;
    case OPERATION_MIN: return less ? a : b;
    case OPERATION_MAX: return less ? b : a;
    case OPERATION_AND: return a & b;
    case OPERATION_OR: return a | b;
    default: return a ^ b;
  }
}

static void exec_redux(ExecContext *context, Warp *warp, const Instruction *in, uint32_t mask) {
  (void)context;
  uint32_t members[WARP_LANES], values[WARP_LANES] = {0};
  const uint32_t *lanes = place_at(warp, in->src[0]);
  bool is_signed = type_kind(in->form.type) == KIND_SIGNED;
  member_lanes(warp, in->src[1], mask, members);
  for (int i = 0; i < WARP_LANES; i++) {
    if (i && members[i] == members[i - 1]) {
      values[i] = values[i - 1];
      continue;
    }
    uint32_t left = members[i];
    if (!left) continue;
    values[i] = lanes[__builtin_ctz(left)];
    while (left &= left - 1)
      values[i] = reduce_pair(in->form.operation, is_signed, values[i], lanes[__builtin_ctz(left)]);
  }
  write_lanes(warp, in->dst[0], mask, values);
}

static void exec_elect(ExecContext *context, Warp *warp, const Instruction *in, uint32_t mask) {
  (void)context;
  uint32_t members[WARP_LANES], leader[WARP_LANES], is_leader = 0;
  member_lanes(warp, in->src[0], mask, members);
  for (int i = 0; i < WARP_LANES; i++) {
    leader[i] = (uint32_t)__builtin_ctz(members[i] ? members[i] : mask);
    is_leader |= (uint32_t)(leader[i] == (uint32_t)i) << i;
  }
  write_lanes(warp, in->dst[0], mask, leader);
  write_predicate(warp, in->dst[1], mask, is_leader);
}

static void exec_activemask(ExecContext *context, Warp *warp, const Instruction *in,
                            uint32_t mask) {
  (void)context;
  uint32_t values[WARP_LANES];
  for (int i = 0; i < WARP_LANES; i++) values[i] = mask;
  write_lanes(warp, in->dst[0], mask, values);
}

static ExecFn find_shfl(const Form *form) {
  switch (form->mode) {
    case MODE_UP: return shfl_up;
    case MODE_DOWN: return shfl_down;
    case MODE_BFLY: return shfl_bfly;
    case MODE_IDX: return shfl_idx;
    default: return NULL;
  }
}

static bool redux_is_known(const Form *form) {
  bool is_number = form->type == TYPE_U32 || form->type == TYPE_S32;
  switch (form->operation) {
    case OPERATION_ADD:
    case OPERATION_MIN:
    case OPERATION_MAX: return is_number;
    case OPERATION_AND:
    case OPERATION_OR:
    case OPERATION_XOR: return is_number || form->type == TYPE_B32;
    default: return false;
  }
}

ExecFn exec_find_lane(const Form *form) {
  uint8_t mode = form->mode;
  switch (form->op) {
    case OP_SHFL: return find_shfl(form);
    case OP_VOTE:
      return mode == MODE_ALL || mode == MODE_ANY || mode == MODE_UNIFORM || mode == MODE_BALLOT
                 ? exec_vote
                 : NULL;
    case OP_MATCH: return mode == MODE_ALL || mode == MODE_ANY ? exec_match : NULL;
    case OP_REDUX: return redux_is_known(form) ? exec_redux : NULL;
    case OP_ELECT: return exec_elect;
    case OP_ACTIVEMASK: return exec_activemask;
    default: return NULL;
  }
}
