// SPDX-License-Identifier: MIT
// An instruction's accesses against the shadow memory: lane by lane, cell by cell. Most find what
// is in order at a glance, and are done within this file.
#include "races/race_visit.h"

#define ALL_LANES UINT32_MAX
#define ALWAYS_INLINE static inline __attribute__((always_inline))

// What every lane needs of a visit, by value: stores to cells could change what a pointer points
// to, and the compiler would read it again for each lane.
typedef struct Glance {
  Touch mine;  // without its lane
  uint32_t first_cta;
  uint32_t warp;
  const uint32_t *clock;
  bool is_lockstep, is_atomic;
} Glance;

ALWAYS_INLINE Glance glance_of(const Visit *visit) {
  return (Glance){.mine = visit->mine,
                  .first_cta = visit->first_cta,
                  .warp = visit->warp_index,
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
  if (clock < own.clock[warp]) return true;
  if (warp != own.warp) return clock == own.clock[warp];
  if (stamp_lane(before->stamp) == lane) return true;
  return own.is_lockstep && !(are_writes && before->pc == own.mine.pc);
}

ALWAYS_INLINE Touch touch_of(Glance own, uint32_t lane) {
  own.mine.stamp = stamp_with_lane(own.mine.stamp, lane);
  return own.mine;
}

// ---- cells

// Those of a page, by value as above.
typedef struct Cells {
  WriteCell *writes;  // may be NULL for a read
  ReadCell *reads;    // may be NULL for a write
  uint32_t shift;
} Cells;

// For accesses whose places and sizes have these low bits.
static Cells cells_of(ShadowPage *page, uint32_t bits, bool is_write) {
  if (bits & 3 && page->shift) shadow_page_split(page);
  if (is_write && !page->writes) shadow_page_add_writes(page);
  if (!is_write && !page->reads) shadow_page_add_reads(page);
  return (Cells){page->writes, page->reads, page->shift};
}

ALWAYS_INLINE void read_cell(const Visit *visit, Glance own, Cells cells, size_t i, int lane,
                             uint64_t address) {
  if (cells.writes && !is_in_order(own, &cells.writes[i].by, (uint32_t)lane, false))
    race_read_over_write(visit, &cells.writes[i].by, lane, address);
  shadow_read(&cells.reads[i], touch_of(own, (uint32_t)lane), own.first_cta);
}

ALWAYS_INLINE void write_over_reads(const Visit *visit, Glance own, const ReadCell *read, int lane,
                                    uint64_t address) {
  if (own.is_atomic || !is_in_order(own, &read->by[0], (uint32_t)lane, false))
    race_write_over_read(visit, &read->by[0], lane, address);
  if (own.is_atomic || !is_in_order(own, &read->by[1], (uint32_t)lane, false))
    race_write_over_read(visit, &read->by[1], lane, address);
}

ALWAYS_INLINE void write_cell(const Visit *visit, Glance own, Cells cells, size_t i, int lane,
                              uint64_t address, uint32_t value) {
  WriteCell *write = &cells.writes[i];
  if (!is_in_order(own, &write->by, (uint32_t)lane, true))
    race_write_over_write(visit, write, lane, address, value);
  if (cells.reads && cells.reads[i].by[0].cta) {
    ReadCell *read = &cells.reads[i];
    if (read->by[0].cta >= own.first_cta) write_over_reads(visit, own, read, lane, address);
    read->by[0].cta = read->by[1].cta = 0;
  }
  *write = (WriteCell){touch_of(own, (uint32_t)lane), value};
}

static uint32_t value_of(const Visit *visit, int lane, uint32_t offset, uint32_t shift) {
  if (!visit->is_store) return ++visit->races->unknown_values;
  uint32_t word = watch_stored_word(visit->warp, visit->in, lane, offset);
  return shift ? word : word & 0xff;
}

// ---- lanes

// The cells of one lane, which all are in the page.
ALWAYS_INLINE void read_lane(const Visit *visit, Glance own, Cells cells, uint32_t place,
                             uint32_t bytes, int lane, uint64_t address) {
  for (uint32_t at = 0; at < bytes; at += 1u << cells.shift)
    read_cell(visit, own, cells, (place + at) >> cells.shift, lane, address + at);
}

ALWAYS_INLINE void write_lane(const Visit *visit, Glance own, Cells cells, uint32_t place,
                              uint32_t bytes, int lane, uint64_t address) {
  const uint32_t *words = visit->words;
  uint32_t mask = cells.shift ? UINT32_MAX : 0xff;
  for (uint32_t at = 0; at < bytes; at += 1u << cells.shift) {
    uint32_t value = words ? words[lane] >> 8 * at & mask : value_of(visit, lane, at, cells.shift);
    write_cell(visit, own, cells, (place + at) >> cells.shift, lane, address + at, value);
  }
}

// Lanes whose address is that of two lanes before them. Of lanes that read the same address two are
// enough: one of them did not write it, and the cell says that several have read.
static uint32_t repeated(const uint64_t *address, uint32_t lanes) {
  uint32_t is_same = 0, was_same = 0, found = 0;
  if (lanes == ALL_LANES) {
    for (int lane = 1; lane < WARP_LANES; lane++)
      is_same |= (uint32_t)(address[lane] == address[lane - 1]) << lane;
    return is_same & is_same << 1;
  }
  for (uint64_t last = UINT64_MAX; lanes; lanes &= lanes - 1, was_same = is_same) {
    int lane = __builtin_ctz(lanes);
    is_same = address[lane] == last;
    found |= (is_same & was_same) << lane;
    last = address[lane];
  }
  return found;
}

// Whether all lanes read or store words side by side, which is the most common access.
static bool is_row(const Visit *visit, uint32_t lanes) {
  const uint64_t *address = visit->context->access.address;
  uint64_t other = 0;
  if (lanes != ALL_LANES || visit->context->access.bytes != 4 || address[0] & 3) return false;
  if (visit->is_write && !visit->words) return false;
  for (uint64_t lane = 0; lane < WARP_LANES; lane++)
    other |= address[lane] ^ (address[0] + 4 * lane);
  return !other;
}

// All lanes of one instruction, with a cell each from the place on.
static void read_row(const Visit *visit, Cells cells, uint32_t place) {
  uint64_t address = visit->context->access.address[0];
  Glance own = glance_of(visit);
  uint32_t first = place >> SHADOW_WORD_LOG2;
  for (uint32_t lane = 0; lane < WARP_LANES; lane++)
    read_cell(visit, own, cells, first + lane, (int)lane, address + 4 * lane);
}

static void write_row(const Visit *visit, Cells cells, uint32_t place) {
  uint64_t address = visit->context->access.address[0];
  const uint32_t *words = visit->words;
  Glance own = glance_of(visit);
  uint32_t first = place >> SHADOW_WORD_LOG2;
  for (uint32_t lane = 0; lane < WARP_LANES; lane++)
    write_cell(visit, own, cells, first + lane, (int)lane, address + 4 * lane, words[lane]);
}

static void check_row(const Visit *visit, ShadowPage *page, uint32_t place) {
  Cells cells = cells_of(page, 0, visit->is_write);
  if (visit->is_write)
    write_row(visit, cells, place);
  else
    read_row(visit, cells, place);
}

typedef void LaneCheck(const Visit *, Glance, Cells, uint32_t, uint32_t, int, uint64_t);

ALWAYS_INLINE void pass_shared(const Visit *visit, uint32_t lanes, uint32_t bytes, bool is_write,
                               LaneCheck *check) {
  const uint64_t *address = visit->context->access.address;
  uint32_t size = visit->cta->shared_bytes;
  Cells cells = cells_of(&visit->cta->shared, bytes, is_write);
  Glance own = glance_of(visit);
  for (; lanes; lanes &= lanes - 1) {
    int lane = __builtin_ctz(lanes);
    if (address[lane] + bytes > size) continue;
    uint32_t place = (uint32_t)address[lane];
    if (place & 3 && cells.shift) cells = cells_of(&visit->cta->shared, place, is_write);
    check(visit, own, cells, place, bytes, lane, address[lane]);
  }
}

static bool is_row_in_shared(const Visit *visit, uint32_t lanes) {
  uint64_t place = visit->context->access.address[0], size = visit->cta->shared_bytes;
  return visit->cta->shared.shift && place < size && size - place >= 4 * WARP_LANES &&
         is_row(visit, lanes);
}

static void check_shared(const Visit *visit, uint32_t lanes) {
  const uint64_t *address = visit->context->access.address;
  uint32_t bytes = visit->context->access.bytes;
  if (is_row_in_shared(visit, lanes)) {
    check_row(visit, &visit->cta->shared, (uint32_t)address[0]);
    return;
  }
  if (!visit->is_write) lanes &= ~repeated(address, lanes);
  // Bytes have a cell each: a copy of the code for them has no loop over cells.
  if (bytes == 1)
    visit->is_write ? pass_shared(visit, lanes, 1, true, write_lane)
                    : pass_shared(visit, lanes, 1, false, read_lane);
  else
    visit->is_write ? pass_shared(visit, lanes, bytes, true, write_lane)
                    : pass_shared(visit, lanes, bytes, false, read_lane);
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

ALWAYS_INLINE void pass_global(const Visit *visit, uint32_t lanes, bool is_write,
                               LaneCheck *check) {
  const uint64_t *address = visit->context->access.address;
  uint32_t bytes = visit->context->access.bytes;
  uint64_t number = UINT64_MAX;
  ShadowPage *page = NULL;
  Cells cells = {0};
  Glance own = glance_of(visit);
  for (; lanes; lanes &= lanes - 1) {
    int lane = __builtin_ctz(lanes);
    if (address[lane] >> SHADOW_PAGE_LOG2 != number) {
      number = address[lane] >> SHADOW_PAGE_LOG2;
      page = shadow_page_at(&visit->races->global, address[lane]);
      if (page) cells = cells_of(page, bytes, is_write);
    }
    if (!page) continue;
    uint32_t place = address[lane] & ((1 << SHADOW_PAGE_LOG2) - 1);
    if (place & 3 && cells.shift) cells = cells_of(page, place, is_write);
    check(visit, own, cells, place, bytes, lane, address[lane]);
  }
}

// The page of a row that lies within one, and has words; else NULL.
static ShadowPage *page_of_row(const Visit *visit, uint32_t lanes) {
  uint64_t first = visit->context->access.address[0], last = first + 4 * WARP_LANES - 1;
  if ((first ^ last) >> SHADOW_PAGE_LOG2 || !is_row(visit, lanes)) return NULL;
  ShadowPage *page = shadow_page_at(&visit->races->global, first);
  return page && page->shift ? page : NULL;
}

static void check_global(const Visit *visit, uint32_t lanes) {
  const uint64_t *address = visit->context->access.address;
  ShadowPage *page = page_of_row(visit, lanes);
  if (!page && are_far_apart(address, lanes)) prefetch_cells(visit, lanes);
  if (page)
    check_row(visit, page, address[0] & ((1 << SHADOW_PAGE_LOG2) - 1));
  else if (visit->is_write)
    pass_global(visit, lanes, true, write_lane);
  else
    pass_global(visit, lanes & ~repeated(address, lanes), false, read_lane);
}

// ---- strong accesses

static uint32_t flags_of(const ExecContext *context, const Instruction *in) {
  const Form *form = &in->form;
  if (context->access.atomic) return ACCESS_IS_ATOMIC | ACCESS_IS_STRONG;
  bool is_strong =
      form->volatile_ || form->order & ORDER_IS_STRONG || form->cache == CACHE_VOLATILE;
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
  own->executed[key % EXECUTED] =
      (ExecutedLine){.key = key, .clock = own->clock[visit->warp_index]};
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
