// SPDX-License-Identifier: MIT
#include "tensor_tiles.h"

template <typename Scale>
cublasStatus_t multiply_s8(const Product &p, Scalar<Scale> alpha, Scalar<Scale> beta,
                           cudaStream_t stream) {
  return launch_others<ByteEngine>(p, alpha, beta, stream);
}

template cublasStatus_t multiply_s8(const Product &, Scalar<int>, Scalar<int>, cudaStream_t);
template cublasStatus_t multiply_s8(const Product &, Scalar<float>, Scalar<float>, cudaStream_t);
