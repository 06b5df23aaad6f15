// SPDX-License-Identifier: MIT
// Case files against a host that only remembers what it was told.
#include "frontends/casefile/case_run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "unit/cmocka_all.h"

enum { BASE = 0x1000, MEMORY_BYTES = 1 << 20 };

typedef struct FakeHost {
  unsigned char memory[MEMORY_BYTES];
  uint64_t used;
  char log[4096];
  uint64_t launches;
  uint64_t countdown;  // address of a byte that each launch makes smaller
  double sum;
  Status fail_launch;
} FakeHost;

#define LOG(host, ...) \
  snprintf((host)->log + strlen((host)->log), sizeof(host)->log - strlen((host)->log), __VA_ARGS__)

static Status fake_load(void *self, const char *const *paths, size_t count, Error *err) {
  (void)err;
  for (size_t i = 0; i < count; i++) LOG((FakeHost *)self, "load %s\n", paths[i]);
  return OK;
}

static Status fake_registers(void *self, const char *kernel, uint32_t registers, Error *err) {
  (void)err;
  LOG((FakeHost *)self, "regs %s %u\n", kernel, registers);
  return OK;
}

static Status fake_alloc(void *self, const char *name, uint64_t size, uint64_t *address,
                         Error *err) {
  FakeHost *host = self;
  if (size > MEMORY_BYTES - host->used) return error_set(err, ERR_PROGRAM, "no room for %s", name);
  *address = BASE + host->used;
  host->used += size;
  return OK;
}

static Status fake_write(void *self, uint64_t address, const void *bytes, uint64_t size,
                         Error *err) {
  (void)err;
  FakeHost *host = self;
  assert_true(address >= BASE && address - BASE + size <= host->used);
  memcpy(host->memory + (address - BASE), bytes, size);
  return OK;
}

static Status fake_read(void *self, uint64_t address, void *bytes, uint64_t size, Error *err) {
  (void)err;
  FakeHost *host = self;
  assert_true(address >= BASE && address - BASE + size <= host->used);
  memcpy(bytes, host->memory + (address - BASE), size);
  return OK;
}

static Status fake_launch(void *self, const CaseLaunch *launch, Error *err) {
  FakeHost *host = self;
  host->launches++;
  if (host->fail_launch) return error_set(err, host->fail_launch, "%s failed", launch->kernel);
  if (host->countdown) host->memory[host->countdown - BASE]--;
  LOG(host, "launch %s %u %u %u %u %u %u", launch->kernel, launch->grid[0], launch->grid[1],
      launch->grid[2], launch->block[0], launch->block[1], launch->block[2]);
  for (uint32_t i = 0; i < launch->arg_count; i++) {
    const CaseValue *arg = &launch->args[i];
    if (arg->kind == CASE_FLOAT)
      LOG(host, " f%g", arg->number);
    else
      LOG(host, " %s%lld", arg->kind == CASE_ADDRESS ? "@" : "i", (long long)arg->integer);
  }
  LOG(host, "\n");
  return OK;
}

static Status fake_sum(void *self, const char *name, CaseElement element, double value,
                       Error *err) {
  static const char *const elements[] = {"i32", "f32", "u8"};
  (void)err;
  ((FakeHost *)self)->sum = value;
  LOG((FakeHost *)self, "sum %s %s %.17g\n", name, elements[element], value);
  return OK;
}

static FakeHost fake;
static Error err;

static Status run_text(const char *text) {
  Case *parsed;
  uint64_t countdown = fake.countdown;
  Status fail = fake.fail_launch;
  memset(&fake, 0, sizeof fake);
  fake.countdown = countdown;
  fake.fail_launch = fail;
  memset(&err, 0, sizeof err);
  CaseHost host = {&fake,      fake_load, fake_registers, fake_alloc,
                   fake_write, fake_read, fake_launch,    fake_sum};
  CaseOptions options = {.max_loops = 10};
  Status status = case_parse(&parsed, "dir/t.case", text, strlen(text), &err);
  if (status == OK) status = case_run(parsed, &host, &options, &err);
  case_destroy(parsed);
  return status;
}

static int clear(void **state) {
  (void)state;
  memset(&fake, 0, sizeof fake);
  return 0;
}

static void run_ok(const char *text) {
  if (run_text(text) != OK) fail_msg("%s", err.text);
}

static uint32_t word_at(uint64_t index) {
  uint32_t word;
  memcpy(&word, fake.memory + 4 * index, 4);
  return word;
}

static float float_at(uint64_t index) {
  float number;
  memcpy(&number, fake.memory + 4 * index, 4);
  return number;
}

static void commands_reach_the_host_in_order(void **state) {
  (void)state;
  run_ok(
      "# a case\n"
      "ptx ../a.ptx  # first\n"
      "ptx /b.ptx\n"
      "regs k 12\n"
      "alloc A 16\n\talloc B 8\r\n\n"
      "launch k 1 2 3 4 5 6 $B i:-7 i:0xff f:0.5 $A\n"
      "sum A i32");
  assert_string_equal(fake.log,
                      "load dir/../a.ptx\nload /b.ptx\nregs k 12\n"
                      "launch k 1 2 3 4 5 6 @4112 i-7 i255 f0.5 @4096\nsum A i32 0\n");
}

static void fills_follow_their_definitions(void **state) {
  (void)state;
  run_ok("alloc A 16\nfill A i32 const -2\nsum A i32");
  assert_int_equal(word_at(3), 0xfffffffe);
  assert_true(fake.sum == -8.0);
  run_ok("alloc A 16\nfill A f32 const 0.1\nsum A f32");
  assert_true(float_at(3) == 0.1f);
  run_ok("alloc A 16\nfill A i32 iota\nsum A i32");
  assert_true(fake.sum == 6.0);
  run_ok("alloc A 16\nfill A f32 iota\nsum A f32");
  assert_true(float_at(3) == 3.0f);
  run_ok("alloc A 300\nfill A u8 iota\n");
  assert_int_equal(fake.memory[299], 299 & 0xff);
}

static void random_numbers_are_those_of_the_format(void **state) {
  (void)state;
  uint32_t s = 5;
  run_ok("alloc A 262144\nfill A i32 rand 5\n");
  for (uint64_t i = 0; i < 65536; i++) {
    s = s * 1664525u + 1013904223u;
    assert_int_equal(word_at(i), (s >> 8) & 0xffff);
  }
  s = 1;
  run_ok("alloc A 64\nfill A f32 rand 1\n");
  for (uint64_t i = 0; i < 16; i++) {
    s = s * 1664525u + 1013904223u;
    assert_true(float_at(i) == (float)ldexp(s >> 8, -24));
  }
  run_ok("alloc A 2\nfill A u8 rand 1\n");
  assert_int_equal(fake.memory[0], ((1664525u + 1013904223u) >> 8) & 0xff);
}

static void a_ring_links_its_members_and_leaves_zeros_between(void **state) {
  (void)state;
  run_ok("alloc A 48\nfill A i32 ring 3 4\n");
  const uint32_t expected[12] = {4, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0};
  for (uint64_t i = 0; i < 12; i++) assert_int_equal(word_at(i), expected[i]);
}

static void a_file_fills_a_buffer(void **state) {
  (void)state;
  char path[] = "/tmp/heddle_case_XXXXXX", text[256];
  FILE *file = fdopen(mkstemp(path), "wb");
  fwrite("\1\0\0\0\2\0\0\0", 1, 8, file);
  fclose(file);
  snprintf(text, sizeof text, "alloc A 12\nfill A i32 const -1\nfill A i32 file %s\nsum A i32",
           path);
  run_ok(text);
  assert_true(fake.sum == 3.0);
  snprintf(text, sizeof text, "alloc A 4\nfill A i32 file %s\nsum A i32", path);
  run_ok(text);
  assert_true(fake.sum == 1.0);
  remove(path);
  assert_int_equal(run_text(text), ERR_IO);
  assert_non_null(strstr(err.text, "dir/t.case:2: cannot open /tmp/heddle_case_"));
}

static void pokes_write_bytes_and_words(void **state) {
  (void)state;
  run_ok("alloc A 8\npoke32 A 4 0x01020304\npoke8 A 0 -1\nsum A i32");
  assert_int_equal(word_at(0), 0xff);
  assert_int_equal(fake.memory[4], 4);
  assert_int_equal(fake.memory[7], 1);
}

static void sums_accumulate_in_double(void **state) {
  (void)state;
  run_ok("alloc A 400000\nfill A f32 const 0.1\nsum A f32");
  double expected = 0;
  for (int i = 0; i < 100000; i++) expected += (double)0.1f;
  assert_true(fake.sum == expected);
}

static void a_loop_goes_back_while_the_byte_is_set(void **state) {
  (void)state;
  fake.countdown = BASE;
  run_ok("alloc F 1\npoke8 F 0 4\nloop\nlaunch k 1 1 1 1 1 1\nwhile8 F\n");
  assert_int_equal(fake.launches, 4);
}

static void an_endless_loop_is_ended(void **state) {
  (void)state;
  const char *text = "alloc F 1\npoke8 F 0 4\nloop\nloop\nlaunch k 1 1 1 1 1 1\nwhile8 F\nwhile8 F";
  assert_int_equal(run_text(text), ERR_LIMIT);
  assert_int_equal(fake.launches, 11);
  assert_string_equal(err.text,
                      "dir/t.case:6: loop limit reached after 10 iterations (run.max_loops)");
}

static void a_stop_is_heard(void **state) {
  (void)state;
  Case *parsed;
  const char text[] = "alloc A 4\n";
  volatile sig_atomic_t stop = 1;
  CaseHost host = {&fake,      fake_load, fake_registers, fake_alloc,
                   fake_write, fake_read, fake_launch,    fake_sum};
  CaseOptions options = {.max_loops = 10, .stop = &stop};
  assert_int_equal(case_parse(&parsed, "t.case", text, strlen(text), &err), OK);
  assert_int_equal(case_run(parsed, &host, &options, &err), ERR_INTERRUPTED);
  assert_int_equal(fake.used, 0);
  case_destroy(parsed);
}

static void the_hosts_errors_come_with_file_and_line(void **state) {
  (void)state;
  fake.fail_launch = ERR_PROGRAM;
  assert_int_equal(run_text("\nlaunch k 1 1 1 1 1 1"), ERR_PROGRAM);
  assert_string_equal(err.text, "dir/t.case:2: k failed");
  assert_int_equal(run_text("alloc BIG 1099511627776"), ERR_PROGRAM);
  assert_string_equal(err.text, "dir/t.case:1: no room for BIG");
}

static void refuses(const char *text, const char *message) {
  assert_int_equal(run_text(text), ERR_SYNTAX);
  if (!strstr(err.text, message)) fail_msg("wanted: %s\ngot: %s", message, err.text);
}

static void mistakes_are_shown_with_a_caret(void **state) {
  (void)state;
  refuses("alloc A 4\nfil A i32 iota\n",
          "dir/t.case:2:1: unknown command 'fil'; did you mean 'fill'?\n  fil A i32 iota\n  ^");
  refuses("alloc left 4\nsum lef i32\n",
          "dir/t.case:2:5: unknown buffer 'lef'; did you mean 'left'?\n"
          "  sum lef i32\n      ^");
  refuses("alloc A", "dir/t.case:1:8: missing word; usage: alloc NAME BYTES");
  refuses("alloc A 4 5", "dir/t.case:1:11: unexpected word; usage: alloc NAME BYTES");
}

static void numbers_and_names_are_checked(void **state) {
  (void)state;
  refuses("alloc A 0", ":1:9: 0 is out of range 1..");
  refuses("alloc A -1", "-1 is out of range");
  refuses("alloc A 12q", "'12q' is not an integer");
  refuses("alloc A 99999999999999999999", "is not an integer");
  refuses("alloc A 4\nalloc A 4", ":2:7: buffer 'A' is already allocated");
  refuses("alloc A 4\nfill A i16 iota", "unknown element type 'i16'");
  refuses("alloc A 4\nfill A i32 zigzag", "unknown pattern 'zigzag'");
  refuses("alloc A 4\nfill A i32 const 4294967296", "does not fit in 32 bits");
  refuses("alloc A 4\nfill A u8 const -129", "does not fit in 8 bits");
  refuses("alloc A 4\nfill A f32 const x", "'x' is not a number");
  refuses("alloc A 12\nfill A i32 ring 4 1", "exceeds the buffer's 3 elements");
  refuses("alloc A 4\npoke32 A 1 0", "1 is out of range 0..0");
  refuses("alloc A 3\npoke32 A 0 0", "only 3 bytes");
  refuses("launch k 0 1 1 1 1 1", "0 is out of range");
  refuses("launch k 1 1 1 1 1", "missing word");
  refuses("launch k 1 1 1 1 1 1 7", "invalid argument '7'");
  refuses("launch k 1 1 1 1 1 1 i:", "is not a 64-bit integer");
  refuses("launch k 1 1 1 1 1 1 f:1.0.0", "invalid argument 'f:1.0.0'");
  refuses("launch k 1 1 1 1 1 1 $", "unknown buffer ''");
  refuses("alloc A 4\nsum A u8", "unknown element type 'u8'");
  refuses("regs k 0", "0 is out of range 1..1024");
}

static void loops_must_match_and_hold_no_allocations(void **state) {
  (void)state;
  refuses("alloc A 4\n loop\n", ":2:2: loop without 'while8'");
  refuses("alloc A 4\nwhile8 A\n", "no matching 'loop'");
  refuses("loop\nalloc A 4\n", "'alloc' is not allowed in a loop");
  refuses(
      "loop\nloop\nloop\nloop\nloop\nloop\nloop\nloop\nloop\nloop\nloop\nloop\nloop\nloop\nloop\n"
      "loop\nloop\n",
      "loops nested too deeply");
}

static void a_huge_line_is_refused(void **state) {
  (void)state;
  char *text = malloc(100001);
  for (int i = 0; i < 100000; i++) text[i] = i % 2 ? ' ' : 'x';
  text[100000] = '\0';
  refuses(text, "too many words on one line");
  free(text);
}

static void every_reference_case_can_be_read(void **state) {
  (void)state;
  static const char *const names[] = {"atax_rows_1k", "spmv_uni_16k", "vecadd_20k", "chase_dram"};
  char path[256];
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    Case *parsed;
    snprintf(path, sizeof path, "%s/tests/reference/cases/%s.case", getenv("HEDDLE_SOURCE"),
             names[i]);
    if (case_read(&parsed, path, &err) != OK) fail_msg("%s", err.text);
    assert_true(parsed->command_count > 4);
    case_destroy(parsed);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
#define T(name) cmocka_unit_test_setup(name, clear)
      T(commands_reach_the_host_in_order),
      T(fills_follow_their_definitions),
      T(random_numbers_are_those_of_the_format),
      T(a_ring_links_its_members_and_leaves_zeros_between),
      T(a_file_fills_a_buffer),
      T(pokes_write_bytes_and_words),
      T(sums_accumulate_in_double),
      T(a_loop_goes_back_while_the_byte_is_set),
      T(an_endless_loop_is_ended),
      T(a_stop_is_heard),
      T(the_hosts_errors_come_with_file_and_line),
      T(mistakes_are_shown_with_a_caret),
      T(numbers_and_names_are_checked),
      T(loops_must_match_and_hold_no_allocations),
      T(a_huge_line_is_refused),
      T(every_reference_case_can_be_read),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
