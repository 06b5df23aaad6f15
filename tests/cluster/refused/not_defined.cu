// SPDX-License-Identifier: MIT
// refused: 3: kernel elsewhere cannot be rewritten: declared here but not defined
__global__ void elsewhere(int *out);

void run(int *out) { elsewhere<<<8, 1>>>(out); }
