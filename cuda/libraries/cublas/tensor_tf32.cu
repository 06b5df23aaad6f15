// SPDX-License-Identifier: MIT
#include "tensor_tiles.h"

cublasStatus_t multiply_tf32(const Product &p, Scalar<float> alpha, Scalar<float> beta,
                             cudaStream_t stream) {
  return launch_others<Tf32Engine>(p, alpha, beta, stream);
}
