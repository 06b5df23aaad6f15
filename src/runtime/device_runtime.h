// SPDX-License-Identifier: MIT
// The device runtime: what kernels ask of the GPU besides instructions. They
// launch kernels, make streams and events, and wait for what they launched:
// CUDA's dynamic parallelism, under the names of both its generations.
//
// A native only notes a launch. Whoever runs kernels lets device_runtime_settle
// fetch the parameters when the stores before the launch are visible, takes
// the launches out of `made`, and runs them:
//
//   launches with the same origin.stream one after the other;
//   a tail launch when its parent and the parent's other children are over;
//   any launch when those in `after` are over.
//
// A kernel completes when its CTAs and its children have completed.
// Threads that wait for the children of their CTA (cudaDeviceSynchronize) are
// in state WARP_AT_CHILDREN until cta_child_completed was called for all of them.
#ifndef RUNTIME_DEVICE_RUNTIME_H
#define RUNTIME_DEVICE_RUNTIME_H

#include "exec/execute.h"

typedef struct ChildLaunch {
  Launch launch;           // with its origin; params belong to whoever takes it
  uint64_t number;         // of all launches of the runtime, from 1
  uint64_t *after;         // numbers of launches that are over before it begins; to be freed
  uint32_t after_count;
  bool is_tail;
  uint32_t together;       // launches that the warp made with the same instruction
  uint64_t params_address; // until it is settled
} ChildLaunch;

typedef struct DeviceRuntimeLimits {
  uint32_t depth;           // of nested launches
  uint32_t pending;         // launches that have not begun
  uint32_t stack_bytes;     // a thread's stack where the call graph gives no bound
} DeviceRuntimeLimits;

// Launches by a kernel that failed. The launching thread has the error, as in
// CUDA; a program that does not ask for it goes on with wrong results.
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
  ChildLaunch *made;        // since they were taken last, in order
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
// Gives back what a launch that was taken holds.
void child_launch_clear(ChildLaunch *launch);

// A child of the CTA is over: its threads may have waited for that. True if
// it was the last one, so that all of them go on.
bool cta_child_completed(Cta *cta);

// Name of a cudaError: "cudaErrorLaunchPendingCountExceeded".
const char *device_runtime_error_name(uint32_t code);

// Forgets what belongs to the threads of a CTA, their last errors, and to a grid, its
// streams and events, when all its CTAs have ended: the tables grow with what is resident,
// not with what has ever run.
void device_runtime_end_cta(DeviceRuntime *runtime, const Launch *launch, uint64_t cta);
void device_runtime_end_grid(DeviceRuntime *runtime, uint64_t grid);

// The native of that name, as native_find; NULL if it is none of the runtime's.
NativeFn device_runtime_native(const char *name);

#endif
