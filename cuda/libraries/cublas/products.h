// SPDX-License-Identifier: MIT
// Products of matrices of any supported types, for cuBLAS and cuBLASLt.
//
//   D = epilogue(alpha op(A) op(B) + beta C), m by n, by columns
#ifndef CUBLAS_PRODUCTS_H
#define CUBLAS_PRODUCTS_H

#include "context.h"

// A matrix of each product of a batch: at a distance from one another, or by a list.
struct Operand {
  const void *first;
  const void *const *list;  // on the device; or NULL
  long long ld, distance;   // in elements
};

enum Activation { NO_ACTIVATION, RELU, GELU, GELU_GRADIENT, RELU_GRADIENT };

struct Epilogue {
  Activation activation;
  const void *bias;  // one value per row, of the type of D; or NULL
  void *aux;         // input of GELU: written, or read by its gradient; or NULL
  const unsigned char *mask;  // of RELU_GRADIENT: a bit per element, 1 where it passes
  long long aux_ld, aux_distance, bias_distance;
};

struct Product {
  int m, n, k, count;
  bool has_narrow_result;  // of 16 bits; set by multiply()
  bool transpose_a, transpose_b, conjugate_a, conjugate_b;
  Operand a, b, c, d;
  const void *alpha, *beta;
  bool is_scalar_on_device;
  Epilogue epilogue;
};

struct ProductTypes {
  cudaDataType a, b, c;  // C and D have one type
  cublasComputeType_t compute;
};

// CUBLAS_STATUS_NOT_SUPPORTED, with a message, if the types do not go together.
cublasStatus_t multiply(const Product &product, ProductTypes types, cudaStream_t stream);

#endif
