// SPDX-License-Identifier: MIT
// Rounded arithmetic, conversions, bits and packed bytes against the host, over
// pairs of awkward values.
#include <fenv.h>
#include <math.h>
#include <string.h>

#include "check.h"

enum { COUNT = 16, RESULTS = 64 };

struct Results {
  float f[16];
  double d[16];
  long long i[24];
  unsigned int u[24];
};

__global__ void compute(const float *fs, const double *ds, const int *is, Results *results) {
  int n = blockIdx.x * COUNT + threadIdx.x;
  float a = fs[blockIdx.x], b = fs[threadIdx.x];
  double c = ds[blockIdx.x], d = ds[threadIdx.x];
  int x = is[blockIdx.x], y = is[threadIdx.x];
  Results r = {};
  r.f[0] = __fadd_rn(a, b), r.f[1] = __fadd_rd(a, b), r.f[2] = __fadd_ru(a, b);
  r.f[3] = __fadd_rz(a, b), r.f[4] = __fmul_rd(a, b), r.f[5] = __fdiv_ru(a, b);
  r.f[6] = __fmaf_rz(a, b, 1.0f), r.f[7] = __fsqrt_rd(fabsf(a)), r.f[8] = __frcp_ru(b);
  r.f[9] = __double2float_rd(c), r.f[10] = __int2float_ru(x), r.f[11] = __saturatef(a);
  r.f[12] = __fsub_rn(a, b), r.f[13] = __int_as_float(x), r.f[14] = fmaxf(a, b);
  r.d[0] = __dadd_rd(c, d), r.d[1] = __dmul_ru(c, d), r.d[2] = __ddiv_rz(c, d);
  r.d[3] = __fma_rn(c, d, 1.0), r.d[4] = __dsqrt_ru(fabs(c)), r.d[5] = __dadd_rn(c, d);
  r.d[6] = __ll2double_rd((long long)x * y * 4000000007ll), r.d[7] = fmin(c, d);
  r.d[8] = __hiloint2double(x & 0x7fefffff, y), r.d[9] = copysign(c, d);
  r.i[0] = __float2int_rn(a), r.i[1] = __float2int_rd(a), r.i[2] = __float2int_ru(a);
  r.i[3] = __float2int_rz(a), r.i[4] = __double2ll_rn(c), r.i[5] = __double2int_rd(c);
  r.i[6] = lrint(c), r.i[7] = llround(c), r.i[8] = __mulhi(x, y), r.i[9] = __mul24(x, y);
  r.i[10] = __mul64hi((long long)x << 20, (long long)y << 20), r.i[11] = __sad(x, y, 5);
  r.i[12] = __hadd(x, y), r.i[13] = __rhadd(x, y), r.i[14] = min(x, y), r.i[15] = abs(x);
  r.i[16] = isnan(a) + 2 * isinf(a) + 4 * !!signbit(a), r.i[17] = __double2hiint(c);
  // Masks of signs, which clang 14 takes for fields of bits.
  r.i[18] = ((long long)x * y < 0 ? 7 : 0), r.i[19] = (long long)x * y >> 40 & 0xffffffff;
  r.u[0] = __clz(x), r.u[1] = __popc(x), r.u[2] = __ffs(x), r.u[3] = __brev(x);
  r.u[4] = __clzll((long long)x * y), r.u[5] = __popcll((long long)x * y), r.u[6] = __umulhi(x, y);
  r.u[7] = __byte_perm(x, y, 0x5140), r.u[8] = __funnelshift_l(x, y, 7), r.u[9] = __vadd4(x, y);
  r.u[10] = __vsubus4(x, y), r.u[11] = __vmaxs2(x, y), r.u[12] = __vcmpgtu4(x, y);
  r.u[13] = __vsadu4(x, y), r.u[14] = __vavgu4(x, y), r.u[15] = __float_as_uint(a);
  r.u[16] = (unsigned int)__dp4a(x, y, 9), r.u[17] = max((unsigned int)x, (unsigned int)y);
  r.u[18] = __fns(x, 0, 1), r.u[19] = __fns(x, 31, -1), r.u[20] = __fns(x, 0, 33);
  __barrier_sync(0);
  __barrier_sync_count(1, 32);
  results[n] = r;
}

static bool same(double a, double b) {
  return a == b || (isnan(a) && isnan(b));
}

// The host's arithmetic in a rounding mode; volatile keeps it from being folded.
template <class T>
static T rounded(int mode, char operation, T a, T b) {
  volatile T x = a, y = b, result = 0;
  fesetround(mode);
  if (operation == '+') result = x + y;
  if (operation == '*') result = x * y;
  if (operation == '/') result = x / y;
  if (operation == 'r') result = (T)sqrt((double)x);
  fesetround(FE_TONEAREST);
  return result;
}

static unsigned int bytes(unsigned int x, unsigned int y, int (*of)(int, int)) {
  unsigned int result = 0;
  for (int i = 0; i < 32; i += 8)
    result |= (unsigned int)(of(x >> i & 255, y >> i & 255) & 255) << i;
  return result;
}

static void check_floats(const Results &r, float a, float b, double c, double d) {
  CHECK(same(r.f[0], a + b) && same(r.f[12], a - b), "%g %g", r.f[0], r.f[12]);
  CHECK(same(r.f[1], rounded(FE_DOWNWARD, '+', a, b)), "%g + %g down %g", a, b, r.f[1]);
  CHECK(same(r.f[2], rounded(FE_UPWARD, '+', a, b)), "%g + %g up %g", a, b, r.f[2]);
  CHECK(same(r.f[3], rounded(FE_TOWARDZERO, '+', a, b)), "%g + %g to 0 %g", a, b, r.f[3]);
  CHECK(same(r.f[4], rounded(FE_DOWNWARD, '*', a, b)), "%g * %g down %g", a, b, r.f[4]);
  CHECK(same(r.f[5], rounded(FE_UPWARD, '/', a, b)), "%g / %g up %g", a, b, r.f[5]);
  CHECK(same(r.f[8], rounded(FE_UPWARD, '/', 1.0f, b)), "1 / %g up %g", b, r.f[8]);
  CHECK(same(r.f[9], (isnan(c) || isinf(c))
                         ? c
                         : ((double)(float)c > c ? nextafterf((float)c, -INFINITY) : (float)c)),
        "%.17g to float down %.9g", c, r.f[9]);
  CHECK(same(r.f[11], isnan(a) ? 0 : a < 0 ? 0 : a > 1 ? 1 : a), "saturate %g %g", a, r.f[11]);
  CHECK(same(r.f[14], fmaxf(a, b)), "max %g %g %g", a, b, r.f[14]);
  CHECK(same(r.d[0], rounded(FE_DOWNWARD, '+', c, d)), "%g + %g down %g", c, d, r.d[0]);
  CHECK(same(r.d[1], rounded(FE_UPWARD, '*', c, d)), "%g * %g up %g", c, d, r.d[1]);
  CHECK(same(r.d[2], rounded(FE_TOWARDZERO, '/', c, d)), "%g / %g to 0 %g", c, d, r.d[2]);
  CHECK(same(r.d[3], fma(c, d, 1.0)) && same(r.d[5], c + d), "%g %g", r.d[3], r.d[5]);
  CHECK(same(r.d[4], rounded(FE_UPWARD, 'r', fabs(c), 0.0)), "sqrt %g up %g", c, r.d[4]);
  CHECK(same(r.d[7], fmin(c, d)) && same(r.d[9], copysign(c, d)), "%g %g", r.d[7], r.d[9]);
}

static void check_integers(const Results &r, float a, double c, int x, int y) {
  if (fabsf(a) < 1e9f) {
    CHECK(r.i[0] == (int)rintf(a) && r.i[1] == (int)floorf(a), "%g: %lld %lld", a, r.i[0], r.i[1]);
    CHECK(r.i[2] == (int)ceilf(a) && r.i[3] == (int)a, "%g: %lld %lld", a, r.i[2], r.i[3]);
  }
  if (fabs(c) < 1e9) {
    CHECK(r.i[4] == llrint(c) && r.i[5] == (int)floor(c), "%g: %lld %lld", c, r.i[4], r.i[5]);
    CHECK(r.i[6] == lrint(c) && r.i[7] == llround(c), "%g: %lld %lld", c, r.i[6], r.i[7]);
  }
  CHECK(r.i[8] == (int)((long long)x * y >> 32), "mulhi %lld", r.i[8]);
  CHECK(r.i[9] == (int)((unsigned int)(x << 8 >> 8) * (unsigned int)(y << 8 >> 8)), "mul24 %lld",
        r.i[9]);
  CHECK(r.i[10] == (long long)(((__int128)x << 20) * ((__int128)y << 20) >> 64), "mul64hi");
  CHECK((unsigned int)r.i[11] == (unsigned int)llabs((long long)x - y) + 5, "sad %lld", r.i[11]);
  CHECK(r.i[12] == ((long long)x + y) >> 1 && r.i[13] == ((long long)x + y + 1) >> 1, "hadd");
  CHECK(r.i[14] == (x < y ? x : y) && (unsigned int)r.i[15] == (x < 0 ? 0u - x : (unsigned int)x),
        "min");
  CHECK(r.i[16] == (isnan(a) != 0) + 2 * (isinf(a) != 0) + 4 * !!signbit(a), "class %g", a);
  unsigned int ux = (unsigned int)x, uy = (unsigned int)y;
  long long product = (long long)x * y;
  CHECK(r.i[18] == (product < 0 ? 7 : 0), "sign %lld", r.i[18]);
  CHECK(r.i[19] == (product >> 40 & 0xffffffff), "field %llx", r.i[19]);
  CHECK(r.u[0] == (unsigned int)(x ? __builtin_clz(ux) : 32), "clz %u", r.u[0]);
  CHECK(r.u[1] == (unsigned int)__builtin_popcount(ux), "popc %u", r.u[1]);
  CHECK(r.u[2] == (unsigned int)__builtin_ffs(x), "ffs %u", r.u[2]);
  CHECK(r.u[3] == __builtin_bitreverse32(ux), "brev %x", r.u[3]);
  CHECK(r.u[4] == (unsigned int)(product ? __builtin_clzll((unsigned long long)product) : 64),
        "clzll");
  CHECK(r.u[5] == (unsigned int)__builtin_popcountll((unsigned long long)product), "popcll");
  CHECK(r.u[6] == (unsigned int)((unsigned long long)ux * uy >> 32), "umulhi");
  CHECK(r.u[7] == ((ux & 255) | (uy & 255) << 8 | (ux >> 8 & 255) << 16 | (uy >> 8 & 255) << 24),
        "byte_perm %x", r.u[7]);
  CHECK(r.u[8] == (uy << 7 | ux >> 25), "funnel %x", r.u[8]);
  CHECK(r.u[9] == bytes(ux, uy, [](int p, int q) { return p + q; }), "vadd4 %x", r.u[9]);
  CHECK(r.u[10] == bytes(ux, uy, [](int p, int q) { return p > q ? p - q : 0; }), "vsubus4");
  CHECK(r.u[12] == bytes(ux, uy, [](int p, int q) { return p > q ? 255 : 0; }), "vcmpgtu4");
  CHECK(r.u[14] == bytes(ux, uy, [](int p, int q) { return (p + q + 1) / 2; }), "vavgu4");
  CHECK(r.u[18] == (unsigned int)__builtin_ffs(x) - 1, "fns %u", r.u[18]);
  CHECK(r.u[19] == (x ? 31u - __builtin_clz(ux) : ~0u) && r.u[20] == ~0u, "fns %u", r.u[19]);
  unsigned int sum = 0, dot = 9;
  for (int i = 0; i < 32; i += 8) {
    sum += (unsigned int)abs((int)(ux >> i & 255) - (int)(uy >> i & 255));
    dot += (unsigned int)((signed char)(ux >> i) * (signed char)(uy >> i));
  }
  CHECK(r.u[13] == sum && r.u[16] == dot, "%u %u", r.u[13], r.u[16]);
}

int main() {
  float fs[COUNT] = {0.0f,  -0.0f, 1.0f,      -1.5f,    2.5f,     0.1f,     -0.3f,  1e-30f,
                     1e10f, 3.7f,  -1234.56f, INFINITY, 1 / 3.0f, 16777216, 0.499f, 1e20f};
  double ds[COUNT];
  int is[COUNT] = {0,  1,     -1,     2,          255,        256,         -257,       65535,
                   97, 65537, -77777, 0x7fffffff, 0x40302010, -2147483647, 0x1f2e3d4c, 1000000007};
  for (int i = 0; i < COUNT; i++) ds[i] = fs[i] * 1.0000000123;
  float *dfs;
  double *dds;
  int *dis;
  Results *device;
  static Results results[COUNT * COUNT];
  CUDA(cudaMalloc(&dfs, sizeof fs));
  CUDA(cudaMalloc(&dds, sizeof ds));
  CUDA(cudaMalloc(&dis, sizeof is));
  CUDA(cudaMalloc(&device, sizeof results));
  CUDA(cudaMemcpy(dfs, fs, sizeof fs, cudaMemcpyHostToDevice));
  CUDA(cudaMemcpy(dds, ds, sizeof ds, cudaMemcpyHostToDevice));
  CUDA(cudaMemcpy(dis, is, sizeof is, cudaMemcpyHostToDevice));
  compute<<<COUNT, COUNT>>>(dfs, dds, dis, device);
  CUDA(cudaMemcpy(results, device, sizeof results, cudaMemcpyDeviceToHost));
  for (int i = 0; i < COUNT; i++)
    for (int j = 0; j < COUNT; j++) {
      const Results &r = results[i * COUNT + j];
      check_floats(r, fs[i], fs[j], ds[i], ds[j]);
      check_integers(r, fs[i], ds[i], is[i], is[j]);
    }
  return check_end();
}
