// SPDX-License-Identifier: MIT
// cuRAND in kernels: XORWOW, Philox 4x32-10 and Sobol with uniform, normal, log-normal and
// Poisson numbers. Sequences of bits, of uniform and of normal numbers follow the documented
// algorithms; those of Poisson numbers are our own (docs/libraries.md).
#ifndef HEDDLE_CURAND_KERNEL_H
#define HEDDLE_CURAND_KERNEL_H
#define CURAND_KERNEL_H_ 1  // what programs ask for to know that it was read

#include "curand.h"

struct curandStateXORWOW {
  unsigned int d, v[5];
  int boxmuller_flag, boxmuller_flag_double;
  float boxmuller_extra;
  double boxmuller_extra_double;
};
typedef struct curandStateXORWOW curandStateXORWOW_t;
typedef curandStateXORWOW_t curandState_t, curandState;

struct curandStatePhilox4_32_10 {
  uint4 ctr, output;
  uint2 key;
  unsigned int STATE;
  int boxmuller_flag, boxmuller_flag_double;
  float boxmuller_extra;
  double boxmuller_extra_double;
};
typedef struct curandStatePhilox4_32_10 curandStatePhilox4_32_10_t;

#ifdef __CUDA__
#include "heddle/xorwow_jumps.h"

#define HEDDLE_RAND static __device__ __forceinline__ __attribute__((unused))

// ---- XORWOW

HEDDLE_RAND void heddle_xorwow_step(unsigned int (&v)[5]) {
  unsigned int t = v[0] ^ v[0] >> 2;
  v[0] = v[1], v[1] = v[2], v[2] = v[3], v[3] = v[4];
  v[4] = v[4] ^ v[4] << 4 ^ t ^ t << 1;
}

HEDDLE_RAND unsigned int curand(curandStateXORWOW_t *state) {
  heddle_xorwow_step(state->v);
  state->d += 362437;
  return state->v[4] + state->d;
}

// Sums the states after those steps that the polynomial has.
static __device__ __attribute__((unused, noinline)) void heddle_xorwow_jump(
    curandStateXORWOW_t *state, const unsigned int *jump) {
  unsigned int sum[5] = {0, 0, 0, 0, 0}, v[5];
  for (int i = 0; i < 5; i++) v[i] = state->v[i];
  for (int step = 0; step < 160; step++) {
    if (jump[step / 32] >> step % 32 & 1)
      for (int i = 0; i < 5; i++) sum[i] ^= v[i];
    heddle_xorwow_step(v);
  }
  for (int i = 0; i < 5; i++) state->v[i] = sum[i];
}

// Beyond 2^32, whole multiples of it: that many jumps of 2^31, twice.
static __device__ __attribute__((unused)) void skipahead(unsigned long long n,
                                                         curandStateXORWOW_t *state) {
  state->d += (unsigned int)n * 362437u;
  for (int i = 0; i < 32; i++)
    if (n >> i & 1) heddle_xorwow_jump(state, heddle_xorwow_steps[i]);
  for (unsigned long long high = n >> 32; high; high--) {
    heddle_xorwow_jump(state, heddle_xorwow_steps[31]);
    heddle_xorwow_jump(state, heddle_xorwow_steps[31]);
  }
}
static __device__ __attribute__((unused)) void skipahead_sequence(unsigned long long n,
                                                                  curandStateXORWOW_t *state) {
  for (int i = 0; i < 32; i++)
    if (n >> i & 1) heddle_xorwow_jump(state, heddle_xorwow_sequences[i]);
}

HEDDLE_RAND void curand_init(unsigned long long seed, unsigned long long subsequence,
                             unsigned long long offset, curandStateXORWOW_t *state) {
  unsigned int low = (unsigned int)seed ^ 0xaad26b49u, high = (unsigned int)(seed >> 32) ^ 0xf7dcefddu;
  unsigned int t0 = 1099087573u * low, t1 = 2591861531u * high;
  state->d = 6615241 + t1 + t0;
  state->v[0] = 123456789u + t0;
  state->v[1] = 362436069u ^ t0;
  state->v[2] = 521288629u + t1;
  state->v[3] = 88675123u ^ t1;
  state->v[4] = 5783321u + t0;
  skipahead_sequence(subsequence, state);
  skipahead(offset, state);
  state->boxmuller_flag = state->boxmuller_flag_double = 0;
  state->boxmuller_extra = 0, state->boxmuller_extra_double = 0;
}

// ---- Philox (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC 2011)

HEDDLE_RAND uint4 heddle_philox(uint4 c, uint2 key) {
  for (int round = 0; round < 10; round++) {
    unsigned int high0 = __umulhi(0xD2511F53u, c.x), low0 = 0xD2511F53u * c.x;
    unsigned int high1 = __umulhi(0xCD9E8D57u, c.z), low1 = 0xCD9E8D57u * c.z;
    c = make_uint4(high1 ^ c.y ^ key.x, low1, high0 ^ c.w ^ key.y, low0);
    key.x += 0x9E3779B9u, key.y += 0xBB67AE85u;
  }
  return c;
}

// Adds to the 64 bits of the counter from x on; those above take the carry.
HEDDLE_RAND void heddle_philox_add(uint4 *c, unsigned long long n) {
  unsigned long long low = (unsigned long long)c->y << 32 | c->x, sum = low + n;
  c->x = (unsigned int)sum, c->y = (unsigned int)(sum >> 32);
  if (sum < low && ++c->z == 0) c->w++;
}
HEDDLE_RAND void skipahead(unsigned long long n, curandStatePhilox4_32_10_t *state) {
  state->STATE += (unsigned int)n & 3;
  n /= 4;
  if (state->STATE > 3) n++, state->STATE -= 4;
  heddle_philox_add(&state->ctr, n);
  state->output = heddle_philox(state->ctr, state->key);
}
HEDDLE_RAND void skipahead_sequence(unsigned long long n, curandStatePhilox4_32_10_t *state) {
  unsigned long long high = ((unsigned long long)state->ctr.w << 32 | state->ctr.z) + n;
  state->ctr.z = (unsigned int)high, state->ctr.w = (unsigned int)(high >> 32);
  state->output = heddle_philox(state->ctr, state->key);
}
HEDDLE_RAND void curand_init(unsigned long long seed, unsigned long long subsequence,
                             unsigned long long offset, curandStatePhilox4_32_10_t *state) {
  *state = curandStatePhilox4_32_10_t();
  state->key = make_uint2((unsigned int)seed, (unsigned int)(seed >> 32));
  skipahead_sequence(subsequence, state);
  skipahead(offset, state);
}
HEDDLE_RAND void heddle_philox_next(curandStatePhilox4_32_10_t *state) {
  heddle_philox_add(&state->ctr, 1);
  state->output = heddle_philox(state->ctr, state->key);
}
HEDDLE_RAND unsigned int curand(curandStatePhilox4_32_10_t *state) {
  uint4 four = state->output;
  unsigned int at = state->STATE++;
  unsigned int number = at == 0 ? four.x : at == 1 ? four.y : at == 2 ? four.z : four.w;
  if (state->STATE == 4) heddle_philox_next(state), state->STATE = 0;
  return number;
}
HEDDLE_RAND uint4 curand4(curandStatePhilox4_32_10_t *state) {
  uint4 a = state->output;
  heddle_philox_next(state);
  uint4 b = state->output;
  switch (state->STATE) {
    case 1: return make_uint4(a.y, a.z, a.w, b.x);
    case 2: return make_uint4(a.z, a.w, b.x, b.y);
    case 3: return make_uint4(a.w, b.x, b.y, b.z);
    default: return a;
  }
}

// ---- distributions

// Uniform numbers are in (0, 1].
HEDDLE_RAND float heddle_uniform(unsigned int x) {
  return x * 2.3283064e-10f + (2.3283064e-10f / 2.0f);
}
HEDDLE_RAND double heddle_uniform_double(unsigned int x, unsigned int y) {
  unsigned long long z = (unsigned long long)x ^ (unsigned long long)y << (53 - 32);
  return z * 1.1102230246251565e-16 + (1.1102230246251565e-16 / 2.0);
}
// Box and Muller: two uniform numbers become two normal ones.
HEDDLE_RAND float2 heddle_normal2(unsigned int x, unsigned int y) {
  const float turn = 2.3283064e-10f * 6.2831855f;
  float radius = sqrtf(-2.0f * logf(heddle_uniform(x)));
  float2 two;
  sincosf(y * turn + turn / 2, &two.x, &two.y);
  two.x *= radius, two.y *= radius;
  return two;
}
HEDDLE_RAND double2 heddle_normal2_double(unsigned int x0, unsigned int x1, unsigned int y0,
                                          unsigned int y1) {
  unsigned long long angle = (unsigned long long)y0 ^ (unsigned long long)y1 << (53 - 32);
  double radius = sqrt(-2.0 * log(heddle_uniform_double(x0, x1)));
  double2 two;
  sincospi(angle * (1.1102230246251565e-16 * 2.0) + 1.1102230246251565e-16, &two.x, &two.y);
  two.x *= radius, two.y *= radius;
  return two;
}

// Philox takes one number for a uniform double, XORWOW two.
HEDDLE_RAND double curand_uniform_double(curandStateXORWOW_t *state) {
  unsigned int x = curand(state), y = curand(state);
  return heddle_uniform_double(x, y);
}
HEDDLE_RAND double curand_uniform_double(curandStatePhilox4_32_10_t *state) {
  return curand(state) * 2.3283064365386963e-10 + 2.3283064365386963e-10;
}

#define HEDDLE_DISTRIBUTIONS(State)                                                      \
  HEDDLE_RAND float curand_uniform(State *state) {                                       \
    return heddle_uniform(curand(state));                                                \
  }                                                                                      \
  HEDDLE_RAND float2 curand_normal2(State *state) {                                      \
    unsigned int x = curand(state), y = curand(state);                                   \
    return heddle_normal2(x, y);                                                         \
  }                                                                                      \
  HEDDLE_RAND double2 curand_normal2_double(State *state) {                              \
    unsigned int a = curand(state), b = curand(state), c = curand(state), d = curand(state); \
    return heddle_normal2_double(a, b, c, d);                                            \
  }                                                                                      \
  HEDDLE_RAND float curand_normal(State *state) {                                        \
    if (state->boxmuller_flag) {                                                         \
      state->boxmuller_flag = 0;                                                         \
      return state->boxmuller_extra;                                                     \
    }                                                                                    \
    float2 two = curand_normal2(state);                                                  \
    state->boxmuller_extra = two.y, state->boxmuller_flag = 1;                           \
    return two.x;                                                                        \
  }                                                                                      \
  HEDDLE_RAND double curand_normal_double(State *state) {                                \
    if (state->boxmuller_flag_double) {                                                  \
      state->boxmuller_flag_double = 0;                                                  \
      return state->boxmuller_extra_double;                                              \
    }                                                                                    \
    double2 two = curand_normal2_double(state);                                          \
    state->boxmuller_extra_double = two.y, state->boxmuller_flag_double = 1;             \
    return two.x;                                                                        \
  }                                                                                      \
  HEDDLE_RAND float curand_log_normal(State *state, float mean, float deviation) {       \
    return expf(mean + deviation * curand_normal(state));                                \
  }                                                                                      \
  HEDDLE_RAND double curand_log_normal_double(State *state, double mean, double deviation) { \
    return exp(mean + deviation * curand_normal_double(state));                          \
  }                                                                                      \
  HEDDLE_RAND unsigned int curand_poisson(State *state, double lambda) {                 \
    if (lambda > 64) {                                                                   \
      double number = rint(lambda + sqrt(lambda) * curand_normal_double(state));         \
      return number > 0 ? (unsigned int)number : 0;                                      \
    }                                                                                    \
    double left = exp(-lambda);                                                          \
    unsigned int count = 0;                                                              \
    for (double product = curand_uniform_double(state); product > left; count++)         \
      product *= curand_uniform_double(state);                                           \
    return count;                                                                        \
  }
HEDDLE_DISTRIBUTIONS(curandStateXORWOW_t)
HEDDLE_DISTRIBUTIONS(curandStatePhilox4_32_10_t)
#undef HEDDLE_DISTRIBUTIONS

HEDDLE_RAND float4 curand_uniform4(curandStatePhilox4_32_10_t *state) {
  uint4 x = curand4(state);
  return make_float4(heddle_uniform(x.x), heddle_uniform(x.y), heddle_uniform(x.z),
                     heddle_uniform(x.w));
}
HEDDLE_RAND double2 curand_uniform2_double(curandStatePhilox4_32_10_t *state) {
  uint4 x = curand4(state);
  return make_double2(heddle_uniform_double(x.x, x.y), heddle_uniform_double(x.z, x.w));
}
HEDDLE_RAND float4 curand_normal4(curandStatePhilox4_32_10_t *state) {
  uint4 x = curand4(state);
  float2 a = heddle_normal2(x.x, x.y), b = heddle_normal2(x.z, x.w);
  return make_float4(a.x, a.y, b.x, b.y);
}
#undef HEDDLE_RAND
#endif

#include "heddle/sobol.h"

#endif
