// SPDX-License-Identifier: MIT
// cuRAND: known numbers of its generators, jumps against steps, and moments of distributions;
// points of Sobol's sequences.
// The numbers are those of NVIDIA's curand_kernel.h (CUDA 13).
#include <curand_kernel.h>
#include <math.h>

#include "../check.h"

enum { COUNT = 20000 };

template <typename State>
__global__ void draw(unsigned *bits, unsigned long long seed, unsigned long long offset) {
  State state;
  curand_init(seed, threadIdx.x * 3ull, offset, &state);
  for (int i = 0; i < 4; i++) bits[threadIdx.x * 4 + i] = curand(&state);
}

// A hash of 160 numbers, and three of them.
template <typename State>
static void check_bits(unsigned long long seed, unsigned long long offset, unsigned hash,
                       unsigned first, unsigned last) {
  unsigned *bits, sum = 0;
  CUDA(cudaMallocManaged(&bits, 160 * sizeof *bits));
  draw<State><<<1, 40>>>(bits, seed, offset);
  CUDA(cudaDeviceSynchronize());
  for (int i = 0; i < 160; i++) sum = sum * 31 + bits[i];
  CHECK(sum == hash && bits[0] == first && bits[159] == last, "%08x %u %u", sum, bits[0], bits[159]);
}

template <typename State>
__global__ void jump(unsigned *differences) {
  State walked, jumped;
  curand_init(5, 2, 0, &walked);
  curand_init(5, 2, 1003, &jumped);
  for (int i = 0; i < 1003; i++) curand(&walked);
  differences[0] = curand(&walked) ^ curand(&jumped);
  skipahead(17ull, &jumped);
  for (int i = 0; i < 17; i++) curand(&walked);
  differences[1] = curand(&walked) ^ curand(&jumped);
}

template <typename State>
static void check_jumps() {
  unsigned *differences;
  CUDA(cudaMallocManaged(&differences, 2 * sizeof *differences));
  jump<State><<<1, 1>>>(differences);
  CUDA(cudaDeviceSynchronize());
  CHECK(!differences[0] && !differences[1], "%u %u", differences[0], differences[1]);
}

template <typename T>
static void check_moments(const char *name, const T *x, double mean, double deviation) {
  double sum = 0, squares = 0;
  for (int i = 0; i < COUNT; i++) sum += x[i], squares += (double)x[i] * x[i];
  double got = sum / COUNT, spread = sqrt(squares / COUNT - got * got);
  CHECK(fabs(got - mean) < 5 * deviation / sqrt((double)COUNT), "%s: mean %g, not %g", name, got, mean);
  CHECK(fabs(spread / deviation - 1) < 0.1, "%s: deviation %g, not %g", name, spread, deviation);
}

static void check_generator(curandRngType_t type, bool is_for_host) {
  curandGenerator_t generator;
  float *x;
  double *y;
  unsigned *z;
  CUDA(cudaMallocManaged(&x, COUNT * sizeof *x));
  CUDA(cudaMallocManaged(&y, COUNT * sizeof *y));
  CUDA(cudaMallocManaged(&z, COUNT * sizeof *z));
  CHECK(!(is_for_host ? curandCreateGeneratorHost : curandCreateGenerator)(&generator, type), "create");
  CHECK(!curandSetPseudoRandomGeneratorSeed(generator, 42), "seed");
#define DRAW(call)                           \
  CHECK(!(call), #call);                     \
  CUDA(cudaDeviceSynchronize())
  DRAW(curandGenerateUniform(generator, x, COUNT));
  check_moments("uniform", x, 0.5, sqrt(1 / 12.0));
  float before = x[0];
  DRAW(curandGenerateUniform(generator, x, COUNT));
  CHECK(x[0] != before, "the second array is like the first");
  check_moments("uniform", x, 0.5, sqrt(1 / 12.0));
  DRAW(curandGenerateNormal(generator, x, COUNT, 3, 2));
  check_moments("normal", x, 3, 2);
  DRAW(curandGenerateUniformDouble(generator, y, COUNT));
  check_moments("uniform double", y, 0.5, sqrt(1 / 12.0));
  DRAW(curandGenerateNormalDouble(generator, y, COUNT, -1, 0.5));
  check_moments("normal double", y, -1, 0.5);
  DRAW(curandGenerateLogNormal(generator, x, COUNT, 0, 0.25f));
  check_moments("log-normal", x, exp(0.03125), sqrt((exp(0.0625) - 1) * exp(0.0625)));
  DRAW(curandGeneratePoisson(generator, z, COUNT, 6));
  check_moments("Poisson", z, 6, sqrt(6.0));
  DRAW(curandGenerate(generator, z, 3));
  CHECK(z[0] != z[1], "bits");
  CHECK(!curandDestroyGenerator(generator), "destroy");
}

// ---- Sobol

template <typename State, typename Word>
__global__ void walk(Word *vectors, Word offset, Word *bits, float *x, double *y) {
  State state;
  curand_init(vectors, offset, &state);
  for (int i = 0; i < 40; i++) bits[i] = curand(&state);
  x[0] = curand_uniform(&state), x[1] = curand_normal(&state);
  y[0] = curand_uniform_double(&state), y[1] = curand_normal_double(&state);
  skipahead((Word)9, &state);
  bits[40] = curand(&state);
}

// Element i of a sequence.
template <typename Word>
static Word element(const Word *vectors, Word i) {
  Word x = 0;
  for (Word gray = i ^ i >> 1, k = 0; gray; gray >>= 1, k++)
    if (gray & 1) x ^= vectors[k];
  return x;
}

// Kernels against sums of vectors, and the numbers that follow.
template <typename State, typename Word>
static void check_walk(const Word *vectors, Word offset) {
  enum { BITS = sizeof(Word) * 8 };
  Word *there, *bits;
  float *x;
  double *y;
  CUDA(cudaMallocManaged(&there, BITS * sizeof *there));
  CUDA(cudaMallocManaged(&bits, 41 * sizeof *bits));
  CUDA(cudaMallocManaged(&x, 2 * sizeof *x));
  CUDA(cudaMallocManaged(&y, 2 * sizeof *y));
  for (int i = 0; i < BITS; i++) there[i] = vectors[i];
  walk<State><<<1, 1>>>(there, offset, bits, x, y);
  CUDA(cudaDeviceSynchronize());
  for (int i = 0; i < 40; i++)
    CHECK(bits[i] == element(vectors, (Word)(offset + i)), "element %d of %d bits", i, (int)BITS);
  CHECK(bits[40] == element(vectors, (Word)(offset + 53)), "after a jump");
  double share = ldexp((double)element(vectors, (Word)(offset + 40)), -(int)BITS);
  CHECK(fabs(x[0] - share) < 1e-7, "%g, not %g", x[0], share);
  share = ldexp((double)element(vectors, (Word)(offset + 41)), -(int)BITS);
  CHECK(fabs(erfc(-x[1] / sqrt(2.0)) / 2 - share) < 1e-6, "normal %g at %g", x[1], share);
  share = ldexp((double)element(vectors, (Word)(offset + 42)), -(int)BITS);
  CHECK(fabs(y[0] - share) < 1e-9, "%g, not %g", y[0], share);
  share = ldexp((double)element(vectors, (Word)(offset + 43)), -(int)BITS);
  CHECK(fabs(erfc(-y[1] / sqrt(2.0)) / 2 - share) < 1e-9, "normal %g at %g", y[1], share);
  for (void *it : {(void *)there, (void *)bits, (void *)x, (void *)y}) cudaFree(it);
}

static void check_sobol() {
  curandDirectionVectors32_t *vectors;
  curandDirectionVectors64_t *wide;
  CHECK(!curandGetDirectionVectors32(&vectors, CURAND_DIRECTION_VECTORS_32_JOEKUO6), "vectors");
  CHECK(!curandGetDirectionVectors64(&wide, CURAND_DIRECTION_VECTORS_64_JOEKUO6), "vectors");
  unsigned sum = 0;  // of those of 101 dimensions of NVIDIA's library
  for (int d = 0; d < 101; d++)
    for (int i = 0; i < 32; i++) sum = sum * 31 + vectors[d][i];
  CHECK(sum == 0xfaa8667b, "%08x", sum);
  for (int d = 0; d < 101; d += 9) CHECK(wide[d][20] >> 32 == vectors[d][20], "64 bits of dimension %d", d);
  check_walk<curandStateSobol32_t>(vectors[7], 12345u);
  check_walk<curandStateSobol64_t>(wide[100], 1ull << 40);
  enum { POINTS = 3000, DIMENSIONS = 3 };
  curandGenerator_t generator;
  float *x;
  unsigned long long *z;
  CUDA(cudaMallocManaged(&x, POINTS * DIMENSIONS * sizeof *x));
  CUDA(cudaMallocManaged(&z, 2 * sizeof *z));
  CHECK(!curandCreateGenerator(&generator, CURAND_RNG_QUASI_SOBOL32), "create");
  CHECK(!curandSetQuasiRandomGeneratorDimensions(generator, DIMENSIONS), "dimensions");
  CHECK(!curandSetGeneratorOffset(generator, 5), "offset");
  CHECK(curandGenerateUniform(generator, x, 4) == CURAND_STATUS_LENGTH_NOT_MULTIPLE, "4 of 3");
  CHECK(!curandGenerateUniform(generator, x, 6), "two points");
  CHECK(!curandGenerateUniform(generator, x, POINTS * DIMENSIONS), "points");
  CUDA(cudaDeviceSynchronize());
  for (int i = 0; i < POINTS * DIMENSIONS; i++) {
    double wanted = ldexp((double)element(vectors[i / POINTS], 7u + i % POINTS), -32);
    CHECK(fabs(x[i] - wanted) < 1e-7, "point %d: %g, not %g", i, x[i], wanted);
  }
  CHECK(!curandDestroyGenerator(generator), "destroy");
  CHECK(!curandCreateGeneratorHost(&generator, CURAND_RNG_QUASI_SOBOL64), "create");
  CHECK(!curandGenerateLongLong(generator, z, 2) && z[0] == 0 && z[1] == 1ull << 63, "64 bits");
  CHECK(curandGenerate(generator, (unsigned *)z, 1) == CURAND_STATUS_TYPE_ERROR, "32 of 64 bits");
  CHECK(!curandDestroyGenerator(generator), "destroy");
  CHECK(curandCreateGenerator(&generator, CURAND_RNG_QUASI_SCRAMBLED_SOBOL32) == CURAND_STATUS_TYPE_ERROR, "scrambled");
}

int main() {
  check_sobol();
  check_bits<curandState>(1234, 0, 0x7e2b94d3, 624778773u, 3881896754u);
  check_bits<curandState>(0x123456789abcull, 1000003, 0x6ad6e1ae, 1519738492u, 4226439303u);
  check_bits<curandStatePhilox4_32_10_t>(1234, 0, 0x7b3e3603, 546353992u, 3511474120u);
  check_bits<curandStatePhilox4_32_10_t>(99, 7, 0x91640094, 3781669856u, 3319826401u);
  check_jumps<curandState>();
  check_jumps<curandStatePhilox4_32_10_t>();
  check_generator(CURAND_RNG_PSEUDO_DEFAULT, false);
  check_generator(CURAND_RNG_PSEUDO_PHILOX4_32_10, false);
  check_generator(CURAND_RNG_PSEUDO_XORWOW, true);
  return check_end();
}
