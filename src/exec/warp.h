// SPDX-License-Identifier: MIT
// A warp's architectural state: registers, predicates, SIMT stack, local memory.
//
// Registers are in frames, one per function call: predicates first (4 bytes
// each), then 128 bytes a 32-bit register and 256 a 64-bit one. Threads that
// are in different calls at the same time use different lanes of the same
// frames, so a frame begins where its caller's ends.
//
// Divergence follows the immediate post-dominators: a SIMT stack whose top
// entry is the path that runs. A path ends when it reaches its reconvergence
// point; the entry below, which waits there, goes on with the joint mask. From
// Volta on paths also meet where only lanes that jump farther would not.
#ifndef EXEC_WARP_H
#define EXEC_WARP_H

#include "exec/cta.h"

typedef struct SimtEntry {
  uint32_t pc;           // of the path's next instruction
  uint32_t reconverge;   // the path ends when pc gets there
  uint32_t mask;         // its lanes
  uint32_t depth;        // calls deep; 0 = the kernel
  uint32_t frame;        // byte offset of its registers
  uint32_t local_frame;  // byte offset of its stack frame, within each thread's local memory
  const Function *function;
  const CallSite *site;  // the call that made this entry, on a function's lowest entry; else NULL
  uint32_t caller_frame, caller_local_frame;  // with site: the caller's frame and local_frame
} SimtEntry;

typedef enum WarpState {
  WARP_RUNNING,
  WARP_AT_BARRIER,
  WARP_AT_CHILDREN,  // waits for kernels that its CTA launched
  WARP_DONE
} WarpState;

// What a warp has done of its warp group's products (warp_group.h).
enum { GROUP_MARKS = 8 };
typedef struct GroupProgress {
  uint32_t products, commits;
  uint32_t marks[GROUP_MARKS];  // products before each commit
  uint32_t wanted;              // while it waits: of all warps of the group
} GroupProgress;

struct Warp {
  // Touched in every step: one line of the host's cache.
  uint8_t *base[2];  // where places point: [0] the current frame, [1] the program's pool
  SimtEntry *stack;
  uint32_t stack_depth, stack_capacity;
  const Instruction *code;  // the program's
  uint64_t instructions;    // warp instructions executed
  uint64_t thread_instructions;
  WarpState state;
  uint32_t index;  // in the CTA

  uint32_t carry;        // the condition code's carry flag, bit a lane
  uint32_t exited;       // lanes that have ended (or never were)
  uint32_t hardware_id;  // %warpid
  Cta *cta;
  uint8_t *registers;
  uint32_t registers_bytes;
  uint8_t *local;  // lane-major: local_bytes a lane
  uint32_t local_bytes;
  struct TakenStack *taken;  // by alloca; NULL: never
  struct WarpReplay *replay;  // what it follows instead of executing (replay.h); NULL: nothing
  const Instruction *barrier_instruction;  // while at a barrier: what it waits in ...
  uint32_t barrier_mask;                   // ... and with which lanes
  uint32_t cluster_phase;  // of the CTA, when it last arrived at the cluster barrier
  GroupProgress group;
  uint32_t registers_held;    // per lane (setmaxnreg); 0: not counted
  uint32_t registers_wanted;  // while it waits for more
};

// The 32 lanes (or predicate mask) at a place.
static inline void *place_at(const Warp *warp, Place place) {
  return place >= 0 ? warp->base[0] + place : warp->base[1] + ~place;
}
static inline uint32_t *predicate_at(const Warp *warp, Place place) {
  return place_at(warp, place);
}

static inline SimtEntry *warp_top(const Warp *warp) {
  return &warp->stack[warp->stack_depth - 1];
}

// Readies a warp of a CTA at its kernel's entry. Its memory is kept from the
// warp that used it before, and grows where needed.
void warp_start(Warp *warp, Cta *cta, uint32_t index, uint32_t hardware_id);
void warp_clear(Warp *warp);  // frees its memory

// Makes the top entry's frame the current one; call after any change of the top.
static inline void warp_use_frame(Warp *warp) {
  warp->base[0] = warp->registers + warp_top(warp)->frame;
}

// The SIMT stack. The top entry's pc already points to the instruction after the one
// being executed.

typedef struct WarpPath {
  uint32_t pc, mask;
} WarpPath;

// Splits the top entry into paths; the last one runs first. All meet again at
// reconverge, or never. Together their masks are the top's.
void warp_diverge(Warp *warp, const WarpPath *paths, uint32_t path_count, uint32_t reconverge);
// The same for a region that some of the lanes may leave for outer: they wait there.
void warp_diverge_inside(Warp *warp, const WarpPath *paths, uint32_t path_count,
                         uint32_t reconverge, uint32_t outer);
// Lanes of the top entry jump to where an entry below waits, past the ones between, which no
// longer wait for them. Returns false, and changes nothing, if there are none between.
bool warp_break(Warp *warp, uint32_t mask, uint32_t target);
// Begins a call for the lanes in mask on behalf of the entry with index caller.
// Stack space has been checked.
void warp_enter(Warp *warp, uint32_t caller, const Function *callee, const CallSite *site,
                uint32_t mask);
// Lanes return from the current call.
void warp_leave(Warp *warp, uint32_t mask);
// Lanes end; a warp without lanes is done.
void warp_exit(Warp *warp, uint32_t mask);
// Drops finished entries from the top.
void warp_settle(Warp *warp);
SimtEntry *warp_push(Warp *warp);

// Allocates bytes at the top of one lane's local memory, until its current function
// returns (alloca); false if there is no space.
bool warp_take(Warp *warp, int lane, uint64_t bytes, uint64_t alignment, uint32_t *address);
// The most that any of the lanes has taken.
uint32_t warp_taken(const Warp *warp, uint32_t mask);
// Back to what warp_taken said of the lane; more than it has now changes nothing.
void warp_give_back(Warp *warp, int lane, uint64_t taken);

// Stack per call in addition to the callee's frame: the return address. It bounds the
// recursion of functions without locals.
enum { CALL_STACK_BYTES = 16 };

#endif
