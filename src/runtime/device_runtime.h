// SPDX-License-Identifier: MIT
// The CUDA device runtime (dynamic parallelism): kernels launch kernels, create streams
// and events, and wait for their children, with the API of both generations.
//
// A native function only records a launch. The owner calls device_runtime_settle, which
// fetches the parameters when the stores before the launch are visible, takes the launches
// from `made`, which it then owns, and runs them:
//
//   launches with the same origin.stream in order;
//   a tail launch when its parent and the parent's other children have completed;
//   any launch when those in `after` have completed.
//
// A kernel completes when its CTAs and its children have completed.
// Threads that wait for the children of their CTA (cudaDeviceSynchronize) are
// in state WARP_AT_CHILDREN until cta_child_completed was called for all of them.
#ifndef RUNTIME_DEVICE_RUNTIME_H
#define RUNTIME_DEVICE_RUNTIME_H

#include "exec/execute.h"

typedef struct DeviceRuntimeLimits {
  uint32_t depth;           // of nested launches
  uint32_t pending;         // launches that have not begun
  uint32_t stack_bytes;     // a thread's stack where the call graph gives no bound
} DeviceRuntimeLimits;

// Failed device launches. The launching thread receives the error, as in CUDA; a program
// that does not check it continues with wrong results.
typedef struct RefusedLaunches {
  const Function *kernel;  // that launched
  uint32_t code;           // cudaError
  uint64_t count;
} RefusedLaunches;

enum { LAUNCH_DEPTH_EXCEEDED = 65, LAUNCH_PENDING_EXCEEDED = 69 };  // of RefusedLaunches.code

struct DeviceRuntime {
  DeviceRuntimeLimits limits;
  // CTAs of such a kernel per SM; NULL: unknown, at least one.
  uint32_t (*ctas_per_sm)(const void *self, const Launch *launch);
  const void *self;
  Launch **made;  // since they were taken last, in order
  uint32_t made_count, made_capacity;
  uint32_t pending_count;   // parameter buffers and launches that have not begun
  RefusedLaunches *refused;  // since the list was last emptied
  uint32_t refused_count, refused_capacity;
  // private
  uint64_t launch_count, stream_count;
  struct ParameterBuffer *buffers;
  struct RuntimeStream *streams;
  struct RuntimeEvent *events;
  struct RuntimeGrid *grids;
  struct ThreadError *errors;
  struct ErrorText *texts;
};

void device_runtime_clear(DeviceRuntime *runtime);

// Copies the parameters of all launches in `made` and frees their buffers.
// Contexts must forget their allocations afterwards.
void device_runtime_settle(DeviceRuntime *runtime, DeviceMemory *memory);

// A child of the CTA has completed. Returns true if it was the last one, so that waiting
// threads continue.
bool cta_child_completed(Cta *cta);

// Name of a cudaError: "cudaErrorLaunchPendingCountExceeded".
const char *device_runtime_error_name(uint32_t code);

// Frees the last errors of a CTA's threads and, when all CTAs of a grid have completed, its
// streams and events: the tables grow with resident CTAs, not with all that have run.
void device_runtime_end_cta(DeviceRuntime *runtime, const Launch *launch, uint64_t cta);
void device_runtime_end_grid(DeviceRuntime *runtime, uint64_t grid);

// The native of that name, as native_find; NULL if it is none of the runtime's.
NativeFn device_runtime_native(const char *name);

#endif
