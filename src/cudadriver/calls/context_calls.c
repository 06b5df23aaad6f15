// SPDX-License-Identifier: MIT
// Contexts: made, held, and current in a thread.
#include "cudadriver/objects.h"

static DeviceContext *context_of(CUcontext context) {
  return (DeviceContext *)context;
}

static CUcontext handle_of(DeviceContext *context) {
  return (CUcontext)context;
}

static bool is_alive(CUcontext context) {
  return device_context_is_alive(api_device(), context_of(context));
}

// ---- making and ending

static CUresult create(CUcontext *context, unsigned flags, CUdevice device) {
  NEED_DEVICE(device);
  NEED_VALUE(context && !(flags & ~(unsigned)CU_CTX_FLAGS_MASK));
  NEED(api_result(device_error(api_device())));
  DeviceContext *made = device_context_create(api_device(), flags);
  *context = handle_of(made);
  if (device_context_push(made)) return CUDA_SUCCESS;
  bool is_last;
  device_context_release(api_device(), made, &is_last);
  return CUDA_ERROR_OUT_OF_MEMORY;
}

EXPORT CUresult cuCtxCreate_v2(CUcontext *context, unsigned flags, CUdevice device) {
  return create(context, flags, device);
}

EXPORT CUresult cuCtxCreate_v3(CUcontext *context, CUexecAffinityParam *affinity, int count,
                               unsigned flags, CUdevice device) {
  NEED_INITIALIZED();
  if (affinity || count) return api_unsupported("contexts with an SM partition");
  return create(context, flags, device);
}

EXPORT CUresult cuCtxCreate_v4(CUcontext *context, CUctxCreateParams *wanted, unsigned flags,
                               CUdevice device) {
  NEED_INITIALIZED();
  if (wanted && (wanted->execAffinityParams || wanted->numExecAffinityParams || wanted->cigParams))
    return api_unsupported("contexts with an SM partition or graphics interoperability");
  return create(context, flags, device);
}

// Frees the objects of a context; with the last context everything is freed, and a sticky
// error is cleared.
static CUresult end(DeviceContext *context) {
  bool is_last;
  if (!device_context_release(api_device(), context, &is_last)) return CUDA_SUCCESS;
  objects_release(context);
  if (!is_last) return CUDA_SUCCESS;
  objects_forget();
  return api_result(device_reset(api_device()));
}

EXPORT CUresult cuCtxDestroy_v2(CUcontext context) {
  NEED_INITIALIZED();
  if (!is_alive(context) || context_of(context) == device_context_primary(api_device()))
    return CUDA_ERROR_INVALID_CONTEXT;
  if (device_context_current() == context_of(context)) device_context_pop();
  return end(context_of(context));
}

EXPORT CUresult cuCtxAttach(CUcontext *context, unsigned flags) {
  NEED_CONTEXT();
  NEED_VALUE(context && !flags);
  DeviceContext *current = device_context_current();
  device_context_retain(api_device(), current);
  *context = handle_of(current);
  return CUDA_SUCCESS;
}

EXPORT CUresult cuCtxDetach(CUcontext context) {
  NEED_CONTEXT();
  if (context_of(context) != device_context_current()) return CUDA_ERROR_INVALID_CONTEXT;
  CUresult result = end(context_of(context));
  if (!is_alive(context)) device_context_pop();
  return result;
}

// ---- the primary one

EXPORT CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device) {
  NEED_DEVICE(device);
  NEED_VALUE(context);
  DeviceContext *primary = device_context_primary(api_device());
  device_context_retain(api_device(), primary);
  *context = handle_of(primary);
  return CUDA_SUCCESS;
}

EXPORT CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device) {
  NEED_DEVICE(device);
  DeviceContext *primary = device_context_primary(api_device());
  if (!device_context_is_alive(api_device(), primary)) return CUDA_ERROR_INVALID_CONTEXT;
  return end(primary);
}

// References to the context stay valid; its objects are freed.
EXPORT CUresult cuDevicePrimaryCtxReset_v2(CUdevice device) {
  NEED_DEVICE(device);
  objects_release(device_context_primary(api_device()));
  objects_forget();
  return api_result(device_reset(api_device()));
}

EXPORT CUresult cuDevicePrimaryCtxSetFlags_v2(CUdevice device, unsigned flags) {
  NEED_DEVICE(device);
  NEED_VALUE(!(flags & ~(unsigned)CU_CTX_FLAGS_MASK));
  device_context_primary(api_device())->flags = flags;
  return CUDA_SUCCESS;
}

EXPORT CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned *flags, int *is_active) {
  NEED_DEVICE(device);
  NEED_VALUE(flags && is_active);
  DeviceContext *primary = device_context_primary(api_device());
  *flags = primary->flags;
  *is_active = device_context_is_alive(api_device(), primary);
  return CUDA_SUCCESS;
}

// ---- the current one

EXPORT CUresult cuCtxPushCurrent_v2(CUcontext context) {
  NEED_INITIALIZED();
  if (!is_alive(context)) return CUDA_ERROR_INVALID_CONTEXT;
  return device_context_push(context_of(context)) ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

EXPORT CUresult cuCtxPopCurrent_v2(CUcontext *context) {
  NEED_INITIALIZED();
  DeviceContext *popped = device_context_pop();
  if (!popped) return CUDA_ERROR_INVALID_CONTEXT;
  if (context) *context = handle_of(popped);
  return CUDA_SUCCESS;
}

EXPORT CUresult cuCtxSetCurrent(CUcontext context) {
  NEED_INITIALIZED();
  if (context && !is_alive(context)) return CUDA_ERROR_INVALID_CONTEXT;
  device_context_set(context_of(context));
  return CUDA_SUCCESS;
}

EXPORT CUresult cuCtxGetCurrent(CUcontext *context) {
  NEED_INITIALIZED();
  NEED_VALUE(context);
  *context = handle_of(device_context_current());
  return CUDA_SUCCESS;
}

EXPORT CUresult cuCtxGetDevice(CUdevice *device) {
  NEED_CONTEXT();
  NEED_VALUE(device);
  *device = 0;
  return CUDA_SUCCESS;
}

EXPORT CUresult cuCtxSynchronize(void) {
  NEED_CONTEXT();
  return api_result(device_synchronize(api_device()));
}

// ---- of a context by its handle; NULL means the current one

static CUresult named(CUcontext context, DeviceContext **found) {
  NEED_INITIALIZED();
  *found = context ? context_of(context) : device_context_current();
  return *found && device_context_is_alive(api_device(), *found) ? CUDA_SUCCESS
                                                                 : CUDA_ERROR_INVALID_CONTEXT;
}

EXPORT CUresult cuCtxGetDevice_v2(CUdevice *device, CUcontext context) {
  DeviceContext *found;
  NEED(named(context, &found));
  NEED_VALUE(device);
  *device = 0;
  return CUDA_SUCCESS;
}

EXPORT CUresult cuCtxSynchronize_v2(CUcontext context) {
  DeviceContext *found;
  NEED(named(context, &found));
  return api_result(device_synchronize(api_device()));
}

EXPORT CUresult cuCtxGetId(CUcontext context, unsigned long long *id) {
  DeviceContext *found;
  NEED(named(context, &found));
  NEED_VALUE(id);
  *id = found->id;
  return CUDA_SUCCESS;
}

enum { API_VERSION = 3020 };

EXPORT CUresult cuCtxGetApiVersion(CUcontext context, unsigned *version) {
  DeviceContext *found;
  NEED(named(context, &found));
  NEED_VALUE(version);
  *version = API_VERSION;
  return CUDA_SUCCESS;
}

// ---- settings

EXPORT CUresult cuCtxGetFlags(unsigned *flags) {
  NEED_CONTEXT();
  NEED_VALUE(flags);
  *flags = device_context_current()->flags;
  return CUDA_SUCCESS;
}

EXPORT CUresult cuCtxSetFlags(unsigned flags) {
  NEED_CONTEXT();
  NEED_VALUE(!(flags & ~(unsigned)CU_CTX_FLAGS_MASK));
  device_context_current()->flags = flags;
  return CUDA_SUCCESS;
}

// Stacks and the heap are unlimited, printf has no buffer, and any synchronisation depth is
// supported: such limits are stored but have no effect.
static uint64_t limit_unless_set(CUlimit limit) {
  const GpuConfig *config = device_config(api_device());
  switch (limit) {
    case CU_LIMIT_STACK_SIZE: return config->run.stack_bytes_per_thread;
    case CU_LIMIT_PRINTF_FIFO_SIZE: return 1 << 20;
    case CU_LIMIT_MALLOC_HEAP_SIZE: return (uint64_t)config->gpu.memory_mb << 20;
    case CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH: return config->gpu.launch_depth;
    case CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT:
      return device_launch_limits(api_device()).pending;
    default: return 128;  // bytes fetched into the L2
  }
}

static CUresult check_limit(CUlimit limit) {
  NEED_CONTEXT();
  NEED_VALUE((unsigned)limit < CU_LIMIT_MAX);
  return (unsigned)limit < CONTEXT_LIMITS ? CUDA_SUCCESS : CUDA_ERROR_UNSUPPORTED_LIMIT;
}

EXPORT CUresult cuCtxSetLimit(CUlimit limit, size_t value) {
  NEED(check_limit(limit));
  if (limit == CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT)
    NEED(api_result(device_set_pending_launches(api_device(), value)));
  device_context_current()->limits[limit] = value;
  return CUDA_SUCCESS;
}

// No line of the L2 is kept longer than others.
EXPORT CUresult cuCtxResetPersistingL2Cache(void) {
  NEED_CONTEXT();
  return CUDA_SUCCESS;
}

EXPORT CUresult cuCtxGetLimit(size_t *value, CUlimit limit) {
  NEED(check_limit(limit));
  NEED_VALUE(value);
  uint64_t asked = device_context_current()->limits[limit];
  *value = asked ? asked : limit_unless_set(limit);
  return CUDA_SUCCESS;
}

// Preferences, which the configuration decides.
EXPORT CUresult cuCtxSetCacheConfig(CUfunc_cache preference) {
  NEED_CONTEXT();
  NEED_VALUE((unsigned)preference <= CU_FUNC_CACHE_PREFER_EQUAL);
  device_context_current()->cache_preference = (int)preference;
  return CUDA_SUCCESS;
}

EXPORT CUresult cuCtxGetCacheConfig(CUfunc_cache *preference) {
  NEED_CONTEXT();
  NEED_VALUE(preference);
  *preference = (CUfunc_cache)device_context_current()->cache_preference;
  return CUDA_SUCCESS;
}

EXPORT CUresult cuCtxSetSharedMemConfig(CUsharedconfig width) {
  NEED_CONTEXT();
  NEED_VALUE((unsigned)width <= CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE);
  device_context_current()->shared_preference = (int)width;
  return CUDA_SUCCESS;
}

EXPORT CUresult cuCtxGetSharedMemConfig(CUsharedconfig *width) {
  NEED_CONTEXT();
  NEED_VALUE(width);
  *width = device_config(api_device())->sm.shared_bank_bytes == 8
               ? CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE
               : CU_SHARED_MEM_CONFIG_FOUR_BYTE_BANK_SIZE;
  return CUDA_SUCCESS;
}

EXPORT CUresult cuCtxGetStreamPriorityRange(int *least, int *greatest) {
  NEED_CONTEXT();
  if (least) *least = STREAM_PRIORITY_LOWEST;
  if (greatest) *greatest = STREAM_PRIORITY_HIGHEST;
  return CUDA_SUCCESS;
}

EXPORT CUresult cuCtxGetExecAffinity(CUexecAffinityParam *affinity, CUexecAffinityType type) {
  (void)affinity, (void)type;
  NEED_CONTEXT();
  return CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY;
}
