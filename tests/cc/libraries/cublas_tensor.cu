// SPDX-License-Identifier: MIT
// Products on tensor cores against loops on the host: types, orders of the factors, shapes around
// the sizes of tiles, rows that copies of 16 bytes cannot take; what cuBLASLt leaves for gradients.
// A compute capability as argument: what the GPU has, which decides about the precision.
#include <cublasLt.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <stdlib.h>

#include "cublas_arrays.h"

struct Shape {
  cublasOperation_t op_a, op_b;
  int m, n, k, padding, count;  // padding: of leading dimensions
};

template <typename In, typename Out, typename Scale>
static void check_product(cublasHandle_t handle, cudaDataType in, cudaDataType out,
                          cublasComputeType_t compute, double bound, Shape s) {
  int lda = (s.op_a == CUBLAS_OP_N ? s.m : s.k) + s.padding;
  int ldb = (s.op_b == CUBLAS_OP_N ? s.k : s.n) + s.padding, ldc = s.m + s.padding;
  lda += !lda, ldb += !ldb, ldc += !ldc;
  size_t each_a = (size_t)lda * (s.op_a == CUBLAS_OP_N ? s.k : s.m), each_c = (size_t)ldc * s.n;
  size_t each_b = (size_t)ldb * (s.op_b == CUBLAS_OP_N ? s.n : s.k);
  Array<In> a(each_a * s.count), b(each_b * s.count);
  Array<Out> c(each_c * s.count);
  std::vector<Out> before(c.items, c.items + each_c * s.count);
  Scale alpha = (Scale)2, beta = (Scale)1;
  BLAS(cublasGemmStridedBatchedEx(handle, s.op_a, s.op_b, s.m, s.n, s.k, &alpha, a.items, in, lda,
                                  each_a, b.items, in, ldb, each_b, &beta, c.items, out, ldc,
                                  each_c, s.count, compute, CUBLAS_GEMM_DEFAULT));
  CUDA(cudaDeviceSynchronize());
  for (int batch = 0; batch < s.count; batch++)
    for (int j = 0; j < s.n; j++)
      for (int i = 0; i < ldc; i++) {
        double wanted = 0;
        for (int l = 0; i < s.m && l < s.k; l++)
          wanted += element(a.items + batch * each_a, lda, s.op_a, i, l) *
                    element(b.items + batch * each_b, ldb, s.op_b, l, j);
        size_t at = batch * each_c + i + (size_t)j * ldc;
        wanted = 2 * wanted + (double)(float)before[at];
        CHECK(is_close((float)c[at], wanted, wanted, bound),
              "%d by %d by %d, %d %d, types %d %d, row %d: %g, not %g", s.m, s.n, s.k, s.op_a,
              s.op_b, in, out, i, (double)(float)c[at], wanted);
      }
}

static void check_types(cublasHandle_t handle, Shape s) {
  check_product<__half, __half, float>(handle, CUDA_R_16F, CUDA_R_16F, CUBLAS_COMPUTE_32F, 2e-3, s);
  check_product<__half, float, float>(handle, CUDA_R_16F, CUDA_R_32F, CUBLAS_COMPUTE_32F, 1e-5, s);
  check_product<__nv_bfloat16, float, float>(handle, CUDA_R_16BF, CUDA_R_32F, CUBLAS_COMPUTE_32F, 1e-5, s);
  check_product<float, float, float>(handle, CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F_FAST_TF32, 1e-5, s);
  check_product<signed char, int, int>(handle, CUDA_R_8I, CUDA_R_32I, CUBLAS_COMPUTE_32I, 0, s);
  check_product<signed char, float, float>(handle, CUDA_R_8I, CUDA_R_32F, CUBLAS_COMPUTE_32F, 1e-5, s);
}

// Factors with more bits than TF32 has: rounded to nearest if the handle allows it, and only then.
static void check_rounding(cublasHandle_t handle, bool has_tf32) {
  enum { N = 16 };
  Array<float> a(N * N), b(N * N), c(N * N);
  float one = 1, zero = 0;
  for (int i = 0; i < N * N; i++) a[i] = 1 + 3.0f / 4096, b[i] = i % (N + 1) == 0;
  for (int is_allowed = 0; is_allowed < 2; is_allowed++) {
    BLAS(cublasSetMathMode(handle, is_allowed ? CUBLAS_TF32_TENSOR_OP_MATH : CUBLAS_DEFAULT_MATH));
    BLAS(cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, N, N, N, &one, a, N, b, N, &zero, c, N));
    CUDA(cudaDeviceSynchronize());
    float wanted = is_allowed && has_tf32 ? 1 + 4.0f / 4096 : a[0];
    for (int i = 0; i < N * N; i++)
      CHECK(c[i] == wanted, "TF32 %d: %.9g, not %.9g", is_allowed, c[i], wanted);
  }
  BLAS(cublasSetMathMode(handle, CUBLAS_DEFAULT_MATH));
}

// ---- gradients

enum { MASK_LD = 128 };

// D = A B of m by n by k, by columns, with an epilogue.
template <typename T>
struct Layer {
  int m, n, k;
  Array<T> a, b, d, bias;
  Layer(int m, int n, int k) : m(m), n(n), k(k), a(m * k), b(k * n), d(m * n), bias(m + n) {}

  double product(int i, int j) const {
    double sum = 0;
    for (int l = 0; l < k; l++) sum += (double)(float)a[i + l * m] * (float)b[l + j * k];
    return sum;
  }
  void multiply(cublasLtHandle_t handle, cudaDataType type, cublasLtEpilogue_t epilogue, void *aux,
                int64_t aux_ld) {
    cublasLtMatmulDesc_t desc;
    cublasLtMatrixLayout_t layout_a, layout_b, layout_d;
    float one = 1, zero = 0;
    BLAS(cublasLtMatmulDescCreate(&desc, CUBLAS_COMPUTE_32F, CUDA_R_32F));
    BLAS(cublasLtMatmulDescSetAttribute(desc, CUBLASLT_MATMUL_DESC_EPILOGUE, &epilogue, sizeof epilogue));
    BLAS(cublasLtMatmulDescSetAttribute(desc, CUBLASLT_MATMUL_DESC_BIAS_POINTER, &bias.items, sizeof(void *)));
    BLAS(cublasLtMatmulDescSetAttribute(desc, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, &aux, sizeof aux));
    BLAS(cublasLtMatmulDescSetAttribute(desc, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, &aux_ld, sizeof aux_ld));
    BLAS(cublasLtMatrixLayoutCreate(&layout_a, type, m, k, m));
    BLAS(cublasLtMatrixLayoutCreate(&layout_b, type, k, n, k));
    BLAS(cublasLtMatrixLayoutCreate(&layout_d, type, m, n, m));
    BLAS(cublasLtMatmul(handle, desc, &one, a, layout_a, b, layout_b, &zero, d, layout_d, d, layout_d, NULL, NULL, 0, 0));
    CUDA(cudaDeviceSynchronize());
    cublasLtMatrixLayoutDestroy(layout_a), cublasLtMatrixLayoutDestroy(layout_b);
    cublasLtMatrixLayoutDestroy(layout_d), cublasLtMatmulDescDestroy(desc);
  }
};

// The mask of a layer with ReLU, and what a later product does with it.
template <typename T>
static void check_relu(cublasLtHandle_t handle, cudaDataType type, double bound, int m, int n, int k) {
  Layer<T> layer(m, n, k), back(m, n, k + 1);
  unsigned char *mask;
  CUDA(cudaMallocManaged(&mask, MASK_LD / 8 * n));
  layer.multiply(handle, type, CUBLASLT_EPILOGUE_RELU_AUX_BIAS, mask, MASK_LD);
  back.multiply(handle, type, CUBLASLT_EPILOGUE_DRELU_BGRAD, mask, MASK_LD);
  for (int i = 0; i < m; i++) {
    double sum = 0, size = 0;
    for (int j = 0; j < n; j++) {
      double input = layer.product(i, j) + (float)layer.bias[i], output = input > 0 ? input : 0;
      bool is_marked = mask[j * MASK_LD / 8 + i / 8] >> i % 8 & 1;
      CHECK(is_close((float)layer.d[i + j * m], output, output, bound), "ReLU: %g", output);
      CHECK(is_marked == (input > 0), "mask at %d, %d: %d of %g", i, j, is_marked, input);
      double wanted = is_marked ? back.product(i, j) : 0;
      CHECK(is_close((float)back.d[i + j * m], wanted, wanted, bound), "gradient of ReLU: %g", wanted);
      sum += wanted, size += fabs(wanted);
    }
    CHECK(is_close((float)back.bias[i], sum, size, bound), "gradient of the bias: %g", sum);
  }
  CUDA(cudaFree(mask));
}

static double gelu_gradient(double x) {
  double scale = sqrt(2 / acos(-1.0)), t = tanh(scale * (x + 0.044715 * x * x * x));
  return 0.5 * (1 + t) + 0.5 * x * (1 - t * t) * scale * (1 + 3 * 0.044715 * x * x);
}

static void check_gelu_gradient(cublasLtHandle_t handle, int m, int n, int k) {
  Layer<float> back(m, n, k);
  Array<float> aux(m * n);
  back.multiply(handle, CUDA_R_32F, CUBLASLT_EPILOGUE_DGELU_BGRAD, aux.items, m);
  for (int i = 0; i < m; i++) {
    double sum = 0;
    for (int j = 0; j < n; j++) {
      double wanted = back.product(i, j) * gelu_gradient(aux[i + j * m]);
      CHECK(is_close(back.d[i + j * m], wanted, wanted, 1e-4), "gradient of GELU: %g", wanted);
      sum += wanted;
    }
    CHECK(is_close(back.bias[i], sum, n * k, 1e-5), "gradient of the bias: %g", sum);
  }
}

// Sums of the factors, along k.
static void check_factor_sums(cublasLtHandle_t handle, int m, int n, int k) {
  for (int is_of_b = 0; is_of_b < 2; is_of_b++) {
    Layer<float> layer(m, n, k);
    layer.multiply(handle, CUDA_R_32F, is_of_b ? CUBLASLT_EPILOGUE_BGRADB : CUBLASLT_EPILOGUE_BGRADA, NULL, 0);
    for (int i = 0; i < (is_of_b ? n : m); i++) {
      double sum = 0;
      for (int l = 0; l < k; l++) sum += is_of_b ? layer.b[l + i * k] : layer.a[i + l * m];
      CHECK(layer.bias[i] == sum, "sum %d of factor %d: %g, not %g", i, is_of_b, layer.bias[i], sum);
    }
    CHECK(layer.d[m * n - 1] == layer.product(m - 1, n - 1), "product with sums of factor %d", is_of_b);
  }
}

int main(int argc, char **argv) {
  int capability = argc > 1 ? atoi(argv[1]) : 0;
  cublasHandle_t handle;
  cublasLtHandle_t lt;
  BLAS(cublasCreate(&handle));
  BLAS(cublasLtCreate(&lt));
  static const Shape shapes[] = {
      {CUBLAS_OP_N, CUBLAS_OP_N, 64, 64, 32, 0, 1}, {CUBLAS_OP_T, CUBLAS_OP_N, 65, 66, 33, 0, 1},
      {CUBLAS_OP_N, CUBLAS_OP_T, 72, 8, 200, 8, 1}, {CUBLAS_OP_T, CUBLAS_OP_T, 40, 80, 64, 16, 2},
      {CUBLAS_OP_T, CUBLAS_OP_N, 1, 1, 1, 0, 1},    {CUBLAS_OP_N, CUBLAS_OP_N, 3, 130, 0, 0, 1},
      {CUBLAS_OP_N, CUBLAS_OP_N, 0, 3, 2, 0, 1},    {CUBLAS_OP_N, CUBLAS_OP_N, 5, 7, 300, 1, 3}};
  for (const Shape &shape : shapes) check_types(handle, shape);
  for (int i = 0; i < 4; i++)
    check_types(handle, Shape{operations[i % 2], operations[i / 2], 1 + pick(90), 1 + pick(90),
                              1 + pick(100), pick(9), 1});
  // One large tile for each SM.
  check_product<__half, float, float>(handle, CUDA_R_16F, CUDA_R_32F, CUBLAS_COMPUTE_32F, 1e-5,
                                      Shape{CUBLAS_OP_N, CUBLAS_OP_N, 129, 9, 40, 7, 64});
  check_product<__half, float, float>(handle, CUDA_R_16F, CUDA_R_32F, CUBLAS_COMPUTE_32F, 1e-5,
                                      Shape{CUBLAS_OP_T, CUBLAS_OP_T, 9, 136, 96, 8, 64});
  check_rounding(handle, capability >= 80);
  check_relu<float>(lt, CUDA_R_32F, 1e-5, 33, 7, 20);
  check_relu<__half>(lt, CUDA_R_16F, 2e-3, 70, 5, 17);
  check_gelu_gradient(lt, 9, 11, 13);
  check_factor_sums(lt, 10, 6, 25);
  BLAS(cublasLtDestroy(lt));
  BLAS(cublasDestroy(handle));
  return check_end();
}
