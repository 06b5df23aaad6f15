// SPDX-License-Identifier: MIT
// Registers per thread from machine code: a cubin made by hand, damaged ones, and what a device
// makes of them beside PTX.
#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "device/device.h"
#include "frontends/fatbin/cubin.h"

enum { STRINGS = 1, SYMBOLS = 2, ATTRIBUTES = 3, SECTIONS = 4 };

// As ptxas writes them, with attributes around those of registers.
typedef struct Image {
  Elf64_Ehdr head;
  Elf64_Shdr sections[SECTIONS];
  Elf64_Sym symbols[3];
  uint32_t attributes[10];
  char strings[32];
} Image;

enum { NAME_INFO = 1, NAME_FIRST = 10, NAME_SECOND = 16 };
static const char names[32] = "\0.nv.info\0first\0second";

static Elf64_Shdr section(uint32_t type, size_t offset, size_t bytes, uint32_t link) {
  return (Elf64_Shdr){.sh_type = type, .sh_offset = offset, .sh_size = bytes, .sh_link = link};
}

static Image make(uint32_t first, uint32_t second) {
  Image image = {
      .head = {.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, 1},
               .e_type = ET_EXEC,
               .e_machine = CUBIN_MACHINE,
               .e_shoff = offsetof(Image, sections),
               .e_shentsize = sizeof(Elf64_Shdr),
               .e_shnum = SECTIONS,
               .e_shstrndx = STRINGS},
      .symbols = {{0},
                  {.st_name = NAME_FIRST, .st_info = STT_FUNC},
                  {.st_name = NAME_SECOND, .st_info = STT_FUNC}},
      .attributes = {0x00005f03, 0x00081104, 1, 0, 0x00082f04, 1, first, 0x00082f04, 2, second},
  };
  memcpy(image.strings, names, sizeof names);
  image.sections[STRINGS] = section(SHT_STRTAB, offsetof(Image, strings), sizeof names, 0);
  image.sections[SYMBOLS] =
      section(SHT_SYMTAB, offsetof(Image, symbols), sizeof image.symbols, STRINGS);
  image.sections[ATTRIBUTES] =
      section(0x70000000, offsetof(Image, attributes), sizeof image.attributes, SYMBOLS);
  image.sections[ATTRIBUTES].sh_name = NAME_INFO;
  return image;
}

// From a block that ends where the cubin ends, as sanitizers want it.
static int count_all(const void *bytes, uint64_t length) {
  void *copy = malloc(length + !length);
  Cubin cubin;
  CubinCount count;
  int found = 0;
  memcpy(copy, bytes, length);
  if (cubin_open(&cubin, copy, length))
    while (cubin_next(&cubin, &count)) {
      assert_in_range(count.registers, 1, 255);
      assert_in_range(strlen(count.function), 0, length);
      found++;
    }
  free(copy);
  return found;
}

static void each_kernel_has_its_count(void **state) {
  (void)state;
  Image image = make(36, 255);
  Cubin cubin;
  CubinCount count;
  assert_true(cubin_open(&cubin, &image, sizeof image));
  assert_true(cubin_next(&cubin, &count));
  assert_string_equal(count.function, "first");
  assert_int_equal(count.registers, 36);
  assert_true(cubin_next(&cubin, &count));
  assert_string_equal(count.function, "second");
  assert_int_equal(count.registers, 255);
  assert_false(cubin_next(&cubin, &count));
}

static void impossible_counts_are_passed_over(void **state) {
  (void)state;
  Image image = make(0, 256);
  assert_int_equal(count_all(&image, sizeof image), 0);
  image = make(0, 20);
  assert_int_equal(count_all(&image, sizeof image), 1);
  image.symbols[2].st_info = STT_OBJECT;
  assert_int_equal(count_all(&image, sizeof image), 0);
}

static void only_linked_machine_code_counts(void **state) {
  (void)state;
  Image image = make(20, 20);
  assert_int_equal(count_all(&image, sizeof image), 2);
  image.head.e_type = ET_REL;
  assert_int_equal(count_all(&image, sizeof image), 0);
  image = make(20, 20);
  image.head.e_machine = EM_X86_64;
  assert_int_equal(count_all(&image, sizeof image), 0);
  image = make(20, 20);
  image.head.e_ident[EI_CLASS] = ELFCLASS32;
  assert_int_equal(count_all(&image, sizeof image), 0);
}

static void what_lies_outside_is_not_read(void **state) {
  (void)state;
  const struct {
    size_t offset, bytes;
    int found;  // counts that remain
  } fields[] = {
      {offsetof(Image, head.e_shoff), 8, 0},
      {offsetof(Image, head.e_shnum), 2, 0},
      {offsetof(Image, head.e_shstrndx), 2, 0},
      {offsetof(Image, sections[STRINGS].sh_offset), 8, 0},
      {offsetof(Image, sections[STRINGS].sh_size), 8, 0},
      {offsetof(Image, sections[SYMBOLS].sh_offset), 8, 0},
      {offsetof(Image, sections[SYMBOLS].sh_size), 8, 0},
      {offsetof(Image, sections[SYMBOLS].sh_link), 4, 0},
      {offsetof(Image, sections[ATTRIBUTES].sh_name), 4, 0},
      {offsetof(Image, sections[ATTRIBUTES].sh_offset), 8, 0},
      {offsetof(Image, sections[ATTRIBUTES].sh_size), 8, 0},
      {offsetof(Image, sections[ATTRIBUTES].sh_link), 4, 0},
      {offsetof(Image, symbols[2].st_name), 4, 1},
      {offsetof(Image, attributes[8]), 4, 1},      // the symbol
      {offsetof(Image, attributes[7]) + 2, 2, 1},  // the size
      {offsetof(Image, attributes[4]) + 2, 2, 0},
  };
  for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
    Image image = make(20, 20);
    memset((char *)&image + fields[i].offset, 0xff, fields[i].bytes);
    assert_int_equal(count_all(&image, sizeof image), fields[i].found);
  }
}

static void any_bit_may_be_wrong_and_any_end_missing(void **state) {
  (void)state;
  Image image = make(20, 20);
  for (size_t length = 0; length < sizeof image; length++)
    assert_int_equal(count_all(&image, length), 0);
  for (size_t bit = 0; bit < sizeof image * 8; bit++) {
    Image damaged = image;
    ((uint8_t *)&damaged)[bit / 8] ^= (uint8_t)(1 << bit % 8);
    assert_in_range(count_all(&damaged, sizeof damaged), 0, 2);
  }
}

// ---- beside PTX

static const char ptx[] =
    ".version 8.0\n.target sm_90a\n.address_size 64\n"
    ".visible .entry first() { ret; }\n.visible .entry third() { ret; }\n"
    ".visible .entry second() .maxntid 384, 1, 1 {\n"
    "  setmaxnreg.inc.sync.aligned.u32 176;\n  ret; }\n";

typedef struct Entry {
  uint16_t kind, version;
  uint32_t header_bytes;
  uint64_t payload_bytes, compression;
  uint32_t unused, architecture;
  uint64_t more[4];
} Entry;

typedef struct Fat {
  uint32_t magic;
  uint16_t version, header_bytes;
  uint64_t body_bytes;
  Entry ptx_entry;
  char ptx[(sizeof ptx + 7) / 8 * 8];
  Entry code_entry;
  Image code;
} Fat;

static Fat pack(uint32_t architecture, uint32_t registers) {
  Fat fat = {.magic = 0xba55ed50,
             .version = 1,
             .header_bytes = offsetof(Fat, ptx_entry),
             .body_bytes = sizeof fat - offsetof(Fat, ptx_entry),
             .ptx_entry = {.kind = FATBIN_PTX,
                           .header_bytes = sizeof(Entry),
                           .payload_bytes = sizeof fat.ptx,
                           .architecture = 75},
             .code_entry = {.kind = FATBIN_ELF,
                            .header_bytes = sizeof(Entry),
                            .payload_bytes = sizeof(Image),
                            .architecture = architecture},
             .code = make(registers, 20)};
  memcpy(fat.ptx, ptx, sizeof ptx);
  return fat;
}

static uint32_t registers_on(const char *gpu, const Fat *fat, const char *kernel) {
  DeviceRun options = {.spec = {.gpu = gpu, .functional = true}};
  Device *device = device_create(&options);
  DeviceModule *module;
  DeviceKernel *found;
  const Function *function;
  assert_int_equal(device_module_load(device, fat, &module, NULL), DEVICE_OK);
  assert_int_equal(device_kernel_in_module(device, module, kernel, &found), DEVICE_OK);
  assert_int_equal(device_kernel_function(device, found, &function), DEVICE_OK);
  uint32_t registers = device_function_registers(device, function);
  device_destroy(device);
  return registers;
}

static void a_kernel_has_the_registers_of_code_for_gpus_of_its_major_number(void **state) {
  (void)state;
  Fat fat = pack(86, 77);
  uint32_t estimate = registers_on("rtx3080", &fat, "third");
  assert_int_not_equal(estimate, 77);
  assert_int_equal(registers_on("rtx3080", &fat, "first"), 77);
  assert_int_equal(registers_on("h100", &fat, "first"), registers_on("h100", &fat, "third"));
  fat = pack(80, 77);
  assert_int_equal(registers_on("rtx3080", &fat, "first"), 77);
  fat = pack(75, 30);
  assert_int_equal(registers_on("v100", &fat, "first"), 30);
  assert_int_equal(registers_on("rtx3080", &fat, "first"), estimate);
  fat = pack(86, 77);
  fat.code.head.e_shoff = UINT64_MAX;
  assert_int_equal(registers_on("rtx3080", &fat, "first"), estimate);
}

// 32 registers are enough for 2,048 threads; of 77 that ptxas takes where an SM holds fewer, the
// others may be for nothing, as the estimate says.
static void code_for_a_later_gpu_counts_as_far_as_the_threads_of_an_sm_allow(void **state) {
  (void)state;
  Fat fat = pack(86, 77);
  assert_int_equal(registers_on("a100", &fat, "first"), 32);
  fat = pack(75, 77);
  assert_int_equal(registers_on("v100", &fat, "first"), 32);
}

static void registers_that_warps_pass_on_are_those_of_the_directives(void **state) {
  (void)state;
  Fat fat = pack(90, 77);
  assert_int_equal(registers_on("h100", &fat, "first"), 77);
  assert_int_equal(registers_on("h100", &fat, "second"), 168);  // 65,536 / 384, in eights
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_kernel_has_its_count),
      cmocka_unit_test(impossible_counts_are_passed_over),
      cmocka_unit_test(only_linked_machine_code_counts),
      cmocka_unit_test(what_lies_outside_is_not_read),
      cmocka_unit_test(any_bit_may_be_wrong_and_any_end_missing),
      cmocka_unit_test(a_kernel_has_the_registers_of_code_for_gpus_of_its_major_number),
      cmocka_unit_test(code_for_a_later_gpu_counts_as_far_as_the_threads_of_an_sm_allow),
      cmocka_unit_test(registers_that_warps_pass_on_are_those_of_the_directives),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
