// SPDX-License-Identifier: MIT
// Which kernels can be sampled, by their code.
//
// Executing CTAs in another order, or not timing some of them, is allowed where no CTA waits for
// another and nothing is read that only time decides.
#ifndef SAMPLING_KERNEL_SCREEN_H
#define SAMPLING_KERNEL_SCREEN_H

#include "isa/launch.h"

typedef enum ScreenVerdict {
  SCREEN_SAMPLE,  // its CTAs are independent
  SCREEN_WHOLE,   // CTAs may communicate: timed whole or projected whole
  SCREEN_TIMED,   // always timed: executing it without time has other effects
} ScreenVerdict;

typedef struct Screen {
  ScreenVerdict verdict;
  const char *reason;  // of one that is not SCREEN_SAMPLE, for people: "dynamic parallelism"
} Screen;

Screen kernel_screen(const Launch *launch);

#endif
