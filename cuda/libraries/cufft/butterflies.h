// SPDX-License-Identifier: MIT
// Transforms of 2, 3, 4, 5, 7 and 8 numbers in registers, and one pass of a longer one.
#ifndef CUFFT_BUTTERFLIES_H
#define CUFFT_BUTTERFLIES_H

#include "plan.h"

template <typename T>
__device__ Complex<T> operator+(Complex<T> a, Complex<T> b) {
  return Complex<T>{a.x + b.x, a.y + b.y};
}
template <typename T>
__device__ Complex<T> operator-(Complex<T> a, Complex<T> b) {
  return Complex<T>{a.x - b.x, a.y - b.y};
}
template <typename T>
__device__ Complex<T> operator*(Complex<T> a, Complex<T> b) {
  return Complex<T>{a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x};
}

// By -i for a forward transform (sign -1), by i for an inverse one.
template <typename T>
__device__ Complex<T> turned(Complex<T> a, T sign) {
  return Complex<T>{-sign * a.y, sign * a.x};
}

// cos and sin of 2 pi i / R: constants once loops are unrolled.
template <int R>
constexpr double cosine(int i) {
  constexpr double of_3[] = {1, -0.49999999999999978, -0.50000000000000044};
  constexpr double of_5[] = {1, 0.30901699437494745, -0.80901699437494734, -0.80901699437494756,
                             0.30901699437494723};
  constexpr double of_7[] = {1,
                             0.62348980185873359,
                             -0.22252093395631434,
                             -0.90096886790241903,
                             -0.90096886790241915,
                             -0.22252093395631459,
                             0.62348980185873337};
  return R == 3 ? of_3[i % 3] : R == 5 ? of_5[i % 5] : of_7[i % 7];
}
template <int R>
constexpr double sine(int i) {
  constexpr double of_3[] = {0, 0.86602540378443871, -0.86602540378443837};
  constexpr double of_5[] = {0, 0.95105651629515353, 0.58778525229247325, -0.58778525229247303,
                             -0.95105651629515364};
  constexpr double of_7[] = {0,
                             0.7818314824680298,
                             0.97492791218182362,
                             0.43388373911755823,
                             -0.43388373911755801,
                             -0.97492791218182362,
                             -0.78183148246802991};
  return R == 3 ? of_3[i % 3] : R == 5 ? of_5[i % 5] : of_7[i % 7];
}

// Odd R: pairs x[t], x[R - t] share their products.
template <int R, typename T>
__device__ void transform_odd(Complex<T> (&v)[R], T sign) {
  Complex<T> sums[R / 2], differences[R / 2], first = v[0];
#pragma unroll
  for (int t = 1; t <= R / 2; t++) {
    sums[t - 1] = v[t] + v[R - t], differences[t - 1] = v[t] - v[R - t];
    v[0] = v[0] + sums[t - 1];
  }
#pragma unroll
  for (int k = 1; k <= R / 2; k++) {
    Complex<T> even = first, odd = {0, 0};
#pragma unroll
    for (int t = 1; t <= R / 2; t++) {
      T c = (T)cosine<R>(k * t), s = (T)sine<R>(k * t);
      even = Complex<T>{even.x + c * sums[t - 1].x, even.y + c * sums[t - 1].y};
      odd = Complex<T>{odd.x + s * differences[t - 1].x, odd.y + s * differences[t - 1].y};
    }
    v[k] = even + turned(odd, sign), v[R - k] = even - turned(odd, sign);
  }
}

template <typename T>
__device__ void transform(Complex<T> (&v)[2], T) {
  Complex<T> first = v[0];
  v[0] = first + v[1], v[1] = first - v[1];
}
template <typename T>
__device__ void transform(Complex<T> (&v)[4], T sign) {
  Complex<T> a = v[0] + v[2], b = v[0] - v[2], c = v[1] + v[3], d = turned(v[1] - v[3], sign);
  v[0] = a + c, v[1] = b + d, v[2] = a - c, v[3] = b - d;
}
template <typename T>
__device__ void transform(Complex<T> (&v)[8], T sign) {
  const T half = (T)0.70710678118654752;
  Complex<T> even[4] = {v[0], v[2], v[4], v[6]}, odd[4] = {v[1], v[3], v[5], v[7]};
  transform(even, sign), transform(odd, sign);
  odd[1] = Complex<T>{half * (odd[1].x - sign * odd[1].y), half * (odd[1].y + sign * odd[1].x)};
  odd[2] = turned(odd[2], sign);
  odd[3] = Complex<T>{half * (-odd[3].x - sign * odd[3].y), half * (-odd[3].y + sign * odd[3].x)};
#pragma unroll
  for (int i = 0; i < 4; i++) v[i] = even[i] + odd[i], v[i + 4] = even[i] - odd[i];
}
template <typename T>
__device__ void transform(Complex<T> (&v)[3], T sign) {
  transform_odd<3>(v, sign);
}
template <typename T>
__device__ void transform(Complex<T> (&v)[5], T sign) {
  transform_odd<5>(v, sign);
}
template <typename T>
__device__ void transform(Complex<T> (&v)[7], T sign) {
  transform_odd<7>(v, sign);
}

// Butterfly j of n / R in the pass that joins transforms of length `done` to ones of
// done * R (Stockham's order, in which no digits have to be reversed). Elements are `stride`
// apart. roots: exp(-2 pi i k / n).
template <int R, typename T, typename Index>
__device__ void join(const Complex<T> *in, Complex<T> *out, Index n, Index stride, Index done,
                     Index j, const Complex<T> *roots, T sign) {
  Index k = j % done, first = (j / done) * done * R + k, step = n / (done * R);
  Complex<T> v[R];
#pragma unroll
  for (int t = 0; t < R; t++) v[t] = in[(j + t * (n / R)) * stride];
  if (k) {
#pragma unroll
    for (int t = 1; t < R; t++) {
      Complex<T> root = roots[k * t * step];
      v[t] = v[t] * Complex<T>{root.x, -sign * root.y};
    }
  }
  transform(v, sign);
#pragma unroll
  for (int t = 0; t < R; t++) out[(first + t * done) * stride] = v[t];
}

template <typename T, typename Index>
__device__ void join(int radix, const Complex<T> *in, Complex<T> *out, Index n, Index stride,
                     Index done, Index j, const Complex<T> *roots, T sign) {
  switch (radix) {
    case 2: join<2>(in, out, n, stride, done, j, roots, sign); break;
    case 3: join<3>(in, out, n, stride, done, j, roots, sign); break;
    case 4: join<4>(in, out, n, stride, done, j, roots, sign); break;
    case 5: join<5>(in, out, n, stride, done, j, roots, sign); break;
    case 7: join<7>(in, out, n, stride, done, j, roots, sign); break;
    default: join<8>(in, out, n, stride, done, j, roots, sign); break;
  }
}

#endif
