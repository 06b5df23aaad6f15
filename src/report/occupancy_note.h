// SPDX-License-Identifier: MIT
// What limits the CTAs per SM of a kernel, as a phrase: "limited by registers (40 per thread;
// 32 would allow 8 CTAs per SM)".
#ifndef REPORT_OCCUPANCY_NOTE_H
#define REPORT_OCCUPANCY_NOTE_H

#include "report/run_result.h"

enum { OCCUPANCY_NOTE_BYTES = 240 };
// SMs without a CTA of the kernel.
uint32_t kernel_idle_sms(const KernelResult *kernel, uint32_t sm_count);
// Returns note; empty if the limit is unknown.
const char *occupancy_note(const KernelResult *kernel, uint32_t sm_count,
                           char note[OCCUPANCY_NOTE_BYTES]);

#endif
