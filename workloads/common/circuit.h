// SPDX-License-Identifier: MIT
// Generated logic circuits, level by level: a gate's inputs are gates of lower
// levels, and level 0 is what the circuit is given.
#ifndef WORKLOADS_CIRCUIT_H
#define WORKLOADS_CIRCUIT_H

#include <algorithm>
#include <vector>

#include "common/graph.h"
#include "common/random.h"

struct Circuit {
  int gates = 0;
  std::vector<int> level_start;  // level l is gates level_start[l] .. level_start[l + 1] - 1
  Graph inputs;                  // from a gate to those that drive it
  Graph outputs;                 // from a gate to those that it drives
  int levels() const { return (int)level_start.size() - 1; }
};

// Levels of equal size. A gate has 1 to 4 inputs, the first from the level below,
// the others from one of the four below; nine of ten come from about the same
// place in their level, as gates that are wired together lie together.
static inline Circuit circuit_generate(int gates, int levels, uint64_t seed) {
  enum { REACH = 64 };
  Random random(seed);
  Circuit circuit;
  circuit.gates = gates;
  for (int l = 0; l <= levels; l++)
    circuit.level_start.push_back((int)((long long)gates * l / levels));
  std::vector<Edge> drivers, driven;
  for (int l = 1; l < levels; l++)
    for (int g = circuit.level_start[l]; g < circuit.level_start[l + 1]; g++) {
      int count = 1 + (int)random.below(4);
      for (int i = 0; i < count; i++) {
        int from = i ? std::max(0, l - 1 - (int)random.below(4)) : l - 1;
        int first = circuit.level_start[from], width = circuit.level_start[from + 1] - first;
        int place = g - circuit.level_start[l] + (int)random.below(2 * REACH) - REACH;
        bool is_far = random.below(10) == 0 || place < 0 || place >= width;
        int driver = first + (is_far ? (int)random.below((uint32_t)width) : place);
        drivers.push_back(Edge(g, driver));
        driven.push_back(Edge(driver, g));
      }
    }
  circuit.inputs = graph_from_edges(gates, drivers);
  circuit.outputs = graph_from_edges(gates, driven);
  return circuit;
}

#endif
