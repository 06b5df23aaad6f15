// SPDX-License-Identifier: MIT
// The report of a fault: accesses, neighbours, other spaces.
#include "exec/fault.h"

#include "unit/memory_support.h"

static const char *report(Rig *rig, Error *err) {
  assert_int_equal(fault_report(&rig->context, &rig->warp, err), ERR_PROGRAM);
  assert_int_equal(err->status, ERR_PROGRAM);
  return err->text;
}

static void an_access_is_told_with_everything_that_is_known(void **state) {
  Rig *rig = *state;
  Error err;
  rig_alloc(rig, 1024);
  fault_raise_access(&rig->context, &rig->warp, FAULT_OUT_OF_BOUNDS, 5, SPACE_GLOBAL, 0xc0000440, 4,
                     false);
  // Lane 5 of warp 1 is thread 37; blocks are 16 wide.
  assert_string_equal(report(rig, &err),
                      "kernel rig, CTA (3,0,0), thread (5,2,0): access outside any allocation: "
                      "4-byte read of global 0xc0000440\n"
                      "  rig.ptx:58: ld.global.u32\n"
                      "  rig.cu:12\n"
                      "  64 bytes past the end of X (1024 bytes at 0xc0000000)\n"
                      "  hardware checks whole pages and would not fault here; nor does "
                      "--set run.bounds=page");
}

static void the_neighbour_may_be_above_or_freed(void **state) {
  Rig *rig = *state;
  Error err;
  uint64_t address = rig_alloc(rig, 1024);
  fault_raise_access(&rig->context, &rig->warp, FAULT_OUT_OF_BOUNDS, 0, SPACE_GLOBAL, address - 8,
                     8, true);
  assert_non_null(strstr(report(rig, &err), "8-byte write of global 0xbffffff8"));
  assert_non_null(strstr(err.text, "8 bytes before X (1024 bytes at 0xc0000000)"));
  rig->context.fault = (Fault){0};
  device_memory_free(rig->context.memory, address, NULL);
  fault_raise_access(&rig->context, &rig->warp, FAULT_USE_AFTER_FREE, 0, SPACE_GLOBAL, address + 12,
                     4, false);
  assert_non_null(strstr(report(rig, &err), "12 bytes into freed X (1024 bytes at 0xc0000000)"));
}

static void other_spaces_tell_their_size(void **state) {
  Rig *rig = *state;
  Error err;
  fault_raise_access(&rig->context, &rig->warp, FAULT_OUT_OF_BOUNDS, 31, SPACE_SHARED, 0x1000, 4,
                     true);
  assert_non_null(strstr(report(rig, &err), "4-byte write of shared 0x1000"));
  assert_non_null(strstr(err.text, "shared memory per CTA: 4096 bytes"));
}

static void only_the_first_fault_counts(void **state) {
  Rig *rig = *state;
  Error err;
  fault_raise(&rig->context, &rig->warp, FAULT_TRAP, 2);
  fault_raise(&rig->context, &rig->warp, FAULT_STACK_OVERFLOW, 1);
  assert_int_equal(rig->context.fault.kind, FAULT_TRAP);
  assert_int_equal(rig->context.fault.lane, 2);
  assert_string_equal(report(rig, &err),
                      "kernel rig, CTA (3,0,0), thread (2,2,0): trap executed\n"
                      "  rig.ptx:58: ld.global.u32\n  rig.cu:12");
}

static void details_are_part_of_the_report(void **state) {
  Rig *rig = *state;
  Error err;
  fault_raise(&rig->context, &rig->warp, FAULT_ASSERT, 0);
  strcpy(rig->context.fault.detail, "sort.cu:77: n < 10");
  assert_non_null(strstr(report(rig, &err), "assertion failed: sort.cu:77: n < 10\n"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      RIG_TEST(an_access_is_told_with_everything_that_is_known),
      RIG_TEST(the_neighbour_may_be_above_or_freed),
      RIG_TEST(other_spaces_tell_their_size),
      RIG_TEST(only_the_first_fault_counts),
      RIG_TEST(details_are_part_of_the_report),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
