// SPDX-License-Identifier: MIT
// Factors and tables of a length. Tables are computed on the host in double.
#include <math.h>

#include "plan.h"

typedef Complex<double> Number;

Length::~Length() {
  cudaFree(roots), cudaFree(weights), cudaFree(kernel);
}

static bool factor(long long n, Factors *factors) {
  *factors = Factors();
  for (int radix : {8, 7, 5, 4, 3, 2})
    for (; n % radix == 0 && factors->count < MAX_FACTORS; n /= radix)
      factors->radix[factors->count++] = radix;
  return n == 1;
}

// exp(-2 pi i k / n)
static Number root(long long k, long long n) {
  const double pi = 3.14159265358979323846;
  double angle = 2 * pi * (double)(k % n) / (double)n;
  return Number{cos(angle), -sin(angle)};
}

static void *upload(const std::vector<Number> &numbers, bool is_double) {
  std::vector<Complex<float>> singles;
  for (const Number &it : numbers)
    if (!is_double) singles.push_back(Complex<float>{(float)it.x, (float)it.y});
  const void *from = is_double ? (const void *)numbers.data() : singles.data();
  size_t bytes = numbers.size() * (is_double ? sizeof(Number) : sizeof(Complex<float>));
  void *to = nullptr;
  if (cudaMalloc(&to, bytes) != cudaSuccess) return nullptr;
  if (cudaMemcpy(to, from, bytes, cudaMemcpyHostToDevice) == cudaSuccess) return to;
  cudaFree(to);
  return nullptr;
}

// On the host, for the table of a convolution; the length is a power of 2.
static void transform_host(std::vector<Number> &x) {
  size_t n = x.size();
  std::vector<Number> y(n), roots(n);
  for (size_t k = 0; k < n; k++) roots[k] = root((long long)k, (long long)n);
  for (size_t done = 1; done < n; done *= 2, x.swap(y))
    for (size_t j = 0; j < n / 2; j++) {
      size_t k = j % done, first = j / done * done * 2 + k;
      Number a = x[j], b = x[j + n / 2], w = roots[k * (n / (2 * done))];
      Number c = {b.x * w.x - b.y * w.y, b.x * w.y + b.y * w.x};
      y[first] = Number{a.x + c.x, a.y + c.y}, y[first + done] = Number{a.x - c.x, a.y - c.y};
    }
}

// The inverse transform of length m divides by nothing, so the kernel does.
static bool make_convolution(Length *it, bool is_double) {
  long long m = 1;
  while (m < 2 * it->n - 1) m *= 2;
  if (!length_make(&it->convolution, m, is_double)) return false;
  std::vector<Number> weights, kernel((size_t)m, Number{0, 0});
  for (long long k = 0; k < it->n; k++) weights.push_back(root(k * k, 2 * it->n));
  for (long long k = 0; k < it->n; k++) {
    Number weight = weights[(size_t)k];
    kernel[(size_t)k] = Number{weight.x / (double)m, -weight.y / (double)m};
    if (k) kernel[(size_t)(m - k)] = kernel[(size_t)k];
  }
  transform_host(kernel);
  it->weights = upload(weights, is_double), it->kernel = upload(kernel, is_double);
  return it->weights && it->kernel;
}

bool length_make(std::unique_ptr<Length> *length, long long n, bool is_double) {
  length->reset(new Length());
  Length *it = length->get();
  it->n = n;
  if (!factor(n, &it->factors)) return make_convolution(it, is_double);
  std::vector<Number> roots;
  for (long long k = 0; k < n; k++) roots.push_back(root(k, n));
  it->roots = upload(roots, is_double);
  return it->roots != nullptr;
}
