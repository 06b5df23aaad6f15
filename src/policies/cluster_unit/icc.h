// SPDX-License-Identifier: MIT
// What intra-cluster coalescing costs in hardware (paper 003, section 6.4).
#ifndef POLICIES_CLUSTER_UNIT_ICC_H
#define POLICIES_CLUSTER_UNIT_ICC_H

#include <stdint.h>

enum { ICC_ADDRESS_BITS = 48, ICC_MOST_ENTRIES = 1024 };

// Entries with the address of a line and a bit an SM, in bits.
static inline uint64_t icc_table_bits(uint32_t entries, uint32_t sms_per_cluster,
                                      uint32_t line_bytes) {
  uint32_t offset_bits = (uint32_t)__builtin_ctz(line_bytes);
  return (uint64_t)entries * (ICC_ADDRESS_BITS - offset_bits + sms_per_cluster);
}

// Entries with a tag and a line.
static inline uint64_t icc_cache_bits(uint32_t entries, uint32_t line_bytes) {
  uint32_t offset_bits = (uint32_t)__builtin_ctz(line_bytes);
  return (uint64_t)entries * (ICC_ADDRESS_BITS - offset_bits + 8u * line_bytes);
}

#endif
