// SPDX-License-Identifier: MIT
// mbarrier: random sequences of arrivals, drops and bytes, against a count kept by the host in the
// manual's words: a phase ends when no arrivals are pending and its tx-count is zero.
#include <stdio.h>

#include "unit/text_kernel.h"

enum { ROUNDS = 60, STEPS = 40, MOST_BYTES = 1 << 12 };

typedef struct Count {
  int expected, pending, bytes, phase;
} Count;

// The state that an arrival has left in %rd9.
typedef struct State {
  int pending, phase;
} State;

typedef struct Sequence {
  char text[TEXT];
  Count count;
  State state;
  uint32_t wanted[STEPS], observed;
} Sequence;

__attribute__((format(printf, 2, 3))) static void write_text(Sequence *s, const char *format, ...) {
  size_t length = strlen(s->text);
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(s->text + length, sizeof s->text - length, format, arguments);
  va_end(arguments);
}

static void settle(Count *count) {
  if (count->pending != 0 || count->bytes != 0) return;
  count->phase++;
  count->pending = count->expected;
}

// ---- one step each

static void arrive(Sequence *s) {
  int threads = below(2) ? s->count.pending : 1 + (int)below((uint32_t)s->count.pending);
  bool completes = threads == s->count.pending && s->count.bytes == 0;
  const char *way = !completes && below(2) ? ".noComplete" : "";
  s->state = (State){s->count.pending, s->count.phase};
  write_text(s, "mbarrier.arrive%s.shared.b64 %%rd9, [bar], %d;\n", way, threads);
  s->count.pending -= threads;
  settle(&s->count);
}

// Those that drop out are missing in the following phases, too.
static void arrive_and_drop(Sequence *s) {
  int threads = s->count.pending < s->count.expected ? s->count.pending : s->count.expected - 1;
  if (threads == 0) return;
  threads = 1 + (int)below((uint32_t)threads);
  s->state = (State){s->count.pending, s->count.phase};
  write_text(s, "mbarrier.arrive_drop.shared.b64 %%rd9, [bar], %d;\n", threads);
  s->count.expected -= threads;
  s->count.pending -= threads;
  settle(&s->count);
}

static void arrive_and_expect(Sequence *s) {
  int bytes = (int)below(MOST_BYTES);
  s->state = (State){s->count.pending, s->count.phase};
  write_text(s, "mbarrier.arrive.expect_tx.shared.b64 %%rd9, [bar], %d;\n", bytes);
  s->count.bytes += bytes;
  s->count.pending--;
  settle(&s->count);
}

// More than has come unannounced.
static void expect(Sequence *s) {
  int bytes = 1 + (int)below(MOST_BYTES) - (s->count.bytes < 0 ? s->count.bytes : 0);
  write_text(s, "mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [bar], %d;\n", bytes);
  s->count.bytes += bytes;
}

// All that is missing, part of it, or some that nobody has announced yet.
static void complete(Sequence *s) {
  int bytes = s->count.bytes;
  if (bytes <= 0 || below(4) == 0) bytes = (int)below(MOST_BYTES);
  write_text(s, "mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [bar], %d;\n", bytes);
  s->count.bytes -= bytes;
  settle(&s->count);
}

// What is seen after each step, in two bits and a count. A state can be asked for until the end of
// the phase after its own.
static void observe(Sequence *s) {
  const Count *count = &s->count;
  bool is_known = s->state.phase >= 0 && count->phase - s->state.phase <= 1;
  write_text(s, "mbarrier.%s_wait.parity.shared.b64 %%p0, [bar], %u;\nselp.u32 %%r1, 1, 0, %%p0;\n",
             below(2) ? "try" : "test", s->observed % 2);
  s->wanted[s->observed] = (uint32_t)(count->phase % 2 != (int)(s->observed % 2));
  if (is_known) {
    write_text(s,
               "mbarrier.test_wait.shared.b64 %%p0, [bar], %%rd9;\n@%%p0 or.b32 %%r1, %%r1, 2;\n"
               "mbarrier.pending_count.b64 %%r2, %%rd9;\nshl.b32 %%r2, %%r2, 2;\n"
               "or.b32 %%r1, %%r1, %%r2;\n");
    s->wanted[s->observed] |= (count->phase > s->state.phase) * 2u | (uint32_t)s->state.pending
                                                                         << 2;
  }
  write_text(s, "st.global.u32 [%%rd0+%u], %%r1;\n", 4 * s->observed++);
}

static void step(Sequence *s) {
  static void (*const steps[])(Sequence *) = {arrive, arrive,   arrive_and_drop, arrive_and_expect,
                                              expect, complete, complete};
  // All have arrived: only bytes are missing, or to be announced.
  if (s->count.pending == 0)
    (s->count.bytes < 0 ? expect : complete)(s);
  else
    steps[below(sizeof steps / sizeof *steps)](s);
}

static void phases_end_with_the_last_arrival_and_byte(void **state) {
  (void)state;
  static Sequence s;
  int phases = 0;
  for (int round = 0; round < ROUNDS; round++) {
    uint32_t seen[STEPS] = {0};
    int threads = 1 + (int)below(round % 2 ? 8 : 1 << 10);
    s = (Sequence){.count = {.expected = threads, .pending = threads}, .state = {0, -1}};
    write_text(&s,
               ".version 8.0\n.target sm_90a\n.address_size 64\n"
               ".visible .entry k(.param .u64 p0) {\n.shared .align 8 .b64 bar;\n"
               ".reg .b32 %%r<4>;\n.reg .b64 %%rd<10>;\n.reg .pred %%p<2>;\n"
               "ld.param.u64 %%rd0, [p0];\nmbarrier.init.shared.b64 [bar], %d;\n",
               threads);
    // Room for a step and what is seen of it.
    while (s.observed < STEPS && strlen(s.text) + 512 < TEXT) step(&s), observe(&s);
    write_text(&s, "ret;\n}\n");
    text_kernel_run(&(TextKernel){.text = s.text, .buffers = {{seen, sizeof seen}}, .threads = 1});
    for (uint32_t i = 0; i < s.observed; i++)
      if (seen[i] != s.wanted[i])
        fail_msg("step %u: %u, not %u\n%s", i, seen[i], s.wanted[i], s.text);
    phases += s.count.phase;
  }
  assert_true(phases > 2 * ROUNDS);  // else little has been seen
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(phases_end_with_the_last_arrival_and_byte),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
