// SPDX-License-Identifier: MIT
// Benchmarks that ship with heddle (workloads/), by name: a program and the arguments that
// select its input. workloads/PROGRAM/NAME.ini, embedded in heddle, describes NAME; the program
// is built from workloads/PROGRAM/PROGRAM.cu on first use. Most programs have a single
// description of the same name.
#ifndef RUNNER_PROGRAM_WORKLOAD_H
#define RUNNER_PROGRAM_WORKLOAD_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/files/embedded.h"
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
  char cta[96];        // threads per CTA, for each kernel
  char arguments[96];  // of the program, preceding those of the command line
#define X(paper, citation) char paper_##paper[48];
  WORKLOAD_PAPER_LIST(X)
#undef X
} Workload;

// The workload at an index; *found is false past the last.
Status workload_at(size_t index, Workload *workload, bool *found, Error *err);
// Finds a workload by name or abbreviation, ignoring case.
Status workload_find(const char *word, Workload *workload, Error *err);

// What its description says under a key: "suite", "paper_li", or "li" for short; "" if nothing.
// NULL if descriptions have no such key.
const char *workload_property(const Workload *workload, const char *key);

// Checks a problem size: tiny, small or paper.
Status workload_check_size(const char *size, Error *err);

// Returns the path of its program, building it if missing or older than its
// sources, with a line on stderr: next to heddle if that is writable, else in the
// user's cache. rewriting: how its source is rewritten first (clustering/rewriting.h); NULL: not.
Status workload_build(const Workload *workload, const char *rewriting, char program[PATH_MAX],
                      Error *err);

#endif
