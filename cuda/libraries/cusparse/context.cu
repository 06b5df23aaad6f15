// SPDX-License-Identifier: MIT
// Handles and descriptions.
#include "context.h"

#include <string.h>

EXPORT cusparseStatus_t cusparseCreate(cusparseHandle_t *handle) {
  NEED(handle);
  *handle = new cusparseContext();
  return CUSPARSE_STATUS_SUCCESS;
}
EXPORT cusparseStatus_t cusparseDestroy(cusparseHandle_t handle) {
  NEED_HANDLE(handle);
  delete handle;
  return CUSPARSE_STATUS_SUCCESS;
}
EXPORT cusparseStatus_t cusparseGetVersion(cusparseHandle_t handle, int *version) {
  NEED_HANDLE(handle);
  NEED(version);
  *version = CUSPARSE_VERSION;
  return CUSPARSE_STATUS_SUCCESS;
}
EXPORT cusparseStatus_t cusparseGetProperty(libraryPropertyType type, int *value) {
  static const int values[] = {CUSPARSE_VER_MAJOR, CUSPARSE_VER_MINOR, CUSPARSE_VER_PATCH};
  NEED(value && type <= PATCH_LEVEL);
  *value = values[type];
  return CUSPARSE_STATUS_SUCCESS;
}

EXPORT const char *cusparseGetErrorName(cusparseStatus_t status) {
  switch (status) {
#define NAME(name) \
  case name: return #name;
    NAME(CUSPARSE_STATUS_SUCCESS)
    NAME(CUSPARSE_STATUS_NOT_INITIALIZED)
    NAME(CUSPARSE_STATUS_ALLOC_FAILED)
    NAME(CUSPARSE_STATUS_INVALID_VALUE)
    NAME(CUSPARSE_STATUS_ARCH_MISMATCH)
    NAME(CUSPARSE_STATUS_MAPPING_ERROR)
    NAME(CUSPARSE_STATUS_EXECUTION_FAILED)
    NAME(CUSPARSE_STATUS_INTERNAL_ERROR)
    NAME(CUSPARSE_STATUS_MATRIX_TYPE_NOT_SUPPORTED)
    NAME(CUSPARSE_STATUS_ZERO_PIVOT)
    NAME(CUSPARSE_STATUS_NOT_SUPPORTED)
    NAME(CUSPARSE_STATUS_INSUFFICIENT_RESOURCES)
#undef NAME
  }
  return "unknown status";
}
EXPORT const char *cusparseGetErrorString(cusparseStatus_t status) {
  return cusparseGetErrorName(status);
}

#define SETTING(suffix, Type, field)                                                     \
  EXPORT cusparseStatus_t cusparseSet##suffix(cusparseHandle_t handle, Type value) {     \
    NEED_HANDLE(handle);                                                                 \
    handle->field = value;                                                               \
    return CUSPARSE_STATUS_SUCCESS;                                                      \
  }                                                                                      \
  EXPORT cusparseStatus_t cusparseGet##suffix(cusparseHandle_t handle, Type *value) {    \
    NEED_HANDLE(handle);                                                                 \
    NEED(value);                                                                         \
    *value = handle->field;                                                              \
    return CUSPARSE_STATUS_SUCCESS;                                                      \
  }
SETTING(Stream, cudaStream_t, stream)
SETTING(PointerMode, cusparsePointerMode_t, pointers)

EXPORT cusparseStatus_t cusparseCreateMatDescr(cusparseMatDescr_t *descr) {
  NEED(descr);
  *descr = new cusparseMatDescr();
  return CUSPARSE_STATUS_SUCCESS;
}
EXPORT cusparseStatus_t cusparseDestroyMatDescr(cusparseMatDescr_t descr) {
  delete descr;
  return CUSPARSE_STATUS_SUCCESS;
}
#define MATRIX_SETTING(suffix, Type, field)                                              \
  EXPORT cusparseStatus_t cusparseSetMat##suffix(cusparseMatDescr_t descr, Type value) { \
    NEED(descr);                                                                         \
    descr->field = value;                                                                \
    return CUSPARSE_STATUS_SUCCESS;                                                      \
  }                                                                                      \
  EXPORT Type cusparseGetMat##suffix(const cusparseMatDescr_t descr) {                   \
    return descr ? descr->field : Type();                                                \
  }
MATRIX_SETTING(Type, cusparseMatrixType_t, type)
MATRIX_SETTING(FillMode, cusparseFillMode_t, fill)
MATRIX_SETTING(DiagType, cusparseDiagType_t, diagonal)
MATRIX_SETTING(IndexBase, cusparseIndexBase_t, base)

// ---- vectors

static bool is_index(cusparseIndexType_t type) {
  return type == CUSPARSE_INDEX_32I || type == CUSPARSE_INDEX_64I;
}

EXPORT cusparseStatus_t cusparseCreateSpVec(cusparseSpVecDescr_t *descr, int64_t size, int64_t nnz,
                                            void *indices, void *values, cusparseIndexType_t index_type,
                                            cusparseIndexBase_t base, cudaDataType type) {
  NEED(descr && size >= 0 && nnz >= 0 && nnz <= size);
  if (!is_index(index_type)) return not_supported("CUSPARSE_INDEX_16U");
  *descr = new cusparseSpVecDescr{size, nnz, {indices, index_type, base}, {values, type}};
  return CUSPARSE_STATUS_SUCCESS;
}
EXPORT cusparseStatus_t cusparseCreateDnVec(cusparseDnVecDescr_t *descr, int64_t size, void *values,
                                            cudaDataType type) {
  NEED(descr && size >= 0);
  *descr = new cusparseDnVecDescr{size, {values, type}};
  return CUSPARSE_STATUS_SUCCESS;
}
EXPORT cusparseStatus_t cusparseDnVecGet(cusparseDnVecDescr_t descr, int64_t *size, void **values,
                                         cudaDataType *type) {
  NEED(descr && size && values && type);
  *size = descr->size, *values = descr->values.at, *type = descr->values.type;
  return CUSPARSE_STATUS_SUCCESS;
}

#define OF_DESCRIPTION(Name)                                                                   \
  EXPORT cusparseStatus_t cusparseDestroy##Name(cusparseConst##Name##Descr_t descr) {          \
    NEED(descr);                                                                               \
    delete descr;                                                                              \
    return CUSPARSE_STATUS_SUCCESS;                                                            \
  }                                                                                            \
  EXPORT cusparseStatus_t cusparse##Name##GetValues(cusparse##Name##Descr_t descr,             \
                                                    void **values) {                           \
    NEED(descr && values);                                                                     \
    *values = descr->values.at;                                                                \
    return CUSPARSE_STATUS_SUCCESS;                                                            \
  }                                                                                            \
  EXPORT cusparseStatus_t cusparse##Name##SetValues(cusparse##Name##Descr_t descr,             \
                                                    void *values) {                            \
    NEED(descr);                                                                               \
    descr->values.at = values;                                                                 \
    return CUSPARSE_STATUS_SUCCESS;                                                            \
  }
OF_DESCRIPTION(SpVec)
OF_DESCRIPTION(DnVec)
OF_DESCRIPTION(SpMat)
OF_DESCRIPTION(DnMat)

// ---- matrices

static cusparseStatus_t create(cusparseSpMatDescr_t *descr, cusparseFormat_t format, int64_t rows,
                               int64_t cols, int64_t nnz, void *offsets, void *indices, void *values,
                               cusparseIndexType_t offset_type, cusparseIndexType_t index_type,
                               cusparseIndexBase_t base, cudaDataType type) {
  NEED(descr && rows >= 0 && cols >= 0 && nnz >= 0);
  if (!is_index(index_type) || !is_index(offset_type)) return not_supported("CUSPARSE_INDEX_16U");
  *descr = new cusparseSpMatDescr();
  (*descr)->format = format;
  (*descr)->rows = rows, (*descr)->cols = cols, (*descr)->nnz = nnz, (*descr)->count = 1;
  (*descr)->offsets = Indices{offsets, offset_type, base};
  (*descr)->indices = Indices{indices, index_type, base};
  (*descr)->values = Values{values, type};
  return CUSPARSE_STATUS_SUCCESS;
}

#define COMPRESSED(Name, format)                                                                   \
  EXPORT cusparseStatus_t cusparseCreate##Name(                                                    \
      cusparseSpMatDescr_t *descr, int64_t rows, int64_t cols, int64_t nnz, void *offsets,         \
      void *indices, void *values, cusparseIndexType_t offset_type, cusparseIndexType_t index_type, \
      cusparseIndexBase_t base, cudaDataType type) {                                               \
    return create(descr, format, rows, cols, nnz, offsets, indices, values, offset_type,           \
                  index_type, base, type);                                                         \
  }                                                                                                \
  EXPORT cusparseStatus_t cusparseCreateConst##Name(                                               \
      cusparseConstSpMatDescr_t *descr, int64_t rows, int64_t cols, int64_t nnz,                   \
      const void *offsets, const void *indices, const void *values,                                \
      cusparseIndexType_t offset_type, cusparseIndexType_t index_type, cusparseIndexBase_t base,   \
      cudaDataType type) {                                                                         \
    return create(const_cast<cusparseSpMatDescr_t *>(descr), format, rows, cols, nnz,              \
                  const_cast<void *>(offsets), const_cast<void *>(indices),                        \
                  const_cast<void *>(values), offset_type, index_type, base, type);                \
  }
COMPRESSED(Csr, CUSPARSE_FORMAT_CSR)
COMPRESSED(Csc, CUSPARSE_FORMAT_CSC)

EXPORT cusparseStatus_t cusparseCreateCoo(cusparseSpMatDescr_t *descr, int64_t rows, int64_t cols,
                                          int64_t nnz, void *rows_of, void *columns, void *values,
                                          cusparseIndexType_t index_type, cusparseIndexBase_t base,
                                          cudaDataType type) {
  return create(descr, CUSPARSE_FORMAT_COO, rows, cols, nnz, rows_of, columns, values, index_type,
                index_type, base, type);
}

#define SET_POINTERS(Name, wanted)                                                             \
  EXPORT cusparseStatus_t cusparse##Name##SetPointers(cusparseSpMatDescr_t descr,              \
                                                      void *offsets, void *indices,            \
                                                      void *values) {                          \
    NEED(descr && descr->format == wanted);                                                    \
    descr->offsets.at = offsets, descr->indices.at = indices, descr->values.at = values;       \
    return CUSPARSE_STATUS_SUCCESS;                                                            \
  }
SET_POINTERS(Csr, CUSPARSE_FORMAT_CSR)
SET_POINTERS(Csc, CUSPARSE_FORMAT_CSC)
SET_POINTERS(Coo, CUSPARSE_FORMAT_COO)

EXPORT cusparseStatus_t cusparseCsrGet(cusparseSpMatDescr_t descr, int64_t *rows, int64_t *cols,
                                       int64_t *nnz, void **row_offsets, void **columns,
                                       void **values, cusparseIndexType_t *offset_type,
                                       cusparseIndexType_t *index_type, cusparseIndexBase_t *base,
                                       cudaDataType *type) {
  NEED(descr && rows && cols && nnz && row_offsets && columns && values && offset_type);
  NEED(index_type && base && type && descr->format == CUSPARSE_FORMAT_CSR);
  *rows = descr->rows, *cols = descr->cols, *nnz = descr->nnz;
  *row_offsets = const_cast<void *>(descr->offsets.at);
  *columns = const_cast<void *>(descr->indices.at);
  *values = descr->values.at, *type = descr->values.type;
  *offset_type = descr->offsets.type, *index_type = descr->indices.type;
  *base = (cusparseIndexBase_t)descr->indices.base;
  return CUSPARSE_STATUS_SUCCESS;
}
EXPORT cusparseStatus_t cusparseSpMatGetSize(cusparseConstSpMatDescr_t descr, int64_t *rows,
                                             int64_t *cols, int64_t *nnz) {
  NEED(descr && rows && cols && nnz);
  *rows = descr->rows, *cols = descr->cols, *nnz = descr->nnz;
  return CUSPARSE_STATUS_SUCCESS;
}
EXPORT cusparseStatus_t cusparseSpMatGetFormat(cusparseConstSpMatDescr_t descr,
                                               cusparseFormat_t *format) {
  NEED(descr && format);
  *format = descr->format;
  return CUSPARSE_STATUS_SUCCESS;
}
EXPORT cusparseStatus_t cusparseSpMatGetIndexBase(cusparseConstSpMatDescr_t descr,
                                                  cusparseIndexBase_t *base) {
  NEED(descr && base);
  *base = (cusparseIndexBase_t)descr->indices.base;
  return CUSPARSE_STATUS_SUCCESS;
}
EXPORT cusparseStatus_t cusparseSpMatGetAttribute(cusparseConstSpMatDescr_t descr,
                                                  cusparseSpMatAttribute_t attribute, void *value,
                                                  size_t bytes) {
  NEED(descr && value && bytes == sizeof(int));
  int number = attribute == CUSPARSE_SPMAT_FILL_MODE ? (int)descr->fill : (int)descr->diagonal;
  memcpy(value, &number, bytes);
  return CUSPARSE_STATUS_SUCCESS;
}
EXPORT cusparseStatus_t cusparseSpMatSetAttribute(cusparseSpMatDescr_t descr,
                                                  cusparseSpMatAttribute_t attribute, void *value,
                                                  size_t bytes) {
  NEED(descr && value && bytes == sizeof(int));
  if (attribute == CUSPARSE_SPMAT_FILL_MODE)
    memcpy(&descr->fill, value, bytes);
  else
    memcpy(&descr->diagonal, value, bytes);
  return CUSPARSE_STATUS_SUCCESS;
}
EXPORT cusparseStatus_t cusparseCsrSetStridedBatch(cusparseSpMatDescr_t descr, int count,
                                                   int64_t offsets_stride, int64_t values_stride) {
  NEED(descr && count > 0);
  descr->count = count;
  descr->offsets_stride = offsets_stride, descr->values_stride = values_stride;
  return CUSPARSE_STATUS_SUCCESS;
}
EXPORT cusparseStatus_t cusparseCooSetStridedBatch(cusparseSpMatDescr_t descr, int count,
                                                   int64_t stride) {
  return cusparseCsrSetStridedBatch(descr, count, stride, stride);
}

EXPORT cusparseStatus_t cusparseCreateDnMat(cusparseDnMatDescr_t *descr, int64_t rows, int64_t cols,
                                            int64_t ld, void *values, cudaDataType type,
                                            cusparseOrder_t order) {
  NEED(descr && rows >= 0 && cols >= 0 && ld >= (order == CUSPARSE_ORDER_COL ? rows : cols));
  *descr = new cusparseDnMatDescr{rows, cols, ld, {values, type}, order, 1, 0};
  return CUSPARSE_STATUS_SUCCESS;
}
EXPORT cusparseStatus_t cusparseDnMatGet(cusparseDnMatDescr_t descr, int64_t *rows, int64_t *cols,
                                         int64_t *ld, void **values, cudaDataType *type,
                                         cusparseOrder_t *order) {
  NEED(descr && rows && cols && ld && values && type && order);
  *rows = descr->rows, *cols = descr->cols, *ld = descr->ld, *order = descr->order;
  *values = descr->values.at, *type = descr->values.type;
  return CUSPARSE_STATUS_SUCCESS;
}
EXPORT cusparseStatus_t cusparseDnMatSetStridedBatch(cusparseDnMatDescr_t descr, int count,
                                                     int64_t stride) {
  NEED(descr && count > 0);
  descr->count = count, descr->stride = stride;
  return CUSPARSE_STATUS_SUCCESS;
}

EXPORT cusparseStatus_t cusparseCreateConstDnVec(cusparseConstDnVecDescr_t *descr, int64_t size,
                                                 const void *values, cudaDataType type) {
  return cusparseCreateDnVec(const_cast<cusparseDnVecDescr_t *>(descr), size,
                             const_cast<void *>(values), type);
}
EXPORT cusparseStatus_t cusparseCreateConstDnMat(cusparseConstDnMatDescr_t *descr, int64_t rows,
                                                 int64_t cols, int64_t ld, const void *values,
                                                 cudaDataType type, cusparseOrder_t order) {
  return cusparseCreateDnMat(const_cast<cusparseDnMatDescr_t *>(descr), rows, cols, ld,
                             const_cast<void *>(values), type, order);
}
EXPORT cusparseStatus_t cusparseCreateConstCoo(cusparseConstSpMatDescr_t *descr, int64_t rows,
                                               int64_t cols, int64_t nnz, const void *rows_of,
                                               const void *columns, const void *values,
                                               cusparseIndexType_t index_type,
                                               cusparseIndexBase_t base, cudaDataType type) {
  return cusparseCreateCoo(const_cast<cusparseSpMatDescr_t *>(descr), rows, cols, nnz,
                           const_cast<void *>(rows_of), const_cast<void *>(columns),
                           const_cast<void *>(values), index_type, base, type);
}
