// SPDX-License-Identifier: MIT
#include "tensor_tiles.h"

cublasStatus_t multiply_bf16(const Product &p, Scalar<float> alpha, Scalar<float> beta,
                             cudaStream_t stream) {
  return launch_halves<BfloatEngine>(p, alpha, beta, stream);
}
