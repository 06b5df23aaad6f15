// SPDX-License-Identifier: MIT
#include "tensor_tiles.h"

cublasStatus_t multiply_f16(const Product &p, Scalar<float> alpha, Scalar<float> beta,
                            cudaStream_t stream) {
  return launch_halves<HalfEngine>(p, alpha, beta, stream);
}
