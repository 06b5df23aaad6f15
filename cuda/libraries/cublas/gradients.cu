// SPDX-License-Identifier: MIT
// Simplified: a thread adds up a line; cuBLASLt does both within the product.
#include "gradients.h"

#include "epilogue.h"

enum { THREADS = 128 };

static dim3 grid_for(long long items, int columns, int count) {
  return dim3(blocks_for(items, THREADS), columns, count < 65535 ? count : 65535);
}

// A thread writes a byte: eight rows of a column.
template <typename T>
__global__ void mark_positive_elements(Product p, unsigned char *mask, long long ld,
                                       long long distance) {
  int byte = blockIdx.x * THREADS + threadIdx.x;
  if (byte * 8 >= p.m) return;
  for (int batch = blockIdx.z; batch < p.count; batch += gridDim.z)
    for (int column = blockIdx.y; column < p.n; column += gridDim.y) {
      const T *d = matrix_of<T>(p.d, batch) + column * p.d.ld;
      unsigned bits = 0;
      for (int i = byte * 8; i < byte * 8 + 8 && i < p.m; i++)
        bits |= (unsigned)(to<float>(d[i]) > 0) << i % 8;
      mask[(column * ld + batch * distance) / 8 + byte] = (unsigned char)bits;
    }
}

template <typename T, typename Sum>
__global__ void add_up_lines(LineSums s) {
  int line = blockIdx.x * THREADS + threadIdx.x;
  if (line >= s.lines) return;
  for (int batch = blockIdx.z; batch < s.count; batch += gridDim.z) {
    const T *from = matrix_of<T>(s.matrix, batch) + line * s.line_step;
    Sum sum = 0;
    for (int j = 0; j < s.depth; j++) sum += to<Sum>(from[j * s.deep_step]);
    static_cast<T *>(s.sums)[line + batch * s.distance] = to<T>(sum);
  }
}

template <typename T>
static cublasStatus_t mark(const Product &p, unsigned char *mask, long long ld, long long distance,
                           cudaStream_t stream) {
  dim3 grid = grid_for((p.m + 7) / 8, p.n < 65535 ? p.n : 65535, p.count);
  mark_positive_elements<T><<<grid, THREADS, 0, stream>>>(p, mask, ld, distance);
  return launched();
}

cublasStatus_t mark_positive(const Product &p, cudaDataType type, unsigned char *mask,
                             long long ld, long long distance, cudaStream_t stream) {
  if (!p.m || !p.n || !p.count) return CUBLAS_STATUS_SUCCESS;
  switch (type) {
    case CUDA_R_16F: return mark<__half>(p, mask, ld, distance, stream);
    case CUDA_R_16BF: return mark<__nv_bfloat16>(p, mask, ld, distance, stream);
    case CUDA_R_32F: return mark<float>(p, mask, ld, distance, stream);
    default: return not_supported("a mask of this type");
  }
}

template <typename T, typename Sum>
static cublasStatus_t add_up(const LineSums &sums, cudaStream_t stream) {
  add_up_lines<T, Sum>
      <<<grid_for(sums.lines, 1, sums.count), THREADS, 0, stream>>>(sums);
  return launched();
}

cublasStatus_t sum_lines(const LineSums &sums, cudaDataType type, cudaStream_t stream) {
  if (!sums.lines || !sums.count) return CUBLAS_STATUS_SUCCESS;
  switch (type) {
    case CUDA_R_16F: return add_up<__half, float>(sums, stream);
    case CUDA_R_16BF: return add_up<__nv_bfloat16, float>(sums, stream);
    case CUDA_R_32F: return add_up<float, float>(sums, stream);
    default: return not_supported("a gradient of a bias of this type");
  }
}
