// SPDX-License-Identifier: MIT
// Gaussian elimination without pivoting, two launches a column: the first finds
// what each row below is to lose of the pivot's row, the second takes it away. The
// CTAs of the second are half a warp, and threads that are neighbours in x are so
// in a column: a load touches four rows. All CTAs of a launch read the pivot's row.
//
// Gaussian in Yen. Elimination without pivoting, two launches per column; the host substitutes
// back. Threads that are neighbours in x process one column of the matrix, as in the suite:
// CTAs of half a warp touch four rows per load. Random, diagonally dominant matrix. The grid
// covers the whole matrix in every launch. At `paper`: n = 208, 169 KB; Yen states 192 KB,
// presumably the size of the suite's text file for this n, the only one close to it.
#include <cmath>

#include "common/arguments.h"
#include "common/compare.h"
#include "common/device_array.h"
#include "common/random.h"
#include "common/timer.h"

enum { CTA = 512, EDGE = 4 };

__global__ void find_multipliers(float *multiplier, const float *a, int n, int pivot) {
  int row = pivot + 1 + blockIdx.x * CTA + threadIdx.x;
  if (row < n) multiplier[row * n + pivot] = a[row * n + pivot] / a[pivot * n + pivot];
}

__global__ void eliminate(const float *multiplier, float *a, float *b, int n, int pivot) {
  int row = pivot + 1 + blockIdx.x * EDGE + threadIdx.x;
  int column = pivot + blockIdx.y * EDGE + threadIdx.y;
  if (row >= n || column >= n) return;
  float factor = multiplier[row * n + pivot];
  a[row * n + column] -= factor * a[pivot * n + column];
  if (column == pivot) b[row] -= factor * b[pivot];
}

struct System {
  std::vector<float> a, b;  // a x = b
};

// Each element of the diagonal outweighs the rest of its row, so that no pivot is near zero.
static System generate(int n, uint64_t seed) {
  Random random(seed);
  System system = {random.floats((size_t)n * n, -1, 1), random.floats((size_t)n, -1, 1)};
  for (size_t i = 0; i < (size_t)n; i++) system.a[i * n + i] = 2 + (float)n;
  return system;
}

static std::vector<double> substitute_back(const System &system) {
  size_t n = system.b.size();
  std::vector<double> x(n);
  for (size_t i = n; i-- > 0;) {
    double rest = system.b[i];
    for (size_t j = i + 1; j < n; j++) rest -= system.a[i * n + j] * x[j];
    x[i] = rest / system.a[i * n + i];
  }
  return x;
}

static void eliminate_on_host(System *system) {
  size_t n = system->b.size();
  for (size_t pivot = 0; pivot < n; pivot++)
    for (size_t row = pivot + 1; row < n; row++) {
      float factor = system->a[row * n + pivot] / system->a[pivot * n + pivot];
      for (size_t j = pivot; j < n; j++)
        system->a[row * n + j] -= factor * system->a[pivot * n + j];
      system->b[row] -= factor * system->b[pivot];
    }
}

// a x, which should be b.
static std::vector<float> applied(const System &system, const std::vector<double> &x) {
  std::vector<float> product;
  for (size_t i = 0; i < x.size(); i++) {
    double sum = 0;
    for (size_t j = 0; j < x.size(); j++) sum += system.a[i * x.size() + j] * x[j];
    product.push_back((float)sum);
  }
  return product;
}

int main(int argc, char **argv) {
  Arguments arguments(argc, argv, "Gaussian elimination");
  int n = (int)arguments.number("n", {24, 128, 208}, 2, 4096, "equations");
  arguments.done();

  System given = generate(n, arguments.seed()), solved;
  DeviceArray<float> a(given.a), b(given.b), multiplier(given.a.size());
  unsigned edge = ctas_for(n, EDGE);
  Timer timer;
  for (int pivot = 0; pivot < n - 1; pivot++) {
    find_multipliers<<<ctas_for(n, CTA), CTA>>>(multiplier, a, n, pivot);
    eliminate<<<dim3(edge, edge), dim3(EDGE, EDGE)>>>(multiplier, a, b, n, pivot);
  }
  timer.stop("gaussian");

  solved.a = a.get(), solved.b = b.get();
  System expected = given;
  eliminate_on_host(&expected);
  Comparison comparison;
  comparison.near("triangle", solved.a, expected.a, 1e-4);
  comparison.near("right side", solved.b, expected.b, 1e-4);
  comparison.near("A x", applied(given, substitute_back(solved)), given.b, 1e-4);
  return comparison.verdict();
}
