// SPDX-License-Identifier: MIT
// A C file in a CUDA program: heddle cc passes it to the host compiler.
#include "part.h"

int add_in_c(int a, int b) {
  int class = a;  // a name that C++ would not take
  return class + b;
}
