// SPDX-License-Identifier: MIT
// Functional execution: one instruction of one warp.
//
// The SM (or the functional runner) selects a warp and calls warp_step. The context
// returns the memory accesses of the instruction and its fault, if any. With a store queue
// in the context, stores and atomics to global memory are deferred to the end of the
// cycle, so that no SM sees another's store of the same cycle; without one they take
// effect immediately.
#ifndef EXEC_EXECUTE_H
#define EXEC_EXECUTE_H

#include "exec/memory/device_memory.h"
#include "exec/fault.h"
#include "isa/special.h"
#include "exec/warp.h"

typedef struct StoreQueue StoreQueue;
typedef struct TextureTable TextureTable;
typedef struct DeviceRuntime DeviceRuntime;
typedef struct ExecWatch ExecWatch;
typedef struct AsyncNote AsyncNote;
typedef struct AsyncWait AsyncWait;
typedef struct BulkRanges BulkRanges;

// Accesses of the last memory instruction. Valid if mask is not 0.
typedef struct MemoryAccess {
  uint32_t mask;            // lanes that accessed memory
  uint32_t generic_shared;  // generic address: lanes whose address was in shared memory
  uint32_t generic_local;   // ... in local memory
  uint32_t remote;          // lanes in the shared memory of another CTA of the cluster
  uint8_t space;            // Space of the instruction; GENERIC lanes not above are global
  uint8_t bytes;            // a lane, all elements of a vector
  bool write, atomic;
  uint64_t address[WARP_LANES];  // within the space: windows have been subtracted
} MemoryAccess;

struct ExecContext {
  // neighbours
  DeviceMemory *memory;
  TextureTable *textures;  // NULL: no textures
  DeviceRuntime *runtime;  // NULL: kernels launch none
  StoreQueue *stores;      // NULL: stores happen at once
  const ExecWatch *watch;  // NULL: nobody watches (watch.h)
  // Asynchronous copies (async.h): what they leave to be done, waits that have not ended, and what
  // bulk copies access. NULL: they are over at once.
  AsyncNote *note;
  AsyncWait *wait;
  BulkRanges *bulk;
  void (*print)(void *sink, const char *text, size_t length);  // printf's output; NULL: stdout
  void *print_sink;
  // values of special registers; updated by the owner of the clock
  uint64_t clock;      // core cycles
  uint32_t clock_mhz;  // for %globaltimer; 0: it counts as %clock does
  uint32_t sm_id, sm_count, warps_per_sm;
  // results of the last step
  MemoryAccess access;
  uint32_t sleep;  // nanoseconds that the warp sleeps; whoever heeds it sets it to 0
  bool has_waited;  // for an mbarrier's phase, in vain: without time, others may go on first
  Fault fault;
  // private: the allocation that was found last
  Allocation last_allocation;
};

// Executes the next instruction of a running warp and moves its PC. Returns
// the instruction; *active gets the lanes that executed it (0 if its guard was
// false everywhere). A fault is left in context->fault; the warp then must not
// be stepped again.
const Instruction *warp_step(ExecContext *context, Warp *warp, uint32_t *active);

// Invalidates cached lookups. Call after an allocation or free.
void exec_forget_allocations(ExecContext *context);

// The function that executes a form; NULL if there is none.
ExecFn exec_find(const Form *form);
// ... of one family; exec_find asks the right one.
ExecFn exec_find_arithmetic(const Form *form);
ExecFn exec_find_video(const Form *form);
ExecFn exec_find_compare(const Form *form);
ExecFn exec_find_convert(const Form *form);
ExecFn exec_find_memory(const Form *form);
ExecFn exec_find_atomic(const Form *form);
ExecFn exec_find_texture(const Form *form);
ExecFn exec_find_surface(const Form *form);
ExecFn exec_find_control(const Form *form);
ExecFn exec_find_barrier(const Form *form);
ExecFn exec_find_mbarrier(const Form *form);
ExecFn exec_find_lane(const Form *form);
ExecFn exec_find_matrix(const Form *form);
ExecFn exec_find_system(const Form *form);
ExecFn exec_find_stack(const Form *form);

// mov comes in shapes that its form does not show; the loader picks one.
// Does what in->real says.
void exec_real(ExecContext *context, Warp *warp, const Instruction *in, uint32_t mask);
void exec_mov_32(ExecContext *context, Warp *warp, const Instruction *in, uint32_t mask);
void exec_mov_64(ExecContext *context, Warp *warp, const Instruction *in, uint32_t mask);
void exec_mov_predicate(ExecContext *context, Warp *warp, const Instruction *in, uint32_t mask);
void exec_mov_special(ExecContext *context, Warp *warp, const Instruction *in,
                      uint32_t mask);  // special[0]
void exec_mov_address(ExecContext *context, Warp *warp, const Instruction *in,
                      uint32_t mask);  // address_base + offset; dst_bytes
void exec_mov_pack(ExecContext *context, Warp *warp, const Instruction *in,
                   uint32_t mask);  // src[] -> dst[0]
void exec_mov_unpack(ExecContext *context, Warp *warp, const Instruction *in,
                     uint32_t mask);  // src[0] -> dst[]

// Two operations of PTX in one: a + b + c, ((b:a << offset) >> 32) + c, (a >> offset) + b;
// exec_fused.c.
void exec_add_three(ExecContext *context, Warp *warp, const Instruction *in, uint32_t mask);
void exec_funnel_add(ExecContext *context, Warp *warp, const Instruction *in, uint32_t mask);
void exec_shift_add(ExecContext *context, Warp *warp, const Instruction *in, uint32_t mask);
void exec_logic_three_64(ExecContext *context, Warp *warp, const Instruction *in, uint32_t mask);

// Fills the 32 lanes at `lanes` (uint32_t or uint64_t, as special_bits says).
void special_read(const ExecContext *context, const Warp *warp, SpecialRegister special,
                  void *lanes);

#endif
