// SPDX-License-Identifier: MIT
// The device of a process that runs a CUDA program, created at its first use from
// HEDDLE_* variables. Results are written however the process ends: by return or exit,
// quick_exit, _exit, a signal, or a crash in its own code or in ours.
#ifndef DEVICE_PROCESS_PROCESS_H
#define DEVICE_PROCESS_PROCESS_H

#include "device/device.h"

Device *device_of_process(void);

// _exit, for a library that interposes the C library.
_Noreturn void device_process_exit(int code);

#endif
