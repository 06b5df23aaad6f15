// SPDX-License-Identifier: MIT
// What is known of a node of a mesh: four numbers that are read and written as one.
#ifndef WORKLOADS_STATE_H
#define WORKLOADS_STATE_H

#include <vector>

enum { VARIABLES = 4 };

struct alignas(16) State {
  float q[VARIABLES];
};

// One behind the other, for comparison.
static inline std::vector<float> flat(const std::vector<State> &states) {
  std::vector<float> values;
  for (const State &state : states) values.insert(values.end(), state.q, state.q + VARIABLES);
  return values;
}

#endif
