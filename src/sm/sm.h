// SPDX-License-Identifier: MIT
// A streaming multiprocessor.
//
//   fetch -> decode -> issue -> operand collection -> units or load/store -> write-back
//
// sm_tick is the block diagram. Each stage has a sub-struct of its own. What several stages know
// about a warp is in its WarpSlot and in bit masks, one bit per warp slot, which are updated by
// events, not recomputed each cycle.
#ifndef SM_H
#define SM_H

#include "exec/execute.h"
#include "exec/memory/store_queue.h"
#include "exec/recorded_cta.h"
#include "memory/cache/cache.h"
#include "policies/host.h"
#include "policies/observer/event.h"
#include "policies/slot_reason.h"
#include "policies/warp_scheduler/warp_scheduler.h"
#include "sm/async/async.h"
#include "sm/residency/carve_out.h"
#include "sm/ideal_access.h"
#include "sm/lsu/coalescer.h"
#include "sm/collector.h"
#include "sm/residency/cta_limits.h"
#include "sm/lsu/lsu.h"
#include "sm/lsu/network_port.h"
#include "sm/pools.h"
#include "sm/scoreboard.h"
#include "sm/waiting/waiting.h"

enum { MAX_SCHEDULERS = 8, CODE_SPOTS = 16 };

// A kernel that runs on the GPU, as its SMs see it.
typedef struct KernelRun {
  Launch *launch;
  const IssueTable *table;
  uint32_t id;
  uint64_t next_cta, ctas_done, cta_count;
  uint64_t param_address;      // of its parameter block, in the constant space
  uint32_t ctas_per_sm;        // the most that an SM will hold
  CtaNeed need;                // of each CTA
} KernelRun;

typedef struct SmStats {
  uint64_t cycles, active_cycles;        // with at least one resident warp
  uint64_t warp_cycles;                  // resident warps, summed over cycles
  uint64_t bank_conflicts;
  uint64_t warp_instructions, thread_instructions;
  uint64_t register_operands;         // registers read and written, each once a warp
  uint64_t pipe_cycles, fp64_cycles;  // of arithmetic; of which DP units
  uint64_t tensor_cycles;             // of tensor cores
  uint64_t lanes[UNIT_KINDS];         // active ones of instructions, by unit
  uint64_t slots[SLOT_REASON_COUNT];  // where the schedulers' slots went
  uint64_t ctas;
  uint64_t cta_cycles;  // from start to end, summed over CTAs that ended
  uint64_t code_prefetches;
} SmStats;
extern const Stat sm_stats[];

typedef struct WarpSlot {
  _Alignas(64) Warp *warp;
  const IssueTable *table;
  uint32_t fetch_pc;          // what would be fetched next
  uint32_t buffer_pc;         // oldest buffered instruction
  uint8_t buffer_count;
  uint8_t cta;                // slot
  uint8_t unit;               // that for_unit has it under
  uint8_t sub_core;           // of the slot
  uint16_t in_pipeline;       // issued and not yet written back
  uint16_t loads;             // instructions whose registers wait for memory
  Cycle operands_at;          // of its next instruction, while it is late
  Cycle not_before;           // its next instruction, after a branch or barrier
  Cycle awake_at;             // while it is asleep
  Cycle last_result;          // no arithmetic result of it is newer (late.c)
} WarpSlot;

// When a register was written by arithmetic, twice the cycle, and by which: + 1 by the INT unit.
// 0: not, or by another.
typedef uint64_t LateResult;

typedef struct CtaSlot {
  Cta cta;
  KernelRun *kernel;          // NULL: free
  Warp *warps;                // memory kept for the next CTA
  uint32_t warp_capacity;
  uint8_t *shared;
  uint32_t shared_capacity;
  uint64_t slots;             // bit w: warp slot w is its
  uint32_t warps_left;
  uint32_t threads, registers, shared_bytes;  // what it takes of the SM
  LocalLayout local;
  Cycle started;
  RecordedCta *recorded;  // what it replays, for oracles; NULL: nothing
  Cycle cluster_passed;   // when warps that a barrier.cluster has released go on; 0: none
  Cycle barrier_passed;  // when the barrier unit is done with the last warp that arrived; 0: it is
} CtaSlot;

// Report of a completed CTA to the GPU.
typedef struct EndedCta {
  KernelRun *kernel;
  uint64_t cta;               // linear index
  uint64_t warp_instructions, thread_instructions;
} EndedCta;

// Room of a CTA that has ended, until another may start in it.
typedef struct LeavingCta {
  Cycle free_at;
  uint32_t threads, registers, shared_bytes;
} LeavingCta;
RING_DEFINE(LeavingRing, leaving_ring, LeavingCta);

typedef struct Unit {
  Cycle free_at;              // takes the next instruction from then on
  uint8_t kind;               // UnitKind
  uint8_t sub_cores;          // bit s: serves sub-core s
} Unit;

#define CALENDAR_LAST_CYCLE ((UINT64_C(1) << 48) - 1)  // of a bus_cycle: 65 hours at 1.2 GHz
// A cycle in which results leave units or are written back, modulo the length of the calendar.
typedef struct CalendarSlot {
  uint64_t units;           // bit u: a result of unit u leaves in bus_cycle
  uint64_t bus_cycle : 48;  // bus_count and units are of results that leave in this cycle
  uint64_t bus_count : 8;
  uint64_t count : 8;  // to be written back: `first` to `last`, by next_result
  Inflight *first, *last;
} CalendarSlot;

// As short as the longest latency allows: it is gone round all the time, and should stay in the
// host's cache.
typedef struct Calendar {
  uint32_t cycles;      // a power of two, or 0
  uint32_t total;       // results that have a cycle of write-back
  CalendarSlot *slots;  // by cycle
} Calendar;

// The access that a lost slot is put down to.
typedef struct Culprit {
  uint32_t kernel, pc;
  SlotReason reason;          // issued: there is none
} Culprit;

// The lost slots of a scheduler (blame.c).
typedef struct Blame {
  Culprit culprit;
  uint64_t slots;             // that observers have not been told of
  // Whose wait it is, where the culprit does not keep the load/store unit busy.
  uint32_t warp, head_pc, awaited;  // its next instruction; the register that it needs
  uint64_t age;
} Blame;

// Lines of code that are fetched ahead (fetch.c): the window behind line `base` up to
// `end`, of which `next` is to be fetched next; nothing behind `last`.
typedef struct CodeStream {
  uint64_t base, next, end, last;
} CodeStream;

// A warp scheduler.
typedef struct SchedulerSlot {
  void *state;     // its policy's
  uint64_t warps;  // bit w: warp slot w is its
  SlotReason use;  // of the last cycle's slot, for cycles that are left out
} SchedulerSlot;

// Members are ordered by how often they are accessed: many SMs share
// the host's first cache, and a line of it that holds what a cycle needs
// together is fetched once.
// What is left of a tick that an SM began ahead of the GPU (sm_run_ahead): nothing; issue and
// all behind it; the network; the report to the GPU of what happened in it.
typedef enum TickRest { REST_NONE, REST_ISSUE, REST_SEND, REST_REPORT } TickRest;

typedef struct Sm Sm;
struct Sm {
  // what the GPU asks in every cycle
  uint64_t resident;    // bit w: slot w holds a warp
  Cycle *wake;          // nothing can change before, unless an answer arrives; NEVER if not busy.
                        // The GPU asks all SMs in every cycle: it keeps them side by side
  Cycle barrier_unit_free;  // with sm.barrier_interval_cycles
  Cycle next_release;       // of a CTA from the barrier unit, or NEVER
  uint64_t passing;         // bit i: CTA i has a barrier_passed or cluster_passed
  Cycle next_late;          // when a late warp can issue, or NEVER
  Cycle next_awake;         // when a warp has slept, or NEVER
  uint32_t prefetches;      // of code: fetches in flight that no warp waits for
  uint32_t ctas_ended;  // since the GPU looked last
  bool did_something;   // in the last tick, and may go on with it in the next one
  bool has_moved;       // something has, but what comes next has a cycle of its own (next_event)
  Cycle progress;       // the last tick that did something, or to come: the end of a sleep
  bool began_to_wait;   // a warp, for kernels that its CTA launched, since the GPU looked
  bool has_leftovers;   // write-backs or answers, where there are no warps
  uint8_t to_do;        // TickRest: of the tick at *wake, which began ahead of the GPU
  uint32_t id, cluster, sm_count;
  const SmConfig *config;
  EventBuffer *events;  // for observers; NULL: there are none
  const Warp *faulty;   // the warp whose fault the context holds
  SmWaiting *waiting;   // NULL: no kernel has had a wait loop, or nothing is skipped
  bool skips_waits;
  // Warps as sets: bit w is that of the warp in slot w. When a tick ends,
  //   lingering is part of ended, ended of resident: what is left of a warp that has exited;
  //   buffered, missing and the at_ sets are parts of resident without ended;
  //   a warp is buffered, missing, about to be decoded, or is still to be fetched for: one of them;
  //   a buffered warp is ready, late, stale, or needs a register that is pending: one of them;
  //   the sets of its next instruction (at_access, at_load, one of for_unit) are those of the
  //     instruction at buffer_pc, unless that is stale. for_unit keeps the bits of warps without
  //     a next instruction;
  //   awaits_stores and drops_l1 are parts of at_fence;
  //   at_barrier are the warps that wait at a barrier or for kernels which they launched, and
  //     those that the barrier unit has not let go;
  //   loading are the warps with loads in flight, waits_memory some of them;
  //   awaits_far and awaits_near hold for warps that are loading and awaits_known;
  //   the load/store unit's looping is part of its awaited, awaited of at_atomic.
  // sm_check_masks asserts this; -DHEDDLE_CHECK_MASKS=ON calls it in every tick, as sanitizer
  // builds do.
  uint64_t ended;             // all lanes have exited
  uint64_t lingering;  // ... but something is in flight, as much as when retire.c looked last
  uint64_t buffered;          // has a decoded instruction
  uint64_t ready;             // ... whose registers are all there
  uint64_t late;              // ... or will have arrived (late.c)
  uint64_t stale;             // ... which a branch made useless
  uint64_t missing;           // waits for an instruction line
  uint64_t at_barrier, at_fence, at_atomic;
  uint64_t awaits_stores, drops_l1;  // at a fence that does (IssueInfo)
  uint64_t at_copies;           // waits for groups of asynchronous operations
  uint64_t at_mbarrier;         // has a wait on an mbarrier that is held (async/async.h)
  uint64_t waits_memory;        // issued a far load, and has had loads in flight since
  uint64_t asleep;              // in nanosleep (sleep.c)
  uint64_t at_launch;           // waits until the kernels that it launched have reached the GPU
  uint64_t at_access, at_load;  // whose next instruction accesses global or local memory; loads
  uint64_t at_outside, at_release;  // ... leads outside the SM; to a release (IssueInfo)
  uint64_t loading;             // has registers that wait for a load
  // Of those: whose next instruction needs such a register of which Board; known
  // where it was asked for since the instruction or the registers changed.
  uint64_t awaits_far, awaits_near, awaits_known;
  uint64_t
      followed;  // by blame.c, with neither its next instruction nor its registers changed since
  uint64_t for_unit[UNIT_KINDS];  // the next instruction's unit
  // schedulers
  const WarpSchedulerType *scheduler_type;
  uint64_t turns;          // cycles with warps: whose turn it is to be the first (issue.c)
  SlotReason empty_state;  // of the launches (gpu/empty_slots.c)
  uint64_t was_resident;   // warp slots that were used since the GPU was empty
  SlotReason lsu_reason;  // why the load/store unit takes no more in this cycle; issued: unknown
  Culprit culprit;        // that keeps the load/store unit busy in this cycle, once it is known
  SmAsync *async;         // NULL: there has been no asynchronous operation
  uint32_t *loaders;      // by warp slot and register: the load that writes it; NULL: not observed
  SchedulerSlot schedulers[MAX_SCHEDULERS];
  Blame blames[MAX_SCHEDULERS];  // for observers of lost slots (blame.c)
  // fetch, operands, units
  _Alignas(64) Cache *l1i;
  bool l1i_has_misses, l1i_has_fills;  // it may have something to send; to hand out
  MemRequest *fetch_request;           // for the next lookup; NULL: to be taken
  struct { bool is_valid; uint32_t warp, pc; } fetched;   // between fetch and decode
  uint32_t last_fetched;
  uint32_t l1i_line_log2;
  CodeStream stream;
  CacheSpot code_spots[CODE_SPOTS];  // by sector of code, modulo: where fetches hit last
  uint32_t sub_core_count;  // 1: the schedulers share everything
  CollectedSets collected;
  StoreQueue stores;
  Collectors *collectors[MAX_SCHEDULERS];  // by sub-core
  uint32_t busy_collectors;                // bit s: those of sub-core s have to be stepped
  Unit *units;
  uint32_t unit_count;
  uint8_t first_unit[UNIT_MEM + 1];  // by kind
  Calendar calendar;
  Scoreboards scoreboards;
  LateResult *late_results;  // by warp slot and register; NULL: all arrive at the same time
  InflightPool inflights;
  RequestPool requests;
  uint64_t issue_order;
  _Alignas(64) SmStats stats;
  _Alignas(64) Lsu lsu;
  NetworkPort network;
  ExecContext context;
  // What the last instruction left (exec/async.h).
  AsyncNote note;
  AsyncWait wait;
  BulkRanges bulk;
  // by warp slot
  WarpSlot warps[MAX_WARPS_PER_SM];
  Requester requesters[MAX_WARPS_PER_SM];  // without pc
  uint64_t age[MAX_WARPS_PER_SM], next_age;
  uint64_t ctas_placed;
  uint64_t warp_numbers[MAX_WARPS_PER_SM];  // in its grid: that of the first thread / 32
  // For observers of lost slots (blame.c).
  uint32_t store_pc[MAX_WARPS_PER_SM], atomic_pc[MAX_WARPS_PER_SM];  // the last of each
  IdealAccesses ideal;
  // occupancy
  CtaSlot *ctas;
  uint32_t cta_count, threads_used, registers_used, shared_used;
  CarveOut carve_out;
  LeavingRing
      leaving;  // with sm.cta_turnaround_cycles: CTAs whose room is not free yet, oldest first
  EndedCta ended_ctas[MAX_WARPS_PER_SM];
  // config
  L1dPolicies *l1d_policies;  // lsu.policies, whether or not one wants to know of the L1D
  AccessUnits access_units;
  uint32_t l1d_line_bytes, l1d_unit_bytes;  // unit: what is fetched at once
  Arena arena;
};

typedef struct SmSetup {
  const SmConfig *config;
  const CacheConfig *l1d, *l1i, *l1c, *l1t;
  const char *scheduler, *prefetch, *l1_insertion;  // specs
  PolicyHost *policies;       // makes them
  bool instant_misses;        // loads do not wait for what they miss (gpu/config/ideal.h)
  const OwedSectors *owed;    // sectors that coalesced accesses owe, or NULL
  uint32_t id, cluster, sm_count, slice_count;
  uint32_t clock_mhz;
  Crossbar *requests;
  const CrossbarConfig *noc;
  SmClusterPort *port;  // or NULL
  uint32_t (*slice_of)(const void *map, uint64_t address);
  const void *map;
  DeviceMemory *memory;
  Cycle *wake;
  bool skips_waits;  // cycles in which warps only wait for a time pass at once (waiting/waiting.h)
} SmSetup;

Status sm_create(Sm **sm, const SmSetup *setup, Error *err);
void sm_destroy(Sm *sm);

// Whether a CTA of the kernel fits now.
bool sm_has_room(const Sm *sm, const KernelRun *kernel);
// How many more fit beside what it holds.
uint32_t sm_free_ctas(const Sm *sm, const KernelRun *kernel);
void sm_start_cta(Sm *sm, KernelRun *kernel, uint64_t cta, Cycle now);
// Frees the room of CTAs whose turnaround has passed; when that of the next will have, or NEVER.
Cycle sm_free_room(Sm *sm, Cycle now);
// A CTA that has left its SM while it waits for kernels that it launched.
typedef struct SuspendedCta {
  KernelRun *kernel;
  Cta cta;
  Warp *warps;
  uint8_t *shared;
  uint32_t warp_capacity, shared_capacity, warps_left;
  Cycle started;
} SuspendedCta;
// Whether all its warps wait, some of them for such kernels.
bool sm_cta_waits(const CtaSlot *cta);
// False while accesses of such a CTA are in flight.
bool sm_suspend_cta(Sm *sm, CtaSlot *cta, SuspendedCta *out);
// There is room for it (sm_has_room).
void sm_resume_cta(Sm *sm, SuspendedCta *suspended);
void suspended_cta_clear(SuspendedCta *suspended);

// Warps that waited for kernels which their CTA launched go on.
void sm_wake_cta(Sm *sm, const CtaSlot *cta);
// Others of its cluster have completed a barrier, seen at that cycle (0: they have not), or changed
// its shared memory.
void sm_hear_cluster(Sm *sm, CtaSlot *cta, Cycle at);
// A warp that has launched kernels stops until sm_release_launcher; thread: one of its own.
void sm_hold_launcher(Sm *sm, const KernelRun *kernel, uint64_t cta, uint32_t thread);
void sm_release_launcher(Sm *sm, const KernelRun *kernel, uint64_t cta, uint32_t thread);

// An answer from the network for this SM: false if it has no room for it.
bool sm_accept(Sm *sm, Packet packet, Cycle now);
// One cycle, or what is left of one that was begun. Call only while it has warps or answers to
// wait for.
void sm_tick(Sm *sm, Cycle now);
// After a tick: simulates cycles from `next` on, before `end`, as long as they concern the SM
// alone (ahead.c). Returns the first cycle that it has not begun. The caller sees to it that
// nothing reaches the SM before `end`.
typedef struct AheadLimits {
  Cycle end;
  bool by_event;       // observers want the events of all SMs in the order of cycles
  bool has_all_warps;  // every scheduler has to have a warp
} AheadLimits;
Cycle sm_run_ahead(Sm *sm, Cycle next, const AheadLimits *limits);
// Asserts the invariants of the sets of warps (Sm), after a tick.
void sm_check_masks(const Sm *sm);
// The state of the launches (gpu/empty_slots.c), for the slots of schedulers without warps. The
// SM has counted the cycles before.
void sm_set_empty_state(Sm *sm, SlotReason state);
// Lets cycles pass in which nothing happens, with the same statistics.
void sm_skip(Sm *sm, Cycle cycles);
// Fetches in flight that no warp waits for.
static inline uint32_t sm_prefetches(const Sm *sm) {
  return sm->prefetches + sm->lsu.prefetches;
}
// Has warps, or write-backs and prefetches to see to.
static inline bool sm_is_busy(const Sm *sm) {
  return sm->resident || sm->has_leftovers || sm->to_do || sm_prefetches(sm);
}
// Its events go to the buffer from now on.
void sm_observe(Sm *sm, EventBuffer *events);
void sm_flush_l1(Sm *sm);
// The L1D has what the carve-out leaves it, and is empty.
void sm_resize_l1(Sm *sm);
// The fault of a simulated thread, as an error.
Status sm_report_fault(const Sm *sm, Error *err);
// Appends to a deadlock report what each warp and load/store unit is waiting for.
void sm_report_waits(Sm *const *sms, uint32_t count, Error *err);
// What the resident warp in slot w waits for before it can issue: "a load".
const char *sm_wait_of(const Sm *sm, uint32_t w);
// Appends where the resident warps are, one line for all that are at the same instruction, and
// the most frequent ones only.
void sm_report_resident(Sm *const *sms, uint32_t count, Error *err);

// Takes a place and the resources for a CTA; warp_slots gets those of its warps.
CtaSlot *sm_place_cta(Sm *sm, KernelRun *kernel, Cycle started, uint64_t *warp_slots);
void sm_place_warp(Sm *sm, CtaSlot *slot, Warp *warp, uint32_t w);
void sm_notify_scheduler(Sm *sm, uint32_t w,
                         bool begins);  // a warp became resident, or is about to leave

// Of these warps, those that could issue if their registers and units were free.
static inline uint64_t sm_able_warps(const Sm *sm, uint64_t warps) {
  return warps & sm->buffered &
         ~(sm->at_barrier | sm->at_fence | sm->at_atomic | sm->at_copies | sm->at_launch |
           sm->asleep | sm->ended);
}
// Why a scheduler whose slots these are has no warp.
static inline SlotReason sm_empty_reason(const Sm *sm, uint64_t warps) {
  bool had_warps = sm->was_resident & warps;
  return sm->empty_state == SLOT_small_grid && had_warps ? SLOT_tail : sm->empty_state;
}
// Why a scheduler with these warps, of which so many are able to issue (sm_able_warps), could not
// (stall.c).
SlotReason sm_stall_reason(Sm *sm, uint64_t warps, uint64_t able, bool flushed);

// For observers that want to know: which access a scheduler lost the slot of this
// cycle to; more cycles of the same; flush what has not been emitted.
void sm_blame_anew(Sm *sm, uint32_t scheduler, SlotReason reason);
static inline void sm_blame(Sm *sm, uint32_t scheduler, SlotReason reason) {
  Blame *last = &sm->blames[scheduler];
  bool is_of_load = reason == SLOT_memory || reason == SLOT_shared;
  if (is_of_load && last->culprit.reason == reason && sm->followed >> last->warp & 1)
    last->slots++;
  else
    sm_blame_anew(sm, scheduler, reason);
}
void sm_blame_skip(Sm *sm, Cycle cycles);
void sm_flush_stalls(Sm *sm);

static inline uint64_t *sm_scoreboard(const Sm *sm, uint32_t warp, Board board) {
  return scoreboard_of(&sm->scoreboards, warp, board);
}
static inline uint32_t *sm_loaders(const Sm *sm, uint32_t warp) {
  return &sm->loaders[(size_t)warp * sm->scoreboards.words * 64];
}

// Results that reach some instructions later than others (late.c): one has been written; a
// warp's next instruction waits for none; a cycle begins.
void sm_note_result(Sm *sm, const Inflight *inflight);
void sm_mark_ready_or_late(Sm *sm, uint32_t w);
void sm_prefetch_registers(const Sm *sm, uint32_t w);  // of its next instruction (release.c)
static inline void sm_mark_ready(Sm *sm, uint32_t w) {
  sm_prefetch_registers(sm, w);
  if (sm->late_results)
    sm_mark_ready_or_late(sm, w);
  else
    sm->ready |= UINT64_C(1) << w;
}
void sm_end_late(Sm *sm, Cycle now);

// Whether stores or atomics of a warp are still to be acknowledged.
static inline bool sm_has_stores(const Sm *sm, uint32_t warp) {
  return sm->lsu.stores[warp] || sm->lsu.atomics[warp];
}

// Whether the next instruction of a warp needs a register of the scoreboard.
static inline bool sm_needs_any(const Sm *sm, uint32_t warp, Board board) {
  const WarpSlot *slot = &sm->warps[warp];
  uint32_t words = slot->table->words;
  const uint64_t *hazards = &slot->table->hazards[(size_t)slot->buffer_pc * words];
  return scoreboard_needs(sm_scoreboard(sm, warp, board), hazards, words);
}

// The sub-core of a scheduler's warps: there is one for each, or one.
static inline uint32_t sm_sub_core(const Sm *sm, uint32_t scheduler) {
  return sm->sub_core_count > 1 ? scheduler : 0;
}
// What waits for arithmetic units.
static inline CollectedSets sm_collected_for_units(const Sm *sm) {
  return sm->collected & (collected_bit(UNIT_MEM, 0) - 1);
}
// The oldest instruction that waits with its operands for units of the kind in one of these
// sub-cores, which all have one; NULL: there are none.
static inline Inflight *sm_oldest_collected(const Sm *sm, UnitKind kind, uint32_t sub_cores) {
  Inflight *oldest = NULL;
  for (; sub_cores; sub_cores &= sub_cores - 1) {
    Inflight *inflight = collectors_oldest(sm->collectors[__builtin_ctz(sub_cores)], kind);
    if (!oldest || inflight->order < oldest->order) oldest = inflight;
  }
  return oldest;
}

// Between the stages.
// The requester: a warp's instruction; a CTA as a whole, without warp and pc.
static inline Requester sm_requester(const Sm *sm, uint32_t warp, uint32_t pc) {
  Requester requester = sm->requesters[warp];
  requester.pc = pc;
  return requester;
}
Requester sm_cta_requester(const Sm *sm, const CtaSlot *cta);
// Requests in flight.
static inline uint32_t sm_requests_out(const Sm *sm) {
  return request_pool_out(&sm->requests) - (sm->fetch_request != NULL);
}
// The sets that depend on a warp's next instruction, after a change of its buffer (release.c).
void sm_refresh_head(Sm *sm, uint32_t warp);
// The registers of an instruction are written: clears its scoreboards and makes its warp ready.
void sm_release(Sm *sm, Inflight *inflight);
void sm_assign_schedulers(Sm *sm);

// Events for observers; only when there are some: if (sm->events) sm_emit_...
void sm_emit_issue(Sm *sm, uint32_t w, uint32_t pc, uint32_t active, Cycle now);
void sm_emit_memory(Sm *sm, const Inflight *inflight, const Instruction *in, Cycle now);
void sm_emit_stall(Sm *sm, const Culprit *culprit, uint32_t slots);
void sm_emit_cta(Sm *sm, const CtaSlot *cta, EventKind kind, Cycle now);

// Warps that have ended leave, when nothing of theirs is in flight. The scan that
// looks for a warp to fetch for notices them: so only those before the first
// fetchable one in the circle (retire.c).
void sm_retire(Sm *sm, uint64_t fetchable);

// Makes room for results of that latency (units.c).
void sm_reserve_calendar(Sm *sm, uint32_t latency);
// The next cycle from `from` on, before `end`, in which a result is written back; or `end`.
Cycle sm_next_result(const Sm *sm, Cycle from, Cycle end);

// Stages, in the order in which sm_tick calls them.
void sm_write_back(Sm *sm, Cycle now);
void sm_execute(Sm *sm, Cycle now);
void sm_feed_lsu(Sm *sm);
void sm_fall_asleep(Sm *sm, uint32_t w, Cycle now);  // for as long as its instruction left
void sm_end_sleep(Sm *sm, Cycle now);
void sm_release_warps(Sm *sm, Cycle now);  // that fences, barriers or late results held
void sm_issue(Sm *sm, Cycle now);
void sm_decode(Sm *sm);
void sm_fetch(Sm *sm, Cycle now);
void sm_send_code_miss(Sm *sm, Cycle now);

// Parts of a tick, in this order: up to issue; issue and fetch; the end.
void sm_tick_begin(Sm *sm, Cycle now);
void sm_tick_issue(Sm *sm, Cycle now);
void sm_tick_end(Sm *sm, Cycle now);

// Making of what is around the L1D (l1d_policies.h).
Status l1d_policies_init(Sm *sm, const SmSetup *setup, Error *err);
// Once all policies of the machine are made: whether any of them wants to know of the L1D.
void l1d_policies_start(Sm *sm, const PolicyHost *host);
void l1d_policies_clear(Sm *sm);

#endif
