// SPDX-License-Identifier: MIT
// What kernels ask the device runtime: the names of errors, how many CTAs of a kernel an SM
// holds; and what they tell it: the conditions of graphs.
#include <string.h>

#include "base/memory.h"
#include "runtime/runtime_call.h"

// ---- errors

typedef struct ErrorWords {
  uint32_t code;
  const char *name, *text;
} ErrorWords;

// Those that the device runtime gives.
static const ErrorWords words[] = {
    {SUCCESS, "cudaSuccess", "no error"},
    {INVALID_VALUE, "cudaErrorInvalidValue", "invalid argument"},
    {OUT_OF_MEMORY, "cudaErrorMemoryAllocation", "out of memory"},
    {INVALID_CONFIGURATION, "cudaErrorInvalidConfiguration", "invalid configuration argument"},
    {MAX_DEPTH_EXCEEDED, "cudaErrorLaunchMaxDepthExceeded", "launch would exceed maximum depth"},
    {PENDING_COUNT_EXCEEDED, "cudaErrorLaunchPendingCountExceeded",
     "launch would exceed pending launches"},
    {INVALID_FUNCTION, "cudaErrorInvalidDeviceFunction", "invalid device function"},
    {INVALID_HANDLE, "cudaErrorInvalidResourceHandle", "invalid resource handle"},
    {OUT_OF_RESOURCES, "cudaErrorLaunchOutOfResources", "too many resources requested for launch"},
    {NOT_SUPPORTED, "cudaErrorNotSupported", "operation not supported"},
};

static const char *word_of(uint32_t code, bool is_name) {
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (words[i].code == code) return is_name ? words[i].name : words[i].text;
  return is_name ? "cudaErrorUnknown" : "unrecognized error code";
}

const char *device_runtime_error_name(uint32_t code) {
  return word_of(code, true);
}

// Address of a text in device memory, to which it is copied once.
static uint64_t place_text(const Call *call, const char *text) {
  DeviceRuntime *runtime = call->runtime;
  ErrorText *known;
  uint64_t address;
  HASH_FIND_PTR(runtime->texts, &text, known);
  if (known) return known->address;
  if (device_memory_alloc(call->context->memory, strlen(text) + 1, ALLOCATION_DEVICE, "error text",
                          &address, NULL) != OK)
    return 0;
  device_memory_write(call->context->memory, address, text, strlen(text) + 1, NULL);
  known = memory_alloc(sizeof *known);
  *known = (ErrorText){.text = text, .address = address};
  HASH_ADD_PTR(runtime->texts, text, known);
  return address;
}

static void return_error_text(ExecContext *context, Warp *warp, const CallSite *site, uint32_t mask,
                              bool is_name) {
  for (uint32_t left = mask; context->runtime && left; left &= left - 1) {
    Call call = {context, context->runtime, warp, site, __builtin_ctz(left)};
    const char *text = word_of((uint32_t)argument(&call, 0), is_name);
    native_set_result(warp, site, call.lane, place_text(&call, text));
  }
  exec_forget_allocations(context);
}

void native_error_name(ExecContext *context, Warp *warp, const CallSite *site, uint32_t mask) {
  return_error_text(context, warp, site, mask, true);
}

void native_error_text(ExecContext *context, Warp *warp, const CallSite *site, uint32_t mask) {
  return_error_text(context, warp, site, mask, false);
}

// ---- occupancy

// (count, kernel, threads, dynamic shared bytes); requires a machine.
static uint32_t occupancy(const Call *call) {
  const DeviceRuntime *runtime = call->runtime;
  const Function *kernel = runtime_kernel_at(call, argument(call, 1));
  uint32_t grid[3] = {1, 1, 1}, block[3] = {(uint32_t)argument(call, 2), 1, 1};
  Launch launch;
  if (!kernel) return INVALID_FUNCTION;
  if (!runtime->ctas_per_sm) return NOT_SUPPORTED;
  if (launch_init(&launch, call->warp->cta->launch->program, kernel, grid, block, NULL,
                  (uint32_t)argument(call, 3), runtime->limits.stack_bytes, NULL) != OK)
    return INVALID_VALUE;
  uint32_t count = runtime->ctas_per_sm(runtime->self, &launch);
  return runtime_store_result(call, 0, &count, sizeof count);
}

void native_occupancy(ExecContext *context, Warp *warp, const CallSite *site, uint32_t mask) {
  runtime_for_lanes(context, warp, site, mask, occupancy);
}

// ---- conditions

// (handle, value): a handle is the address of its value. Nothing is returned.
void native_set_condition(ExecContext *context, Warp *warp, const CallSite *site, uint32_t mask) {
  for (uint32_t left = mask; left; left &= left - 1) {
    Call call = {context, context->runtime, warp, site, __builtin_ctz(left)};
    uint64_t handle = argument(&call, 0);
    uint32_t value = (uint32_t)argument(&call, 1);
    if (device_memory_write(context->memory, handle, &value, sizeof value, NULL) == OK) continue;
    fault_raise_access(context, warp, FAULT_OUT_OF_BOUNDS, call.lane, SPACE_GLOBAL, handle,
                       sizeof value, true);
    return;
  }
}
