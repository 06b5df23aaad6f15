// SPDX-License-Identifier: MIT
// Sobol's sequences in kernels, of 32 and 64 bits, plain and scrambled (curand_kernel.h). Every
// number takes one step; normal numbers come from the inverse of their distribution.
#ifndef HEDDLE_SOBOL_H
#define HEDDLE_SOBOL_H

#define HEDDLE_SOBOL_STATE(Name, Word, bits)  \
  struct Name {                               \
    Word i, x, c;                             \
    Word direction_vectors[bits];             \
  };                                          \
  typedef struct Name Name##_t;
HEDDLE_SOBOL_STATE(curandStateSobol32, unsigned int, 32)
HEDDLE_SOBOL_STATE(curandStateScrambledSobol32, unsigned int, 32)
HEDDLE_SOBOL_STATE(curandStateSobol64, unsigned long long, 64)
HEDDLE_SOBOL_STATE(curandStateScrambledSobol64, unsigned long long, 64)

#ifdef __CUDA__
#define HEDDLE_RAND static __device__ __forceinline__ __attribute__((unused))

HEDDLE_RAND int heddle_lowest_zero(unsigned int x) {
  return ~x ? __ffs(~x) - 1 : 31;
}
HEDDLE_RAND int heddle_lowest_zero(unsigned long long x) {
  return ~x ? __ffsll(~x) - 1 : 63;
}

// Number i is the sum of the vectors at the bits of i in Gray's code.
#define HEDDLE_SOBOL(State, Word, bits)                                                    \
  HEDDLE_RAND void skipahead(Word n, State *state) {                                       \
    state->x = state->c;                                                                   \
    state->i += n;                                                                         \
    Word gray = state->i ^ state->i >> 1;                                                  \
    for (int k = 0; k < bits; k++)                                                         \
      if (gray >> k & 1) state->x ^= state->direction_vectors[k];                          \
  }                                                                                        \
  HEDDLE_RAND Word curand(State *state) {                                                  \
    Word number = state->x;                                                                \
    state->x ^= state->direction_vectors[heddle_lowest_zero(state->i)];                    \
    state->i++;                                                                            \
    return number;                                                                         \
  }                                                                                        \
  HEDDLE_RAND void heddle_sobol_init(const Word *vectors, Word c, Word offset, State *state) { \
    state->i = 0, state->c = c;                                                            \
    for (int k = 0; k < bits; k++) state->direction_vectors[k] = vectors[k];               \
    skipahead(offset, state);                                                              \
  }

// Close to 0 and 1 the distance to the nearer end is exact.
HEDDLE_RAND float heddle_inverse_normal(unsigned int x) {
  bool is_upper = x > 0x80000000u;
  unsigned int distance = is_upper ? ~x : x;
  float p = distance * 2.3283064e-10f + 2.3283064e-10f / 2.0f;
  return (is_upper ? 1.41421356f : -1.41421356f) * erfcinvf(2.0f * p);
}
HEDDLE_RAND float heddle_inverse_normal(unsigned long long x) {
  return heddle_inverse_normal((unsigned int)(x >> 32));
}
HEDDLE_RAND double heddle_inverse_normal_double(unsigned int x) {
  bool is_upper = x > 0x80000000u;
  unsigned int distance = is_upper ? ~x : x;
  double p = distance * 2.3283064365386963e-10 + 2.3283064365386963e-10 / 2.0;
  return (is_upper ? 1.4142135623730951 : -1.4142135623730951) * erfcinv(2.0 * p);
}
HEDDLE_RAND double heddle_inverse_normal_double(unsigned long long x) {
  unsigned long long high = x >> 11, middle = 1ull << 52;
  bool is_upper = high > middle;
  unsigned long long distance = is_upper ? 2 * middle - 1 - high : high;
  double p = distance * 1.1102230246251565e-16 + 1.1102230246251565e-16 / 2.0;
  return (is_upper ? 1.4142135623730951 : -1.4142135623730951) * erfcinv(2.0 * p);
}
HEDDLE_RAND float heddle_sobol_uniform(unsigned int x) {
  return x * 2.3283064e-10f + 2.3283064e-10f / 2.0f;
}
HEDDLE_RAND float heddle_sobol_uniform(unsigned long long x) {
  return heddle_sobol_uniform((unsigned int)(x >> 32));
}
HEDDLE_RAND double heddle_sobol_uniform_double(unsigned int x) {
  return x * 2.3283064365386963e-10 + 2.3283064365386963e-10;
}
HEDDLE_RAND double heddle_sobol_uniform_double(unsigned long long x) {
  return (x >> 11) * 1.1102230246251565e-16 + 1.1102230246251565e-16 / 2.0;
}

// The smallest count whose probability, with all below, reaches u.
HEDDLE_RAND unsigned int heddle_inverse_poisson(double u, double normal, double lambda) {
  if (lambda > 64) {
    double number = rint(lambda + sqrt(lambda) * normal);
    return number > 0 ? (unsigned int)number : 0;
  }
  double term = exp(-lambda), sum = term;
  unsigned int count = 0;
  while (sum < u && term > 1e-30) sum += term *= lambda / ++count;
  return count;
}

// For anything that curand() takes one number from.
#define HEDDLE_SOBOL_DISTRIBUTIONS(State)                                                  \
  HEDDLE_RAND float curand_uniform(State *state) {                                         \
    return heddle_sobol_uniform(curand(state));                                            \
  }                                                                                        \
  HEDDLE_RAND double curand_uniform_double(State *state) {                                 \
    return heddle_sobol_uniform_double(curand(state));                                     \
  }                                                                                        \
  HEDDLE_RAND float curand_normal(State *state) {                                          \
    return heddle_inverse_normal(curand(state));                                           \
  }                                                                                        \
  HEDDLE_RAND double curand_normal_double(State *state) {                                  \
    return heddle_inverse_normal_double(curand(state));                                    \
  }                                                                                        \
  HEDDLE_RAND float curand_log_normal(State *state, float mean, float deviation) {         \
    return expf(mean + deviation * curand_normal(state));                                  \
  }                                                                                        \
  HEDDLE_RAND double curand_log_normal_double(State *state, double mean, double deviation) { \
    return exp(mean + deviation * curand_normal_double(state));                            \
  }                                                                                        \
  HEDDLE_RAND unsigned int curand_poisson(State *state, double lambda) {                   \
    auto x = curand(state);                                                                \
    return heddle_inverse_poisson(heddle_sobol_uniform_double(x),                          \
                                  heddle_inverse_normal_double(x), lambda);                \
  }

#define HEDDLE_PLAIN(State, Word, bits)                                                    \
  HEDDLE_SOBOL(State, Word, bits)                                                          \
  HEDDLE_RAND void curand_init(const Word *vectors, Word offset, State *state) {           \
    heddle_sobol_init(vectors, 0, offset, state);                                          \
  }                                                                                        \
  HEDDLE_SOBOL_DISTRIBUTIONS(State)
#define HEDDLE_SCRAMBLED(State, Word, bits)                                                \
  HEDDLE_SOBOL(State, Word, bits)                                                          \
  HEDDLE_RAND void curand_init(const Word *vectors, Word c, Word offset, State *state) {   \
    heddle_sobol_init(vectors, c, offset, state);                                          \
  }                                                                                        \
  HEDDLE_SOBOL_DISTRIBUTIONS(State)
HEDDLE_PLAIN(curandStateSobol32_t, unsigned int, 32)
HEDDLE_PLAIN(curandStateSobol64_t, unsigned long long, 64)
HEDDLE_SCRAMBLED(curandStateScrambledSobol32_t, unsigned int, 32)
HEDDLE_SCRAMBLED(curandStateScrambledSobol64_t, unsigned long long, 64)
#undef HEDDLE_RAND
#endif

#endif
