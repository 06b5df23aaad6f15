// SPDX-License-Identifier: MIT
// The requester: warp, CTA and kernel behind a memory request, an L1D access, an
// event or a prefetch. One struct, so that all of them name the same things.
#ifndef POLICIES_REQUESTER_H
#define POLICIES_REQUESTER_H

#include <stdint.h>

// As a parent: the host launched the kernel.
#define REQUESTER_NO_PARENT UINT32_MAX

// Numbers only: a request may outlive its kernel, in the queues of the memory.
typedef struct Requester {
  uint16_t sm, cluster;
  uint8_t warp;         // slot on its SM
  uint8_t warp_in_cta;  // index in its CTA
  uint8_t cta_slot;     // the CTA's place on its SM
  uint64_t cta;         // linear index in the grid
  uint64_t parent_cta;  // that launched the kernel
  uint32_t kernel;      // id, as in KernelView
  uint32_t parent;      // id of the kernel that launched it, or REQUESTER_NO_PARENT
  uint32_t pc;          // index into Program.code: kernels of a program follow one another
} Requester;

#endif
