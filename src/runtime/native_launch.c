// SPDX-License-Identifier: MIT
// Launches by kernels: a parameter buffer is requested and filled with ordinary stores, then
// the kernel is launched with it.
#include "base/memory.h"
#include "runtime/runtime_call.h"

// ---- parameter buffers

static uint64_t add_buffer(const Call *call, uint64_t size_bytes, const ParameterBuffer *what,
                           uint32_t *code) {
  DeviceRuntime *runtime = call->runtime;
  uint64_t address;
  *code = PENDING_COUNT_EXCEEDED;
  if (runtime->pending_count >= runtime->limits.pending) return 0;
  *code = OUT_OF_MEMORY;
  if (device_memory_alloc(call->context->memory, size_bytes, ALLOCATION_DEVICE,
                          "launch parameters", &address, NULL) != OK)
    return 0;
  ParameterBuffer *buffer = memory_alloc(sizeof *buffer);
  *buffer = *what;
  buffer->address = address;
  HASH_ADD(hh, runtime->buffers, address, sizeof buffer->address, buffer);
  runtime->pending_count++;
  *code = SUCCESS;
  return address;
}

static void refuse(const Call *call, uint32_t code) {
  runtime_set_error(call->runtime, call->warp, call->lane, code);
  runtime_note_refusal(call->runtime, call->warp, code);
}

static void give_buffer(const Call *call, uint64_t size_bytes, const ParameterBuffer *what) {
  uint32_t code;
  uint64_t address = add_buffer(call, size_bytes, what, &code);
  if (code) refuse(call, code);
  native_set_result(call->warp, call->site, call->lane, address);
}

// (alignment, size)
void native_parameter_memory(ExecContext *context, Warp *warp, const CallSite *site,
                             uint32_t mask) {
  enum { MOST_BYTES = 1 << 16 };
  for (uint32_t left = mask; context->runtime && left; left &= left - 1) {
    Call call = {context, context->runtime, warp, site, __builtin_ctz(left)};
    uint64_t bytes = argument(&call, 1);
    give_buffer(&call, bytes < MOST_BYTES ? bytes : MOST_BYTES, &(ParameterBuffer){0});
  }
  exec_forget_allocations(context);
}

static bool read_shape(const Call *call, uint32_t first, ParameterBuffer *to) {
  to->dynamic_shared_bytes = (uint32_t)argument(call, first + 2);
  return native_argument_bytes(call->warp, call->site, first, call->lane, to->grid,
                               sizeof to->grid) &&
         native_argument_bytes(call->warp, call->site, first + 1, call->lane, to->block,
                               sizeof to->block);
}

const Function *runtime_kernel_at(const Call *call, uint64_t address) {
  const Program *program = call->warp->cta->launch->program;
  const Function *found = program_function_from_address(program, address);
  return found && found->is_kernel ? found : NULL;
}

// (function, grid, block, shared bytes)
void native_parameter_buffer(ExecContext *context, Warp *warp, const CallSite *site,
                             uint32_t mask) {
  for (uint32_t left = mask; context->runtime && left; left &= left - 1) {
    Call call = {context, context->runtime, warp, site, __builtin_ctz(left)};
    ParameterBuffer what = {.kernel = runtime_kernel_at(&call, argument(&call, 0))};
    if (!what.kernel || !read_shape(&call, 1, &what)) {
      refuse(&call, INVALID_FUNCTION);
      native_set_result(warp, site, call.lane, 0);
      continue;
    }
    give_buffer(&call, what.kernel->param_bytes, &what);
  }
  exec_forget_allocations(context);
}

// ---- launches

uint64_t runtime_stream_of_cta(const Call *call) {
  Cta *cta = call->warp->cta;
  if (!cta->stream) cta->stream = runtime_stream_add(call->runtime, cta->launch->grid_id)->number;
  return cta->stream;
}

// The stream that a handle means; 0: none.
static uint64_t stream_number(const Call *call, uint64_t handle) {
  if (handle == STREAM_OF_CTA || handle == STREAM_LEGACY || handle == STREAM_THREAD)
    return runtime_stream_of_cta(call);
  if (handle == STREAM_FORGET || handle == STREAM_TAIL)
    return FIRST_DEVICE_STREAM + call->runtime->stream_count++;
  return runtime_stream(call->runtime, handle) ? handle : 0;
}

static uint32_t check_launch(const Call *call, const ParameterBuffer *buffer, Launch *launch) {
  const DeviceRuntime *runtime = call->runtime;
  const Launch *parent = call->warp->cta->launch;
  if (!buffer->kernel) return INVALID_FUNCTION;
  if (parent->origin.depth >= runtime->limits.depth) return MAX_DEPTH_EXCEEDED;
  if (launch_init(launch, parent->program, buffer->kernel, buffer->grid, buffer->block, NULL,
                  buffer->dynamic_shared_bytes, runtime->limits.stack_bytes, NULL) != OK)
    return INVALID_CONFIGURATION;
  bool fits = !runtime->ctas_per_sm || runtime->ctas_per_sm(runtime->self, launch);
  return fits ? SUCCESS : OUT_OF_RESOURCES;
}

static LaunchOrigin origin_of(const Call *call, uint64_t stream) {
  const Cta *cta = call->warp->cta;
  return (LaunchOrigin){.stream = stream,
                        .priority = cta->launch->origin.priority,
                        .has_parent = true,
                        .parent = (uint32_t)cta->launch->grid_id,
                        .parent_cta = cta->linear,
                        .parent_thread = call->warp->index * WARP_LANES + (uint32_t)call->lane,
                        .parent_sm = call->context->sm_id,
                        .depth = cta->launch->origin.depth + 1};
}

// Pending waits of the stream become dependences of its next launch.
static void take_waits(DeviceRuntime *runtime, Launch *child) {
  RuntimeStream *stream = runtime_stream(runtime, child->origin.stream);
  if (!stream) return;
  child->after = stream->waits;
  child->after_count = stream->wait_count;
  stream->waits = NULL;
  stream->wait_count = stream->wait_capacity = 0;
  stream->last_launch = child->number;
}

static void add_launch(const Call *call, Launch *child, uint64_t stream) {
  DeviceRuntime *runtime = call->runtime;
  child->origin = origin_of(call, stream);
  child->number = ++runtime->launch_count;
  take_waits(runtime, child);
  call->warp->cta->open_children += !child->is_tail;
  GROW(runtime->made, runtime->made_count, runtime->made_capacity);
  runtime->made[runtime->made_count++] = child;
}

static uint32_t launch_buffer(const Call *call, ParameterBuffer *buffer, uint64_t stream_handle) {
  DeviceRuntime *runtime = call->runtime;
  Launch *child = memory_alloc(sizeof *child);
  uint32_t code = check_launch(call, buffer, child);
  uint64_t stream = code ? 0 : stream_number(call, stream_handle);
  child->is_tail = stream_handle == STREAM_TAIL;
  child->params_address = buffer->address;
  if (!code && !stream) code = INVALID_HANDLE;
  if (code) {
    device_memory_free(call->context->memory, buffer->address, NULL);
    runtime->pending_count--;
    runtime_note_refusal(runtime, call->warp, code);
    launch_destroy(child);
  } else {
    add_launch(call, child, stream);
  }
  HASH_DEL(runtime->buffers, buffer);
  memory_free(buffer);
  return code;
}

uint32_t runtime_launch(const Call *call, const Function *kernel, uint32_t blocks, uint32_t threads,
                        const void *params, uint32_t params_bytes, uint64_t stream) {
  ParameterBuffer what = {
      .kernel = kernel, .grid = {blocks, 1, 1}, .block = {threads, 1, 1}}, *buffer;
  uint32_t code;
  if (params_bytes != kernel->param_bytes) return INVALID_VALUE;
  uint64_t address = add_buffer(call, params_bytes, &what, &code);
  if (code) {
    runtime_note_refusal(call->runtime, call->warp, code);
    return code;
  }
  device_memory_write(call->context->memory, address, params, params_bytes, NULL);
  HASH_FIND(hh, call->runtime->buffers, &address, sizeof address, buffer);
  return launch_buffer(call, buffer, stream);
}

static ParameterBuffer *find_buffer(const Call *call, uint64_t address) {
  ParameterBuffer *buffer;
  HASH_FIND(hh, call->runtime->buffers, &address, sizeof address, buffer);
  return buffer;
}

// (buffer, stream)
static uint32_t launch_described(const Call *call) {
  ParameterBuffer *buffer = find_buffer(call, argument(call, 0));
  if (buffer) return launch_buffer(call, buffer, argument(call, 1));
  uint32_t code = runtime_last_error(call->runtime, call->warp, call->lane, false);
  return code ? code : INVALID_VALUE;
}

// (function, buffer, grid, block, shared bytes, stream)
static uint32_t launch_function(const Call *call) {
  ParameterBuffer *buffer = find_buffer(call, argument(call, 1));
  if (!buffer) return INVALID_VALUE;
  buffer->kernel = runtime_kernel_at(call, argument(call, 0));
  if (!read_shape(call, 2, buffer)) buffer->kernel = NULL;
  return launch_buffer(call, buffer, argument(call, 5));
}

// Launches of a warp in one instruction know their number.
void runtime_launch_lanes(ExecContext *context, Warp *warp, const CallSite *site, uint32_t mask,
                          uint32_t (*function)(const Call *call)) {
  DeviceRuntime *runtime = context->runtime;
  uint32_t first = runtime ? runtime->made_count : 0;
  runtime_for_lanes(context, warp, site, mask, function);
  for (uint32_t i = first; runtime && i < runtime->made_count; i++)
    runtime->made[i]->together = runtime->made_count - first;
  exec_forget_allocations(context);
}

void native_launch_described(ExecContext *context, Warp *warp, const CallSite *site,
                             uint32_t mask) {
  runtime_launch_lanes(context, warp, site, mask, launch_described);
}

void native_launch_function(ExecContext *context, Warp *warp, const CallSite *site,
                            uint32_t mask) {
  runtime_launch_lanes(context, warp, site, mask, launch_function);
}
