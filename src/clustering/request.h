// SPDX-License-Identifier: MIT
// A request of `heddle cluster`.
#ifndef CLUSTERING_REQUEST_H
#define CLUSTERING_REQUEST_H

#include <stdbool.h>

#include "cc/request.h"

typedef enum RewriteMethod {
  METHOD_AGENTS,
  METHOD_REDIRECTION,
  METHOD_NUMBERING,  // CTAs are numbered in the order; no SM is thought of
} RewriteMethod;

typedef enum RewriteOrder {
  ORDER_AUTO,  // from the kernel's array references
  ORDER_ROW,
  ORDER_COLUMN,
  ORDER_LONGER,
  ORDER_TILE,
  ORDER_AXES,
  ORDER_TABLE,
} RewriteOrder;

enum { ACTIVE_ALL = 0, ACTIVE_VOTED = -1 };

// How agents divide the CTAs of a cluster.
typedef enum RewriteClaim {
  CLAIM_STRIDE,  // as in the paper
  CLAIM_COUNTER,
  CLAIM_AUTO,  // by what the kernel has
} RewriteClaim;

// How a kernel is rewritten.
typedef struct Rewriting {
  RewriteMethod method;
  RewriteOrder order;
  int tile_width, tile_height;
  int axes[3];             // fastest first
  const char *table_path;  // numbers of CTAs, row by row
  int active;              // agents per SM that work, or ACTIVE_...
  RewriteClaim claim;
  int ctas;  // per SM that registers must allow, for __launch_bounds__; 0: not stated
  bool has_prefetch;
  bool bypasses_streams;  // --bypass auto
} Rewriting;

// A kernel by name, and how it is rewritten.
typedef struct KernelRequest {
  const char *name;
  Rewriting rewriting;
} KernelRequest;

typedef struct RewriteRequest {
  const char **paths;
  int path_count;
  const char *output;  // a file, a folder if it ends with a slash or is one; NULL with dry_run

  Rewriting rewriting;     // of kernels that are not named
  KernelRequest *kernels;  // none: all kernels of the sources
  int kernel_count;
  bool may_leave_some;  // --all: rejected kernels are not rewritten
  bool is_independent;  // the user says that CTAs do not wait for one another

  const char **bypassed;  // arrays, "file:line" or a result of heddle run
  int bypassed_count;

  bool is_dry_run, is_explained;
  CcRequest flags;  // nvcc's options for the sources
} RewriteRequest;

#endif
