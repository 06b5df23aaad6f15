// SPDX-License-Identifier: MIT
// What sample programs share: arguments, timers and comparisons of results.
#ifndef HEDDLE_HELPER_FUNCTIONS_H
#define HEDDLE_HELPER_FUNCTIONS_H

#include <math.h>

// Sample programs rely on these being read here.
#include <algorithm>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include "helper_string.h"
#include "helper_timer.h"

// Whether the difference, relative to the reference, is below epsilon in the L2
// norm.
inline bool sdkCompareL2fe(const float *reference, const float *data, unsigned int length,
                           float epsilon) {
  double error = 0, norm = 0;
  for (unsigned int i = 0; i < length; i++) {
    double difference = (double)reference[i] - data[i];
    error += difference * difference;
    norm += (double)reference[i] * reference[i];
  }
  return norm > 0 && sqrt(error / norm) < epsilon;
}

// Whether at most a share `threshold` of the elements is off by more than epsilon.
template <class T, class S>
bool compareData(const T *reference, const T *data, unsigned int length, S epsilon,
                 float threshold) {
  unsigned int wrong = 0;
  for (unsigned int i = 0; i < length; i++)
    if (!(fabs((double)reference[i] - (double)data[i]) <= (double)epsilon)) wrong++;
  return wrong == 0 || (float)wrong <= threshold * (float)length;
}

#endif
