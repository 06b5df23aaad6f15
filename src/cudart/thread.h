// SPDX-License-Identifier: MIT
// Launches that a thread has configured: k<<<grid, block>>>(f<<<...>>>()) may
// nest them.
#ifndef CUDART_THREAD_H
#define CUDART_THREAD_H

#include "cudart/api.h"

enum { MAX_CONFIGURATIONS = 16, MAX_ARGUMENT_BYTES = 4096 };

// A launch without its kernel, and, for the oldest way to launch, its arguments.
typedef struct LaunchConfiguration {
  DeviceLaunch launch;  // its stream is still a StreamHandle
  uint8_t arguments[MAX_ARGUMENT_BYTES];
} LaunchConfiguration;

LaunchConfiguration *configuration_push(void);  // NULL: too many
LaunchConfiguration *configuration_pop(void);   // NULL: none; valid until the next push
LaunchConfiguration *configuration_top(void);

#endif
