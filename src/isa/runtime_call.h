// SPDX-License-Identifier: MIT
// A call of the device runtime by one lane, for the files that answer it.
#ifndef ISA_RUNTIME_CALL_H
#define ISA_RUNTIME_CALL_H

#include "isa/native.h"
#include "isa/runtime_tables.h"

// cudaError values.
enum {
  SUCCESS = 0,
  INVALID_VALUE = 1,
  OUT_OF_MEMORY = 2,
  INVALID_CONFIGURATION = 9,
  MAX_DEPTH_EXCEEDED = 65,
  PENDING_COUNT_EXCEEDED = 69,
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

// Runs a function for every lane; what it returns is the lane's cudaError.
void runtime_for_lanes(ExecContext *context, Warp *warp, const CallSite *site, uint32_t mask,
                       uint32_t (*function)(const Call *call));
// The number of the stream that a CTA launches into unless told otherwise.
uint64_t runtime_stream_of_cta(const Call *call);

// native_launch.c
void native_parameter_memory(ExecContext *context, Warp *warp, const CallSite *site, uint32_t mask);
void native_parameter_buffer(ExecContext *context, Warp *warp, const CallSite *site, uint32_t mask);
void native_launch_described(ExecContext *context, Warp *warp, const CallSite *site, uint32_t mask);
void native_launch_function(ExecContext *context, Warp *warp, const CallSite *site, uint32_t mask);

#endif
