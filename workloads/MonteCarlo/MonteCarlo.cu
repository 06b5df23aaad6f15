// SPDX-License-Identifier: MIT
// Prices of European call options by random walks: a CTA takes options one after the
// other; its threads draw prices of the stock at the end, and add up what the option
// is then worth. Each thread has a random generator, whose state it reads once;
// sums meet in shared memory.
//
// MON in Li et al. (streaming). Prices of calls by random walks, one CTA per option; the state
// of a thread's generator is all that is read in quantity. The sample draws from cuRAND, this
// from a xorwow generator of its own, so that the host draws the same numbers; sums are
// compared, and prices must agree with the formula within three times their confidence. Sums
// are floats in registers and doubles in shared memory, which makes the paper's 4096 bytes. At
// `paper`: 256 options of 262144 walks; the sample has 8192 options.
#include <algorithm>

#include "common/arguments.h"
#include "common/compare.h"
#include "common/device_array.h"
#include "common/fast_math.h"
#include "common/option.h"
#include "common/random.h"
#include "common/timer.h"

enum { THREADS = 256 };

// Marsaglia's xorwow ("Xorshift RNGs", Journal of Statistical Software 2003).
struct Generator {
  uint32_t x[5], counter;
};

__host__ __device__ static uint32_t next_bits(Generator *generator) {
  uint32_t *x = generator->x, mixed = x[0] ^ (x[0] >> 2);
  x[0] = x[1];
  x[1] = x[2];
  x[2] = x[3];
  x[3] = x[4];
  x[4] = (x[4] ^ (x[4] << 4)) ^ (mixed ^ (mixed << 1));
  generator->counter += 362437;
  return x[4] + generator->counter;
}

// Above 0, up to 1.
__host__ __device__ static float next_uniform(Generator *generator) {
  return ((float)(next_bits(generator) >> 8) + 1.0f) * (1.0f / (1 << 24));
}

// Generators of different numbers have nothing in common that one would notice.
__host__ __device__ static Generator make_generator(uint32_t seed, uint32_t number) {
  Generator generator;
  uint32_t bits = seed * 0x9e3779b9u + number * 0x85ebca6bu + 1;
  for (int i = 0; i < 5; i++) {
    bits = (bits ^ (bits >> 16)) * 0x7feb352du;
    bits = (bits ^ (bits >> 15)) * 0x846ca68bu;
    bits ^= bits >> 16;
    generator.x[i] = bits | (i == 0);
  }
  generator.counter = number;
  return generator;
}

// What a walk needs to know: the end is stock * exp(drift + deviation * normal).
struct Walk {
  float stock, strike, drift, deviation;
};

// Of a thread, and of all of them.
struct Sum {
  float value, square;
};
struct Total {
  double value, square;
};

__host__ __device__ static void add_end(const Walk &walk, float normal, Sum *sum) {
  float worth = walk.stock * fast_exp(walk.drift + walk.deviation * normal) - walk.strike;
  if (worth <= 0) return;
  sum->value += worth;
  sum->square += worth * worth;
}

// Two walks, of a pair of normal numbers (Box and Muller, 1958).
__host__ __device__ static void add_two_walks(const Walk &walk, Generator *generator, Sum *sum) {
  float length = sqrtf(-2.0f * fast_log(next_uniform(generator))), sine, cosine;
  fast_sine_cosine(6.2831853f * (next_uniform(generator) - 0.5f), &sine, &cosine);
  add_end(walk, length * cosine, sum);
  add_end(walk, length * sine, sum);
}

__global__ void make_generators(Generator *generators, uint32_t seed) {
  uint32_t number = blockIdx.x * THREADS + threadIdx.x;
  generators[number] = make_generator(seed, number);
}

__global__ void price_options(const Generator *generators, const Walk *walks, int options,
                              int pairs, Total *totals) {
  __shared__ double values[THREADS], squares[THREADS];
  int t = threadIdx.x;
  Generator generator = generators[blockIdx.x * THREADS + t];
  for (int option = blockIdx.x; option < options; option += gridDim.x) {
    Walk walk = walks[option];
    Sum sum = {0, 0};
#pragma unroll 1
    for (int i = t; i < pairs; i += THREADS) add_two_walks(walk, &generator, &sum);
    values[t] = sum.value;
    squares[t] = sum.square;
    for (int half = THREADS / 2; half > 0; half /= 2) {
      __syncthreads();
      if (t >= half) continue;
      values[t] += values[t + half];
      squares[t] += squares[t + half];
    }
    if (t == 0) totals[option] = {values[0], squares[0]};
    __syncthreads();
  }
}

static std::vector<Total> price_on_host(const std::vector<Walk> &walks, int ctas, int pairs,
                                        uint32_t seed) {
  std::vector<Total> totals(walks.size(), Total{0, 0});
  for (int cta = 0; cta < ctas; cta++)
    for (int t = 0; t < THREADS; t++) {
      Generator generator = make_generator(seed, (uint32_t)(cta * THREADS + t));
      for (size_t option = (size_t)cta; option < walks.size(); option += (size_t)ctas) {
        Sum sum = {0, 0};
        for (int i = t; i < pairs; i += THREADS) add_two_walks(walks[option], &generator, &sum);
        totals[option].value += sum.value;
        totals[option].square += sum.square;
      }
    }
  return totals;
}

// The mean at the end, worth less today, and how far the truth may be from it: 1.96
// standard errors.
struct Estimates {
  std::vector<float> price, confidence;
};

static Estimates estimate(const std::vector<Total> &totals, const std::vector<Option> &options,
                          double count) {
  Estimates estimates;
  for (size_t i = 0; i < totals.size(); i++) {
    double mean = totals[i].value / count, variance = totals[i].square / count - mean * mean;
    double today = exp(-RISKLESS_RATE * options[i].years);
    estimates.price.push_back((float)(mean * today));
    estimates.confidence.push_back((float)(1.96 * sqrt(fmax(variance, 0) / count) * today));
  }
  return estimates;
}

// None so far from being worth anything that a few walks decide.
static std::vector<Option> make_options(int count, uint64_t seed) {
  Random random(seed);
  std::vector<Option> options((size_t)count);
  for (Option &option : options) {
    float strike = random.uniform(10, 25);
    option = {strike * random.uniform(0.8f, 2), strike, random.uniform(1, 5)};
  }
  return options;
}

static std::vector<Walk> make_walks(const std::vector<Option> &options) {
  std::vector<Walk> walks;
  for (const Option &option : options) {
    double drift = (RISKLESS_RATE - 0.5 * VOLATILITY * VOLATILITY) * option.years;
    walks.push_back({(float)option.stock, (float)option.strike, (float)drift,
                     (float)(VOLATILITY * sqrt(option.years))});
  }
  return walks;
}

// Walks and formula must agree, within three times the confidence.
static bool agrees_with_formula(const Estimates &estimates, const std::vector<Option> &options) {
  for (size_t i = 0; i < options.size(); i++) {
    double difference = estimates.price[i] - option_price(options[i]).call;
    if (!(fabs(difference) <= 3 * estimates.confidence[i] + 1e-4)) return false;
  }
  return true;
}

int main(int argc, char **argv) {
  Arguments arguments(argc, argv, "prices of options by random walks");
  int count = (int)arguments.number("options", {8, 64, 256}, 1, 1 << 20, "options");
  int paths = (int)arguments.multiple("paths", 2 * THREADS, {512, 32768, 262144}, 2 * THREADS,
                                      1 << 24, "walks an option");
  int ctas = (int)arguments.number("ctas", {8, 64, 256}, 1, 65535, "CTAs, at most");
  arguments.done();

  std::vector<Option> options = make_options(count, arguments.seed());
  std::vector<Walk> walks = make_walks(options);
  uint32_t seed = (uint32_t)arguments.seed();
  ctas = std::min(ctas, count);
  DeviceArray<Walk> device_walks(walks);
  DeviceArray<Generator> generators((size_t)ctas * THREADS);
  DeviceArray<Total> totals((size_t)count);
  Timer timer;
  make_generators<<<ctas, THREADS>>>(generators, seed);
  price_options<<<ctas, THREADS>>>(generators, device_walks, count, paths / 2, totals);
  timer.stop("MonteCarlo");

  Estimates got = estimate(totals.get(), options, paths);
  Estimates wanted = estimate(price_on_host(walks, ctas, paths / 2, seed), options, paths);
  Comparison comparison;
  comparison.near("prices", got.price, wanted.price, 1e-5);
  comparison.near("confidences", got.confidence, wanted.confidence, 1e-4, 0.1);
  comparison.holds("walks agree with the formula", agrees_with_formula(got, options));
  return comparison.verdict();
}
