// SPDX-License-Identifier: MIT
#include "part.h"

int add_in_c(int a, int b) {
  int class = a;  // a name that C++ would not take
  return class + b;
}
