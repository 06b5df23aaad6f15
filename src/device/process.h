// SPDX-License-Identifier: MIT
// The one device of a process that runs a CUDA program: made when something
// first asks for it, from HEDDLE_* variables. Results are written when the
// process ends, is interrupted or crashes.
#ifndef DEVICE_PROCESS_H
#define DEVICE_PROCESS_H

#include "device/device.h"

Device *device_of_process(void);

#endif
