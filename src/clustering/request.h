// SPDX-License-Identifier: MIT
// A request of `heddle cluster`.
#ifndef CLUSTERING_REQUEST_H
#define CLUSTERING_REQUEST_H

#include <stdbool.h>

#include "cc/request.h"

typedef enum RewriteMethod { METHOD_AGENTS, METHOD_REDIRECTION } RewriteMethod;

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

typedef struct RewriteRequest {
  const char **paths;
  int path_count;
  const char *output;  // a file, a folder if it ends with a slash or is one; NULL with dry_run

  RewriteMethod method;
  RewriteOrder order;
  int tile_width, tile_height;
  int axes[3];             // fastest first
  const char *table_path;  // numbers of CTAs, row by row
  int active;              // agents per SM that work, or ACTIVE_...

  const char **kernels;  // by name; none: all
  int kernel_count;
  bool may_leave_some;  // --all: rejected kernels are not rewritten
  bool is_independent;  // the user says that CTAs do not wait for one another

  const char **bypassed;  // arrays, "file:line", "auto" or a result of heddle run
  int bypassed_count;
  bool has_prefetch;

  bool is_dry_run, is_explained;
  CcRequest flags;  // nvcc's options for the sources
} RewriteRequest;

#endif
