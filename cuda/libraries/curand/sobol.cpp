// SPDX-License-Identifier: MIT
// Direction vectors of Sobol's sequences: the first numbers of a dimension are in a table, the
// others follow from its primitive polynomial. Polynomials are taken in order.
#include "sobol.h"

#include <mutex>

#include "sobol_numbers.h"

typedef unsigned long long Word;
enum { BITS = 64 };

static curandDirectionVectors32_t vectors32[SOBOL_DIMENSIONS];
static curandDirectionVectors64_t vectors64[SOBOL_DIMENSIONS];

// Whether powers of x modulo a polynomial of the degree take all values but 0.
static bool is_primitive(unsigned polynomial, int degree) {
  unsigned power = 1, end = (1u << degree) - 1;
  for (unsigned i = 1; i <= end; i++) {
    power <<= 1;
    if (power >> degree & 1) power ^= polynomial;
    if (power == 1) return i == end;
  }
  return false;
}

// The next one after a polynomial.
static unsigned next_polynomial(unsigned polynomial, int *degree) {
  do {
    polynomial += 2;
    if (polynomial >> (*degree + 1)) ++*degree, polynomial = (1u << *degree) | 1;
  } while (!is_primitive(polynomial, *degree));
  return polynomial;
}

static void fill_dimension(int dimension, const Word (&numbers)[BITS]) {
  for (int i = 0; i < BITS; i++) vectors64[dimension][i] = numbers[i] << (BITS - 1 - i);
  for (int i = 0; i < 32; i++) vectors32[dimension][i] = (unsigned)(numbers[i] << (31 - i));
}

static void make_vectors() {
  Word numbers[BITS];
  for (Word &number : numbers) number = 1;
  fill_dimension(0, numbers);
  const unsigned short *first = sobol_numbers;
  unsigned polynomial = 3;  // x + 1
  int degree = 1;
  for (int dimension = 1; dimension < SOBOL_DIMENSIONS; dimension++) {
    for (int i = 0; i < degree; i++) numbers[i] = *first++;
    for (int i = degree; i < BITS; i++) {
      numbers[i] = numbers[i - degree] ^ numbers[i - degree] << degree;
      for (int k = 1; k < degree; k++)
        if (polynomial >> (degree - k) & 1) numbers[i] ^= numbers[i - k] << k;
    }
    fill_dimension(dimension, numbers);
    polynomial = next_polynomial(polynomial, &degree);
  }
}

static std::once_flag made;
const curandDirectionVectors32_t *sobol_vectors32(void) {
  std::call_once(made, make_vectors);
  return vectors32;
}
const curandDirectionVectors64_t *sobol_vectors64(void) {
  std::call_once(made, make_vectors);
  return vectors64;
}
