// SPDX-License-Identifier: MIT
// Fermi's hash as Nugteren, van den Braak, Corporaal and Bal measured it ("A
// Detailed GPU Cache Model Based on Reuse Distance Theory", HPCA 2014), with the
// address bits at their places for 128-byte lines. Polynomials: Rau,
// "Pseudo-randomly interleaved memory", ISCA 1991.
#include "memory/cache/cache_index.h"

#include <string.h>

#include "base/text/nearest.h"
#include "memory/cache/cache.h"

// polynomials[d]: irreducible of degree d, bit i for x^i.
static const uint32_t polynomials[CACHE_INDEX_MAX_BITS + 1] = {
    0x1,   0x3,    0x7,    0xb,    0x13,   0x25,    0x43,    0x83,    0x11b,   0x211,   0x409,
    0x805, 0x1053, 0x201b, 0x402b, 0x8003, 0x1002d, 0x20009, 0x40027, 0x80027, 0x100009};

// x^b mod p for every line bit b; bit i of it says whether b is part of parity i.
static void make_parities(CacheIndex *index) {
  uint32_t degree = index->sets_log2, polynomial = polynomials[degree], remainder = 1;
  memset(index->parity, 0, sizeof index->parity);
  if (degree == 0) return;
  for (uint32_t bit = 0; bit < 64; bit++) {
    for (uint32_t i = 0; i < degree; i++) index->parity[i] |= (uint64_t)(remainder >> i & 1) << bit;
    remainder <<= 1;
    if (remainder >> degree & 1) remainder ^= polynomial;
  }
}

Status cache_index_init(CacheIndex *index, uint32_t kind, uint32_t sets, uint32_t line_bytes,
                        Error *err) {
  char nearest[NEAREST_BYTES];
  *index = (CacheIndex){.kind = kind, .sets = sets};
  index->power_of_two = (sets & (sets - 1)) == 0;
  index->sets_log2 = 31u - (uint32_t)__builtin_clz(sets);
  index->line_log2 = (uint32_t)__builtin_ctz(line_bytes);
  if (kind == INDEX_FERMI && sets != 32 && sets != 64)
    return error_set(err, ERR_CONFIG,
                     "sets = %u: the fermi index hash requires 32 or 64 sets (nearest: %d)", sets,
                     sets < 48 ? 32 : 64);
  if (kind != INDEX_LINEAR && !index->power_of_two)
    return error_set(err, ERR_CONFIG, "sets = %u: index hashes require a power of two%s", sets,
                     nearest_text(sets, 1, UINT32_MAX, number_is_power_of_two, NULL, nearest));
  if (kind == INDEX_IPOLY) make_parities(index);
  return OK;
}

// The five lowest bits of the line's number XOR {a19, a17, a15, a14, a13}; of
// 64 sets the sixth is the next bit of the number.
static uint32_t fermi_set(const CacheIndex *index, uint64_t address) {
  uint64_t line = address >> index->line_log2;
  uint64_t upper = (address >> 13 & 7) | (address >> 17 & 1) << 3 | (address >> 19 & 1) << 4;
  return (uint32_t)(((line & 31) ^ upper) | (line & (index->sets - 32)));
}

static uint32_t polynomial_set(const CacheIndex *index, uint64_t line) {
  uint32_t set = 0;
  for (uint32_t i = 0; i < index->sets_log2; i++)
    set |= (uint32_t)__builtin_parityll(line & index->parity[i]) << i;
  return set;
}

uint32_t cache_index_hashed(const CacheIndex *index, uint64_t address) {
  uint64_t line = address >> index->line_log2;
  switch (index->kind) {
    case INDEX_FERMI: return fermi_set(index, address);
    case INDEX_XOR: return (uint32_t)((line ^ line >> index->sets_log2) & (index->sets - 1));
    default: return polynomial_set(index, line);
  }
}
