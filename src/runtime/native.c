// SPDX-License-Identifier: MIT
// Functions that device programs call without a PTX definition: vprintf, __assertfail, malloc,
// free, and the device runtime (device_runtime.h).
#include "runtime/native.h"

#include <stdio.h>
#include <string.h>

#include "runtime/device_runtime.h"
#include "exec/memory/memory_access.h"

// CUDA's own limit for a device printf's text is smaller.
enum { PRINT_BYTES = 1 << 16 };

// The lane of an argument: a register's, or bytes in the caller's frame.
static uint8_t *argument_at(const Warp *warp, const Argument *argument, int lane) {
  if (argument->place != NO_PLACE)
    return (uint8_t *)place_at(warp, argument->place) +
           (size_t)lane * (argument->size_bytes == 8 ? 8 : 4);
  uint64_t offset = (uint64_t)warp_top(warp)->local_frame + argument->offset;
  if (offset >= warp->local_bytes || warp->local_bytes - offset < argument->size_bytes) return NULL;
  return warp->local + (size_t)lane * warp->local_bytes + offset;
}

uint64_t native_argument_u64(const Warp *warp, const CallSite *site, uint32_t k, int lane) {
  uint64_t value = 0;
  if (k >= site->arg_count) return 0;
  const Argument *argument = &site->args[k];
  const uint8_t *from = argument_at(warp, argument, lane);
  if (from) memcpy(&value, from, argument->size_bytes < 8 ? argument->size_bytes : 8);
  return value;
}

bool native_argument_bytes(const Warp *warp, const CallSite *site, uint32_t k, int lane, void *to,
                           uint32_t size_bytes) {
  if (k >= site->arg_count || site->args[k].size_bytes < size_bytes) return false;
  const uint8_t *from = argument_at(warp, &site->args[k], lane);
  if (from) memcpy(to, from, size_bytes);
  return from != NULL;
}

void native_set_result(const Warp *warp, const CallSite *site, int lane, uint64_t value) {
  if (!site->result_count) return;
  const Argument *result = &site->results[0];
  uint8_t *to = argument_at(warp, result, lane);
  if (to) memcpy(to, &value, result->size_bytes < 8 ? result->size_bytes : 8);
}

bool native_read_string(const ExecContext *context, const Warp *warp, int lane, uint64_t address,
                        char *text, size_t capacity) {
  uint64_t left_bytes;
  const uint8_t *from = memory_generic_span(context, warp, lane, address, &left_bytes);
  if (!from) return false;
  size_t longest = left_bytes < capacity - 1 ? (size_t)left_bytes : capacity - 1;
  size_t length = strnlen((const char *)from, longest);
  if (length == left_bytes) return false;  // runs out of its allocation
  memcpy(text, from, length);
  text[length] = 0;
  return true;
}

static void print(const ExecContext *context, const char *text, size_t length) {
  if (context->print)
    context->print(context->print_sink, text, length);
  else
    fwrite(text, 1, length, stdout);
}

static void native_vprintf(ExecContext *context, Warp *warp, const CallSite *site, uint32_t mask) {
  char text[PRINT_BYTES];
  for (uint32_t left = mask; left; left &= left - 1) {
    int lane = __builtin_ctz(left);
    uint64_t format = native_argument_u64(warp, site, 0, lane);
    uint64_t arguments = native_argument_u64(warp, site, 1, lane);
    size_t length = 0;
    int count = native_format(context, warp, lane, format, arguments, text, sizeof text, &length);
    if (count < 0 && format) {
      fault_raise_access(context, warp, FAULT_OUT_OF_BOUNDS, lane, SPACE_GENERIC, format, 0, false);
      snprintf(context->fault.detail, sizeof context->fault.detail,
               "printf: invalid format string or argument address");
      return;
    }
    print(context, text, length);
    native_set_result(warp, site, lane, (uint64_t)(int64_t)count);
  }
}

// (message, file, line, function, bytes of a character)
static void native_assertfail(ExecContext *context, Warp *warp, const CallSite *site,
                              uint32_t mask) {
  int lane = __builtin_ctz(mask);
  char words[3][76];
  static const uint32_t positions[3] = {0, 1, 3};
  for (int i = 0; i < 3; i++) {
    uint64_t address = native_argument_u64(warp, site, positions[i], lane);
    if (!native_read_string(context, warp, lane, address, words[i], sizeof words[i]))
      snprintf(words[i], sizeof words[i], "?");
  }
  if (context->fault.kind) return;
  fault_raise(context, warp, FAULT_ASSERT, lane);
  snprintf(context->fault.detail, sizeof context->fault.detail, "%s:%u: %s: %s", words[1],
           (uint32_t)native_argument_u64(warp, site, 2, lane), words[2], words[0]);
}

// A kernel that runs out of memory gets NULL, as on a GPU.
static void native_malloc(ExecContext *context, Warp *warp, const CallSite *site, uint32_t mask) {
  for (uint32_t left = mask; left; left &= left - 1) {
    int lane = __builtin_ctz(left);
    uint64_t address = 0, size_bytes = native_argument_u64(warp, site, 0, lane);
    if (!size_bytes || device_memory_alloc(context->memory, size_bytes, ALLOCATION_DEVICE, NULL,
                                           &address, NULL) != OK)
      address = 0;
    native_set_result(warp, site, lane, address);
  }
  exec_forget_allocations(context);
}

static void native_free(ExecContext *context, Warp *warp, const CallSite *site, uint32_t mask) {
  for (uint32_t left = mask; left; left &= left - 1) {
    int lane = __builtin_ctz(left);
    uint64_t address = native_argument_u64(warp, site, 0, lane);
    if (!address) continue;
    const Allocation *found = device_memory_find(context->memory, address);
    bool is_ours = found && found->address == address && found->kind == ALLOCATION_DEVICE;
    if (!is_ours || device_memory_free(context->memory, address, NULL) != OK) {
      fault_raise_access(context, warp, FAULT_BAD_FREE, lane, SPACE_GLOBAL, address, 0, false);
      break;
    }
  }
  exec_forget_allocations(context);
}

// Entry of pure virtual functions in a class's virtual table.
static void native_pure_virtual(ExecContext *context, Warp *warp, const CallSite *site,
                                uint32_t mask) {
  (void)site;
  if (context->fault.kind) return;
  fault_raise(context, warp, FAULT_TRAP, __builtin_ctz(mask));
  snprintf(context->fault.detail, sizeof context->fault.detail, "pure virtual function called");
}

NativeFn native_find(const char *name) {
  static const struct {
    const char *name;
    NativeFn function;
  } natives[] = {
      {"vprintf", native_vprintf},
      {"__assertfail", native_assertfail},
      {"__assert_fail", native_assertfail},
      {"malloc", native_malloc},
      {"free", native_free},
      {"__cxa_pure_virtual", native_pure_virtual},
  };
  for (size_t i = 0; i < sizeof natives / sizeof *natives; i++)
    if (strcmp(natives[i].name, name) == 0) return natives[i].function;
  return device_runtime_native(name);
}
