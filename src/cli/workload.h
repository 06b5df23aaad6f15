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

// The papers, by their number in docs/workloads.md. Empty: the paper does not use
// the workload; else the category that it puts it into.
#define WORKLOAD_PAPER_LIST(X) X(000) X(001) X(002) X(003) X(004)

enum { WORKLOAD_NAME_BYTES = EMBEDDED_NAME_BYTES };

typedef struct Workload {
  char name[WORKLOAD_NAME_BYTES], program[WORKLOAD_NAME_BYTES];
  char summary[128], abbreviation[16], suite[32];
  char cta[96];        // threads of a CTA, for each kernel
  char arguments[96];  // of the program, before those of the command line
#define X(number) char paper_##number[48];
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
