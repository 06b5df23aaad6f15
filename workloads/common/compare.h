// SPDX-License-Identifier: MIT
// The device's results beside the host's. Each comparison prints the first
// difference; verdict() is what main returns.
//
//   Comparison comparison;
//   comparison.exact("cost", cost.get(), expected_cost);
//   comparison.near("C", c.get(), expected_c, 1e-5);
//   return comparison.verdict();
#ifndef WORKLOADS_COMPARE_H
#define WORKLOADS_COMPARE_H

#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

class Comparison {
 public:
  // Equal, element by element: integers.
  template <typename T>
  void exact(const char *name, const std::vector<T> &got, const std::vector<T> &wanted) {
    compare(name, got, wanted, [](T a, T b) { return a == b; });
  }
  // |got - wanted| <= tolerance * max(|wanted|, scale). The scale says what counts
  // as small, where sums cancel. Not-a-number is never near.
  template <typename T>
  void near(const char *name, const std::vector<T> &got, const std::vector<T> &wanted,
            double tolerance, double scale = 1) {
    compare(name, got, wanted, [=](T a, T b) {
      double difference = std::fabs((double)a - (double)b);
      return difference <= tolerance * std::fmax(std::fabs((double)b), scale);
    });
  }
  // For what is neither: a property that must hold.
  void holds(const char *name, bool is_true) {
    comparisons_++;
    if (is_true) return;
    failures_++;
    fprintf(stderr, "%s: does not hold\n", name);
  }

  // Prints it too. Having compared nothing is no success.
  int verdict() const {
    bool is_right = comparisons_ && !failures_;
    puts(is_right ? "PASSED" : "FAILED");
    return is_right ? 0 : 1;
  }

 private:
  template <typename T, typename Same>
  void compare(const char *name, const std::vector<T> &got, const std::vector<T> &wanted,
               Same same) {
    comparisons_++;
    size_t different = 0, first = 0;
    for (size_t i = 0; i < got.size() && i < wanted.size(); i++)
      if (!same(got[i], wanted[i]) && different++ == 0) first = i;
    if (got.size() != wanted.size())
      fprintf(stderr, "%s: %zu elements instead of %zu\n", name, got.size(), wanted.size());
    else if (different)
      fprintf(stderr, "%s: %zu of %zu differ, first [%zu]: %s instead of %s\n", name, different,
              got.size(), first, text(got[first]).c_str(), text(wanted[first]).c_str());
    else
      return;
    failures_++;
  }

  static std::string text(double value) {
    char out[32];
    snprintf(out, sizeof out, "%.9g", value);
    return out;
  }

  int comparisons_ = 0, failures_ = 0;
};

#endif
