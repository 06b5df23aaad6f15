// SPDX-License-Identifier: MIT
// cuRAND on the host. Thread t of THREADS fills elements t, t + THREADS, ... from subsequence t
// of the generator; calls continue where the last one ended. The order of numbers among
// threads is ours, NVIDIA's is not documented.
//
// Sobol's sequences have an order: all points of the first dimension, then of the second.
#include <curand_kernel.h>
#include <stdio.h>

#include "sobol.h"

#define EXPORT extern "C" __attribute__((visibility("default")))

enum { BLOCK = 256, BLOCKS = 16, THREADS = BLOCK * BLOCKS };

struct curandGenerator_st {
  curandRngType_t type;
  bool is_for_host;
  unsigned long long seed, offset;
  cudaStream_t stream;
  unsigned dimensions;
  void *vectors;  // of Sobol, on the device
};

static bool is_quasi(curandRngType_t type) {
  return type >= CURAND_RNG_QUASI_DEFAULT;
}
static bool is_wide(curandRngType_t type) {
  return type == CURAND_RNG_QUASI_SOBOL64;
}

// ---- numbers

struct Bits {
  enum { DRAWS = 1 };
  template <typename State>
  __device__ auto operator()(State *state) const {
    return curand(state);
  }
};
struct Uniform {
  enum { DRAWS = 1 };
  template <typename State>
  __device__ float operator()(State *state) const {
    return curand_uniform(state);
  }
};
struct UniformDouble {
  enum { DRAWS = 2 };
  template <typename State>
  __device__ double operator()(State *state) const {
    return curand_uniform_double(state);
  }
};
struct Normal {
  enum { DRAWS = 2 };  // at most, for an odd count
  float mean, deviation;
  bool is_log;
  template <typename State>
  __device__ float operator()(State *state) const {
    float x = mean + deviation * curand_normal(state);
    return is_log ? expf(x) : x;
  }
};
struct NormalDouble {
  enum { DRAWS = 4 };
  double mean, deviation;
  bool is_log;
  template <typename State>
  __device__ double operator()(State *state) const {
    double x = mean + deviation * curand_normal_double(state);
    return is_log ? exp(x) : x;
  }
};
struct Poisson {
  enum { DRAWS = 256 };  // far more than are likely
  double lambda;
  template <typename State>
  __device__ unsigned operator()(State *state) const {
    return curand_poisson(state, lambda);
  }
};

template <typename State, typename T, typename Numbers>
__global__ void fill(T *to, size_t count, unsigned long long seed, unsigned long long offset,
                     Numbers numbers) {
  size_t first = blockIdx.x * (size_t)BLOCK + threadIdx.x;
  if (first >= count) return;
  State state;
  curand_init(seed, first, offset, &state);
  for (size_t i = first; i < count; i += THREADS) to[i] = numbers(&state);
}

// A number of a sequence, for the functions that take one from a state.
template <typename Word>
struct Point {
  Word x;
};
#define HEDDLE_RAND static __device__ __forceinline__ __attribute__((unused))
HEDDLE_RAND unsigned curand(Point<unsigned> *point) {
  return point->x;
}
HEDDLE_RAND unsigned long long curand(Point<unsigned long long> *point) {
  return point->x;
}
HEDDLE_SOBOL_DISTRIBUTIONS(Point<unsigned>)
HEDDLE_SOBOL_DISTRIBUTIONS(Point<unsigned long long>)
#undef HEDDLE_RAND

template <typename Word, typename T, typename Numbers>
__global__ void fill_points(T *to, size_t points, unsigned dimensions, unsigned long long offset,
                            const Word *vectors, Numbers numbers) {
  size_t count = points * dimensions;
  for (size_t at = blockIdx.x * (size_t)BLOCK + threadIdx.x; at < count; at += THREADS) {
    const Word *vector = vectors + at / points * sizeof(Word) * 8;
    Word i = (Word)(offset + at % points);
    Point<Word> point = {0};
    for (Word gray = i ^ i >> 1; gray; gray >>= 1, vector++)
      if (gray & 1) point.x ^= *vector;
    to[at] = numbers(&point);
  }
}

static cudaError_t upload_vectors(curandGenerator_t it) {
  if (it->vectors) return cudaSuccess;
  size_t bytes = SOBOL_DIMENSIONS * (is_wide(it->type) ? sizeof *sobol_vectors64() : sizeof *sobol_vectors32());
  cudaError_t error = cudaMalloc(&it->vectors, bytes);
  const void *from = is_wide(it->type) ? (const void *)sobol_vectors64() : sobol_vectors32();
  return error == cudaSuccess ? cudaMemcpy(it->vectors, from, bytes, cudaMemcpyHostToDevice) : error;
}

template <typename T, typename Numbers>
static cudaError_t fill_quasi(curandGenerator_t it, T *to, size_t count, Numbers numbers) {
  cudaError_t error = upload_vectors(it);
  size_t points = count / it->dimensions;
  if (error != cudaSuccess) return error;
  if (is_wide(it->type))
    fill_points<unsigned long long><<<BLOCKS, BLOCK, 0, it->stream>>>(
        to, points, it->dimensions, it->offset, (const unsigned long long *)it->vectors, numbers);
  else
    fill_points<unsigned><<<BLOCKS, BLOCK, 0, it->stream>>>(
        to, points, it->dimensions, it->offset, (const unsigned *)it->vectors, numbers);
  it->offset += points;
  return cudaPeekAtLastError();
}

template <typename T, typename Numbers>
static cudaError_t fill_device(curandGenerator_t it, T *to, size_t count, Numbers numbers) {
  if (is_quasi(it->type)) return fill_quasi(it, to, count, numbers);
  if (it->type == CURAND_RNG_PSEUDO_PHILOX4_32_10)
    fill<curandStatePhilox4_32_10_t>
        <<<BLOCKS, BLOCK, 0, it->stream>>>(to, count, it->seed, it->offset, numbers);
  else
    fill<curandStateXORWOW_t>
        <<<BLOCKS, BLOCK, 0, it->stream>>>(to, count, it->seed, it->offset, numbers);
  it->offset += (count + THREADS - 1) / THREADS * Numbers::DRAWS;
  return cudaPeekAtLastError();
}

template <typename T, typename Numbers>
static cudaError_t fill_host(curandGenerator_t it, T *to, size_t count, Numbers numbers) {
  T *there;
  cudaError_t error = cudaMalloc(&there, count * sizeof(T));
  if (error != cudaSuccess) return error;
  error = fill_device(it, there, count, numbers);
  if (error == cudaSuccess)
    error = cudaMemcpyAsync(to, there, count * sizeof(T), cudaMemcpyDeviceToHost, it->stream);
  if (error == cudaSuccess) error = cudaStreamSynchronize(it->stream);
  cudaFree(there);
  return error;
}

template <typename T, typename Numbers>
static curandStatus_t generate(curandGenerator_t it, T *to, size_t count, Numbers numbers) {
  if (!it) return CURAND_STATUS_NOT_INITIALIZED;
  if (!count) return CURAND_STATUS_SUCCESS;
  if (!to) return CURAND_STATUS_OUT_OF_RANGE;
  if (is_quasi(it->type) && count % it->dimensions) return CURAND_STATUS_LENGTH_NOT_MULTIPLE;
  cudaError_t error =
      it->is_for_host ? fill_host(it, to, count, numbers) : fill_device(it, to, count, numbers);
  return error == cudaSuccess ? CURAND_STATUS_SUCCESS : CURAND_STATUS_LAUNCH_FAILURE;
}

// ---- generators

static bool is_provided(curandRngType_t type) {
  return type == CURAND_RNG_PSEUDO_DEFAULT || type == CURAND_RNG_PSEUDO_XORWOW ||
         type == CURAND_RNG_PSEUDO_PHILOX4_32_10 || type == CURAND_RNG_QUASI_DEFAULT ||
         type == CURAND_RNG_QUASI_SOBOL32 || type == CURAND_RNG_QUASI_SOBOL64;
}

static curandStatus_t create(curandGenerator_t *generator, curandRngType_t type, bool is_for_host) {
  if (!generator) return CURAND_STATUS_OUT_OF_RANGE;
  if (type < CURAND_RNG_PSEUDO_DEFAULT || type > CURAND_RNG_QUASI_SCRAMBLED_SOBOL64)
    return CURAND_STATUS_TYPE_ERROR;
  if (is_quasi(type) && !is_provided(type)) {
    fprintf(stderr, "heddle: cuRAND: scrambled Sobol generators are not supported\n");
    return CURAND_STATUS_TYPE_ERROR;
  }
  if (!is_provided(type))
    fprintf(stderr, "heddle: cuRAND: generator %d is not supported; numbers are XORWOW's\n", type);
  *generator = new curandGenerator_st{type, is_for_host, 0, 0, 0, 1, nullptr};
  return CURAND_STATUS_SUCCESS;
}

EXPORT curandStatus_t curandCreateGenerator(curandGenerator_t *generator, curandRngType_t type) {
  return create(generator, type, false);
}
EXPORT curandStatus_t curandCreateGeneratorHost(curandGenerator_t *generator,
                                                curandRngType_t type) {
  return create(generator, type, true);
}
EXPORT curandStatus_t curandDestroyGenerator(curandGenerator_t generator) {
  if (!generator) return CURAND_STATUS_NOT_INITIALIZED;
  cudaFree(generator->vectors);
  delete generator;
  return CURAND_STATUS_SUCCESS;
}
EXPORT curandStatus_t curandGetVersion(int *version) {
  *version = CURAND_VERSION;
  return CURAND_STATUS_SUCCESS;
}

EXPORT curandStatus_t curandGetProperty(libraryPropertyType type, int *value) {
  static const int values[] = {CURAND_VERSION / 1000, CURAND_VERSION / 100 % 10, CURAND_VERSION % 100};
  if (!value || type > PATCH_LEVEL) return CURAND_STATUS_OUT_OF_RANGE;
  *value = values[type];
  return CURAND_STATUS_SUCCESS;
}

#define SETTER(name, Type, statement)                                      \
  EXPORT curandStatus_t name(curandGenerator_t generator, Type value) {    \
    if (!generator) return CURAND_STATUS_NOT_INITIALIZED;                  \
    statement;                                                             \
    return CURAND_STATUS_SUCCESS;                                          \
  }
SETTER(curandSetStream, cudaStream_t, generator->stream = value)
SETTER(curandSetPseudoRandomGeneratorSeed, unsigned long long,
       (generator->seed = value, generator->offset = 0))
SETTER(curandSetGeneratorOffset, unsigned long long, generator->offset = value)
SETTER(curandSetGeneratorOrdering, curandOrdering_t, (void)value)
EXPORT curandStatus_t curandSetQuasiRandomGeneratorDimensions(curandGenerator_t generator,
                                                              unsigned dimensions) {
  if (!generator) return CURAND_STATUS_NOT_INITIALIZED;
  if (!is_quasi(generator->type)) return CURAND_STATUS_TYPE_ERROR;
  if (dimensions > SOBOL_DIMENSIONS)
    fprintf(stderr, "heddle: cuRAND: more than %d dimensions are not supported\n", SOBOL_DIMENSIONS);
  if (!dimensions || dimensions > SOBOL_DIMENSIONS) return CURAND_STATUS_OUT_OF_RANGE;
  generator->dimensions = dimensions;
  return CURAND_STATUS_SUCCESS;
}

// Scrambled vectors of NVIDIA's are a choice of theirs.
#define DIRECTIONS(bits)                                                                      \
  EXPORT curandStatus_t curandGetDirectionVectors##bits(                                      \
      curandDirectionVectors##bits##_t *vectors[], curandDirectionVectorSet_t set) {          \
    if (!vectors) return CURAND_STATUS_OUT_OF_RANGE;                                          \
    if (set != CURAND_DIRECTION_VECTORS_##bits##_JOEKUO6) {                                   \
      fprintf(stderr, "heddle: cuRAND: scrambled direction vectors are not supported\n");     \
      return CURAND_STATUS_OUT_OF_RANGE;                                                      \
    }                                                                                         \
    *vectors = const_cast<curandDirectionVectors##bits##_t *>(sobol_vectors##bits());         \
    return CURAND_STATUS_SUCCESS;                                                             \
  }
DIRECTIONS(32)
DIRECTIONS(64)

EXPORT curandStatus_t curandGenerateSeeds(curandGenerator_t generator) {
  return generator ? CURAND_STATUS_SUCCESS : CURAND_STATUS_NOT_INITIALIZED;
}

EXPORT curandStatus_t curandGenerate(curandGenerator_t generator, unsigned *to, size_t count) {
  if (generator && is_wide(generator->type)) return CURAND_STATUS_TYPE_ERROR;
  return generate(generator, to, count, Bits());
}
EXPORT curandStatus_t curandGenerateLongLong(curandGenerator_t generator, unsigned long long *to,
                                             size_t count) {
  if (generator && !is_wide(generator->type)) return CURAND_STATUS_TYPE_ERROR;
  return generate(generator, to, count, Bits());
}
EXPORT curandStatus_t curandGenerateUniform(curandGenerator_t generator, float *to, size_t count) {
  return generate(generator, to, count, Uniform());
}
EXPORT curandStatus_t curandGenerateUniformDouble(curandGenerator_t generator, double *to,
                                                  size_t count) {
  return generate(generator, to, count, UniformDouble());
}
EXPORT curandStatus_t curandGenerateNormal(curandGenerator_t generator, float *to, size_t count,
                                           float mean, float deviation) {
  return generate(generator, to, count, Normal{mean, deviation, false});
}
EXPORT curandStatus_t curandGenerateNormalDouble(curandGenerator_t generator, double *to,
                                                 size_t count, double mean, double deviation) {
  return generate(generator, to, count, NormalDouble{mean, deviation, false});
}
EXPORT curandStatus_t curandGenerateLogNormal(curandGenerator_t generator, float *to, size_t count,
                                              float mean, float deviation) {
  return generate(generator, to, count, Normal{mean, deviation, true});
}
EXPORT curandStatus_t curandGenerateLogNormalDouble(curandGenerator_t generator, double *to,
                                                    size_t count, double mean, double deviation) {
  return generate(generator, to, count, NormalDouble{mean, deviation, true});
}
EXPORT curandStatus_t curandGeneratePoisson(curandGenerator_t generator, unsigned *to, size_t count,
                                            double lambda) {
  return generate(generator, to, count, Poisson{lambda});
}
