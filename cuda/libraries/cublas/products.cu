// SPDX-License-Identifier: MIT
// A block computes a tile of 64 by 64 elements, in steps of 16 along the sum; a thread 4 by 4
// of them, at distances of 16, so that both reads of shared memory and writes of results by
// neighbouring threads are neighbouring. Sums of f16 and bf16 are of float, also where
// CUBLAS_COMPUTE_16F would allow less.
//
// For types and GPUs without tensor cores (tensor.h). Simplified: the sum is not split among blocks.
#include "products.h"

#include "epilogue.h"
#include "tensor.h"

enum { TILE = 64, DEPTH = 16, SIDE = 16, EACH = TILE / SIDE, THREADS = SIDE * SIDE };

// ---- the product

// Loads TILE by DEPTH elements, `line` along the rows or columns of the result and `deep` along
// the sum. is_along: neighbours in memory are neighbours along the line.
template <typename In, typename Sum>
__device__ void load(Sum (&tile)[DEPTH][TILE + 1], const In *matrix, long long ld, bool is_along,
                     bool is_conjugated, int line, int deep, int lines, int depth) {
  for (int at = threadIdx.x; at < TILE * DEPTH; at += THREADS) {
    int l = is_along ? at % TILE : at / DEPTH, d = is_along ? at / TILE : at % DEPTH;
    long long row = line + l, column = deep + d;
    bool is_inside = row < lines && column < depth;
    long long place = is_along ? row + column * ld : column + row * ld;
    tile[d][l] = is_inside ? conjugate_if(is_conjugated, to<Sum>(matrix[place])) : Sum(0);
  }
}

template <typename In, typename Out, typename Sum>
__device__ void multiply_tile(const Product &p, const In *a, const In *b, int row, int column,
                              Sum (&sums)[EACH][EACH]) {
  __shared__ Sum tile_a[DEPTH][TILE + 1], tile_b[DEPTH][TILE + 1];
  int x = threadIdx.x % SIDE, y = threadIdx.x / SIDE;
  for (int deep = 0; deep < p.k; deep += DEPTH) {
    load(tile_a, a, p.a.ld, !p.transpose_a, p.conjugate_a, row, deep, p.m, p.k);
    load(tile_b, b, p.b.ld, p.transpose_b, p.conjugate_b, column, deep, p.n, p.k);
    __syncthreads();
#pragma unroll
    for (int d = 0; d < DEPTH; d++)
#pragma unroll
      for (int j = 0; j < EACH; j++)
#pragma unroll
        for (int i = 0; i < EACH; i++)
          sums[i][j] += tile_a[d][x + i * SIDE] * tile_b[d][y + j * SIDE];
    __syncthreads();
  }
}

template <typename In, typename Out, typename Sum, typename Scale>
__global__ void __launch_bounds__(THREADS)
    multiply_matrices(Product p, Scalar<Scale> alpha, Scalar<Scale> beta) {
  int row = blockIdx.x * TILE, column = blockIdx.y * TILE;
  Scale factor = alpha.get(), old = beta.get();
  for (int batch = blockIdx.z; batch < p.count; batch += gridDim.z) {
    Sum sums[EACH][EACH];
#pragma unroll
    for (int i = 0; i < EACH * EACH; i++) sums[i / EACH][i % EACH] = Sum(0);
    if (factor != Scale(0))
      multiply_tile<In, Out, Sum>(p, matrix_of<In>(p.a, batch), matrix_of<In>(p.b, batch), row,
                                  column, sums);
    const Out *c = matrix_of<Out>(p.c, batch);
    Out *d = const_cast<Out *>(matrix_of<Out>(p.d, batch));
#pragma unroll
    for (int j = 0; j < EACH; j++)
#pragma unroll
      for (int i = 0; i < EACH; i++)
        write_element<Out>(p, c, d, batch, row + threadIdx.x % SIDE + i * SIDE,
                           column + threadIdx.x / SIDE + j * SIDE, sums[i][j], factor, old);
  }
}

template <typename Scale>
static Scalar<Scale> scale_of(const Product &p, const void *pointer) {
  const Scale *value = static_cast<const Scale *>(pointer);
  return p.is_scalar_on_device ? Scalar<Scale>{Scale(), value, false}
                               : Scalar<Scale>{*value, nullptr, false};
}

// Factors of f16 sums are f16 on the host.
static Scalar<float> half_scale_of(const void *pointer) {
  return Scalar<float>{__half2float(*static_cast<const __half *>(pointer)), nullptr, false};
}

// Other types have no engine.
template <typename Scale>
static cublasStatus_t multiply_on(Engine, const Product &, Scalar<Scale>, Scalar<Scale>,
                                  cudaStream_t) {
  return CUBLAS_STATUS_INTERNAL_ERROR;
}

template <typename In, typename Out, typename Sum, typename Scale>
static cublasStatus_t launch(Engine engine, const Product &p, Scalar<Scale> alpha,
                             Scalar<Scale> beta, cudaStream_t stream) {
  if (!p.m || !p.n || !p.count) return CUBLAS_STATUS_SUCCESS;
  if (engine != NO_ENGINE) return multiply_on(engine, p, alpha, beta, stream);
  dim3 grid(blocks_for(p.m, TILE), blocks_for(p.n, TILE), p.count < 65535 ? p.count : 65535);
  multiply_matrices<In, Out, Sum, Scale><<<grid, THREADS, 0, stream>>>(p, alpha, beta);
  return launched();
}

template <typename In, typename Out, typename Sum, typename Scale>
static cublasStatus_t launch(Engine engine, const Product &p, cudaStream_t stream) {
  return launch<In, Out, Sum, Scale>(engine, p, scale_of<Scale>(p, p.alpha),
                                     scale_of<Scale>(p, p.beta), stream);
}

static cublasStatus_t multiply_halves(Engine engine, const Product &p, cudaStream_t stream) {
  if (p.is_scalar_on_device) return not_supported("CUBLAS_COMPUTE_16F with factors on the device");
  return launch<__half, __half, float, float>(engine, p, half_scale_of(p.alpha),
                                              half_scale_of(p.beta), stream);
}

cublasStatus_t multiply(const Product &product, ProductTypes types, cudaStream_t stream) {
  cublasComputeType_t compute = types.compute;
  bool is_half = compute == CUBLAS_COMPUTE_16F || compute == CUBLAS_COMPUTE_16F_PEDANTIC;
  bool is_double = compute == CUBLAS_COMPUTE_64F || compute == CUBLAS_COMPUTE_64F_PEDANTIC;
  bool is_integer = compute == CUBLAS_COMPUTE_32I || compute == CUBLAS_COMPUTE_32I_PEDANTIC;
  bool is_single = !is_half && !is_double && !is_integer;
  cudaDataType in = types.a, out = types.c;
  Engine engine = engine_for(types);
  Product p = product;
  p.has_narrow_result = out == CUDA_R_16F || out == CUDA_R_16BF;
  if (types.a != types.b) return not_supported("a product of matrices of two types");
  if (is_double && in == CUDA_R_64F && out == in)
    return launch<double, double, double, double>(engine, p, stream);
  if (is_single && in == CUDA_C_32F && out == in) {
    typedef Complex<float> T;
    return launch<T, T, T, T>(engine, p, stream);
  }
  if (is_double && in == CUDA_C_64F && out == in) {
    typedef Complex<double> T;
    return launch<T, T, T, T>(engine, p, stream);
  }
  if (is_half && in == CUDA_R_16F && out == in) return multiply_halves(engine, p, stream);
  if (is_single && in == CUDA_R_32F && out == in)
    return launch<float, float, float, float>(engine, p, stream);
  if (is_single && in == CUDA_R_16F && out == in)
    return launch<__half, __half, float, float>(engine, p, stream);
  if (is_single && in == CUDA_R_16F && out == CUDA_R_32F)
    return launch<__half, float, float, float>(engine, p, stream);
  if (is_single && in == CUDA_R_16BF && out == in)
    return launch<__nv_bfloat16, __nv_bfloat16, float, float>(engine, p, stream);
  if (is_single && in == CUDA_R_16BF && out == CUDA_R_32F)
    return launch<__nv_bfloat16, float, float, float>(engine, p, stream);
  if (is_integer && in == CUDA_R_8I && out == CUDA_R_32I)
    return launch<signed char, int, int, int>(engine, p, stream);
  if (is_single && in == CUDA_R_8I && out == CUDA_R_32F)
    return launch<signed char, float, float, float>(engine, p, stream);
  return not_supported("a product of these types");
}
