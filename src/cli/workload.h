// SPDX-License-Identifier: MIT
// The benchmarks that ship with heddle (workloads/), by name: a program together with
// the arguments that choose its input. NAME is described by workloads/PROGRAM/NAME.ini,
// which is part of heddle; the program is built from workloads/PROGRAM/PROGRAM.cu when
// it is first run. Most programs have a single description of the same name.
#ifndef CLI_WORKLOAD_H
#define CLI_WORKLOAD_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/embedded.h"
#include "base/error.h"

// The papers of docs/workloads.md, by first author: key and citation. A field is
// empty if the paper does not use the workload, else its category there.
// clang-format off
#define WORKLOAD_PAPER_LIST(X) \
  X(li, "Li et al.")           \
  X(tang, "Tang et al.")       \
  X(yen, "Yen")                \
  X(wang, "Wang et al.")       \
  X(oh, "Oh et al.")
// clang-format on

enum { WORKLOAD_NAME_BYTES = EMBEDDED_NAME_BYTES };

typedef struct Workload {
  char name[WORKLOAD_NAME_BYTES], program[WORKLOAD_NAME_BYTES];
  char summary[128], abbreviation[16], suite[32];
  char cta[96];        // threads of a CTA, for each kernel
  char arguments[96];  // of the program, before those of the command line
#define X(paper, citation) char paper_##paper[48];
  WORKLOAD_PAPER_LIST(X)
#undef X
} Workload;

// The workload at this index; *found is false behind the last.
Status workload_at(size_t index, Workload *workload, bool *found, Error *err);
// By name or abbreviation, whatever their case.
Status workload_find(const char *word, Workload *workload, Error *err);

// Every workload has three sizes, and no others.
Status workload_check_size(const char *size, Error *err);

// The path of its program. What is missing or older than its sources is built,
// with a line on stderr: beside heddle where we may write, else in the user's
// cache.
Status workload_build(const Workload *workload, char program[PATH_MAX], Error *err);

#endif
