// SPDX-License-Identifier: MIT
// Launches that outlive the function that makes them, as a GPU asks for.
#ifndef UNIT_LAUNCH_SUPPORT_H
#define UNIT_LAUNCH_SUPPORT_H

#include <string.h>

#include "base/memory.h"
#include "isa/launch.h"

// A copy, with its parameters, that stays until the program ends.
static inline Launch *launch_kept(const Launch *launch) {
  static struct Kept {
    Launch launch;
    struct Kept *next;
  } * first;
  struct Kept *kept = memory_alloc(sizeof *kept);
  uint8_t *params = memory_alloc(launch->kernel->param_bytes + 1u);
  if (launch->params) memcpy(params, launch->params, launch->kernel->param_bytes);
  kept->launch = *launch;
  kept->launch.params = params;
  kept->next = first;
  first = kept;
  return &kept->launch;
}

#endif
