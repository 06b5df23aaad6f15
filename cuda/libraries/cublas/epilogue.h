// SPDX-License-Identifier: MIT
// What happens to a sum before it is an element of D; for all kernels that multiply.
#ifndef CUBLAS_EPILOGUE_H
#define CUBLAS_EPILOGUE_H

#include "products.h"

// ---- types

template <typename To, typename From>
__device__ To to(From x) {
  return static_cast<To>(x);
}
template <>
__device__ inline float to(__half x) {
  return __half2float(x);
}
template <>
__device__ inline __half to(float x) {
  return __float2half(x);
}
template <>
__device__ inline float to(__nv_bfloat16 x) {
  return __bfloat162float(x);
}
template <>
__device__ inline __nv_bfloat16 to(float x) {
  return __float2bfloat16(x);
}

template <typename T>
__device__ const T *matrix_of(const Operand &operand, int batch) {
  if (operand.list) return static_cast<const T *>(operand.list[batch]);
  return static_cast<const T *>(operand.first) + batch * operand.distance;
}

// As alpha.get(), without the copies in local memory that a choice of addresses would need.
template <typename T>
__device__ T factor_of(const Scalar<T> &scalar) {
  return scalar.device ? __ldg(scalar.device) : scalar.value;
}

// ---- activations

// The approximation by tanh, as cuBLASLt's.
template <typename Sum>
__device__ Sum gelu(Sum x) {
  const Sum scale = (Sum)0.7978845608028654, cubic = (Sum)0.044715;
  return (Sum)0.5 * x * (1 + tanh(scale * (x + cubic * x * x * x)));
}
template <typename Sum>
__device__ Sum gelu_gradient(Sum x) {
  const Sum scale = (Sum)0.7978845608028654, cubic = (Sum)0.044715;
  Sum t = tanh(scale * (x + cubic * x * x * x));
  return (Sum)0.5 * (1 + t) + (Sum)0.5 * x * (1 - t * t) * scale * (1 + 3 * cubic * x * x);
}

template <typename Out, typename Sum>
__device__ Sum finish(Sum x, const Epilogue &epilogue, long long i, long long j, int batch) {
  if (epilogue.bias)
    x += to<Sum>(static_cast<const Out *>(epilogue.bias)[i + batch * epilogue.bias_distance]);
  Out *aux = static_cast<Out *>(epilogue.aux);
  long long at = i + j * epilogue.aux_ld + batch * epilogue.aux_distance;
  switch (epilogue.activation) {
    case RELU: return x > 0 ? x : 0;
    case GELU:
      if (aux) aux[at] = to<Out>(x);
      return gelu(x);
    case GELU_GRADIENT: return x * gelu_gradient(to<Sum>(aux[at]));
    case RELU_GRADIENT: return epilogue.mask[at / 8] >> at % 8 & 1 ? x : 0;
    default: return x;
  }
}

template <typename Out, typename T>
__device__ Complex<T> finish(Complex<T> x, const Epilogue &, long long, long long, int) {
  return x;  // complex products have none
}

// Element (x, y) of D, from its sum; c, d: those of the batch.
template <typename Out, typename Sum, typename Scale>
__device__ void write_element(const Product &p, const Out *c, Out *d, int batch, long long x,
                              long long y, Sum sum, Scale factor, Scale old) {
  if (x >= p.m || y >= p.n) return;
  Scale value = factor * (Scale)sum;
  if (old != Scale(0)) value += old * to<Scale>(c[x + y * p.c.ld]);
  d[x + y * p.d.ld] = to<Out>(finish<Out>(value, p.epilogue, x, y, batch));
}

#endif
