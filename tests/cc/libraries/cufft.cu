// SPDX-License-Identifier: MIT
// cuFFT against sums on the host: random shapes with 1, primes and products of small ones, in
// all types, directions, strides and places; a few elements of each result.
#include <cufftXt.h>
#include <math.h>

#include <vector>

#include "../check.h"

#define FFT(call)                                              \
  do {                                                         \
    cufftResult result_ = (call);                              \
    CHECK(result_ == CUFFT_SUCCESS, #call ": %d", (int)result_); \
  } while (0)

static unsigned state = 4711;
static int pick(int below) {
  state = state * 1664525u + 1013904223u;
  return (int)((state >> 8) % (unsigned)below);
}

struct Number {
  double x, y;
};

// Where element (i0, i1, i2) of transform b is.
struct Layout {
  long long embed1, embed2, stride, distance;
  long long at(int b, int i0, int i1, int i2) const {
    return b * distance + ((i0 * embed1 + i1) * embed2 + i2) * stride;
  }
};

struct Case {
  int n[3], batch;
  cufftType type;
  int direction;
  Layout in, out;
  bool is_in_place;
};

static bool is_double(cufftType type) {
  return type >= CUFFT_Z2Z;
}
static bool takes_real(cufftType type) {
  return type == CUFFT_R2C || type == CUFFT_D2Z;
}
static bool gives_real(cufftType type) {
  return type == CUFFT_C2R || type == CUFFT_Z2D;
}

// Element i of memory as reals of the type.
static double get(const void *memory, cufftType type, long long i) {
  return is_double(type) ? ((const double *)memory)[i] : ((const float *)memory)[i];
}
static void put(void *memory, cufftType type, long long i, double value) {
  if (is_double(type))
    ((double *)memory)[i] = value;
  else
    ((float *)memory)[i] = (float)value;
}

static Number input_of(const Case &c, const std::vector<double> &in, int b, int i0, int i1, int i2) {
  if (takes_real(c.type)) return Number{in[(size_t)c.in.at(b, i0, i1, i2)], 0};
  if (!gives_real(c.type) || i2 <= c.n[2] / 2) {
    size_t at = (size_t)c.in.at(b, i0, i1, i2) * 2;
    return Number{in[at], in[at + 1]};
  }
  size_t at = (size_t)c.in.at(b, (c.n[0] - i0) % c.n[0], (c.n[1] - i1) % c.n[1], c.n[2] - i2) * 2;
  return Number{in[at], -in[at + 1]};
}

static Number sum_of(const Case &c, const std::vector<double> &in, int b, int k0, int k1, int k2) {
  Number sum = {0, 0};
  for (int i0 = 0; i0 < c.n[0]; i0++)
    for (int i1 = 0; i1 < c.n[1]; i1++)
      for (int i2 = 0; i2 < c.n[2]; i2++) {
        double turn = (double)((long long)i0 * k0 % c.n[0]) / c.n[0] +
                      (double)((long long)i1 * k1 % c.n[1]) / c.n[1] +
                      (double)((long long)i2 * k2 % c.n[2]) / c.n[2];
        Number v = input_of(c, in, b, i0, i1, i2);
        double angle = c.direction * 2 * M_PI * turn, co = cos(angle), si = sin(angle);
        sum.x += v.x * co - v.y * si, sum.y += v.x * si + v.y * co;
      }
  return sum;
}

static cufftResult execute(cufftHandle plan, const Case &c, void *in, void *out) {
  switch (c.type) {
    case CUFFT_C2C: return cufftExecC2C(plan, (cufftComplex *)in, (cufftComplex *)out, c.direction);
    case CUFFT_R2C: return cufftExecR2C(plan, (cufftReal *)in, (cufftComplex *)out);
    case CUFFT_C2R: return cufftExecC2R(plan, (cufftComplex *)in, (cufftReal *)out);
    case CUFFT_Z2Z:
      return cufftExecZ2Z(plan, (cufftDoubleComplex *)in, (cufftDoubleComplex *)out, c.direction);
    case CUFFT_D2Z: return cufftExecD2Z(plan, (cufftDoubleReal *)in, (cufftDoubleComplex *)out);
    default: return cufftExecZ2D(plan, (cufftDoubleComplex *)in, (cufftDoubleReal *)out);
  }
}

// Reals in the memory of a layout.
static size_t reals_of(const Case &c, const Layout &layout, bool is_real) {
  long long last = layout.at(c.batch - 1, c.n[0] - 1, c.n[1] - 1, c.n[2] - 1) + 1;
  return (size_t)last * (is_real ? 1 : 2) + 2;
}

static void check(const Case &c, cufftHandle plan) {
  size_t count = reals_of(c, c.in, takes_real(c.type)), results = reals_of(c, c.out, gives_real(c.type));
  size_t bytes = is_double(c.type) ? 8 : 4;
  std::vector<double> before(count);
  char *in, *out;
  CUDA(cudaMallocManaged(&in, (count + (c.is_in_place ? results : 0)) * bytes));
  CUDA(cudaMallocManaged(&out, results * bytes));
  for (size_t i = 0; i < count; i++) {
    before[i] = (pick(2001) - 1000) / 1024.0;
    put(in, c.type, (long long)i, before[i]);
  }
  void *to = c.is_in_place ? in : out;
  FFT(execute(plan, c, in, to));
  CUDA(cudaDeviceSynchronize());
  double size = sqrt((double)c.n[0] * c.n[1] * c.n[2]) + 1, bound = is_double(c.type) ? 1e-14 : 4e-6;
  for (int i = 0; i < 6; i++) {
    int k0 = pick(c.n[0]), k1 = pick(c.n[1]), b = pick(c.batch);
    int k2 = pick(takes_real(c.type) ? c.n[2] / 2 + 1 : c.n[2]);
    Number wanted = sum_of(c, before, b, k0, k1, k2);
    long long at = c.out.at(b, k0, k1, k2);
    Number got = {get(to, c.type, gives_real(c.type) ? at : 2 * at), wanted.y};
    if (!gives_real(c.type)) got.y = get(to, c.type, 2 * at + 1);
    double error = hypot(got.x - wanted.x, got.y - wanted.y);
    CHECK(error <= bound * size, "%d x %d x %d, type %x, direction %d, in place %d: error %g of %g",
          c.n[0], c.n[1], c.n[2], (unsigned)c.type, c.direction, c.is_in_place, error, size);
  }
  cudaFree(in), cudaFree(out);
}

static const cufftType types[] = {CUFFT_C2C, CUFFT_R2C, CUFFT_C2R, CUFFT_Z2Z, CUFFT_D2Z, CUFFT_Z2D};

static Layout packed(const Case &c, bool is_real, bool is_half) {
  long long last = is_half ? c.n[2] / 2 + 1 : is_real && c.is_in_place ? 2 * (c.n[2] / 2 + 1) : c.n[2];
  return Layout{c.n[1], last, 1, c.n[0] * c.n[1] * last};
}

// rank dimensions; the others are 1.
static void check_plain(int rank, int n0, int n1, int n2, int batch, cufftType type, bool is_in_place) {
  Case c = {{n0, n1, n2}, batch, type, takes_real(type) ? -1 : 1, {}, {}, is_in_place};
  if (!takes_real(type) && !gives_real(type) && pick(2)) c.direction = -1;
  c.in = packed(c, takes_real(type), gives_real(type));
  c.out = packed(c, gives_real(type), takes_real(type));
  cufftHandle plan;
  if (rank == 1) FFT(cufftPlan1d(&plan, n2, type, batch));
  if (rank == 2) FFT(cufftPlan2d(&plan, n1, n2, type));
  if (rank == 3) FFT(cufftPlan3d(&plan, n0, n1, n2, type));
  check(c, plan);
  FFT(cufftDestroy(plan));
}

// Embedded in larger arrays, with strides, in a work area of the program.
static void check_many(int rank, cufftType type) {
  Case c = {{1, 1, 1}, 1 + pick(3), type, takes_real(type) ? -1 : 1, {}, {}, false};
  int n[3], in[3], out[3];
  for (int i = 0; i < rank; i++) {
    n[i] = c.n[3 - rank + i] = 1 + pick(13);
    in[i] = n[i] + pick(3), out[i] = n[i] + pick(3);
  }
  int is = 1 + pick(3), os = 1 + pick(2);
  long long volume_in = is, volume_out = os;
  for (int i = 0; i < rank; i++) volume_in *= in[i], volume_out *= out[i];
  c.in = Layout{rank > 1 ? in[rank - 2] : 1, in[rank - 1], is, volume_in + 1};
  c.out = Layout{rank > 1 ? out[rank - 2] : 1, out[rank - 1], os, volume_out + 2};
  cufftHandle plan;
  size_t bytes = 0, again = 1;
  void *area;
  FFT(cufftCreate(&plan));
  FFT(cufftSetAutoAllocation(plan, 0));
  FFT(cufftMakePlanMany(plan, rank, n, in, is, (int)c.in.distance, out, os, (int)c.out.distance, type,
                        c.batch, &bytes));
  FFT(cufftGetSize(plan, &again));
  CHECK(bytes > 0 && bytes == again, "%zu and %zu bytes", bytes, again);
  CUDA(cudaMalloc(&area, bytes));
  FFT(cufftSetWorkArea(plan, area));
  check(c, plan);
  FFT(cufftDestroy(plan));
  cudaFree(area);
}

static void check_mistakes() {
  cufftHandle plan;
  int gpus[] = {0, 1};
  long long n = 8;
  float2 *x;
  CHECK(cufftPlan1d(&plan, 0, CUFFT_C2C, 1) == CUFFT_INVALID_SIZE, "length 0");
  CHECK(cufftPlan1d(&plan, 8, (cufftType)7, 1) == CUFFT_INVALID_TYPE, "type");
  CHECK(cufftExecC2C(99, 0, 0, 1) == CUFFT_INVALID_PLAN, "no plan");
  FFT(cufftPlan1d(&plan, 8, CUFFT_C2C, 1));
  CUDA(cudaMalloc(&x, 64));
  CHECK(cufftExecC2C(plan, x, x, 5) == CUFFT_INVALID_VALUE, "direction");
  CHECK(cufftExecR2C(plan, (float *)x, x) == CUFFT_INVALID_PLAN, "another type");
  CHECK(cufftXtSetGPUs(plan, 2, gpus) == CUFFT_INVALID_DEVICE, "two GPUs");
  CHECK(cufftXtSetCallback(plan, 0, CUFFT_CB_LD_REAL, 0) == CUFFT_NOT_SUPPORTED, "callback");
  FFT(cufftDestroy(plan));
  CHECK(cufftDestroy(plan) == CUFFT_INVALID_PLAN, "destroyed twice");
  FFT(cufftCreate(&plan));
  CHECK(cufftXtMakePlanMany(plan, 1, &n, 0, 1, 1, CUDA_C_16F, 0, 1, 1, CUDA_C_16F, 1, 0, CUDA_C_16F) ==
            CUFFT_NOT_SUPPORTED, "halves");
  FFT(cufftXtMakePlanMany(plan, 1, &n, 0, 1, 1, CUDA_C_32F, 0, 1, 1, CUDA_C_32F, 1, 0, CUDA_C_32F));
  FFT(cufftXtExec(plan, x, x, CUFFT_FORWARD));
  FFT(cufftDestroy(plan));
  cudaFree(x);
}

int main() {
  static const int lengths[] = {1, 2, 3, 4, 5, 6, 7, 8, 11, 13, 16, 17, 30, 31, 49, 60, 64, 97, 105, 128};
  for (int length : lengths) check_plain(1, 1, 1, length, 1 + pick(4), types[pick(6)], pick(2));
  for (cufftType type : types) {
    check_plain(1, 1, 1, 1 + pick(70), 3, type, false);
    check_plain(2, 1, 1 + pick(17), 1 + pick(17), 1, type, pick(2));
    check_plain(3, 1 + pick(9), 1 + pick(9), 1 + pick(9), 1, type, pick(2));
    check_many(1 + pick(3), type);
  }
  check_plain(1, 1, 1, 4096, 1, CUFFT_C2C, true);        // passes over global memory
  check_plain(2, 1, 3200, 2, 1, CUFFT_Z2Z, true);        // the same with a stride
  check_plain(1, 1, 1, 2003, 1, CUFFT_R2C, false);       // a convolution of 4096
  check_mistakes();
  return check_end();
}
