// SPDX-License-Identifier: MIT
// The one device of a process that runs a CUDA program: made when something
// first asks for it, from HEDDLE_* variables. Results are written however the
// process ends: by return or exit, quick_exit, _exit, a signal, a crash in its
// own code or in ours.
#ifndef DEVICE_PROCESS_H
#define DEVICE_PROCESS_H

#include "device/device.h"

Device *device_of_process(void);

// _exit, for a library that stands before the C library.
_Noreturn void device_process_exit(int code);

#endif
