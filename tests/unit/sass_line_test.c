// SPDX-License-Identifier: MIT
// Instruction lines of Accel-Sim's traces: the grammar of each tracer version, encodings of
// addresses, and lines that must be refused.
#include "frontends/accelsim/sass_line.h"

#include <string.h>

#include "unit/cmocka_all.h"

static SassLine parse(const char *text, uint32_t version) {
  SassLine line = {0};
  const char *problem = sass_line_parse(&line, text, version, false);
  if (problem) fail_msg("%s: %s", text, problem);
  return line;
}

static void version_2_has_the_numbers_of_block_and_warp_first(void **state) {
  (void)state;
  SassLine line = parse("1 2 3 7 0090 ffffffff 1 R0 LDG.E.U8 1 R4 1 1 0x7fc841520000 1", 2);
  assert_int_equal(line.pc, 0x90);
  assert_string_equal(line.opcode, "LDG.E.U8");
  assert_int_equal(line.address[31], 0x7fc841520000 + 31);
}

static void version_3_ends_with_the_addresses(void **state) {
  (void)state;
  SassLine line =
      parse("00d0 6190a142 0 STG.E.U8 2 R4 R255 1 2 0x7fc841520001 5 2 5 2 5 3 1 5 1", 3);
  assert_int_equal(line.mask, 0x6190a142);
  assert_int_equal(line.destination_count, 0);
  assert_int_equal(line.source_count, 2);
  assert_int_equal(line.sources[0], 4);
  assert_int_equal(line.sources[1], SASS_CONSTANT);
  assert_int_equal(line.bytes, 1);
  // Lanes 1, 6, 8, 13, 15, 20, 23, 24, 29, 30; ten lanes have nine differences.
  assert_int_equal(line.address[1], 0x7fc841520001);
  assert_int_equal(line.address[6], 0x7fc841520006);
  assert_int_equal(line.address[30], 0x7fc84152001e);
}

static void version_4_may_have_a_source_line_first(void **state) {
  (void)state;
  SassLine line = {0};
  assert_null(sass_line_parse(&line, "42 0010 ffffffff 1 R1 MOV 0 0", 4, true));
  assert_int_equal(line.source_line, 42);
  assert_int_equal(line.pc, 0x10);
  assert_false(line.is_memory);
}

static void version_5_has_one_or_two_immediates_last(void **state) {
  (void)state;
  SassLine line = parse("00a0 ffffffff 1 R12 LDG.E.128.SYS 1 R2 16 1 0x7f580face400 16 0", 5);
  assert_int_equal(line.bytes, 16);
  assert_int_equal(line.address[2], 0x7f580face420);
  parse("0020 ffffffff 1 R0 SHF.L.U32 2 R0 R255 0 -10", 5);
  parse("0130 ffffffff 1 R11 LDG.E 1 R2 4 1 0x7fc267c40800 4 0 0", 5);
}

static void version_6_has_uniform_registers_and_values(void **state) {
  (void)state;
  SassLine line = parse("0050 ffffffff 1 R10 IMAD 3 R10 UR4 R3 0 0 0 NoVal", 6);
  assert_int_equal(line.sources[1], SASS_UNIFORM + 4);
  line = parse("0060 ffffffff 1 P3 ISETP.GE 3 R1 UR63 UP2 0 0 0 Val 1 0x1 1 0x2", 6);
  assert_int_equal(line.destinations[0], SASS_PREDICATE + 3);
  assert_int_equal(line.sources[1], SASS_CONSTANT);
  assert_int_equal(line.sources[2], SASS_UNIFORM_PREDICATE + 2);
  line = parse("0070 ffffffff 1 R24 HGMMA.64x64x16.F32 2 UR8 UR12 1 0 0 0 NoVal", 6);
  assert_string_equal(line.opcode, "HGMMA.64x64x16.F32");
}

static void a_bulk_copy_has_its_first_address_and_size(void **state) {
  (void)state;
  SassLine line =
      parse("0080 00000001 0 UBLKCP 2 UR8 UR12 4 0x400 0 4096 0 3 1 0x7f0000000000 0 0 NoVal", 6);
  assert_int_equal(line.bulk_bytes, 4096);
  assert_int_equal(line.address[0], 0x7f0000000000);
}

static void lanes_may_be_listed_or_have_a_stride(void **state) {
  (void)state;
  SassLine line = parse("0000 0000000c 1 R1 LDG.E.64 1 R2 8 0 0x100 0x900", 3);
  assert_int_equal(line.address[2], 0x100);
  assert_int_equal(line.address[3], 0x900);
  line = parse("0000 00000006 1 R1 LDG.E 1 R2 4 1 0x1000 -8", 3);
  assert_int_equal(line.address[1], 0x1000);
  assert_int_equal(line.address[2], 0xff8);
  line = parse("0000 00000000 1 R1 LDG.E 1 R2 4 1 0x0 0", 3);
  assert_int_equal(line.mask, 0);
}

static void widths_come_from_the_opcode(void **state) {
  (void)state;
  static const struct {
    const char *opcode;
    uint8_t bytes;
  } rows[] = {
      {"LDG.E.128.SYS", 16}, {"LDG.E.U8", 1}, {"LDG.E.S8", 1},   {"LDG.E.S16", 2},
      {"LDG.E", 4},          {"ULDC.64", 8},  {"ATOM.E.ADD", 4}, {"ATOMG.E.ADD.F32x2.RN", 4}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    assert_int_equal(sass_opcode_bytes(rows[i].opcode), rows[i].bytes);
}

static void damaged_lines_are_refused(void **state) {
  (void)state;
  static const char *const lines[] = {
      "",
      "zz ffffffff 0 EXIT 0 0",
      "0000 fffffffff 0 EXIT 0 0",    // mask of 36 bits
      "0000 ffffffff 9 R1 EXIT 0 0",  // too many destinations
      "0000 ffffffff -1 EXIT 0 0",
      "0000 ffffffff 1 X1 MOV 0 0",
      "0000 ffffffff 1 R1",
      "0000 ffffffff 1 R1 MOV 1",
      "0000 ffffffff 1 R1 LDG.E 1 R2 4 7 0x0 0",    // unknown encoding
      "0000 00000003 1 R1 LDG.E 1 R2 4 0 0x100",    // an address is missing
      "0000 00000007 1 R1 LDG.E 1 R2 4 2 0x100 4",  // a difference is missing
      "0000 ffffffff 1 R1 MOV 0 0 1 2 3",
      "0000 ffffffff 1 R1 MOV 0 0 What",
  };
  SassLine line = {0};
  for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
    if (!sass_line_parse(&line, lines[i], 3, false)) fail_msg("accepted: %s", lines[i]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(version_2_has_the_numbers_of_block_and_warp_first),
      cmocka_unit_test(version_3_ends_with_the_addresses),
      cmocka_unit_test(version_4_may_have_a_source_line_first),
      cmocka_unit_test(version_5_has_one_or_two_immediates_last),
      cmocka_unit_test(version_6_has_uniform_registers_and_values),
      cmocka_unit_test(a_bulk_copy_has_its_first_address_and_size),
      cmocka_unit_test(lanes_may_be_listed_or_have_a_stride),
      cmocka_unit_test(widths_come_from_the_opcode),
      cmocka_unit_test(damaged_lines_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
