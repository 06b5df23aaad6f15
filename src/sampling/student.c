// SPDX-License-Identifier: MIT
// Means of few observations and their confidence intervals (Student's t).
#include "sampling/student.h"

#include <math.h>

void spread_add(Spread *spread, double value) {
  double before = value - spread->mean;
  spread->mean += before / ++spread->count;
  spread->squares += before * (value - spread->mean);
}

double spread_deviation(const Spread *spread) {
  return spread->count < 2 ? 0 : sqrt(spread->squares / (spread->count - 1));
}

// Beyond the table the first term of the expansion in 1 / degrees is right to three digits.
double student_95(uint32_t degrees) {
  static const double table[] = {12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365,
                                 2.306,  2.262, 2.228, 2.201, 2.179, 2.160, 2.145,
                                 2.131,  2.120, 2.110, 2.101, 2.093, 2.086};
  enum { TABLE = sizeof table / sizeof *table };
  if (degrees < 1) degrees = 1;
  return degrees <= TABLE ? table[degrees - 1] : 1.960 + 2.48 / degrees;
}
