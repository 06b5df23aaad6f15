// SPDX-License-Identifier: MIT
// Products on tensor cores, from compute capability 7.0 on.
#ifndef CUBLAS_TENSOR_H
#define CUBLAS_TENSOR_H

#include "products.h"

// How factors are multiplied.
enum Engine {
  NO_ENGINE,
  F16_ON_VOLTA,   // 7.0 to 7.4, by wmma
  F16_ON_TURING,  // 7.5 to 7.9
  S8_ON_TURING,
  F16,  // from 8.0 on
  BF16,
  TF32,
  S8,
};

// NO_ENGINE where the GPU has none for these types, or the program forbids it.
Engine engine_for(ProductTypes types);

// The product has elements. Scalars are float, or int where D is.
cublasStatus_t multiply_on(Engine engine, const Product &p, Scalar<float> alpha,
                           Scalar<float> beta, cudaStream_t stream);
cublasStatus_t multiply_on(Engine engine, const Product &p, Scalar<int> alpha, Scalar<int> beta,
                           cudaStream_t stream);

// ---- the parts, one per file: a program loads only what it uses

#define PART(name)                                                                      \
  cublasStatus_t name(const Product &p, Scalar<float> alpha, Scalar<float> beta,        \
                      cudaStream_t stream)
PART(multiply_f16_on_volta);
PART(multiply_f16_on_turing);
PART(multiply_f16);
PART(multiply_bf16);
PART(multiply_tf32);
#undef PART
template <typename Scale>
cublasStatus_t multiply_s8_on_turing(const Product &p, Scalar<Scale> alpha, Scalar<Scale> beta,
                                     cudaStream_t stream);
template <typename Scale>
cublasStatus_t multiply_s8(const Product &p, Scalar<Scale> alpha, Scalar<Scale> beta,
                           cudaStream_t stream);

#endif
