// SPDX-License-Identifier: MIT
#include "tensor_tiles.h"

template <typename Scale>
cublasStatus_t multiply_s8_on_turing(const Product &p, Scalar<Scale> alpha, Scalar<Scale> beta,
                                     cudaStream_t stream) {
  return launch_others<TuringByteEngine>(p, alpha, beta, stream);
}

template cublasStatus_t multiply_s8_on_turing(const Product &, Scalar<int>, Scalar<int>,
                                              cudaStream_t);
template cublasStatus_t multiply_s8_on_turing(const Product &, Scalar<float>, Scalar<float>,
                                              cudaStream_t);
