// SPDX-License-Identifier: MIT
// European options and what they are worth (Black and Scholes, "The pricing of
// options and corporate liabilities", 1973).
#ifndef WORKLOADS_OPTION_H
#define WORKLOADS_OPTION_H

#include <cmath>

// Of the market, the same for all options.
static const float RISKLESS_RATE = 0.02f, VOLATILITY = 0.30f;

struct Option {
  double stock, strike, years;
};

struct OptionPrice {
  double call, put;
};

static inline double normal_distribution(double x) {
  return 0.5 * erfc(-x * sqrt(0.5));
}

static inline OptionPrice option_price(const Option &option) {
  double deviation = VOLATILITY * sqrt(option.years);
  double d1 = (log(option.stock / option.strike) +
               (RISKLESS_RATE + 0.5 * VOLATILITY * VOLATILITY) * option.years) /
              deviation;
  double discounted = option.strike * exp(-RISKLESS_RATE * option.years);
  OptionPrice price;
  price.call =
      option.stock * normal_distribution(d1) - discounted * normal_distribution(d1 - deviation);
  price.put = price.call - option.stock + discounted;
  return price;
}

#endif
