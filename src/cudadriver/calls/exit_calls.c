// SPDX-License-Identifier: MIT
// As cudart/exit_calls.c, for programs that use the driver API alone.
#include "cudadriver/api.h"
#include "device/process/process.h"

EXPORT _Noreturn void _exit(int code) {
  device_process_exit(code);
}

EXPORT _Noreturn void _Exit(int code) {
  device_process_exit(code);
}
