// SPDX-License-Identifier: MIT
// Which launches run with timing: "3,7-9,20-,reduce*". Launches are numbered from
// 0 in the order in which the host makes them; names may have * ? [...], and are
// compared with the kernel's name as PTX has it, as people read it, and as people
// read it without its template arguments. Kernels that kernels launch go with those.
#ifndef RUN_KERNEL_CHOICE_H
#define RUN_KERNEL_CHOICE_H

#include "base/arena.h"
#include "base/error.h"
#include "isa/program.h"

// Zeroed: all are chosen.
typedef struct KernelChoice {
  struct ChosenRange {
    uint64_t first, last;
  } * ranges;
  uint32_t range_count, range_capacity;
  const char **names;
  uint32_t name_count, name_capacity;
  Arena arena;
} KernelChoice;

Status kernel_choice_parse(KernelChoice *choice, const char *text, Error *err);
void kernel_choice_clear(KernelChoice *choice);

// Whether some are left out.
bool kernel_choice_is_given(const KernelChoice *choice);
// Whether a pattern of a choice names this kernel.
bool kernel_name_matches(const char *pattern, const Function *kernel);
bool kernel_choice_has(const KernelChoice *choice, uint64_t number, const Function *kernel);

#endif
