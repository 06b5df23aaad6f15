// SPDX-License-Identifier: MIT
// mov: plain, of special registers and addresses, and between a register and
// the parts that it is packed of.
#include "exec/execute.h"
#include "exec/lanes.h"

#define MOVE(name) void name(ExecContext *context, Warp *warp, const Instruction *in, uint32_t mask)

MOVE(exec_mov_32) {
  (void)context;
  Lane32 *d = place_at(warp, in->dst[0]);
  const Lane32 *a = place_at(warp, in->src[0]);
  LANES(d, mask, a[lane]);
}

MOVE(exec_mov_64) {
  (void)context;
  Lane64 *d = place_at(warp, in->dst[0]);
  const Lane64 *a = place_at(warp, in->src[0]);
  LANES(d, mask, a[lane]);
}

MOVE(exec_mov_predicate) {
  (void)context;
  uint32_t *d = predicate_at(warp, in->dst[0]);
  uint32_t value = *predicate_at(warp, in->src[0]);
  if (in->negated & 1) value = ~value;
  *d = (*d & ~mask) | (value & mask);
}

MOVE(exec_mov_special) {
  uint64_t read[WARP_LANES];
  special_read(context, warp, (SpecialRegister)in->special[0], read);
  if (special_bits((SpecialRegister)in->special[0]) == 64) {
    Lane64 *d = place_at(warp, in->dst[0]);
    const Lane64 *a = read;
    LANES(d, mask, a[lane]);
  } else {
    Lane32 *d = place_at(warp, in->dst[0]);
    const Lane32 *a = (const Lane32 *)read;
    LANES(d, mask, a[lane]);
  }
}

MOVE(exec_mov_address) {
  (void)context;
  uint64_t address = (uint64_t)in->offset;
  if (in->address_base == BASE_FRAME) address += warp_top(warp)->local_frame;
  if (in->address_base == BASE_DYNAMIC_SHARED)
    address += warp->cta->launch->kernel->static_shared_bytes;
  if (in->dst_bytes == 8) {
    Lane64 *d = place_at(warp, in->dst[0]);
    LANES(d, mask, address);
  } else {
    Lane32 *d = place_at(warp, in->dst[0]);
    LANES(d, mask, (uint32_t)address);
  }
}

// -- packing: the first part is the lowest

static int part_count(const Instruction *in, const Place *places) {
  if (in->form.vector > 1) return in->form.vector;
  int count = 0;
  while (count < MAX_DESTINATIONS && places[count] != NO_PLACE) count++;
  return count;
}

MOVE(exec_mov_pack) {
  (void)context;
  int count = part_count(in, in->src), bits = type_bits((DataType)in->form.type) / count;
  uint64_t part_mask = bits < 64 ? (UINT64_C(1) << bits) - 1 : UINT64_MAX;
  uint64_t whole[WARP_LANES] = {0};
  for (int k = 0; k < count; k++) {
    const Lane32 *part = place_at(warp, in->src[k]);
    for (int lane = 0; lane < WARP_LANES; lane++)
      whole[lane] |= (part[lane] & part_mask) << k * bits;
  }
  if (type_bits((DataType)in->form.type) == 64) {
    Lane64 *d = place_at(warp, in->dst[0]);
    LANES(d, mask, whole[lane]);
  } else {
    Lane32 *d = place_at(warp, in->dst[0]);
    LANES(d, mask, (uint32_t)whole[lane]);
  }
}

// Where the whole is read before a part is written: they may be the same register.
MOVE(exec_mov_unpack) {
  (void)context;
  int count = part_count(in, in->dst), bits = type_bits((DataType)in->form.type) / count;
  uint64_t part_mask = bits < 64 ? (UINT64_C(1) << bits) - 1 : UINT64_MAX;
  uint64_t whole[WARP_LANES];
  const void *source = place_at(warp, in->src[0]);
  bool wide = type_bits((DataType)in->form.type) == 64;
  for (int lane = 0; lane < WARP_LANES; lane++)
    whole[lane] = wide ? ((const Lane64 *)source)[lane] : ((const Lane32 *)source)[lane];
  for (int k = 0; k < count; k++) {
    if (in->dst[k] == NO_PLACE) continue;
    Lane32 *part = place_at(warp, in->dst[k]);
    LANES(part, mask, (uint32_t)(whole[lane] >> k * bits & part_mask));
  }
}
