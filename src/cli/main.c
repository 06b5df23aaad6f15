// SPDX-License-Identifier: MIT
#include <stdio.h>

#include "base/version.h"

int main(void) {
  printf("heddle %s\n", version_text());
  return 0;
}
