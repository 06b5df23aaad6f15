// SPDX-License-Identifier: MIT
// One access against the shadow memory: lane by lane, cell by cell.
#include "races/race_state.h"

#define ALWAYS_INLINE static inline __attribute__((always_inline))

// An instruction of a warp while it is checked.
typedef struct Visit {
  Races *races;
  const ExecContext *context;
  const Warp *warp;
  const Instruction *in;
  CtaState *cta;
  const WarpOrder *own;
  Touch mine;  // without its lane
  uint32_t first_cta;  // touches of CTAs before it do not count
  uint32_t warp_index;
  bool is_shared, is_write, is_store;
  const uint32_t *words;  // by lane, what a store of one element of up to 4 bytes has; else NULL
} Visit;

// ---- order

static bool is_before(const Visit *visit, const Touch *before) {
  uint32_t warp = stamp_warp(before->stamp), clock = stamp_clock(before->stamp);
  if (before->cta == visit->mine.cta) return clock <= visit->own->clock[warp];
  const RaceCta *other = &visit->races->ctas[before->cta - 1];
  if (other->launch != visit->cta->launch) return true;  // kernels are not checked with each other
  return known_has(&visit->own->known, before->cta, warp, clock);
}

// Lanes of one instruction that write the same cell: those below `lane` come first.
static bool wrote_in_this_instruction(const Visit *visit, int lane, uint64_t address) {
  const MemoryAccess *access = &visit->context->access;
  for (int i = 0; i < lane; i++)
    if (access->mask >> i & 1 && access->address[i] <= address &&
        address < access->address[i] + access->bytes)
      return true;
  return false;
}

// Both in the same warp: without independent lanes, instructions follow one another.
static bool is_warp_race(const Visit *visit, const Touch *before, int lane, uint64_t address,
                         bool was_write) {
  if (stamp_lane(before->stamp) == (uint32_t)lane) return false;
  if (stamp_clock(before->stamp) < visit->own->clock[visit->warp_index]) return false;
  if (visit->races->check_warps) return true;
  return visit->is_write && was_write && before->pc == visit->mine.pc &&
         wrote_in_this_instruction(visit, lane, address);
}

// Atomics never race with each other; nor do strong accesses, but for those of one warp to shared
// memory: volatile ones are what warp-synchronous code has always used.
static bool are_both(uint32_t flag, const Visit *visit, const Touch *before) {
  return visit->mine.stamp & before->stamp & flag;
}

static __attribute__((noinline)) bool is_race(const Visit *visit, const Touch *before, int lane, uint64_t address,
                    bool was_write) {
  if (are_both(ACCESS_IS_ATOMIC, visit, before)) return false;
  if (!visit->is_shared && are_both(ACCESS_IS_STRONG, visit, before)) return false;
  if (before->cta == visit->mine.cta && stamp_warp(before->stamp) == visit->warp_index)
    return is_warp_race(visit, before, lane, address, was_write);
  return !are_both(ACCESS_IS_STRONG, visit, before) && !is_before(visit, before);
}

// ---- cells

static uint32_t with_lane(uint32_t stamp, uint32_t lane) {
  return stamp | lane << STAMP_LANE;
}

static uint32_t line_of(const Visit *visit, uint32_t pc) {
  const Program *program = visit->warp->cta->launch->program;
  const SourceLine *source = race_source(program, pc);
  return source ? source->line : program->code[pc].line;
}

// Whether the access of this visit comes before the other one in the program, although it was
// simulated after it: warps are simulated in any order. If the warp has executed the other's
// line, in the same round of barriers as the other or later, it comes after; in an earlier one,
// the other is a round ahead. If it never has, the order of the lines decides.
static bool comes_first(const Visit *visit, const Touch *other, bool was_write) {
  uint32_t line = line_of(visit, other->pc), own = line_of(visit, visit->mine.pc);
  uint32_t key = executed_key(line, was_write);
  const ExecutedLine *executed = &visit->own->executed[key % EXECUTED];
  if (other->pc == visit->mine.pc) return false;
  if (executed->clock && executed->key == key && line != own)
    return executed->clock < stamp_clock(other->stamp);
  return line == own ? visit->mine.pc < other->pc : own < line;
}

static void note_executed(const Visit *visit, WarpOrder *own) {
  uint32_t key = executed_key(line_of(visit, visit->mine.pc), visit->is_write);
  own->executed[key % EXECUTED] = (ExecutedLine){.key = key, .clock = own->clock[visit->warp_index]};
}

static __attribute__((noinline)) void report(const Visit *visit, const Touch *before, int lane, uint64_t address,
                   RaceKind kind, bool is_benign) {
  Races *races = visit->races;
  if (is_benign && !races->options.all) return;  // common, and the text is not wanted
  int now = comes_first(visit, before, kind != RACE_WAR) ? 0 : 1;
  Conflict conflict = {.context = visit->context,
                       .launch = visit->warp->cta->launch,
                       .is_shared = visit->is_shared,
                       .is_benign = is_benign,
                       .address = address};
  conflict.touches[now] = visit->mine;
  conflict.touches[now].stamp = with_lane(visit->mine.stamp, (uint32_t)lane);
  conflict.ctas[now] = visit->warp->cta->linear;
  conflict.is_write[now] = kind != RACE_RAW;
  conflict.touches[!now] = *before;
  conflict.ctas[!now] = races->ctas[before->cta - 1].linear;
  conflict.is_write[!now] = kind != RACE_WAR;
  race_table_add(&races->found, &conflict);
}

static inline bool is_same_thread(const Visit *visit, const Touch *before, int lane) {
  return before->cta == visit->mine.cta && stamp_warp(before->stamp) == visit->warp_index &&
         stamp_lane(before->stamp) == (uint32_t)lane;
}

// What most accesses find: nothing or an earlier kernel, the thread itself, or another warp of the
// CTA before a barrier.
ALWAYS_INLINE bool is_quickly_ordered(const Visit *visit, const Touch *before, int lane) {
  if (before->cta < visit->first_cta) return true;
  if (before->cta != visit->mine.cta) return false;
  uint32_t warp = stamp_warp(before->stamp);
  if (warp == visit->warp_index) return stamp_lane(before->stamp) == (uint32_t)lane;
  return stamp_clock(before->stamp) <= visit->own->clock[warp];
}

static inline Touch touch_of(const Visit *visit, int lane) {
  Touch mine = visit->mine;
  mine.stamp = with_lane(mine.stamp, (uint32_t)lane);
  return mine;
}

ALWAYS_INLINE void read_cell(const Visit *visit, ShadowCell *cell, int lane, uint64_t address) {
  if (!is_quickly_ordered(visit, &cell->write, lane) &&
      is_race(visit, &cell->write, lane, address, true))
    report(visit, &cell->write, lane, address, RACE_RAW, false);
  shadow_read(cell, touch_of(visit, lane));
}

static uint32_t value_of(const Visit *visit, int lane, uint32_t offset, uint32_t shift) {
  if (visit->words) return shift ? visit->words[lane] : visit->words[lane] >> 8 * offset & 0xff;
  if (!visit->is_store) return ++visit->races->unknown_values;
  uint32_t word = watch_stored_word(visit->warp, visit->in, lane, offset);
  return shift ? word : word & 0xff;
}

// The same thread, or its warp, of which several lanes have read, tested the word.
static void note_tested(const Visit *visit, const Touch *read, int lane) {
  Races *races = visit->races;
  uint32_t clock = visit->own->clock[visit->warp_index], reader = stamp_lane(read->stamp);
  if (!(visit->mine.stamp & ACCESS_IS_ATOMIC) || read->stamp & ACCESS_IS_STRONG) return;
  if (read->cta != visit->mine.cta || stamp_warp(read->stamp) != visit->warp_index ||
      stamp_clock(read->stamp) != clock || (reader != (uint32_t)lane && reader != SEVERAL_LANES))
    return;
  if (races->tested[0] == read->pc && races->tested[1] == visit->mine.pc &&
      races->tested_launch == visit->cta->launch)
    return;
  races->tested[0] = read->pc;
  races->tested[1] = visit->mine.pc;
  races->tested_launch = visit->cta->launch;
  race_table_note_tested(&races->found, visit->warp->cta->launch, read->pc, visit->mine.pc);
}

static void write_over_write(const Visit *visit, const ShadowCell *cell, int lane,
                             uint64_t address, uint32_t value) {
  if (!is_race(visit, &cell->write, lane, address, true)) return;
  bool is_atomic = (cell->write.stamp | visit->mine.stamp) & ACCESS_IS_ATOMIC;
  bool is_benign = visit->is_store && !is_atomic && cell->value == value;
  report(visit, &cell->write, lane, address, RACE_WAW, is_benign);
}

static void write_over_read(const Visit *visit, const Touch *read, int lane, uint64_t address) {
  if (read->cta < visit->first_cta) return;
  note_tested(visit, read, lane);
  if (!is_same_thread(visit, read, lane) && is_race(visit, read, lane, address, false))
    report(visit, read, lane, address, RACE_WAR, false);
}

ALWAYS_INLINE void write_cell(const Visit *visit, ShadowCell *cell, int lane, uint64_t address,
                              uint32_t value) {
  if (!is_quickly_ordered(visit, &cell->write, lane))
    write_over_write(visit, cell, lane, address, value);
  if (cell->read[0].cta >= visit->first_cta) {
    write_over_read(visit, &cell->read[0], lane, address);
    write_over_read(visit, &cell->read[1], lane, address);
  }
  cell->read[0].cta = cell->read[1].cta = 0;
  cell->write = touch_of(visit, lane);
  cell->value = value;
}

// ---- lanes

static void split_if_needed(ShadowPage *page, size_t page_bytes, uint32_t place, uint32_t bytes) {
  if ((place | bytes) & 3 && page->shift) shadow_page_split(page, page_bytes);
}

// The cells of one lane, which all are in the page.
ALWAYS_INLINE void check_lane(const Visit *visit, const ShadowPage *page, uint32_t place, int lane,
                              bool is_write) {
  uint32_t bytes = visit->context->access.bytes, shift = page->shift;
  uint64_t address = visit->context->access.address[lane];
  ShadowCell *cell = &page->cells[place >> shift];
  for (uint32_t offset = 0; offset < bytes; offset += 1u << shift, cell++) {
    if (is_write)
      write_cell(visit, cell, lane, address + offset, value_of(visit, lane, offset, shift));
    else
      read_cell(visit, cell, lane, address + offset);
  }
}

// Of lanes that read the same address two are enough: one of them did not write it, and the cell
// says that several have read.
static inline bool is_repeated(const uint64_t *address, uint32_t *repeats, int lane, uint64_t *last,
                               bool is_write) {
  *repeats = address[lane] == *last ? *repeats + 1 : 0;
  *last = address[lane];
  return !is_write && *repeats > 1;
}

ALWAYS_INLINE void check_shared(const Visit *visit, uint32_t lanes, bool is_write) {
  ShadowPage *page = &visit->cta->shared;
  uint32_t size = visit->cta->shared_bytes, bytes = visit->context->access.bytes, repeats = 0;
  const uint64_t *address = visit->context->access.address;
  uint64_t last = UINT64_MAX;
  for (; lanes; lanes &= lanes - 1) {
    int lane = __builtin_ctz(lanes);
    if (is_repeated(address, &repeats, lane, &last, is_write)) continue;
    if (address[lane] + bytes > size) continue;
    split_if_needed(page, visit->cta->shared_capacity, (uint32_t)address[lane], bytes);
    check_lane(visit, page, (uint32_t)address[lane], lane, is_write);
  }
}

// Lanes far apart miss the host's caches one by one unless all are asked for first.
static void prefetch_cells(const Visit *visit, uint32_t lanes) {
  const uint64_t *address = visit->context->access.address;
  for (; lanes; lanes &= lanes - 1) {
    int lane = __builtin_ctz(lanes);
    const ShadowPage *page = shadow_page_at(&visit->races->global, address[lane]);
    uint32_t place = address[lane] & ((1 << SHADOW_PAGE_LOG2) - 1);
    if (page) __builtin_prefetch(&page->cells[place >> page->shift], 1);
  }
}

static bool are_far_apart(const uint64_t *address, uint32_t lanes) {
  int first = __builtin_ctz(lanes), last = 31 - __builtin_clz(lanes);
  uint64_t from = address[first], to = address[last];
  return (from < to ? to - from : from - to) > 1 << SHADOW_PAGE_LOG2;
}

ALWAYS_INLINE void check_global(const Visit *visit, uint32_t lanes, bool is_write) {
  enum { PAGE_BYTES = 1 << SHADOW_PAGE_LOG2 };
  const uint64_t *address = visit->context->access.address;
  uint64_t last = UINT64_MAX, number = UINT64_MAX;
  uint32_t bytes = visit->context->access.bytes, repeats = 0;
  ShadowPage *page = NULL;
  if (are_far_apart(address, lanes)) prefetch_cells(visit, lanes);
  for (; lanes; lanes &= lanes - 1) {
    int lane = __builtin_ctz(lanes);
    if (is_repeated(address, &repeats, lane, &last, is_write)) continue;
    if (address[lane] >> SHADOW_PAGE_LOG2 != number) {
      number = address[lane] >> SHADOW_PAGE_LOG2;
      page = shadow_page_at(&visit->races->global, address[lane]);
    }
    if (!page) continue;
    uint32_t place = address[lane] & (PAGE_BYTES - 1);
    split_if_needed(page, PAGE_BYTES, place, bytes);
    check_lane(visit, page, place, lane, is_write);
  }
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
    visit.is_write ? check_shared(&visit, lanes, true) : check_shared(&visit, lanes, false);
  else
    visit.is_write ? check_global(&visit, lanes, true) : check_global(&visit, lanes, false);
  note_executed(&visit, &cta->order.warps[warp->index]);
  if (flags) synchronise(races, cta, context, warp, in, lanes, is_shared);
  if (in->form.order & ORDER_ACQUIRES) order_fence(&cta->order, warp->index, is_cta_scope);
}
