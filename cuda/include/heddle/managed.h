// SPDX-License-Identifier: MIT
// __managed__ variables stand in a section of their own, and the runtime is told
// where it is before it hears of the variables.
#ifndef HEDDLE_MANAGED_H
#define HEDDLE_MANAGED_H

#ifndef __CUDA_ARCH__
extern "C" {
extern char __start_heddle_managed[] __attribute__((weak, visibility("hidden")));
extern char __stop_heddle_managed[] __attribute__((weak, visibility("hidden")));
void __cudaHeddleManaged(const void *first, const void *end);
}

// Earlier than the constructors that register device code.
__attribute__((constructor(101), unused)) static void heddle_tell_of_managed_variables() {
  if (__start_heddle_managed) __cudaHeddleManaged(__start_heddle_managed, __stop_heddle_managed);
}
#endif

#endif
