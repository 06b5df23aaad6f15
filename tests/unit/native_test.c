// SPDX-License-Identifier: MIT
// Device functions without PTX: printf, assert, malloc.
#include "runtime/native.h"

#include "unit/memory_support.h"

typedef struct Printed {
  char text[1 << 18];
  size_t length;
  int calls;
} Printed;

static void collect(void *sink, const char *text, size_t length) {
  Printed *printed = sink;
  assert_true(printed->length + length < sizeof printed->text);
  memcpy(printed->text + printed->length, text, length);
  printed->length += length;
  printed->text[printed->length] = 0;
  printed->calls++;
}

// Arguments stand in each thread's frame from byte 128 on, their pointers in
// registers: argument 0 the format, 1 the arguments.
enum { ARGUMENTS_AT = 128 };

static uint64_t put_text(Rig *rig, const char *text) {
  uint64_t address = rig_alloc(rig, strlen(text) + 1);
  memcpy(rig_host(rig, address), text, strlen(text) + 1);
  return address;
}

static int print(Rig *rig, Printed *printed, const char *format, const void *arguments,
                 size_t bytes, uint32_t mask) {
  Argument args[2] = {{.size_bytes = 8, .place = D(0)}, {.size_bytes = 8, .place = D(1)}};
  Argument result = {.size_bytes = 4, .place = R(0)};
  CallSite site = {.args = args, .arg_count = 2, .results = &result, .result_count = 1};
  for (int i = 0; i < 32; i++)
    memcpy(rig->local + i * RIG_LOCAL_BYTES + ARGUMENTS_AT, arguments, bytes);
  rig_ramp_64(rig, D(0), put_text(rig, format), 0);
  rig_ramp_64(rig, D(1), LOCAL_WINDOW + ARGUMENTS_AT, 0);
  rig->context.print = collect;
  rig->context.print_sink = printed;
  rig->context.fault = (Fault){0};
  printed->length = 0;
  native_find("vprintf")(&rig->context, &rig->warp, &site, mask);
  return mask ? (int)rig_32(rig, R(0))[__builtin_ctz(mask)] : 0;
}

static void printf_reads_its_arguments_as_cuda_lays_them_out(void **state) {
  Rig *rig = *state;
  Printed printed = {.length = 0};
  struct {
    int32_t i;
    double d;
    uint32_t u;
    uint64_t l;
    int32_t c;
    uint64_t s;
  } arguments = {-7, 2.5, 255, UINT64_C(0x123456789), 'x', put_text(rig, "words")};
  int count = print(rig, &printed, "i=%d d=%6.2f u=%#x l=%llu c=%c s=<%8s> 100%%\n", &arguments,
                    sizeof arguments, 1);
  assert_int_equal(rig->context.fault.kind, FAULT_NONE);
  assert_string_equal(printed.text, "i=-7 d=  2.50 u=0xff l=4886718345 c=x s=<   words> 100%\n");
  assert_int_equal(count, 6);
}

static void lanes_print_in_lane_order_each_in_one_piece(void **state) {
  Rig *rig = *state;
  Printed printed = {.length = 0};
  int32_t zero = 0;
  print(rig, &printed, "lane %d\n", &zero, 4, 0);  // sets up; no lane prints
  for (int i = 0; i < 32; i++) memcpy(rig->local + i * RIG_LOCAL_BYTES + ARGUMENTS_AT, &i, 4);
  Argument args[2] = {{.size_bytes = 8, .place = D(0)}, {.size_bytes = 8, .place = D(1)}};
  CallSite site = {.args = args, .arg_count = 2};
  native_find("vprintf")(&rig->context, &rig->warp, &site, 0x80000104);
  assert_string_equal(printed.text, "lane 2\nlane 8\nlane 31\n");
  assert_int_equal(printed.calls, 3);
}

static void hostile_formats_do_no_harm(void **state) {
  Rig *rig = *state;
  Printed printed = {.length = 0};
  int32_t words[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  print(rig, &printed, "%n%hhhhn|%y|%", words, sizeof words, 1);
  assert_string_equal(printed.text, "%n%hhhhn|%y|%");
  print(rig, &printed, "%2000000000d", words, sizeof words, 1);
  assert_int_equal(printed.length, 1024);
  print(rig, &printed, "%.99999999999999999999d", words, sizeof words, 1);
  assert_int_equal(printed.length, 1024);
  print(rig, &printed, "%-----+++###0000d", words, sizeof words, 1);
  assert_string_equal(printed.text, "+1");
  words[0] = -6;
  print(rig, &printed, "[%*d]", words, sizeof words, 1);
  assert_string_equal(printed.text, "[2     ]");
  words[0] = 0x12345;
  print(rig, &printed, "%hd %hhu", words, sizeof words, 1);
  assert_string_equal(printed.text, "9029 2");
  // Wide text is cut, not overrun: this would be 396000 characters.
  char many[16001];
  for (int k = 0; k < 4000; k++) memcpy(many + 4 * k, "%99c", 4);
  many[16000] = 0;
  uint64_t space = rig_alloc(rig, 1 << 16);
  Argument args[2] = {{.size_bytes = 8, .place = D(0)}, {.size_bytes = 8, .place = D(1)}};
  CallSite site = {.args = args, .arg_count = 2};
  printed.length = 0;
  rig_ramp_64(rig, D(0), put_text(rig, many), 0);
  rig_ramp_64(rig, D(1), space, 0);
  native_find("vprintf")(&rig->context, &rig->warp, &site, 1);
  assert_int_equal(printed.length, (1 << 16) - 1);
}

static void what_printf_cannot_read_is_a_fault(void **state) {
  Rig *rig = *state;
  Printed printed = {.length = 0};
  uint64_t nowhere = 0x123;
  print(rig, &printed, "%s", &nowhere, 8, 4);
  assert_int_equal(rig->context.fault.kind, FAULT_OUT_OF_BOUNDS);
  assert_int_equal(rig->context.fault.lane, 2);
  assert_int_equal(printed.length, 0);
  nowhere = 0;
  print(rig, &printed, "%s", &nowhere, 8, 4);
  assert_string_equal(printed.text, "(null)");

  // A string without an end, and arguments that run out of the frame.
  uint64_t open = rig_alloc(rig, 4);
  memset(rig_host(rig, open), 'a', 4);
  print(rig, &printed, "%s", &open, 8, 1);
  assert_int_equal(rig->context.fault.kind, FAULT_OUT_OF_BOUNDS);
  char many[301];
  for (int k = 0; k < 100; k++) memcpy(many + 3 * k, "%ld", 3);
  many[300] = 0;
  print(rig, &printed, many, &open, 8, 1);
  assert_int_equal(rig->context.fault.kind, FAULT_OUT_OF_BOUNDS);
}

static void an_assertion_is_told_in_words(void **state) {
  Rig *rig = *state;
  Argument args[5] = {{.size_bytes = 8, .place = D(0)},
                      {.size_bytes = 8, .place = D(1)},
                      {.size_bytes = 4, .place = R(0)},
                      {.size_bytes = 8, .place = D(2)},
                      {.size_bytes = 8, .place = D(3)}};
  CallSite site = {.args = args, .arg_count = 5};
  rig_ramp_64(rig, D(0), put_text(rig, "n < 10"), 0);
  rig_ramp_64(rig, D(1), put_text(rig, "sort.cu"), 0);
  rig_ramp_64(rig, D(2), put_text(rig, "void sort()"), 0);
  rig_ramp_32(rig, R(0), 77, 0);
  native_find("__assertfail")(&rig->context, &rig->warp, &site, 0xf00);
  assert_int_equal(rig->context.fault.kind, FAULT_ASSERT);
  assert_int_equal(rig->context.fault.lane, 8);
  assert_string_equal(rig->context.fault.detail, "sort.cu:77: void sort(): n < 10");
}

static void malloc_and_free_work_for_every_lane(void **state) {
  Rig *rig = *state;
  // The size stands in the frame, as a .param does; the result goes there too.
  Argument size = {.offset = 16, .size_bytes = 8, .place = NO_PLACE};
  Argument pointer = {.offset = 24, .size_bytes = 8, .place = NO_PLACE};
  CallSite take = {.args = &size, .arg_count = 1, .results = &pointer, .result_count = 1};
  CallSite give = {.args = &pointer, .arg_count = 1};
  uint64_t address[32];
  for (uint64_t i = 0; i < 32; i++) {
    uint64_t bytes = i == 5 ? UINT64_MAX : i == 6 ? 0 : 100 + i;
    memcpy(rig->local + i * RIG_LOCAL_BYTES + RIG_LOCAL_FRAME + 16, &bytes, 8);
  }
  native_find("malloc")(&rig->context, &rig->warp, &take, FULL_MASK);
  for (uint64_t i = 0; i < 32; i++) {
    address[i] = native_argument_u64(&rig->warp, &give, 0, (int)i);
    if (i == 5 || i == 6) {
      assert_int_equal(address[i], 0);
      continue;
    }
    assert_int_equal(device_memory_find(rig->context.memory, address[i])->size_bytes, 100 + i);
  }
  native_find("free")(&rig->context, &rig->warp, &give, FULL_MASK);
  assert_int_equal(rig->context.fault.kind, FAULT_NONE);
  assert_null(device_memory_find(rig->context.memory, address[9]));
  native_find("free")(&rig->context, &rig->warp, &give, 0x200);
  assert_int_equal(rig->context.fault.kind, FAULT_BAD_FREE);
  assert_int_equal(rig->context.fault.address, address[9]);

  // The host's memory is not the kernel's to free.
  rig->context.fault = (Fault){0};
  uint64_t host = rig_alloc(rig, 64);
  memcpy(rig->local + RIG_LOCAL_FRAME + 24, &host, 8);
  native_find("free")(&rig->context, &rig->warp, &give, 1);
  assert_int_equal(rig->context.fault.kind, FAULT_BAD_FREE);
}

static void names_that_are_no_natives_are_not_found(void **state) {
  (void)state;
  assert_non_null(native_find("vprintf"));
  assert_null(native_find("vprint"));
  assert_null(native_find(""));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      RIG_TEST(printf_reads_its_arguments_as_cuda_lays_them_out),
      RIG_TEST(lanes_print_in_lane_order_each_in_one_piece),
      RIG_TEST(hostile_formats_do_no_harm),
      RIG_TEST(what_printf_cannot_read_is_a_fault),
      RIG_TEST(an_assertion_is_told_in_words),
      RIG_TEST(malloc_and_free_work_for_every_lane),
      RIG_TEST(names_that_are_no_natives_are_not_found),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
