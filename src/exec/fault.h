// SPDX-License-Identifier: MIT
// Faults of simulated threads, and their report.
#ifndef EXEC_FAULT_H
#define EXEC_FAULT_H

#include "base/error.h"
#include "isa/instruction.h"

#define FAULT_LIST(X)                                                      \
  X(NONE, "no fault")                                                      \
  X(OUT_OF_BOUNDS, "access outside any allocation")                        \
  X(NULL_POINTER, "access through a null pointer")                         \
  X(MISALIGNED, "misaligned access")                                       \
  X(USE_AFTER_FREE, "access to freed memory")                              \
  X(READ_ONLY, "write to read-only memory")                                \
  X(STACK_OVERFLOW, "stack overflow")                                      \
  X(BAD_CALL, "call through an invalid function pointer")                  \
  X(BAD_INDEX, "branch table index out of range")                          \
  X(BAD_TEXTURE, "unbound texture")                                        \
  X(BAD_FREE, "free of a pointer not returned by malloc")                  \
  X(BAD_BARRIER, "barrier number or thread count out of range")            \
  X(BAD_MBARRIER, "mbarrier count out of range or exceeded")               \
  X(BAD_CLUSTER, "CTA outside the cluster, or one that has exited")        \
  X(BAD_TENSOR_MAP, "no tensor map of that rank (cuTensorMapEncodeTiled)") \
  X(PARTIAL_WARP, "matrix instruction executed by a partial warp")         \
  X(TRAP, "trap executed")                                                 \
  X(ASSERT, "assertion failed")                                            \
  X(HUNG_BARRIER, "barrier not reached by all threads")                    \
  X(WAITS, "wait for another CTA, which ideal.no_barriers and ideal.no_divergence do not support")

typedef enum FaultKind {
#define X(name, text) FAULT_##name,
  FAULT_LIST(X)
#undef X
} FaultKind;

// The first fault of a run. Zeroed = none.
typedef struct Fault {
  FaultKind kind;
  Space space;
  int lane;
  uint64_t address;
  uint32_t size_bytes;
  uint32_t pc;
  bool write;
  char detail[256];  // further words, such as an assertion's text
} Fault;

const char *fault_name(FaultKind kind);

// Records a fault of one lane unless there is one already; pc is the warp's.
void fault_raise(ExecContext *context, const Warp *warp, FaultKind kind, int lane);
// The same for a memory access.
void fault_raise_access(ExecContext *context, const Warp *warp, FaultKind kind, int lane,
                        Space space, uint64_t address, uint32_t size_bytes, bool write);

// The fault of an access, without recording it.
Fault fault_of_access(const Warp *warp, FaultKind kind, int lane, Space space, uint64_t address,
                      uint32_t size_bytes, bool write);

// A fault in words: kernel, CTA, thread, PTX line, source line, address and
// nearest allocation, as an ERR_PROGRAM.
Status fault_describe(const ExecContext *context, const Warp *warp, const Fault *fault, Error *err);

// Describes the context's fault.
Status fault_report(const ExecContext *context, const Warp *warp, Error *err);

#endif
