// SPDX-License-Identifier: MIT
// A call of the device runtime by one lane, for the files that answer it.
#ifndef RUNTIME_RUNTIME_CALL_H
#define RUNTIME_RUNTIME_CALL_H

#include "runtime/native.h"
#include "runtime/runtime_tables.h"

// cudaError values.
enum {
  SUCCESS = 0,
  INVALID_VALUE = 1,
  OUT_OF_MEMORY = 2,
  INVALID_CONFIGURATION = 9,
  MAX_DEPTH_EXCEEDED = LAUNCH_DEPTH_EXCEEDED,
  PENDING_COUNT_EXCEEDED = LAUNCH_PENDING_EXCEEDED,
  INVALID_FUNCTION = 98,
  INVALID_HANDLE = 400,
  OUT_OF_RESOURCES = 701,
  NOT_SUPPORTED = 801,
};

// Streams that are not made by anybody.
enum { STREAM_OF_CTA = 0, STREAM_LEGACY = 1, STREAM_THREAD = 2, STREAM_TAIL = 3, STREAM_FORGET = 4 };

// A call of one lane.
typedef struct Call {
  ExecContext *context;
  DeviceRuntime *runtime;
  Warp *warp;
  const CallSite *site;
  int lane;
} Call;

static inline uint64_t argument(const Call *call, uint32_t k) {
  return native_argument_u64(call->warp, call->site, k, call->lane);
}

// Calls a function for every lane; its result is the lane's cudaError.
void runtime_for_lanes(ExecContext *context, Warp *warp, const CallSite *site, uint32_t mask,
                       uint32_t (*function)(const Call *call));
// The number of the stream that a CTA launches into unless told otherwise.
uint64_t runtime_stream_of_cta(const Call *call);

// Built-in kernels of programs whose kernels request copies and fills.
#define RUNTIME_COPY_WORDS "__heddle_copy_words"
#define RUNTIME_COPY_BYTES "__heddle_copy_bytes"
#define RUNTIME_FILL_WORDS "__heddle_fill_words"
#define RUNTIME_FILL_BYTES "__heddle_fill_bytes"

// Launches a kernel whose parameters are known into a stream; one-dimensional.
uint32_t runtime_launch(const Call *call, const Function *kernel, uint32_t blocks, uint32_t threads,
                        const void *params, uint32_t params_bytes, uint64_t stream);
// As runtime_for_lanes; launches of all lanes are simultaneous.
void runtime_launch_lanes(ExecContext *context, Warp *warp, const CallSite *site, uint32_t mask,
                          uint32_t (*function)(const Call *call));

// native_launch.c
void native_parameter_memory(ExecContext *context, Warp *warp, const CallSite *site, uint32_t mask);
void native_parameter_buffer(ExecContext *context, Warp *warp, const CallSite *site, uint32_t mask);
void native_launch_described(ExecContext *context, Warp *warp, const CallSite *site, uint32_t mask);
void native_launch_function(ExecContext *context, Warp *warp, const CallSite *site, uint32_t mask);

// native_copy.c
void native_copy(ExecContext *context, Warp *warp, const CallSite *site, uint32_t mask);
void native_copy_rows(ExecContext *context, Warp *warp, const CallSite *site, uint32_t mask);
void native_copy_box(ExecContext *context, Warp *warp, const CallSite *site, uint32_t mask);
void native_fill(ExecContext *context, Warp *warp, const CallSite *site, uint32_t mask);
void native_fill_rows(ExecContext *context, Warp *warp, const CallSite *site, uint32_t mask);
void native_fill_box(ExecContext *context, Warp *warp, const CallSite *site, uint32_t mask);

// native_query.c
void native_error_name(ExecContext *context, Warp *warp, const CallSite *site, uint32_t mask);
void native_error_text(ExecContext *context, Warp *warp, const CallSite *site, uint32_t mask);
void native_set_condition(ExecContext *context, Warp *warp, const CallSite *site, uint32_t mask);
void native_occupancy(ExecContext *context, Warp *warp, const CallSite *site, uint32_t mask);

// Writes through argument k, a pointer of the caller's.
uint32_t runtime_store_result(const Call *call, uint32_t k, const void *value, uint32_t bytes);
// The kernel at an address, or NULL.
const Function *runtime_kernel_at(const Call *call, uint64_t address);

#endif
