// SPDX-License-Identifier: MIT
// An instruction's accesses against the shadow memory: lane by lane, cell by cell. Most find what is
// in order at a glance, and are done within this file.
#include "races/race_visit.h"

#define ALWAYS_INLINE static inline __attribute__((always_inline))

// What every lane needs of a visit, by value: stores to cells could change what a pointer points to,
// and the compiler would read it again for each lane.
typedef struct Glance {
  Touch mine;          // without its lane
  uint32_t first_cta;
  uint32_t warp, now;  // the warp's clock
  const uint32_t *clock;
  bool is_lockstep, is_atomic;
} Glance;

ALWAYS_INLINE Glance glance_of(const Visit *visit) {
  return (Glance){.mine = visit->mine,
                  .first_cta = visit->first_cta,
                  .warp = visit->warp_index,
                  .now = visit->own->clock[visit->warp_index],
                  .clock = visit->own->clock,
                  .is_lockstep = !visit->races->check_warps,
                  .is_atomic = visit->mine.stamp & ACCESS_IS_ATOMIC};
}

// What most accesses find: nothing or an earlier kernel, the thread itself, another lane before a
// barrier or in lockstep, or another warp of the CTA before a barrier. Never true of a race.
ALWAYS_INLINE bool is_in_order(Glance own, const Touch *before, uint32_t lane, bool are_writes) {
  if (before->cta < own.first_cta) return true;
  if (before->cta != own.mine.cta) return false;
  uint32_t warp = stamp_warp(before->stamp), clock = stamp_clock(before->stamp);
  if (warp != own.warp) return clock <= own.clock[warp];
  if (stamp_lane(before->stamp) == lane || clock < own.now) return true;
  return own.is_lockstep && !(are_writes && before->pc == own.mine.pc);
}

ALWAYS_INLINE Touch touch_of(Glance own, uint32_t lane) {
  own.mine.stamp = stamp_with_lane(own.mine.stamp, lane);
  return own.mine;
}

// ---- cells

ALWAYS_INLINE void read_cell(const Visit *visit, Glance own, const ShadowPage *page, size_t cell,
                             int lane, uint64_t address) {
  const WriteCell *write = page->writes ? &page->writes[cell] : NULL;
  if (write && !is_in_order(own, &write->by, (uint32_t)lane, false))
    race_read_over_write(visit, &write->by, lane, address);
  shadow_read(&page->reads[cell], touch_of(own, (uint32_t)lane));
}

ALWAYS_INLINE void write_over_reads(const Visit *visit, Glance own, ReadCell *read, int lane,
                                    uint64_t address) {
  for (int i = 0; i < 2 && read->by[0].cta >= own.first_cta; i++)
    if (own.is_atomic || !is_in_order(own, &read->by[i], (uint32_t)lane, false))
      race_write_over_read(visit, &read->by[i], lane, address);
  read->by[0].cta = read->by[1].cta = 0;
}

ALWAYS_INLINE void write_cell(const Visit *visit, Glance own, const ShadowPage *page, size_t cell,
                              int lane, uint64_t address, uint32_t value) {
  WriteCell *write = &page->writes[cell];
  if (!is_in_order(own, &write->by, (uint32_t)lane, true))
    race_write_over_write(visit, write, lane, address, value);
  if (page->reads) write_over_reads(visit, own, &page->reads[cell], lane, address);
  *write = (WriteCell){touch_of(own, (uint32_t)lane), value};
}

static uint32_t value_of(const Visit *visit, int lane, uint32_t offset, uint32_t shift) {
  if (!visit->is_store) return ++visit->races->unknown_values;
  uint32_t word = watch_stored_word(visit->warp, visit->in, lane, offset);
  return shift ? word : word & 0xff;
}

// ---- lanes

// The page is ready for accesses of so many bytes at the place.
ALWAYS_INLINE void prepare(ShadowPage *page, uint32_t place, uint32_t bytes, bool is_write) {
  if ((place | bytes) & 3 && page->shift) shadow_page_split(page);
  if (is_write && !page->writes) shadow_page_add_writes(page);
  if (!is_write && !page->reads) shadow_page_add_reads(page);
}

// The cells of one lane, which all are in the page.
ALWAYS_INLINE void read_lane(const Visit *visit, Glance own, const ShadowPage *page, uint32_t place,
                             uint32_t bytes, int lane, uint64_t address) {
  uint32_t shift = page->shift, step = 1u << shift;
  for (uint32_t at = 0; at < bytes; at += step)
    read_cell(visit, own, page, (place + at) >> shift, lane, address + at);
}

ALWAYS_INLINE void write_lane(const Visit *visit, Glance own, const ShadowPage *page, uint32_t place,
                              uint32_t bytes, int lane, uint64_t address) {
  uint32_t shift = page->shift, step = 1u << shift;
  const uint32_t *words = visit->words;
  for (uint32_t at = 0; at < bytes; at += step) {
    uint32_t value = !words  ? value_of(visit, lane, at, shift)
                     : shift ? words[lane]
                             : words[lane] >> 8 * at & 0xff;
    write_cell(visit, own, page, (place + at) >> shift, lane, address + at, value);
  }
}

// Lanes whose address is that of two lanes before them. Of lanes that read the same address two are
// enough: one of them did not write it, and the cell says that several have read.
static uint32_t repeated(const uint64_t *address, uint32_t lanes) {
  uint64_t last = UINT64_MAX;
  uint32_t repeats = 0, found = 0;
  for (; lanes; lanes &= lanes - 1) {
    int lane = __builtin_ctz(lanes);
    repeats = address[lane] == last ? repeats + 1 : 0;
    last = address[lane];
    if (repeats > 1) found |= 1u << lane;
  }
  return found;
}

typedef void LaneCheck(const Visit *, Glance, const ShadowPage *, uint32_t, uint32_t, int, uint64_t);

ALWAYS_INLINE void pass_shared(const Visit *visit, uint32_t lanes, bool is_write, LaneCheck *check) {
  const uint64_t *address = visit->context->access.address;
  uint32_t size = visit->cta->shared_bytes, bytes = visit->context->access.bytes;
  ShadowPage *page = &visit->cta->shared;
  Glance own = glance_of(visit);
  for (; lanes; lanes &= lanes - 1) {
    int lane = __builtin_ctz(lanes);
    if (address[lane] + bytes > size) continue;
    uint32_t place = (uint32_t)address[lane];
    prepare(page, place, bytes, is_write);
    check(visit, own, page, place, bytes, lane, address[lane]);
  }
}

static void check_shared(const Visit *visit, uint32_t lanes) {
  if (visit->is_write)
    pass_shared(visit, lanes, true, write_lane);
  else
    pass_shared(visit, lanes & ~repeated(visit->context->access.address, lanes), false, read_lane);
}

// Lanes far apart miss the host's caches one by one unless all are asked for first.
static void prefetch_cells(const Visit *visit, uint32_t lanes) {
  const uint64_t *address = visit->context->access.address;
  for (; lanes; lanes &= lanes - 1) {
    int lane = __builtin_ctz(lanes);
    const ShadowPage *page = shadow_page_at(&visit->races->global, address[lane]);
    uint32_t place = address[lane] & ((1 << SHADOW_PAGE_LOG2) - 1);
    if (page && page->reads) __builtin_prefetch(&page->reads[place >> page->shift], 1);
    if (page && page->writes) __builtin_prefetch(&page->writes[place >> page->shift], 1);
  }
}

static bool are_far_apart(const uint64_t *address, uint32_t lanes) {
  int first = __builtin_ctz(lanes), last = 31 - __builtin_clz(lanes);
  uint64_t from = address[first], to = address[last];
  return (from < to ? to - from : from - to) > 1 << SHADOW_PAGE_LOG2;
}

ALWAYS_INLINE void pass_global(const Visit *visit, uint32_t lanes, bool is_write, LaneCheck *check) {
  const uint64_t *address = visit->context->access.address;
  uint32_t bytes = visit->context->access.bytes;
  uint64_t number = UINT64_MAX;
  ShadowPage *page = NULL;
  Glance own = glance_of(visit);
  for (; lanes; lanes &= lanes - 1) {
    int lane = __builtin_ctz(lanes);
    if (address[lane] >> SHADOW_PAGE_LOG2 != number) {
      number = address[lane] >> SHADOW_PAGE_LOG2;
      page = shadow_page_at(&visit->races->global, address[lane]);
    }
    if (!page) continue;
    uint32_t place = address[lane] & ((1 << SHADOW_PAGE_LOG2) - 1);
    prepare(page, place, bytes, is_write);
    check(visit, own, page, place, bytes, lane, address[lane]);
  }
}

static void check_global(const Visit *visit, uint32_t lanes) {
  const uint64_t *address = visit->context->access.address;
  if (are_far_apart(address, lanes)) prefetch_cells(visit, lanes);
  if (visit->is_write)
    pass_global(visit, lanes, true, write_lane);
  else
    pass_global(visit, lanes & ~repeated(address, lanes), false, read_lane);
}

// ---- strong accesses

static uint32_t flags_of(const ExecContext *context, const Instruction *in) {
  const Form *form = &in->form;
  if (context->access.atomic) return ACCESS_IS_ATOMIC | ACCESS_IS_STRONG;
  bool is_strong = form->volatile_ || form->order & ORDER_IS_STRONG || form->cache == CACHE_VOLATILE;
  return is_strong ? ACCESS_IS_STRONG : 0;
}

static void synchronise(Races *races, CtaState *cta, const ExecContext *context, const Warp *warp,
                        const Instruction *in, uint32_t lanes, bool is_shared) {
  CtaOrder *order = &cta->order;
  uint32_t owner = is_shared ? order->cta : 0;
  uint64_t last = UINT64_MAX;
  bool reads = in->form.op == OP_LD || in->form.op == OP_ATOM;
  for (; lanes; lanes &= lanes - 1) {
    uint64_t address = context->access.address[__builtin_ctz(lanes)];
    if (address == last) continue;
    last = address;
    if (reads) order_read_strong(order, warp->index, &races->points, address, owner);
    if (context->access.write)
      order_write_strong(order, warp->index, &races->points, address, owner);
  }
}

static void note_executed(const Visit *visit, WarpOrder *own) {
  uint32_t key = executed_key(race_line(visit, visit->mine.pc), visit->is_write);
  own->executed[key % EXECUTED] = (ExecutedLine){.key = key, .clock = own->clock[visit->warp_index]};
}

void races_check_lanes(Races *races, CtaState *cta, const ExecContext *context, const Warp *warp,
                       const Instruction *in, uint32_t lanes, bool is_shared) {
  uint32_t flags = flags_of(context, in);
  bool is_cta_scope = in->form.scope == SCOPE_CTA;
  if (in->form.order & ORDER_RELEASES) order_fence(&cta->order, warp->index, is_cta_scope);
  const WarpOrder *own = &cta->order.warps[warp->index];
  Visit visit = {.races = races,
                 .context = context,
                 .warp = warp,
                 .in = in,
                 .cta = cta,
                 .own = own,
                 .mine = {.cta = cta->order.cta,
                          .pc = (uint32_t)(in - warp->code),
                          .stamp = stamp_make(own->clock[warp->index], warp->index, 0, flags)},
                 .first_cta = is_shared ? cta->order.cta : cta->first_cta,
                 .warp_index = warp->index,
                 .is_shared = is_shared,
                 .is_write = context->access.write,
                 .is_store = in->form.op == OP_ST};
  if (visit.is_store && context->access.bytes <= 4 && in->form.vector <= 1 && in->src_bytes != 8)
    visit.words = place_at(warp, in->src[1]);
  if (is_shared)
    check_shared(&visit, lanes);
  else
    check_global(&visit, lanes);
  note_executed(&visit, &cta->order.warps[warp->index]);
  if (flags) synchronise(races, cta, context, warp, in, lanes, is_shared);
  if (in->form.order & ORDER_ACQUIRES) order_fence(&cta->order, warp->index, is_cta_scope);
}
