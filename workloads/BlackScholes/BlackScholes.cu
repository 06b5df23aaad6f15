// SPDX-License-Identifier: MIT
// Prices of European options by the formula of Black and Scholes. A thread has two
// neighbouring options; everything is read once and written once.
//
// BS in Li et al. (streaming). Calls and puts of random options, two options per thread, by
// float2, one after the other; the fast instructions for logarithm and exponential. The host
// computes in double, with the error function. At `paper`: 4 million options, as in the sample,
// once instead of 512 times.
#include "common/arguments.h"
#include "common/compare.h"
#include "common/device_array.h"
#include "common/fast_math.h"
#include "common/option.h"
#include "common/random.h"
#include "common/timer.h"

enum { THREADS = 128 };

// The normal distribution by a polynomial of the fifth degree (Abramowitz and
// Stegun, 26.2.17), within 7.5e-8.
__device__ static float cumulative_normal(float d) {
  float k = 1.0f / (1.0f + 0.2316419f * fabsf(d));
  float tail = 0.39894228f * fast_exp(-0.5f * d * d) * k *
               (0.31938153f +
                k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
  return d > 0 ? 1.0f - tail : tail;
}

__device__ static void price(float stock, float strike, float years, float *call, float *put) {
  float root = sqrtf(years), deviation = VOLATILITY * root;
  float d1 = (fast_log(stock / strike) + (RISKLESS_RATE + 0.5f * VOLATILITY * VOLATILITY) * years) /
             deviation;
  float below1 = cumulative_normal(d1), below2 = cumulative_normal(d1 - deviation);
  float discounted = strike * fast_exp(-RISKLESS_RATE * years);
  *call = stock * below1 - discounted * below2;
  *put = discounted * (1.0f - below2) - stock * (1.0f - below1);
}

__global__ void black_scholes(float2 *calls, float2 *puts, const float2 *stocks,
                              const float2 *strikes, const float2 *years, int pairs) {
  int i = blockIdx.x * THREADS + threadIdx.x;
  if (i >= pairs) return;
  float2 call = {0, 0}, put = {0, 0}, stock = stocks[i], strike = strikes[i], year = years[i];
#pragma unroll 1  // one after the other takes fewer registers
  for (int second = 0; second < 2; second++) {
    float one_call, one_put;
    price(second ? stock.y : stock.x, second ? strike.y : strike.x, second ? year.y : year.x,
          &one_call, &one_put);
    call = make_float2(second ? call.x : one_call, one_call);
    put = make_float2(second ? put.x : one_put, one_put);
  }
  calls[i] = call;
  puts[i] = put;
}

static float2 *in_pairs(const DeviceArray<float> &array) {
  return (float2 *)(float *)array;
}

int main(int argc, char **argv) {
  Arguments arguments(argc, argv, "prices of options by their formula");
  int count = (int)arguments.multiple("options", 2, {5000, 400000, 4000000}, 2, 1 << 28, "options");
  arguments.done();

  Random random(arguments.seed());
  size_t n = (size_t)count;
  std::vector<float> stocks = random.floats(n, 5, 30), strikes = random.floats(n, 1, 100);
  std::vector<float> years = random.floats(n, 0.25f, 10);
  DeviceArray<float> device_stocks(stocks), device_strikes(strikes), device_years(years);
  DeviceArray<float> calls(n), puts(n);
  Timer timer;
  black_scholes<<<ctas_for(count / 2, THREADS), THREADS>>>(
      in_pairs(calls), in_pairs(puts), in_pairs(device_stocks), in_pairs(device_strikes),
      in_pairs(device_years), count / 2);
  timer.stop("BlackScholes");

  std::vector<float> expected_calls, expected_puts;
  for (size_t i = 0; i < n; i++) {
    OptionPrice wanted = option_price({stocks[i], strikes[i], years[i]});
    expected_calls.push_back((float)wanted.call);
    expected_puts.push_back((float)wanted.put);
  }
  Comparison comparison;
  comparison.near("calls", calls.get(), expected_calls, 3e-5);
  comparison.near("puts", puts.get(), expected_puts, 3e-5);
  return comparison.verdict();
}
