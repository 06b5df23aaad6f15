// SPDX-License-Identifier: MIT
// Which products run on tensor cores.
#include "tensor.h"

// 80 for 8.0; 0 without tensor cores. By an attribute of Heddle's (src/device/attributes.h), since
// that of programs is at least what they were compiled for.
static int capability() {
  const int TENSOR_CAPABILITY = 199;
  int device = 0, value = 0;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&value, (cudaDeviceAttr)TENSOR_CAPABILITY, device);
  return value;
}

static bool allows_tf32(cublasComputeType_t compute) {
  return compute == CUBLAS_COMPUTE_32F_FAST_TF32 || compute == CUBLAS_COMPUTE_32F_FAST_16F ||
         compute == CUBLAS_COMPUTE_32F_FAST_16BF;
}

static bool is_pedantic(cublasComputeType_t compute) {
  return compute == CUBLAS_COMPUTE_16F_PEDANTIC || compute == CUBLAS_COMPUTE_32F_PEDANTIC ||
         compute == CUBLAS_COMPUTE_32I_PEDANTIC;
}

// Factors of f32 are rounded only with leave; those of fewer bits lose nothing.
Engine engine_for(ProductTypes types) {
  int gpu = capability();
  if (gpu < 70 || types.a != types.b || is_pedantic(types.compute)) return NO_ENGINE;
  switch (types.a) {
    case CUDA_R_16F: return gpu < 75 ? F16_ON_VOLTA : gpu < 80 ? F16_ON_TURING : F16;
    case CUDA_R_16BF: return gpu < 80 ? NO_ENGINE : BF16;
    case CUDA_R_32F: return gpu < 80 || !allows_tf32(types.compute) ? NO_ENGINE : TF32;
    case CUDA_R_8I: return gpu < 75 ? NO_ENGINE : gpu < 80 ? S8_ON_TURING : S8;
    default: return NO_ENGINE;
  }
}

cublasStatus_t multiply_on(Engine engine, const Product &p, Scalar<float> alpha,
                           Scalar<float> beta, cudaStream_t stream) {
  switch (engine) {
    case F16_ON_VOLTA: return multiply_f16_on_volta(p, alpha, beta, stream);
    case F16_ON_TURING: return multiply_f16_on_turing(p, alpha, beta, stream);
    case F16: return multiply_f16(p, alpha, beta, stream);
    case BF16: return multiply_bf16(p, alpha, beta, stream);
    case TF32: return multiply_tf32(p, alpha, beta, stream);
    case S8_ON_TURING: return multiply_s8_on_turing(p, alpha, beta, stream);
    default: return multiply_s8(p, alpha, beta, stream);
  }
}

cublasStatus_t multiply_on(Engine engine, const Product &p, Scalar<int> alpha, Scalar<int> beta,
                           cudaStream_t stream) {
  return engine == S8_ON_TURING ? multiply_s8_on_turing(p, alpha, beta, stream)
                                : multiply_s8(p, alpha, beta, stream);
}
