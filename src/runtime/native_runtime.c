// SPDX-License-Identifier: MIT
// The device runtime's functions by name. CUDA 12 and later call them
// __cudaCDP2Name, before that they were cudaName; the ending _ptsz, for streams
// of a thread, makes no difference on the device.
#include <string.h>

#include "base/memory.h"
#include "exec/memory/memory_access.h"
#include "runtime/runtime_call.h"

// Where a result goes: through a pointer of the caller's.
uint32_t runtime_store_result(const Call *call, uint32_t k, const void *value, uint32_t bytes) {
  uint64_t left_bytes;
  uint8_t *to = memory_generic_span(call->context, call->warp, call->lane, argument(call, k),
                                    &left_bytes);
  if (!to || left_bytes < bytes) return INVALID_VALUE;
  memcpy(to, value, bytes);
  return SUCCESS;
}

void runtime_for_lanes(ExecContext *context, Warp *warp, const CallSite *site, uint32_t mask,
                       uint32_t (*function)(const Call *call)) {
  for (uint32_t left = mask; left; left &= left - 1) {
    int lane = __builtin_ctz(left);
    Call call = {context, context->runtime, warp, site, lane};
    uint32_t code = context->runtime ? function(&call) : NOT_SUPPORTED;
    if (code && context->runtime) runtime_set_error(context->runtime, warp, lane, code);
    native_set_result(warp, site, lane, code);
  }
}

// ---- waiting

// The first generation only: the threads wait for all that their CTA launched.
static void native_synchronize(ExecContext *context, Warp *warp, const CallSite *site,
                               uint32_t mask) {
  for (uint32_t left = mask; left; left &= left - 1)
    native_set_result(warp, site, __builtin_ctz(left), context->runtime ? SUCCESS : NOT_SUPPORTED);
  if (warp->cta->open_children) warp->state = WARP_AT_CHILDREN;
}

// ---- streams and events

static uint64_t grid_of(const Call *call) {
  return call->warp->cta->launch->grid_id;
}

static uint32_t create_stream(const Call *call) {
  uint64_t handle = runtime_stream_add(call->runtime, grid_of(call))->number;
  return runtime_store_result(call, 0, &handle, sizeof handle);
}

static uint32_t destroy_stream(const Call *call) {
  RuntimeStream *stream = runtime_stream(call->runtime, argument(call, 0));
  if (!stream) return INVALID_HANDLE;
  runtime_stream_remove(call->runtime, stream);
  return SUCCESS;
}

static uint32_t create_event(const Call *call) {
  uint64_t handle = runtime_event_add(call->runtime, grid_of(call))->handle;
  return runtime_store_result(call, 0, &handle, sizeof handle);
}

static uint32_t destroy_event(const Call *call) {
  RuntimeEvent *event = runtime_event(call->runtime, argument(call, 0));
  if (!event) return INVALID_HANDLE;
  runtime_event_remove(call->runtime, event);
  return SUCCESS;
}

static RuntimeStream *stream_argument(const Call *call, uint32_t k) {
  uint64_t handle = argument(call, k);
  if (handle == STREAM_OF_CTA || handle == STREAM_LEGACY || handle == STREAM_THREAD)
    handle = runtime_stream_of_cta(call);
  return runtime_stream(call->runtime, handle);
}

// (event, stream)
static uint32_t record_event(const Call *call) {
  RuntimeEvent *event = runtime_event(call->runtime, argument(call, 0));
  RuntimeStream *stream = stream_argument(call, 1);
  if (!event || !stream) return INVALID_HANDLE;
  event->launch = stream->last_launch;
  return SUCCESS;
}

// (stream, event)
static uint32_t wait_event(const Call *call) {
  RuntimeStream *stream = stream_argument(call, 0);
  RuntimeEvent *event = runtime_event(call->runtime, argument(call, 1));
  if (!event || !stream) return INVALID_HANDLE;
  if (!event->launch) return SUCCESS;
  GROW(stream->waits, stream->wait_count, stream->wait_capacity);
  stream->waits[stream->wait_count++] = event->launch;
  return SUCCESS;
}

// ---- memory and questions

// (pointer, size)
static uint32_t allocate(const Call *call) {
  uint64_t address = 0, bytes = argument(call, 1);
  if (bytes && device_memory_alloc(call->context->memory, bytes, ALLOCATION_DEVICE, NULL, &address,
                                   NULL) != OK)
    return OUT_OF_MEMORY;
  exec_forget_allocations(call->context);
  return runtime_store_result(call, 0, &address, sizeof address);
}

static uint32_t release(const Call *call) {
  uint64_t address = argument(call, 0);
  if (!address) return SUCCESS;
  const Allocation *found = device_memory_find(call->context->memory, address);
  if (!found || found->address != address || found->kind != ALLOCATION_DEVICE) return INVALID_VALUE;
  device_memory_free(call->context->memory, address, NULL);
  exec_forget_allocations(call->context);
  return SUCCESS;
}

static uint32_t device_number(const Call *call) {
  return runtime_store_result(call, 0, &(int32_t){0}, sizeof(int32_t));
}

static uint32_t device_count(const Call *call) {
  return runtime_store_result(call, 0, &(int32_t){1}, sizeof(int32_t));
}

// (value, attribute, device): attributes available on the device.
static uint32_t device_attribute(const Call *call) {
  enum { WARP_SIZE = 10, MAX_THREADS_A_BLOCK = 1, SM_COUNT = 16, MAX_THREADS_AN_SM = 39 };
  const ExecContext *context = call->context;
  uint32_t value;
  switch (argument(call, 1)) {
    case MAX_THREADS_A_BLOCK: value = MAX_CTA_THREADS; break;
    case WARP_SIZE: value = WARP_LANES; break;
    case SM_COUNT: value = context->sm_count; break;
    case MAX_THREADS_AN_SM: value = context->warps_per_sm * WARP_LANES; break;
    default: return NOT_SUPPORTED;
  }
  return runtime_store_result(call, 0, &value, sizeof value);
}

// The newest supported version, for every program.
static uint32_t version(const Call *call) {
  return runtime_store_result(call, 0, &(int32_t){13000}, sizeof(int32_t));
}

// (value, limit)
static uint32_t device_limit(const Call *call) {
  enum { STACK_SIZE = 0, SYNC_DEPTH = 3, PENDING_LAUNCHES = 4 };
  const DeviceRuntimeLimits *limits = &call->runtime->limits;
  uint64_t value;
  switch (argument(call, 1)) {
    case STACK_SIZE: value = limits->stack_bytes; break;
    case SYNC_DEPTH: value = limits->depth; break;
    case PENDING_LAUNCHES: value = limits->pending; break;
    default: return NOT_SUPPORTED;
  }
  return runtime_store_result(call, 0, &value, sizeof value);
}

static uint32_t unsupported(const Call *call) {
  (void)call;
  return NOT_SUPPORTED;
}

static void last_error(ExecContext *context, Warp *warp, const CallSite *site, uint32_t mask,
                       bool clear) {
  for (uint32_t left = mask; left; left &= left - 1) {
    int lane = __builtin_ctz(left);
    native_set_result(
        warp, site, lane,
        context->runtime ? runtime_last_error(context->runtime, warp, lane, clear) : SUCCESS);
  }
}

static void native_get_last_error(ExecContext *context, Warp *warp, const CallSite *site,
                                  uint32_t mask) {
  last_error(context, warp, site, mask, true);
}

static void native_peek_last_error(ExecContext *context, Warp *warp, const CallSite *site,
                                   uint32_t mask) {
  last_error(context, warp, site, mask, false);
}

#define LANE_NATIVE(function)                                                           \
  static void native_##function(ExecContext *context, Warp *warp, const CallSite *site, \
                                uint32_t mask) {                                        \
    runtime_for_lanes(context, warp, site, mask, function);                                     \
  }
LANE_NATIVE(create_stream)
LANE_NATIVE(destroy_stream)
LANE_NATIVE(create_event)
LANE_NATIVE(destroy_event)
LANE_NATIVE(record_event)
LANE_NATIVE(wait_event)
LANE_NATIVE(allocate)
LANE_NATIVE(release)
LANE_NATIVE(device_number)
LANE_NATIVE(device_count)
LANE_NATIVE(device_attribute)
LANE_NATIVE(device_limit)
LANE_NATIVE(version)
LANE_NATIVE(unsupported)

// ---- by name

typedef struct RuntimeFunction {
  const char *name;
  NativeFn function;
} RuntimeFunction;

static const RuntimeFunction functions[] = {
    {"GetParameterBuffer", native_parameter_memory},
    {"GetParameterBufferV2", native_parameter_buffer},
    {"LaunchDevice", native_launch_function},
    {"LaunchDeviceV2", native_launch_described},
    {"DeviceSynchronize", native_synchronize},
    {"StreamCreateWithFlags", native_create_stream},
    {"StreamDestroy", native_destroy_stream},
    {"StreamWaitEvent", native_wait_event},
    {"EventCreateWithFlags", native_create_event},
    {"EventDestroy", native_destroy_event},
    {"EventRecord", native_record_event},
    {"EventRecordWithFlags", native_record_event},
    {"GetLastError", native_get_last_error},
    {"PeekAtLastError", native_peek_last_error},
    {"Malloc", native_allocate},
    {"Free", native_release},
    {"GetDevice", native_device_number},
    {"GetDeviceCount", native_device_count},
    {"DeviceGetAttribute", native_device_attribute},
    {"DeviceGetLimit", native_device_limit},
    {"MemcpyAsync", native_copy},
    {"Memcpy2DAsync", native_copy_rows},
    {"Memcpy3DAsync", native_copy_box},
    {"MemsetAsync", native_fill},
    {"Memset2DAsync", native_fill_rows},
    {"Memset3DAsync", native_fill_box},
    {"RuntimeGetVersion", native_version},
    {"GetErrorName", native_error_name},
    {"GetErrorString", native_error_text},
    {"GraphSetConditional", native_set_condition},
    // Refused with cudaErrorNotSupported, which a program can see.
    {"FuncGetAttributes", native_unsupported},
    {"OccupancyMaxActiveBlocksPerMultiprocessor", native_occupancy},
    {"OccupancyMaxActiveBlocksPerMultiprocessorWithFlags", native_occupancy},
};

static const char *without_prefix(const char *name) {
  static const char *const prefixes[] = {"__cudaCDP2", "cuda"};
  for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
    if (strncmp(name, prefixes[i], strlen(prefixes[i])) == 0) return name + strlen(prefixes[i]);
  return NULL;
}

NativeFn device_runtime_native(const char *name) {
  static const char suffix[] = "_ptsz";
  if (strcmp(name, "__cudaDeviceSynchronizeDeprecationAvoidance") == 0) return native_synchronize;
  const char *base = without_prefix(name);
  if (!base) return NULL;
  size_t length = strlen(base), extra = sizeof suffix - 1;
  if (length > extra && strcmp(base + length - extra, suffix) == 0) length -= extra;
  for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
    if (strlen(functions[i].name) == length && strncmp(base, functions[i].name, length) == 0)
      return functions[i].function;
  return NULL;
}
