// SPDX-License-Identifier: MIT
// What would happen: the runs of a program on a machine with one thing changed, and which of them
// the first run makes worthwhile.
#ifndef EXPLAIN_WHAT_IF_H
#define EXPLAIN_WHAT_IF_H

#include "explain/facts.h"
#include "run/run_spec.h"

enum { MOST_WHAT_IFS = 48, MOST_PLACES = 3 };  // places: accesses that are looked at, per kernel

typedef enum WhatIfKind {
  WHAT_IF_BOUND,   // a cost removed
  WHAT_IF_CHANGE,  // something that a programmer can do
  WHAT_IF_SCHEME,  // another policy of the machine
} WhatIfKind;

typedef struct WhatIf {
  const char *title;  // "loads of softmax.cu:42 always hit"
  const char *ideal;  // a word of --ideal, or NULL
  const char *set;    // section.key=value, several separated by spaces; or NULL
  uint32_t kernels;   // bit k: of interest for kernel k
  WhatIfKind kind;
  size_t run;  // its number among those that are begun together
  bool is_done;
  const char *output;  // file with what the program printed
  double *cycles;      // by kernel, in the order of the first run; 0: not launched
  double *l1_misses;   // by kernel, likewise
  double *even_shares;  // by kernel: KernelFacts.even_share
  json_t *sharing;     // by kernel: lines shared by CTAs, in the order that was tried; or NULL
} WhatIf;

typedef struct WhatIfs {
  WhatIf items[MOST_WHAT_IFS];
  size_t count;
} WhatIfs;

// Adds the idealisations that the kernel, the k-th, may gain from.
void what_ifs_of_costs(WhatIfs *list, const RunFacts *facts, uint32_t k, Arena *arena);
// Adds changes and schemes to try, given the results of the idealisations.
void what_ifs_to_try(WhatIfs *list, const RunFacts *facts, uint32_t k, Arena *arena);
// Adds one, or marks it as of interest for kernel k; NULL if there is no room.
WhatIf *what_if_add(WhatIfs *list, uint32_t k, const char *title, const char *ideal,
                    const char *set);

// Numbers the runs of those from `first` on, WhatIf.run from 0 on, and returns how many there are.
// Lines of different kernels are idealised in one run.
size_t what_ifs_share_runs(WhatIfs *list, size_t first, const RunFacts *facts);

// The options of heddle run that repeat it.
const char *what_if_option(const WhatIf *what_if, Arena *arena);
// Whether it is an order of CTAs.
bool what_if_is_order(const WhatIf *what_if);
// The one with that word of --ideal (or setting), if it has been run; NULL otherwise.
const WhatIf *what_if_find(const WhatIfs *list, const char *change);
// Whether the addresses would be others: contiguous lanes are spread evenly over the L2 slices.
bool what_if_moves_data(const WhatIf *what_if);
// How many times as fast the kernel is; 1 if the run is missing.
double what_if_gain(const WhatIf *what_if, const RunFacts *facts, uint32_t k);

// Accesses that need more transactions than contiguous ones would.
bool access_is_scattered(const AccessFacts *access);
// Whether warps are only partly active, beyond the partial last warp of a block.
bool kernel_diverges(const KernelFacts *kernel);
double memory_share(const KernelFacts *kernel);
// Of the lines that the L1 fetched, those that it had held before.
double lost_lines(const KernelFacts *kernel);

#endif
