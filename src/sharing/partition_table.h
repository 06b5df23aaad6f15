// SPDX-License-Identifier: MIT
// What each partition of a sharing graph keeps within clusters, as a table, and the best as a map.
#ifndef SHARING_PARTITION_TABLE_H
#define SHARING_PARTITION_TABLE_H

#include "sharing/sharing_graph.h"

typedef struct PartitionRequest {
  const char *kernel;  // NULL for all
  const char *output;  // file for the map of one kernel; NULL for no map
  uint32_t clusters;
} PartitionRequest;

// Prints a table for each kernel that is asked for.
Status partition_all(const SharingGraphs *graphs, const PartitionRequest *request, Error *err);

#endif
