// SPDX-License-Identifier: MIT
// cuBLASLt: descriptions of products, and products with epilogues. Matrices by rows are
// transposed in their description: A by rows is A' by columns.
#define HEDDLE_CUBLASLT_FIELDS
#include <cublasLt.h>
#include <string.h>

#include "gradients.h"

struct cublasLtContext {
  int unused;
};
struct cublasLtMatmulPreferenceOpaque {
  uint64_t workspace_bytes;
};
struct cublasLtMatrixLayoutOpaque {
  cudaDataType type;
  cublasLtOrder_t order;
  uint64_t rows, cols;
  int64_t ld, distance;
  int32_t count;
};
struct cublasLtMatmulDescOpaque {
  cublasComputeType_t compute;
  cudaDataType scale, bias_type, aux_type;
  cublasLtPointerMode_t pointers;
  cublasOperation_t op_a, op_b, op_c;
  cublasLtEpilogue_t epilogue;
  void *bias, *aux;
  int64_t aux_ld, aux_distance, bias_distance;
};

EXPORT cublasStatus_t cublasLtCreate(cublasLtHandle_t *handle) {
  NEED(handle);
  *handle = new cublasLtContext();
  return CUBLAS_STATUS_SUCCESS;
}
EXPORT cublasStatus_t cublasLtDestroy(cublasLtHandle_t handle) {
  NEED_HANDLE(handle);
  delete handle;
  return CUBLAS_STATUS_SUCCESS;
}
EXPORT size_t cublasLtGetVersion(void) {
  return CUBLAS_VERSION;
}

// ---- descriptions

template <typename T>
static cublasStatus_t take(T &field, const void *value, size_t bytes) {
  NEED(value && bytes == sizeof(T));
  memcpy(&field, value, bytes);
  return CUBLAS_STATUS_SUCCESS;
}

// size: of what the program has reserved, if it did.
EXPORT cublasStatus_t cublasLtMatmulDescInit_internal(cublasLtMatmulDesc_t desc, size_t size,
                                                      cublasComputeType_t compute,
                                                      cudaDataType_t scale) {
  NEED(desc && size >= sizeof *desc);
  *desc = cublasLtMatmulDescOpaque();
  desc->compute = compute, desc->scale = scale;
  desc->bias_type = desc->aux_type = (cudaDataType)-1;
  desc->epilogue = CUBLASLT_EPILOGUE_DEFAULT;
  return CUBLAS_STATUS_SUCCESS;
}
EXPORT cublasStatus_t cublasLtMatmulDescCreate(cublasLtMatmulDesc_t *desc,
                                               cublasComputeType_t compute, cudaDataType_t scale) {
  NEED(desc);
  *desc = new cublasLtMatmulDescOpaque();
  return cublasLtMatmulDescInit_internal(*desc, sizeof **desc, compute, scale);
}
EXPORT cublasStatus_t cublasLtMatmulDescDestroy(cublasLtMatmulDesc_t desc) {
  delete desc;
  return CUBLAS_STATUS_SUCCESS;
}
EXPORT cublasStatus_t cublasLtMatmulDescSetAttribute(cublasLtMatmulDesc_t desc,
                                                     cublasLtMatmulDescAttributes_t attribute,
                                                     const void *value, size_t bytes) {
  NEED(desc);
  switch (attribute) {
    case CUBLASLT_MATMUL_DESC_COMPUTE_TYPE: return take(desc->compute, value, bytes);
    case CUBLASLT_MATMUL_DESC_SCALE_TYPE: return take(desc->scale, value, bytes);
    case CUBLASLT_MATMUL_DESC_POINTER_MODE: return take(desc->pointers, value, bytes);
    case CUBLASLT_MATMUL_DESC_TRANSA: return take(desc->op_a, value, bytes);
    case CUBLASLT_MATMUL_DESC_TRANSB: return take(desc->op_b, value, bytes);
    case CUBLASLT_MATMUL_DESC_TRANSC: return take(desc->op_c, value, bytes);
    case CUBLASLT_MATMUL_DESC_EPILOGUE: return take(desc->epilogue, value, bytes);
    case CUBLASLT_MATMUL_DESC_BIAS_POINTER: return take(desc->bias, value, bytes);
    case CUBLASLT_MATMUL_DESC_BIAS_BATCH_STRIDE: return take(desc->bias_distance, value, bytes);
    case CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE: return take(desc->bias_type, value, bytes);
    case CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER: return take(desc->aux, value, bytes);
    case CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD: return take(desc->aux_ld, value, bytes);
    case CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_BATCH_STRIDE:
      return take(desc->aux_distance, value, bytes);
    case CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_DATA_TYPE: return take(desc->aux_type, value, bytes);
    default: return not_supported("this attribute of a cublasLt product");
  }
}

EXPORT cublasStatus_t cublasLtMatrixLayoutInit_internal(cublasLtMatrixLayout_t layout, size_t size,
                                                        cudaDataType type, uint64_t rows,
                                                        uint64_t cols, int64_t ld) {
  NEED(layout && size >= sizeof *layout);
  *layout = cublasLtMatrixLayoutOpaque{type, CUBLASLT_ORDER_COL, rows, cols, ld, 0, 1};
  return CUBLAS_STATUS_SUCCESS;
}
EXPORT cublasStatus_t cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t *layout, cudaDataType type,
                                                 uint64_t rows, uint64_t cols, int64_t ld) {
  NEED(layout);
  *layout = new cublasLtMatrixLayoutOpaque();
  return cublasLtMatrixLayoutInit_internal(*layout, sizeof **layout, type, rows, cols, ld);
}
EXPORT cublasStatus_t cublasLtMatrixLayoutDestroy(cublasLtMatrixLayout_t layout) {
  delete layout;
  return CUBLAS_STATUS_SUCCESS;
}
EXPORT cublasStatus_t cublasLtMatrixLayoutSetAttribute(cublasLtMatrixLayout_t layout,
                                                       cublasLtMatrixLayoutAttribute_t attribute,
                                                       const void *value, size_t bytes) {
  NEED(layout);
  switch (attribute) {
    case CUBLASLT_MATRIX_LAYOUT_TYPE: return take(layout->type, value, bytes);
    case CUBLASLT_MATRIX_LAYOUT_ORDER: return take(layout->order, value, bytes);
    case CUBLASLT_MATRIX_LAYOUT_ROWS: return take(layout->rows, value, bytes);
    case CUBLASLT_MATRIX_LAYOUT_COLS: return take(layout->cols, value, bytes);
    case CUBLASLT_MATRIX_LAYOUT_LD: return take(layout->ld, value, bytes);
    case CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT: return take(layout->count, value, bytes);
    case CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET: return take(layout->distance, value, bytes);
    default: return not_supported("this attribute of a cublasLt matrix");
  }
}

// There is one algorithm, which needs no workspace.
EXPORT cublasStatus_t cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t *preference) {
  NEED(preference);
  *preference = new cublasLtMatmulPreferenceOpaque();
  return CUBLAS_STATUS_SUCCESS;
}
EXPORT cublasStatus_t cublasLtMatmulPreferenceInit_internal(cublasLtMatmulPreference_t preference,
                                                            size_t size) {
  NEED(preference && size >= sizeof *preference);
  *preference = cublasLtMatmulPreferenceOpaque();
  return CUBLAS_STATUS_SUCCESS;
}
EXPORT cublasStatus_t cublasLtMatmulPreferenceDestroy(cublasLtMatmulPreference_t preference) {
  delete preference;
  return CUBLAS_STATUS_SUCCESS;
}
EXPORT cublasStatus_t cublasLtMatmulPreferenceSetAttribute(
    cublasLtMatmulPreference_t preference, cublasLtMatmulPreferenceAttributes_t attribute,
    const void *value, size_t bytes) {
  (void)attribute, (void)bytes;
  NEED(preference && value);
  return CUBLAS_STATUS_SUCCESS;
}
EXPORT cublasStatus_t cublasLtMatmulAlgoGetHeuristic(
    cublasLtHandle_t handle, cublasLtMatmulDesc_t desc, cublasLtMatrixLayout_t a,
    cublasLtMatrixLayout_t b, cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t d,
    cublasLtMatmulPreference_t preference, int wanted, cublasLtMatmulHeuristicResult_t results[],
    int *found) {
  (void)preference;
  NEED_HANDLE(handle);
  NEED(desc && a && b && c && d && wanted > 0 && results && found);
  results[0] = cublasLtMatmulHeuristicResult_t();
  results[0].wavesCount = 1;
  *found = 1;
  return CUBLAS_STATUS_SUCCESS;
}

// ---- products

static Operand operand_of(const void *first, cublasLtMatrixLayout_t layout) {
  return Operand{first, nullptr, layout->ld, layout->distance};
}

// Bits of an epilogue that have no name of their own.
enum { DRELU = 8, BGRAD = 16, DGELU = 64, AUX = 128 };
enum { MASK_ALIGNMENT = 128 };  // of the rows of a mask, in bits

static Activation activation_of(int epilogue) {
  switch (epilogue & (CUBLASLT_EPILOGUE_RELU | CUBLASLT_EPILOGUE_GELU | DRELU | DGELU)) {
    case CUBLASLT_EPILOGUE_RELU: return RELU;
    case CUBLASLT_EPILOGUE_GELU: return GELU;
    case DRELU: return RELU_GRADIENT;
    case DGELU: return GELU_GRADIENT;
    default: return NO_ACTIVATION;
  }
}

// The mask of ReLU has a bit per element.
static bool uses_mask(const cublasLtMatmulDescOpaque *desc) {
  return desc->epilogue & AUX && desc->epilogue & (CUBLASLT_EPILOGUE_RELU | DRELU);
}

static cublasStatus_t take_epilogue(const cublasLtMatmulDescOpaque *desc, Epilogue *epilogue) {
  int gradients = BGRAD | CUBLASLT_EPILOGUE_BGRADA | CUBLASLT_EPILOGUE_BGRADB;
  NEED(!(desc->epilogue & AUX) || desc->aux);
  NEED(!(desc->epilogue & gradients) || desc->bias);
  NEED(!uses_mask(desc) || (desc->aux_ld % MASK_ALIGNMENT == 0 && desc->aux_distance % MASK_ALIGNMENT == 0));
  epilogue->aux_ld = desc->aux_ld, epilogue->aux_distance = desc->aux_distance;
  epilogue->bias_distance = desc->bias_distance;
  epilogue->activation = activation_of(desc->epilogue);
  if (desc->epilogue & CUBLASLT_EPILOGUE_BIAS) epilogue->bias = desc->bias;
  if (uses_mask(desc))
    epilogue->mask = static_cast<const unsigned char *>(desc->aux);
  else if (desc->epilogue & AUX)
    epilogue->aux = desc->aux;
  return CUBLAS_STATUS_SUCCESS;
}

// The gradient of a bias: over the columns of D, or over what A or B are added up along.
static cublasStatus_t write_gradient(const cublasLtMatmulDescOpaque *desc, const Product &p,
                                     cudaDataType type, cudaStream_t stream) {
  LineSums s = {desc->bias, p.d, p.m, p.n, p.count, 1, p.d.ld, desc->bias_distance};
  if (desc->epilogue & CUBLASLT_EPILOGUE_BGRADA)
    s = LineSums{desc->bias, p.a, p.m, p.k, p.count, p.transpose_a ? p.a.ld : 1,
                 p.transpose_a ? 1 : p.a.ld, desc->bias_distance};
  else if (desc->epilogue & CUBLASLT_EPILOGUE_BGRADB)
    s = LineSums{desc->bias, p.b, p.n, p.k, p.count, p.transpose_b ? 1 : p.b.ld,
                 p.transpose_b ? p.b.ld : 1, desc->bias_distance};
  else if (!(desc->epilogue & BGRAD))
    return CUBLAS_STATUS_SUCCESS;
  return sum_lines(s, type, stream);
}

static bool is_type(cudaDataType type, cudaDataType wanted) {
  return type == (cudaDataType)-1 || type == wanted;
}

EXPORT cublasStatus_t cublasLtMatmul(cublasLtHandle_t handle, cublasLtMatmulDesc_t desc,
                                     const void *alpha, const void *a,
                                     cublasLtMatrixLayout_t layout_a, const void *b,
                                     cublasLtMatrixLayout_t layout_b, const void *beta,
                                     const void *c, cublasLtMatrixLayout_t layout_c, void *d,
                                     cublasLtMatrixLayout_t layout_d,
                                     const cublasLtMatmulAlgo_t *algo, void *workspace,
                                     size_t workspace_bytes, cudaStream_t stream) {
  (void)algo, (void)workspace, (void)workspace_bytes;
  NEED_HANDLE(handle);
  NEED(desc && alpha && beta && a && b && d && layout_a && layout_b && layout_c && layout_d);
  Product product = {};
  product.transpose_a = (desc->op_a != CUBLAS_OP_N) != (layout_a->order == CUBLASLT_ORDER_ROW);
  product.transpose_b = (desc->op_b != CUBLAS_OP_N) != (layout_b->order == CUBLASLT_ORDER_ROW);
  product.conjugate_a = desc->op_a == CUBLAS_OP_C, product.conjugate_b = desc->op_b == CUBLAS_OP_C;
  product.m = (int)layout_d->rows, product.n = (int)layout_d->cols;
  product.k = (int)(desc->op_a == CUBLAS_OP_N ? layout_a->cols : layout_a->rows);
  int k = (int)(desc->op_b == CUBLAS_OP_N ? layout_b->rows : layout_b->cols);
  NEED(k == product.k && layout_c->rows == layout_d->rows && layout_c->cols == layout_d->cols);
  product.count = layout_d->count;
  product.a = operand_of(a, layout_a), product.b = operand_of(b, layout_b);
  product.c = operand_of(c ? c : d, layout_c), product.d = operand_of(d, layout_d);
  product.alpha = alpha, product.beta = beta;
  product.is_scalar_on_device = desc->pointers == CUBLASLT_POINTER_MODE_DEVICE;
  bool is_by_rows = layout_c->order == CUBLASLT_ORDER_ROW || layout_d->order == CUBLASLT_ORDER_ROW;
  if (is_by_rows || desc->op_c != CUBLAS_OP_N || layout_c->type != layout_d->type)
    return not_supported("cublasLtMatmul with results by rows, transposed or of another type than C");
  bool is_of_factor = desc->epilogue & (CUBLASLT_EPILOGUE_BGRADA | CUBLASLT_EPILOGUE_BGRADB);
  if ((!uses_mask(desc) && !is_type(desc->aux_type, layout_d->type)) ||
      !is_type(desc->bias_type, layout_d->type) ||
      (is_of_factor && layout_a->type != layout_d->type))
    return not_supported("an epilogue of cublasLtMatmul with vectors of another type than D");
  cublasStatus_t status = take_epilogue(desc, &product.epilogue);
  ProductTypes types = {layout_a->type, layout_b->type, layout_d->type, desc->compute};
  if (!status) status = multiply(product, types, stream);
  if (!status && uses_mask(desc) && product.epilogue.activation == RELU)
    status = mark_positive(product, layout_d->type, static_cast<unsigned char *>(desc->aux),
                           desc->aux_ld, desc->aux_distance, stream);
  return status ? status : write_gradient(desc, product, layout_d->type, stream);
}
