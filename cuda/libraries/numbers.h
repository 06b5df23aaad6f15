// SPDX-License-Identifier: MIT
// Complex numbers with operators, so that kernels of the libraries are written once for all
// types. Their layout is that of float2 and double2.
#ifndef LIBRARIES_NUMBERS_H
#define LIBRARIES_NUMBERS_H

#include <cuda_runtime.h>

#define NUMBER __host__ __device__ __forceinline__

template <typename T>
struct alignas(2 * sizeof(T)) Complex {
  T x, y;
  Complex() = default;
  NUMBER Complex(T real, T imaginary = 0) : x(real), y(imaginary) {}
  NUMBER Complex &operator+=(Complex b) { return *this = Complex(x + b.x, y + b.y); }
  NUMBER Complex &operator-=(Complex b) { return *this = Complex(x - b.x, y - b.y); }
  NUMBER Complex &operator*=(Complex b) {
    return *this = Complex(x * b.x - y * b.y, x * b.y + y * b.x);
  }
  // The larger part of the divisor is divided by first, to stay in range (Smith, 1962).
  NUMBER Complex &operator/=(Complex b) {
    bool is_flat = (b.x < 0 ? -b.x : b.x) >= (b.y < 0 ? -b.y : b.y);
    T ratio = is_flat ? b.y / b.x : b.x / b.y;
    T whole = is_flat ? b.x + b.y * ratio : b.x * ratio + b.y;
    return *this = is_flat ? Complex((x + y * ratio) / whole, (y - x * ratio) / whole)
                           : Complex((x * ratio + y) / whole, (y * ratio - x) / whole);
  }
  friend NUMBER Complex operator+(Complex a, Complex b) { return a += b; }
  friend NUMBER Complex operator-(Complex a, Complex b) { return a -= b; }
  friend NUMBER Complex operator*(Complex a, Complex b) { return a *= b; }
  friend NUMBER Complex operator/(Complex a, Complex b) { return a /= b; }
  friend NUMBER bool operator==(Complex a, Complex b) { return a.x == b.x && a.y == b.y; }
  friend NUMBER bool operator!=(Complex a, Complex b) { return !(a == b); }
};

// The type of absolute values.
template <typename T>
struct RealOf {
  typedef T Type;
};
template <typename T>
struct RealOf<Complex<T>> {
  typedef T Type;
};
template <typename T>
using Real = typename RealOf<T>::Type;

template <typename T>
NUMBER T conjugate(T a) {
  return a;
}
template <typename T>
NUMBER Complex<T> conjugate(Complex<T> a) {
  return Complex<T>(a.x, -a.y);
}
template <typename T>
NUMBER T conjugate_if(bool is_wanted, T a) {
  return is_wanted ? conjugate(a) : a;
}

template <typename T>
__device__ void add_atomically(T *to, T value) {
  atomicAdd(to, value);
}
template <typename T>
__device__ void add_atomically(Complex<T> *to, Complex<T> value) {
  atomicAdd(&to->x, value.x), atomicAdd(&to->y, value.y);
}

// Word by word, from `distance` lanes above within groups of `width`.
template <typename T>
__device__ T shuffle_down(T value, int distance, int width) {
  union {
    T value;
    unsigned words[sizeof(T) / 4];
  } it;
  it.value = value;
#pragma unroll
  for (int i = 0; i < (int)(sizeof(T) / 4); i++)
    it.words[i] = __shfl_down_sync(0xffffffffu, it.words[i], distance, width);
  return it.value;
}

#endif
