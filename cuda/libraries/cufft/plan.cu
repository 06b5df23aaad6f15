// SPDX-License-Identifier: MIT
// Makes plans: checks shapes, finds layouts, and computes how large a work area is.
#include "plan.h"

static bool is_type(cufftType type) {
  switch (type) {
    case CUFFT_C2C:
    case CUFFT_R2C:
    case CUFFT_C2R:
    case CUFFT_Z2Z:
    case CUFFT_D2Z:
    case CUFFT_Z2D: return true;
  }
  return false;
}

static Kind in_kind(cufftType type) {
  return type == CUFFT_R2C || type == CUFFT_D2Z ? REAL
         : type == CUFFT_C2R || type == CUFFT_Z2D ? HALF : COMPLEX;
}
static Kind out_kind(cufftType type) {
  return type == CUFFT_R2C || type == CUFFT_D2Z ? HALF
         : type == CUFFT_C2R || type == CUFFT_Z2D ? REAL : COMPLEX;
}

static Layout layout_of(const Plan &plan, Kind kind, const long long *embed, long long stride,
                        long long distance) {
  Layout layout = {kind, {plan.n[0], plan.n[1], plan.n[2]}, 1, 0};
  if (kind == HALF) layout.embed[2] = plan.n[2] / 2 + 1;
  for (int i = 0; embed && i < plan.rank; i++) layout.embed[MAX_RANK - plan.rank + i] = embed[i];
  layout.stride = embed ? stride : 1;
  layout.distance = embed ? distance : layout.embed[0] * layout.embed[1] * layout.embed[2];
  return layout;
}

cufftResult plan_describe(Plan *plan, const Shape &shape) {
  if (!is_type(shape.type)) return CUFFT_INVALID_TYPE;
  if (shape.rank < 1 || shape.rank > MAX_RANK || !shape.n) return CUFFT_INVALID_SIZE;
  if (shape.batch < 1) return CUFFT_INVALID_SIZE;
  const long long most = 1ll << 40;
  long long volume = shape.batch;
  for (int i = 0; i < shape.rank; i++) {
    if (shape.n[i] < 1 || shape.n[i] > most / volume) return CUFFT_INVALID_SIZE;
    volume *= shape.n[i];
    plan->n[MAX_RANK - shape.rank + i] = shape.n[i];
  }
  // cuFFT ignores both layouts if one is missing.
  plan->has_default_layout = !shape.inembed || !shape.onembed;
  const long long *in = plan->has_default_layout ? nullptr : shape.inembed;
  const long long *out = plan->has_default_layout ? nullptr : shape.onembed;
  for (int i = 0; in && i < shape.rank; i++)
    if (in[i] < 0 || out[i] < 0) return CUFFT_INVALID_VALUE;
  if (in && (shape.istride < 1 || shape.ostride < 1)) return CUFFT_INVALID_VALUE;
  plan->rank = shape.rank, plan->batch = shape.batch, plan->type = shape.type;
  plan->is_double = shape.type >= CUFFT_Z2Z;
  plan->in = layout_of(*plan, in_kind(shape.type), in, shape.istride, shape.idist);
  plan->out = layout_of(*plan, out_kind(shape.type), out, shape.ostride, shape.odist);
  return CUFFT_SUCCESS;
}

cufftResult plan_make(Plan *plan, const Shape &shape) {
  if (plan->is_made) return CUFFT_INVALID_PLAN;
  cufftResult result = plan_describe(plan, shape);
  if (result != CUFFT_SUCCESS) return result;
  for (int i = 0; i < MAX_RANK; i++)
    if (plan->n[i] > 1 && !length_make(&plan->lengths[i], plan->n[i], plan->is_double))
      return CUFFT_ALLOC_FAILED;
  extern size_t area_bytes_of(const Plan &plan);
  plan->area_bytes = area_bytes_of(*plan);
  if (plan->is_automatic && plan->area_bytes) {
    if (cudaMalloc(&plan->own_area, plan->area_bytes) != cudaSuccess) return CUFFT_ALLOC_FAILED;
    plan->area = plan->own_area;
  }
  plan->is_made = true;
  return CUFFT_SUCCESS;
}
