// SPDX-License-Identifier: MIT
// cuRAND on the host. Thread t of THREADS fills elements t, t + THREADS, ... from subsequence t
// of the generator; calls continue where the last one ended. The order of numbers among
// threads is ours, NVIDIA's is not documented.
#include <curand_kernel.h>
#include <stdio.h>

#define EXPORT extern "C" __attribute__((visibility("default")))

enum { BLOCK = 256, BLOCKS = 16, THREADS = BLOCK * BLOCKS };

struct curandGenerator_st {
  bool is_philox, is_for_host;
  unsigned long long seed, offset;
  cudaStream_t stream;
};

// ---- numbers

struct Bits {
  enum { DRAWS = 1 };
  template <typename State>
  __device__ unsigned operator()(State *state) const {
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

template <typename T, typename Numbers>
static cudaError_t fill_device(curandGenerator_t it, T *to, size_t count, Numbers numbers) {
  if (it->is_philox)
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
  cudaError_t error =
      it->is_for_host ? fill_host(it, to, count, numbers) : fill_device(it, to, count, numbers);
  return error == cudaSuccess ? CURAND_STATUS_SUCCESS : CURAND_STATUS_LAUNCH_FAILURE;
}

// ---- generators

static curandStatus_t create(curandGenerator_t *generator, curandRngType_t type, bool is_for_host) {
  if (!generator) return CURAND_STATUS_OUT_OF_RANGE;
  if (type >= CURAND_RNG_QUASI_DEFAULT || type < CURAND_RNG_PSEUDO_DEFAULT) {
    fprintf(stderr, "heddle: cuRAND: quasi-random generators are not supported\n");
    return CURAND_STATUS_TYPE_ERROR;
  }
  bool is_philox = type == CURAND_RNG_PSEUDO_PHILOX4_32_10;
  if (!is_philox && type > CURAND_RNG_PSEUDO_XORWOW)
    fprintf(stderr, "heddle: cuRAND: generator %d is not supported; numbers are XORWOW's\n", type);
  *generator = new curandGenerator_st{is_philox, is_for_host, 0, 0, 0};
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
  delete generator;
  return CURAND_STATUS_SUCCESS;
}
EXPORT curandStatus_t curandGetVersion(int *version) {
  *version = CURAND_VERSION;
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
EXPORT curandStatus_t curandGenerateSeeds(curandGenerator_t generator) {
  return generator ? CURAND_STATUS_SUCCESS : CURAND_STATUS_NOT_INITIALIZED;
}

EXPORT curandStatus_t curandGenerate(curandGenerator_t generator, unsigned *to, size_t count) {
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
