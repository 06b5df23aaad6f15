// SPDX-License-Identifier: MIT
// Shared memory of the other CTAs of a cluster: loads, stores, atomics, st.async and red.async with
// random sizes of clusters, ranks, places and values, against the same accesses made by the host.
#include <stdio.h>

#include "unit/host_reduction.h"
#include "unit/text_kernel.h"

enum { ROUNDS = 8, MAX_CTAS = 8, MAX_THREADS = MAX_CTAS * LANES };

// What a thread gets: the CTA it reaches, where in its memory, the bytes that its own CTA's barrier
// waits for, and its words, %r10 to %r13.
typedef struct Thread {
  uint32_t rank, place, expected, unused;
  uint32_t words[4];
} Thread;

static uint8_t boxes[MAX_CTAS][BOX], wanted[MAX_CTAS][BOX];
static Thread threads[MAX_THREADS];
static uint32_t out[MAX_THREADS][4];

#define CLUSTER_BARRIER "barrier.cluster.arrive;\nbarrier.cluster.wait;\n"

// %r14 and %rd4 are the thread's place in the other CTA, %r15 and %rd5 that CTA's barrier.
#define PROLOGUE \
  HEAD(P(0) "," P(1) "," P(2)) GET(0) GET(1) GET(2)                                              \
    "mov.u32 %%r28, %%cluster_ctarank;\nmul.wide.u32 %%rd3, %%r28, 4096;\n"                        \
    "add.u64 %%rd0, %%rd0, %%rd3;\n" FILL("%%rd0")                                                 \
    "mad.lo.u32 %%r29, %%r28, 32, %%r0;\nmul.wide.u32 %%rd3, %%r29, 32;\n"                         \
    "add.u64 %%rd1, %%rd1, %%rd3;\nmul.wide.u32 %%rd3, %%r29, 16;\nadd.u64 %%rd2, %%rd2, %%rd3;\n" \
    "ld.global.v4.u32 {%%r5, %%r6, %%r7, %%r8}, [%%rd1];\n"                                        \
    "ld.global.v4.u32 {%%r10, %%r11, %%r12, %%r13}, [%%rd1+16];\n"                                 \
    "mov.b64 %%rd10, {%%r10, %%r11};\nmov.b64 %%rd11, {%%r12, %%r13};\n"                           \
    "mov.u32 %%r9, s;\nadd.u32 %%r9, %%r9, %%r6;\nmapa.shared::cluster.u32 %%r14, %%r9, %%r5;\n"   \
    "cvt.u64.u32 %%rd4, %%r9;\ncvta.shared.u64 %%rd4, %%rd4;\nmapa.u64 %%rd4, %%rd4, %%r5;\n"      \
    "mov.u32 %%r9, bar;\nmapa.shared::cluster.u32 %%r15, %%r9, %%r5;\n"                            \
    "cvt.u64.u32 %%rd5, %%r9;\ncvta.shared.u64 %%rd5, %%rd5;\nmapa.u64 %%rd5, %%rd5, %%r5;\n"      \
    "setp.eq.u32 %%p1, %%r0, 0;\n@%%p1 mbarrier.init.shared.b64 [bar], 1;\n"                       \
    "@%%p1 mbarrier.arrive.expect_tx.shared.b64 _, [bar], %%r7;\n" CLUSTER_BARRIER

// Each CTA waits for the bytes that it was told to expect.
#define EPILOGUE                                                                                   \
  "WAIT:\nmbarrier.try_wait.parity.shared.b64 %%p2, [bar], 0;\n@!%%p2 bra WAIT;\n" CLUSTER_BARRIER \
  "st.global.v4.u32 [%%rd2], {%%r10, %%r11, %%r12, %%r13};\n" SHOW("%%rd0") TAIL

static void run_accesses(uint32_t ctas, const char *access) {
  char text[TEXT];
  snprintf(text, sizeof text, PROLOGUE "%s\n" EPILOGUE, access);
  text_kernel_run(&(TextKernel){.text = text,
                                .buffers = {{boxes, ctas * BOX},
                                            {threads, ctas * LANES * sizeof *threads},
                                            {out, ctas * LANES * sizeof *out}},
                                .threads = LANES,
                                .ctas = ctas});
}

// No two threads reach the same 16 bytes. The first thread of each CTA has what its barrier
// expects.
static uint32_t draw_threads(void) {
  uint32_t ctas = 2u << below(3), chunks = ctas * (BOX / 16);
  static uint32_t all[MAX_CTAS * BOX / 16];
  for (uint32_t i = 0; i < chunks; i++) all[i] = i;
  for (uint32_t i = 0; i < ctas * LANES; i++) {
    uint32_t j = i + below(chunks - i), drawn = all[j];
    all[j] = all[i];
    threads[i] = (Thread){.rank = drawn / (BOX / 16), .place = drawn % (BOX / 16) * 16};
    draw_bytes(threads[i].words, sizeof threads[i].words);
  }
  draw_bytes(boxes, sizeof boxes);
  return ctas;
}

static void expect_same(uint32_t ctas, uint32_t results[MAX_THREADS][4], const char *access) {
  run_accesses(ctas, access);
  if (memcmp(boxes, wanted, ctas * BOX) != 0) fail_msg("%s: other memory", access);
  if (memcmp(out, results, ctas * LANES * sizeof *out) != 0) fail_msg("%s: other results", access);
}

// ---- loads, stores, exchanges: `bytes` of the first words, at distinct places

typedef struct Access {
  uint32_t bytes;
  bool reads, writes, is_async;
  const char *text;
} Access;

static const Access accesses[] = {
    {4, true, false, false, "ld.shared::cluster.u32 %r10, [%r14];"},
    {8, true, false, false, "ld.shared::cluster.v2.u32 {%r10, %r11}, [%r14];"},
    {16, true, false, false, "ld.shared::cluster.v4.u32 {%r10, %r11, %r12, %r13}, [%r14];"},
    {8, true, false, false, "ld.u64 %rd10, [%rd4];\nmov.b64 {%r10, %r11}, %rd10;"},
    {1, false, true, false, "st.shared::cluster.u8 [%r14], %r10;"},
    {4, false, true, false, "st.shared::cluster.b32 [%r14], %r10;"},
    {8, false, true, false, "st.u64 [%rd4], %rd10;"},
    {16, false, true, false, "st.shared::cluster.v4.u32 [%r14], {%r10, %r11, %r12, %r13};"},
    {4, true, true, false, "atom.shared::cluster.exch.b32 %r10, [%r14], %r10;"},
    {8, true, true, false, "atom.exch.b64 %rd10, [%rd4], %rd10;\nmov.b64 {%r10, %r11}, %rd10;"},
#define ASYNC "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes"
    {4, false, true, true, ASYNC ".b32 [%r14], %r10, [%r15];"},
    {4, false, true, true, ASYNC ".s32 [%r14], %r10, [%r15];"},
    {8, false, true, true, ASYNC ".u64 [%r14], %rd10, [%r15];"},
    {8, false, true, true, ASYNC ".v2.u32 [%r14], {%r10, %r11}, [%r15];"},
    {16, false, true, true, ASYNC ".v2.b64 [%r14], {%rd10, %rd11}, [%r15];"},
    {16, false, true, true, ASYNC ".v4.b32 [%r14], {%r10, %r11, %r12, %r13}, [%r15];"},
    {8, false, true, true, "st.async.mbarrier::complete_tx::bytes.b64 [%rd4], %rd10, [%rd5];"},
};

static void try_access(const Access *x) {
  static uint32_t results[MAX_THREADS][4];
  uint32_t ctas = draw_threads();
  memcpy(wanted, boxes, sizeof boxes);
  for (uint32_t i = 0; i < ctas * LANES; i++) {
    Thread *thread = &threads[i];
    uint8_t *there = wanted[thread->rank] + thread->place;
    memcpy(results[i], thread->words, sizeof results[i]);
    if (x->reads) memcpy(results[i], there, x->bytes);
    if (x->writes) memcpy(there, thread->words, x->bytes);
    if (x->is_async) threads[thread->rank * LANES].expected += x->bytes;
  }
  expect_same(ctas, results, x->text);
}

static void accesses_reach_the_place_of_the_other_cta(void **state) {
  (void)state;
  for (int round = 0; round < ROUNDS; round++)
    for (size_t i = 0; i < sizeof accesses / sizeof *accesses; i++) try_access(&accesses[i]);
}

// ---- reductions, which meet at few places: 8 of each CTA

static const Reduction reductions[] = {
    {"add", "u32"},
    {"add", "s32"},
    {"min", "u32"},
    {"min", "s32"},
    {"max", "u32"},
    {"max", "s32"},
    {"inc", "u32"},
    {"dec", "u32"},
    {"and", "b32"},
    {"or", "b32"},
    {"xor", "b32"},
    {"add", "u64"},
    // Not of red.async
    {"min", "u64"},
    {"max", "s64"},
    {"and", "b64"},
    {"xor", "b64"},
    {"add", "f32"},
    {"add", "f64"},
};
enum { ASYNC_REDUCTIONS = 12 };

// inc and dec count to one limit, so that their order does not matter; reals are small integers.
static uint64_t draw_operand(const Reduction *x, uint64_t limit) {
  if (is(x->operation, "inc") || is(x->operation, "dec")) return limit;
  return is_real(x->type) ? real_bits((int)below(41) - 20, x->type) : next_random();
}

static void draw_targets(const Reduction *x, uint32_t ctas, bool is_async) {
  uint64_t limit = 20 + below(20);
  for (uint32_t rank = 0; rank < ctas; rank++)
    for (uint32_t place = 0; place < BOX; place += 8) {
      uint64_t bits = is_real(x->type) ? real_bits((int)below(41) - 20, x->type) : next_random();
      memcpy(boxes[rank] + place, &bits, 8);
    }
  for (uint32_t i = 0; i < ctas * LANES; i++) {
    uint64_t operand = draw_operand(x, limit);
    threads[i].place = below(8) * 8;
    memcpy(threads[i].words, &operand, 8);
    if (is_async) threads[threads[i].rank * LANES].expected += size_of(x->type);
  }
}

static void try_reduction(const Reduction *x, bool is_async) {
  static uint32_t results[MAX_THREADS][4];
  uint32_t ctas = draw_threads();
  char text[160];
  draw_targets(x, ctas, is_async);
  memcpy(wanted, boxes, sizeof boxes);
  for (uint32_t i = 0; i < ctas * LANES; i++) {
    uint64_t old = 0, given = 0;
    uint8_t *there = wanted[threads[i].rank] + threads[i].place;
    memcpy(results[i], threads[i].words, sizeof results[i]);
    memcpy(&old, there, size_of(x->type));
    memcpy(&given, threads[i].words, size_of(x->type));
    old = reduce(x, old, given);
    memcpy(there, &old, size_of(x->type));
  }
  snprintf(text, sizeof text, "red%s.%s.%s [%%r14], %s%s;",
           is_async ? ".async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes"
                    : ".shared::cluster",
           x->operation, x->type, size_of(x->type) == 8 ? "%rd10" : "%r10",
           is_async ? ", [%r15]" : "");
  expect_same(ctas, results, text);
}

static void reductions_of_all_ctas_meet(void **state) {
  (void)state;
  for (int round = 0; round < ROUNDS / 2; round++)
    for (size_t i = 0; i < sizeof reductions / sizeof *reductions; i++) {
      try_reduction(&reductions[i], false);
      if (i < ASYNC_REDUCTIONS) try_reduction(&reductions[i], true);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(accesses_reach_the_place_of_the_other_cta),
      cmocka_unit_test(reductions_of_all_ctas_meet),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
