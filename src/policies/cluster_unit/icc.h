// SPDX-License-Identifier: MIT
// What intra-cluster coalescing costs in hardware (Wang et al., TC 2019,
// section 6.4).
#ifndef POLICIES_CLUSTER_UNIT_ICC_H
#define POLICIES_CLUSTER_UNIT_ICC_H

#include <stdint.h>

enum { ICC_ADDRESS_BITS = 48 };

// Entries with the address of a line and a bit per SM, in bits.
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
