// SPDX-License-Identifier: MIT
// Reuse distances: how many different lines were referenced since some time.
//
// Every line has an entry at the time of its last reference. The lines referenced since
// time t are the entries after t, which an implicit balanced tree of counts (Fenwick's)
// over the entries in the order of time gives in O(log n): Bennett and Kruskal, "LRU stack
// processing" (IBM J. R&D 1975), with the entries of lines that were referenced again
// squeezed out now and then, so that memory grows with the lines and not with references.
#ifndef OBSERVERS_REUSE_DISTANCE_TREE_H
#define OBSERVERS_REUSE_DISTANCE_TREE_H

#include <stddef.h>
#include <stdint.h>

// Zeroed, it is empty and ready.
typedef struct DistanceTree {
  uint64_t *times;   // by slot, ascending; those removed stay until the next squeeze
  uint32_t *counts;  // the tree, over slots from 1
  uint64_t *live;    // bits by slot
  size_t used, capacity;
  uint64_t live_count;
} DistanceTree;

void distance_tree_add(DistanceTree *tree, uint64_t time);     // later than all before
void distance_tree_remove(DistanceTree *tree, uint64_t time);  // of an entry
// Entries later than the time, which need not be that of an entry.
uint64_t distance_tree_after(const DistanceTree *tree, uint64_t time);
void distance_tree_clear(DistanceTree *tree);

#endif
