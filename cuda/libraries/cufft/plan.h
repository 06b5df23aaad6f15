// SPDX-License-Identifier: MIT
// A plan of cuFFT: the shape, where elements are in memory, and tables for each dimension.
//
// Data that is complex and contiguous is transformed in place of the output. Other data is
// gathered into a work area as complex numbers, transformed there and stored.
//
// Simplified: transforms of real numbers are those of complex ones, with twice the work.
#ifndef CUFFT_PLAN_H
#define CUFFT_PLAN_H

#include <cufft.h>

#include <memory>
#include <vector>

#define EXPORT extern "C" __attribute__((visibility("default")))

enum { MAX_RANK = 3, MAX_FACTORS = 40 };

template <typename T>
struct alignas(2 * sizeof(T)) Complex {
  T x, y;
};

struct Factors {
  int count, radix[MAX_FACTORS];
};

// HALF: of numbers that are their own conjugates backwards, the last dimension up to n / 2.
enum Kind { COMPLEX, REAL, HALF };

// Element (i0, i1, i2) of transform b is at b * distance + ((i0 * embed[1] + i1) * embed[2] +
// i2) * stride, in elements of its kind.
struct Layout {
  Kind kind;
  long long embed[MAX_RANK], stride, distance;
};

// Tables on the device for transforms of length n, of float or double. Lengths with other
// factors than 2, 3, 5 and 7 are convolutions of length m (Bluestein, 1970), with tables of
// their own: weights exp(-pi i k k / n), and the transform of their conjugates.
struct Length {
  long long n;
  Factors factors;
  void *roots = nullptr;
  std::unique_ptr<Length> convolution;
  void *weights = nullptr, *kernel = nullptr;
  ~Length();
};

struct Plan {
  bool is_made = false, is_double = false, is_automatic = true;
  bool has_default_layout = true;
  cufftType type = CUFFT_C2C;
  int rank = 0;
  long long n[MAX_RANK] = {1, 1, 1};  // padded with 1 in front
  long long batch = 0;
  Layout in = {}, out = {};
  std::unique_ptr<Length> lengths[MAX_RANK];
  void *area = nullptr, *own_area = nullptr;
  size_t area_bytes = 0;
  cudaStream_t stream = nullptr;
  ~Plan() { cudaFree(own_area); }
  long long volume() const { return n[0] * n[1] * n[2]; }
};

// What a call asks for; embeds are NULL for a default layout.
struct Shape {
  int rank;
  const long long *n, *inembed, *onembed;
  long long istride, idist, ostride, odist, batch;
  cufftType type;
};

cufftResult plan_make(Plan *plan, const Shape &shape);
// Without tables or memory: for estimates.
cufftResult plan_describe(Plan *plan, const Shape &shape);

// False: the tables could not be stored.
bool length_make(std::unique_ptr<Length> *length, long long n, bool is_double);

// Whether lines of that length are transformed in shared memory.
bool is_short(long long n, bool is_double);

cufftResult plan_execute(const Plan &plan, const void *in, void *out, int direction);

#endif
