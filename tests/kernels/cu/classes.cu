// SPDX-License-Identifier: MIT
// C++ as kernels use it: virtual functions, function pointers, recursion on
// local arrays, structures by value, switches.
//
// alloc: out s32 256
//
// run: virtual functions, every lane another class
// launch: shapes 1 1 1 64 1 1 $out
// expect: out[0..63] == i % 3 == 0 ? i * i : i % 3 == 1 ? 3 * i + 1 : -i
//
// run: pointers to functions
// launch: pointers 1 1 1 64 1 1 $out i:5
// expect: out[0..63] == i % 2 ? i + 5 : i * 5
//
// run: quick sort by recursion
// stack: 4096
// launch: sort 1 1 1 32 1 1 $out
// expect: out[0..31] == i * 10 + 3
// expect: out[32..63] == 1
//
// run: a switch with many cases
// launch: switches 1 1 1 64 1 1 $out
// expect: out[0..] == 7, 14, 12, 13, 54, 28, 99, 8, 64, -9, 105, 1, 7, 14, 12, 13, 54, 28, 99, 8
//
// run: structures by value and result
// launch: structures 1 1 1 32 1 1 $out
// expect: out[0..31] == (i + 1) + (i + 2) * 2 + (i + 3) * 3 + i
//
// run: matrices in local memory
// launch: matrices 1 1 1 32 1 1 $out
// expect: out[0..31] == 308
#include "plain_cuda.h"

struct Shape {
  int x;
  __device__ Shape(int value) : x(value) {}
  __device__ virtual int area() const = 0;
};
struct Square : Shape {
  __device__ Square(int value) : Shape(value) {}
  __device__ int area() const override { return x * x; }
};
struct Line : Shape {
  __device__ Line(int value) : Shape(value) {}
  __device__ int area() const override { return 3 * x + 1; }
};
struct Hole : Shape {
  __device__ Hole(int value) : Shape(value) {}
  __device__ int area() const override { return -x; }
};

__device__ NO_INLINE int ask(const Shape *shape) { return shape->area(); }

extern "C" __global__ void shapes(int *out) {
  int i = THREAD;
  Square square(i);
  Line line(i);
  Hole hole(i);
  const Shape *shape = &square;
  if (i % 3 == 1) shape = &line;
  if (i % 3 == 2) shape = &hole;
  out[i] = ask(shape);
}

typedef int (*Operation)(int, int);
__device__ NO_INLINE int add(int a, int b) { return a + b; }
__device__ NO_INLINE int multiply(int a, int b) { return a * b; }
__device__ Operation operations[2] = {multiply, add};

extern "C" __global__ void pointers(int *out, int b) {
  int i = THREAD;
  out[i] = operations[i % 2](i, b);
}

__device__ void quick_sort(int *a, int low, int high) {
  if (low >= high) return;
  int pivot = a[(low + high) / 2], i = low, j = high;
  while (i <= j) {
    while (a[i] < pivot) i++;
    while (a[j] > pivot) j--;
    if (i <= j) {
      int t = a[i];
      a[i++] = a[j];
      a[j--] = t;
    }
  }
  quick_sort(a, low, j);
  quick_sort(a, i, high);
}

extern "C" __global__ void sort(int *out) {
  int a[32], i = THREAD;
  for (int k = 0; k < 32; k++) a[k] = (k * (2 * i + 1) + 7) % 32 * 10 + 3;
  quick_sort(a, 0, 31);
  int sorted = 1;
  for (int k = 1; k < 32; k++) sorted &= a[k - 1] < a[k];
  out[i] = a[i];
  out[32 + i] = sorted;
}

extern "C" __global__ void switches(int *out) {
  int i = THREAD, x = i % 12, y = 0;
  switch (x) {
    case 0: y = 7; break;
    case 1: y = 14; break;
    case 2: y = 10;
    case 3: y += 2; if (x == 2) break; y += 11; break;
    case 4: y = 54; break;
    case 5: y = i * 0 + 28; break;
    case 6: y = 99; break;
    case 7: y = x + 1; break;
    case 8: y = x * x; break;
    case 9: y = -x; break;
    case 10: y = 95 + x; break;
    default: y = 1;
  }
  out[i] = y;
}

struct Triple {
  int a, b, c;
  char tag;
};
__device__ NO_INLINE Triple make(int i) { return Triple{i + 1, i + 2, i + 3, (char)i}; }
__device__ NO_INLINE int weigh(Triple t) { return t.a + 2 * t.b + 3 * t.c + t.tag; }

extern "C" __global__ void structures(int *out) {
  int i = THREAD;
  out[i] = weigh(make(i));
}

extern "C" __global__ void matrices(int *out) {
  int i = THREAD, m[8][8], sum = 0;
  for (int r = 0; r < 8; r++)
    for (int c = 0; c < 8; c++) m[(r + i) % 8][c] = r * 10 + c;
  for (int r = 0; r < 8; r++) sum += m[r][(r + i) % 8];
  out[i] = sum;
}
