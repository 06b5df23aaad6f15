// SPDX-License-Identifier: MIT
// What cuBLASLt's epilogues leave for the gradients of layers, and the gradients of biases: by
// kernels of their own, after the product.
#ifndef CUBLAS_GRADIENTS_H
#define CUBLAS_GRADIENTS_H

#include "products.h"

// A bit per element of D, as RELU_GRADIENT reads them: whether it is above zero. ld, distance: in
// bits, multiples of 8.
cublasStatus_t mark_positive(const Product &p, cudaDataType type, unsigned char *mask,
                             long long ld, long long distance, cudaStream_t stream);

// sums[i] = the sum over j < depth of matrix[i * line_step + j * deep_step], for each of a batch.
struct LineSums {
  void *sums;
  Operand matrix;  // of the type of the sums
  int lines, depth, count;
  long long line_step, deep_step, distance;  // distance: between the sums of a batch
};
cublasStatus_t sum_lines(const LineSums &sums, cudaDataType type, cudaStream_t stream);

#endif
