// SPDX-License-Identifier: MIT
#include "tensor_tiles.h"

cublasStatus_t multiply_f16_on_turing(const Product &p, Scalar<float> alpha, Scalar<float> beta,
                                      cudaStream_t stream) {
  return launch_halves<TuringHalfEngine>(p, alpha, beta, stream);
}
