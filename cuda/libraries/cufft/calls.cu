// SPDX-License-Identifier: MIT
// cuFFT's calls.
#include <cufftXt.h>
#include <stdio.h>

#include <mutex>

#include "plan.h"

#define NEED(condition) \
  if (!(condition)) return CUFFT_INVALID_VALUE

// ---- handles: places in a list, from 1

static std::mutex lock;
static std::vector<std::unique_ptr<Plan>> plans;

static Plan *plan_of(cufftHandle handle) {
  std::lock_guard<std::mutex> guard(lock);
  bool is_known = handle > 0 && (size_t)handle <= plans.size();
  return is_known ? plans[(size_t)handle - 1].get() : nullptr;
}

EXPORT cufftResult cufftCreate(cufftHandle *handle) {
  NEED(handle);
  std::lock_guard<std::mutex> guard(lock);
  size_t place = 0;
  while (place < plans.size() && plans[place]) place++;
  if (place == plans.size()) plans.emplace_back();
  plans[place].reset(new Plan());
  *handle = (cufftHandle)place + 1;
  return CUFFT_SUCCESS;
}

EXPORT cufftResult cufftDestroy(cufftHandle handle) {
  if (!plan_of(handle)) return CUFFT_INVALID_PLAN;
  std::lock_guard<std::mutex> guard(lock);
  plans[(size_t)handle - 1].reset();
  return CUFFT_SUCCESS;
}

EXPORT cufftResult cufftGetVersion(int *version) {
  NEED(version);
  *version = CUFFT_VERSION;
  return CUFFT_SUCCESS;
}
EXPORT cufftResult cufftGetProperty(libraryPropertyType type, int *value) {
  static const int values[] = {CUFFT_VER_MAJOR, CUFFT_VER_MINOR, CUFFT_VER_PATCH};
  NEED(value && type <= PATCH_LEVEL);
  *value = values[type];
  return CUFFT_SUCCESS;
}

// ---- shapes

struct Dimensions {
  long long n[MAX_RANK], in[MAX_RANK], out[MAX_RANK];
  Shape shape;
};

static cufftResult widen(Dimensions *to, int rank, const int *n, const int *inembed, int istride,
                         int idist, const int *onembed, int ostride, int odist, cufftType type,
                         int batch) {
  if (rank < 1 || rank > MAX_RANK || !n) return CUFFT_INVALID_SIZE;
  for (int i = 0; i < rank; i++) {
    to->n[i] = n[i];
    to->in[i] = inembed ? inembed[i] : 0, to->out[i] = onembed ? onembed[i] : 0;
  }
  to->shape = Shape{rank,    to->n, inembed ? to->in : nullptr, onembed ? to->out : nullptr,
                    istride, idist, ostride, odist, batch, type};
  return CUFFT_SUCCESS;
}

static cufftResult make(cufftHandle handle, const Shape &shape, size_t *bytes) {
  Plan *plan = plan_of(handle);
  if (!plan) return CUFFT_INVALID_PLAN;
  cufftResult result = plan_make(plan, shape);
  if (result == CUFFT_SUCCESS && bytes) *bytes = plan->area_bytes;
  return result;
}

static cufftResult create(cufftHandle *handle, const Shape &shape) {
  cufftResult result = cufftCreate(handle);
  if (result != CUFFT_SUCCESS) return result;
  result = make(*handle, shape, nullptr);
  if (result != CUFFT_SUCCESS) cufftDestroy(*handle);
  return result;
}

// Makes a plan and forgets it: its tables tell the size.
static cufftResult estimate(const Shape &shape, size_t *bytes) {
  NEED(bytes);
  Plan plan;
  plan.is_automatic = false;
  cufftResult result = plan_make(&plan, shape);
  if (result == CUFFT_SUCCESS) *bytes = plan.area_bytes;
  return result;
}

static Shape plain(int rank, const long long *n, cufftType type, int batch) {
  return Shape{rank, n, nullptr, nullptr, 1, 0, 1, 0, batch, type};
}

#define PLAIN_CALLS(suffix, rank, parameters, lengths, batch_parameter, batch)                  \
  EXPORT cufftResult cufftPlan##suffix(cufftHandle *handle, parameters cufftType type           \
                                       batch_parameter) {                                       \
    const long long n[] = {lengths};                                                            \
    return create(handle, plain(rank, n, type, batch));                                         \
  }                                                                                             \
  EXPORT cufftResult cufftMakePlan##suffix(cufftHandle handle, parameters cufftType type        \
                                           batch_parameter, size_t *bytes) {                    \
    const long long n[] = {lengths};                                                            \
    return make(handle, plain(rank, n, type, batch), bytes);                                    \
  }                                                                                             \
  EXPORT cufftResult cufftEstimate##suffix(parameters cufftType type batch_parameter,           \
                                           size_t *bytes) {                                     \
    const long long n[] = {lengths};                                                            \
    return estimate(plain(rank, n, type, batch), bytes);                                        \
  }                                                                                             \
  EXPORT cufftResult cufftGetSize##suffix(cufftHandle handle, parameters cufftType type         \
                                          batch_parameter, size_t *bytes) {                     \
    const long long n[] = {lengths};                                                            \
    if (!plan_of(handle)) return CUFFT_INVALID_PLAN;                                            \
    return estimate(plain(rank, n, type, batch), bytes);                                        \
  }
#define COMMA ,
PLAIN_CALLS(1d, 1, int nx COMMA, nx, COMMA int count, count)
PLAIN_CALLS(2d, 2, int nx COMMA int ny COMMA, nx COMMA ny, , 1)
PLAIN_CALLS(3d, 3, int nx COMMA int ny COMMA int nz COMMA, nx COMMA ny COMMA nz, , 1)

#define MANY(Int)                                                                         \
  int rank, Int *n, Int *inembed, Int istride, Int idist, Int *onembed, Int ostride, Int odist, \
      cufftType type, Int batch
#define WIDEN                                                                                     \
  Dimensions to;                                                                                  \
  cufftResult result =                                                                            \
      widen(&to, rank, n, inembed, istride, idist, onembed, ostride, odist, type, batch);         \
  if (result != CUFFT_SUCCESS) return result
EXPORT cufftResult cufftPlanMany(cufftHandle *handle, MANY(int)) {
  WIDEN;
  return create(handle, to.shape);
}
EXPORT cufftResult cufftMakePlanMany(cufftHandle handle, MANY(int), size_t *bytes) {
  WIDEN;
  return make(handle, to.shape, bytes);
}
EXPORT cufftResult cufftEstimateMany(MANY(int), size_t *bytes) {
  WIDEN;
  return estimate(to.shape, bytes);
}
EXPORT cufftResult cufftGetSizeMany(cufftHandle handle, MANY(int), size_t *bytes) {
  WIDEN;
  return plan_of(handle) ? estimate(to.shape, bytes) : CUFFT_INVALID_PLAN;
}
#define SHAPE Shape{rank, n, inembed, onembed, istride, idist, ostride, odist, batch, type}
EXPORT cufftResult cufftMakePlanMany64(cufftHandle handle, MANY(long long), size_t *bytes) {
  return make(handle, SHAPE, bytes);
}
EXPORT cufftResult cufftGetSizeMany64(cufftHandle handle, MANY(long long), size_t *bytes) {
  return plan_of(handle) ? estimate(SHAPE, bytes) : CUFFT_INVALID_PLAN;
}

// ---- settings

#define SETTER(name, Type, statement)                    \
  EXPORT cufftResult name(cufftHandle handle, Type value) { \
    Plan *plan = plan_of(handle);                        \
    if (!plan) return CUFFT_INVALID_PLAN;                \
    statement;                                           \
    return CUFFT_SUCCESS;                                \
  }
SETTER(cufftSetStream, cudaStream_t, plan->stream = value)
SETTER(cufftSetWorkArea, void *, plan->area = value)
SETTER(cufftSetAutoAllocation, int, plan->is_automatic = value != 0)
SETTER(cufftGetSize, size_t *, NEED(value); *value = plan->area_bytes)

// ---- transforms

static cufftResult execute(cufftHandle handle, cufftType type, const void *in, void *out,
                           int direction) {
  Plan *plan = plan_of(handle);
  if (!plan || !plan->is_made || plan->type != type) return CUFFT_INVALID_PLAN;
  NEED(in && out && (direction == CUFFT_FORWARD || direction == CUFFT_INVERSE));
  return plan_execute(*plan, in, out, direction);
}

EXPORT cufftResult cufftExecC2C(cufftHandle plan, cufftComplex *in, cufftComplex *out,
                                int direction) {
  return execute(plan, CUFFT_C2C, in, out, direction);
}
EXPORT cufftResult cufftExecR2C(cufftHandle plan, cufftReal *in, cufftComplex *out) {
  return execute(plan, CUFFT_R2C, in, out, CUFFT_FORWARD);
}
EXPORT cufftResult cufftExecC2R(cufftHandle plan, cufftComplex *in, cufftReal *out) {
  return execute(plan, CUFFT_C2R, in, out, CUFFT_INVERSE);
}
EXPORT cufftResult cufftExecZ2Z(cufftHandle plan, cufftDoubleComplex *in, cufftDoubleComplex *out,
                                int direction) {
  return execute(plan, CUFFT_Z2Z, in, out, direction);
}
EXPORT cufftResult cufftExecD2Z(cufftHandle plan, cufftDoubleReal *in, cufftDoubleComplex *out) {
  return execute(plan, CUFFT_D2Z, in, out, CUFFT_FORWARD);
}
EXPORT cufftResult cufftExecZ2D(cufftHandle plan, cufftDoubleComplex *in, cufftDoubleReal *out) {
  return execute(plan, CUFFT_Z2D, in, out, CUFFT_INVERSE);
}

// ---- the extended interface

static cufftResult not_supported(const char *what) {
  fprintf(stderr, "heddle: cuFFT: %s is not supported\n", what);
  return CUFFT_NOT_SUPPORTED;
}

static bool find_type(cudaDataType in, cudaDataType out, cudaDataType execution, cufftType *type) {
  static const struct {
    cudaDataType in, out, execution;
    cufftType type;
  } rows[] = {
      {CUDA_C_32F, CUDA_C_32F, CUDA_C_32F, CUFFT_C2C}, {CUDA_R_32F, CUDA_C_32F, CUDA_C_32F, CUFFT_R2C},
      {CUDA_C_32F, CUDA_R_32F, CUDA_C_32F, CUFFT_C2R}, {CUDA_C_64F, CUDA_C_64F, CUDA_C_64F, CUFFT_Z2Z},
      {CUDA_R_64F, CUDA_C_64F, CUDA_C_64F, CUFFT_D2Z}, {CUDA_C_64F, CUDA_R_64F, CUDA_C_64F, CUFFT_Z2D}};
  for (auto &row : rows)
    if (row.in == in && row.out == out && row.execution == execution) return *type = row.type, true;
  return false;
}

#define XT_MANY                                                                              \
  cufftHandle handle, int rank, long long *n, long long *inembed, long long istride,         \
      long long idist, cudaDataType input, long long *onembed, long long ostride,            \
      long long odist, cudaDataType output, long long batch, size_t *bytes, cudaDataType execution
EXPORT cufftResult cufftXtMakePlanMany(XT_MANY) {
  cufftType type;
  if (!find_type(input, output, execution, &type)) return not_supported("a plan of these types");
  return make(handle, SHAPE, bytes);
}
EXPORT cufftResult cufftXtGetSizeMany(XT_MANY) {
  cufftType type;
  if (!find_type(input, output, execution, &type)) return not_supported("a plan of these types");
  return plan_of(handle) ? estimate(SHAPE, bytes) : CUFFT_INVALID_PLAN;
}

// Transforms of real numbers have one direction.
EXPORT cufftResult cufftXtExec(cufftHandle handle, void *in, void *out, int direction) {
  Plan *plan = plan_of(handle);
  if (!plan) return CUFFT_INVALID_PLAN;
  bool is_forward = plan->type == CUFFT_R2C || plan->type == CUFFT_D2Z;
  bool is_inverse = plan->type == CUFFT_C2R || plan->type == CUFFT_Z2D;
  if (is_forward || is_inverse) direction = is_forward ? CUFFT_FORWARD : CUFFT_INVERSE;
  return execute(handle, plan->type, in, out, direction);
}

EXPORT cufftResult cufftXtSetGPUs(cufftHandle handle, int count, int *gpus) {
  if (!plan_of(handle)) return CUFFT_INVALID_PLAN;
  if (count == 1 && gpus && *gpus == 0) return CUFFT_SUCCESS;
  not_supported("more than one GPU");
  return CUFFT_INVALID_DEVICE;
}
