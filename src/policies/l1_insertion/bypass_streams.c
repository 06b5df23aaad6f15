// SPDX-License-Identifier: MIT
// Loads that have not hit for a long time pass: their lines would only drive
// others out. Now and then one of theirs is kept, to notice when that changes.
//
// An example more than a proposal: the idea, by instruction, is that of Xie,
// Liang, Sun and Chen, "An efficient compiler framework for cache bypassing on
// GPUs", ICCAD 2013, decided at run time. Instructions that share an entry of
// the table share its judgement.
#include "policies/l1_insertion/l1_insertion.h"

enum { ENTRIES = 64 };

typedef struct BypassStreams {
  uint32_t patience, sample;  // parameters
  uint32_t misses[ENTRIES];   // by PC: since its last hit
} BypassStreams;

static bool streams_keeps(void *state, const L1dAccess *access) {
  const BypassStreams *streams = state;
  uint32_t misses = streams->misses[access->requester.pc % ENTRIES];
  return misses < streams->patience || misses % streams->sample == 0;
}

static void streams_on_access(void *state, const L1dAccess *access) {
  BypassStreams *streams = state;
  uint32_t *misses = &streams->misses[access->requester.pc % ENTRIES];
  *misses = access->outcome == OUTCOME_MISS ? *misses + 1 : 0;
}

static const Param streams_params[] = {
    PARAM(BypassStreams, patience, 64, 1, 1 << 20,
          "consecutive misses that classify a load as streaming"),
    PARAM(BypassStreams, sample, 32, 1, 1 << 20,
          "cache one in this many misses of a streaming load"),
    {0}};

const L1InsertionType bypass_streams_insertion = {
    .policy = {.name = "bypass_streams",
               .summary = "bypasses loads whose instruction never hits",
               .state_size = sizeof(BypassStreams),
               .params = streams_params},
    .keeps = streams_keeps,
    .on_access = streams_on_access,
};
