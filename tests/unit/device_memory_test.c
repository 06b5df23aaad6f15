// SPDX-License-Identifier: MIT
// The heap of device memory: layout, limits, freeing, nearest allocation.
#include "exec/memory/device_memory.h"

#include <string.h>

#include "unit/cmocka_all.h"

static uint64_t take(DeviceMemory *memory, uint64_t size_bytes) {
  uint64_t address = 0;
  assert_int_equal(device_memory_alloc(memory, size_bytes, ALLOCATION_HEAP, NULL, &address, NULL),
                   OK);
  return address;
}

static void the_heap_begins_at_its_base_and_goes_on_in_steps_of_256(void **state) {
  (void)state;
  DeviceMemory *memory = device_memory_create(1 << 20);
  assert_int_equal(take(memory, 1), 0xc0000000);
  assert_int_equal(take(memory, 256), 0xc0000100);
  assert_int_equal(take(memory, 257), 0xc0000200);
  assert_int_equal(take(memory, 0), 0xc0000400);
  assert_int_equal(take(memory, 4), 0xc0000500);
  assert_int_equal(device_memory_used_bytes(memory), 1 + 256 + 257 + 1 + 4);
  device_memory_destroy(memory);
}

static void memory_is_zero_and_keeps_what_is_written(void **state) {
  (void)state;
  DeviceMemory *memory = device_memory_create(1 << 20);
  uint64_t small = take(memory, 100), large = take(memory, 200000);
  uint8_t bytes[8] = {1, 2, 3, 4, 5, 6, 7, 8}, back[8] = {9};
  assert_int_equal(device_memory_read(memory, large + 199992, back, 8, NULL), OK);
  assert_memory_equal(back, "\0\0\0\0\0\0\0\0", 8);
  assert_int_equal(device_memory_write(memory, small + 92, bytes, 8, NULL), OK);
  assert_int_equal(device_memory_read(memory, small + 92, back, 8, NULL), OK);
  assert_memory_equal(back, bytes, 8);
  assert_int_equal(device_memory_set(memory, small + 92, 0xab, 4, NULL), OK);
  assert_int_equal(device_memory_read(memory, small + 92, back, 8, NULL), OK);
  assert_memory_equal(back, "\xab\xab\xab\xab\x05\x06\x07\x08", 8);
  device_memory_destroy(memory);
}

static void copies_beyond_an_allocation_are_refused(void **state) {
  (void)state;
  DeviceMemory *memory = device_memory_create(1 << 20);
  uint64_t address = take(memory, 100);
  char bytes[101] = {0};
  Error err;
  assert_int_equal(device_memory_write(memory, address, bytes, 101, &err), ERR_PROGRAM);
  assert_non_null(strstr(err.text, "101 bytes at 0xc0000000"));
  assert_int_equal(device_memory_write(memory, address + 1, bytes, 100, &err), ERR_PROGRAM);
  assert_int_equal(device_memory_write(memory, address + 1, bytes, UINT64_MAX, &err), ERR_PROGRAM);
  assert_int_equal(device_memory_read(memory, 0, bytes, 1, &err), ERR_PROGRAM);
  assert_int_equal(device_memory_set(memory, UINT64_MAX, 0, 2, &err), ERR_PROGRAM);
  assert_int_equal(device_memory_write(memory, 0, bytes, 0, &err), OK);
  device_memory_destroy(memory);
}

static void capacity_is_a_limit_that_free_gives_back(void **state) {
  (void)state;
  DeviceMemory *memory = device_memory_create(1000);
  uint64_t first = take(memory, 600), other;
  Error err;
  assert_int_equal(device_memory_alloc(memory, 401, ALLOCATION_HEAP, NULL, &other, &err),
                   ERR_LIMIT);
  assert_non_null(strstr(err.text, "401 bytes requested, 600 of 1000 in use"));
  assert_int_equal(device_memory_alloc(memory, UINT64_MAX, ALLOCATION_HEAP, NULL, &other, &err),
                   ERR_LIMIT);
  take(memory, 400);
  assert_int_equal(device_memory_free(memory, first, NULL), OK);
  assert_int_equal(device_memory_used_bytes(memory), 400);
  take(memory, 600);
  device_memory_destroy(memory);
}

static void only_what_was_allocated_can_be_freed_and_only_once(void **state) {
  (void)state;
  DeviceMemory *memory = device_memory_create(1 << 20);
  uint64_t address = take(memory, 64);
  Error err;
  assert_int_equal(device_memory_free(memory, address + 4, &err), ERR_PROGRAM);
  assert_int_equal(device_memory_free(memory, 0, &err), ERR_PROGRAM);
  assert_int_equal(device_memory_free(memory, address, &err), OK);
  assert_int_equal(device_memory_free(memory, address, &err), ERR_PROGRAM);
  assert_non_null(strstr(err.text, "already free"));
  device_memory_destroy(memory);
}

static void find_knows_every_byte_and_no_other(void **state) {
  (void)state;
  DeviceMemory *memory = device_memory_create(1 << 24);
  uint64_t address[100];
  assert_null(device_memory_find(memory, HEAP_BASE));
  for (uint64_t i = 0; i < 100; i++) address[i] = take(memory, 100 + i * 37);
  for (uint64_t i = 0; i < 100; i++) {
    uint64_t size_bytes = 100 + i * 37;
    assert_int_equal(device_memory_find(memory, address[i])->address, address[i]);
    const Allocation *last = device_memory_find(memory, address[i] + size_bytes - 1);
    assert_int_equal(last->address, address[i]);
    assert_int_equal(last->size_bytes, size_bytes);
    if (size_bytes % 256) assert_null(device_memory_find(memory, address[i] + size_bytes));
  }
  assert_null(device_memory_find(memory, HEAP_BASE - 1));
  assert_null(device_memory_find(memory, UINT64_MAX));
  device_memory_destroy(memory);
}

static void freed_memory_is_remembered_for_a_while_and_then_reused(void **state) {
  (void)state;
  DeviceMemory *memory = device_memory_create(1 << 24);
  uint64_t first = take(memory, 512), keep = take(memory, 512);
  assert_int_equal(device_memory_free(memory, first, NULL), OK);
  assert_null(device_memory_find(memory, first));
  const Allocation *tomb = device_memory_nearest(memory, first + 8);
  assert_int_equal(tomb->address, first);
  assert_true(tomb->freed);
  assert_null(tomb->host);
  assert_int_not_equal(take(memory, 512), first);

  // Larger ones than the first, so that they cannot stand in its place.
  for (int i = 0; i < 1000; i++) {
    uint64_t address = take(memory, 1024);
    assert_int_equal(device_memory_free(memory, address, NULL), OK);
  }
  assert_true(device_memory_find(memory, keep) != NULL);
  assert_false(device_memory_nearest(memory, first + 8)->freed);
  assert_int_equal(take(memory, 512), first);
  assert_int_equal(device_memory_used_bytes(memory), 3 * 512);
  device_memory_destroy(memory);
}

static void nearest_is_the_closer_neighbour(void **state) {
  (void)state;
  DeviceMemory *memory = device_memory_create(1 << 24);
  assert_null(device_memory_nearest(memory, 5));
  uint64_t low = 0x10000000, high = 0x10001000;
  assert_int_equal(device_memory_alloc_at(memory, low, 256, ALLOCATION_VARIABLE, "low", NULL, NULL),
                   OK);
  assert_int_equal(
      device_memory_alloc_at(memory, high, 256, ALLOCATION_CONSTANT, "high", NULL, NULL), OK);
  assert_string_equal(device_memory_nearest(memory, 0)->name, "low");
  assert_string_equal(device_memory_nearest(memory, low + 300)->name, "low");
  assert_string_equal(device_memory_nearest(memory, high - 1)->name, "high");
  assert_string_equal(device_memory_nearest(memory, high + 255)->name, "high");
  assert_string_equal(device_memory_nearest(memory, UINT64_MAX)->name, "high");
  device_memory_destroy(memory);
}

static void a_chosen_address_must_be_free_and_the_heap_avoids_it(void **state) {
  (void)state;
  DeviceMemory *memory = device_memory_create(1 << 24);
  uint8_t mine[512] = {7};
  Error err;
  assert_int_equal(
      device_memory_alloc_at(memory, HEAP_BASE + 256, 512, ALLOCATION_HOST, "mine", mine, &err),
      OK);
  assert_int_equal(device_memory_used_bytes(memory), 0);
  assert_int_equal(
      device_memory_alloc_at(memory, HEAP_BASE, 257, ALLOCATION_HEAP, NULL, NULL, &err), ERR_LIMIT);
  assert_non_null(strstr(err.text, "overlaps mine"));
  assert_int_equal(device_memory_alloc_at(memory, 0x1000, 16, ALLOCATION_HEAP, NULL, NULL, &err),
                   ERR_LIMIT);
  assert_int_equal(
      device_memory_alloc_at(memory, UINT64_MAX - 8, 16, ALLOCATION_HEAP, NULL, NULL, &err),
      ERR_LIMIT);
  assert_int_equal(take(memory, 256), HEAP_BASE);
  assert_int_equal(take(memory, 256), HEAP_BASE + 768);
  uint8_t byte = 0;
  assert_int_equal(device_memory_read(memory, HEAP_BASE + 256, &byte, 1, &err), OK);
  assert_int_equal(byte, 7);
  // A freed range can be taken at once by whoever names it.
  assert_int_equal(device_memory_free(memory, HEAP_BASE + 256, &err), OK);
  assert_int_equal(
      device_memory_alloc_at(memory, HEAP_BASE + 512, 64, ALLOCATION_HEAP, NULL, NULL, &err), OK);
  device_memory_destroy(memory);
}

static void untouched_memory_costs_nothing(void **state) {
  (void)state;
  DeviceMemory *memory = device_memory_create(UINT64_C(1) << 40);
  uint64_t address = take(memory, UINT64_C(16) << 30);
  assert_int_equal(take(memory, 4), address + (UINT64_C(16) << 30));
  uint32_t word = 42;
  assert_int_equal(device_memory_write(memory, address + (UINT64_C(15) << 30), &word, 4, NULL), OK);
  device_memory_destroy(memory);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_heap_begins_at_its_base_and_goes_on_in_steps_of_256),
      cmocka_unit_test(memory_is_zero_and_keeps_what_is_written),
      cmocka_unit_test(copies_beyond_an_allocation_are_refused),
      cmocka_unit_test(capacity_is_a_limit_that_free_gives_back),
      cmocka_unit_test(only_what_was_allocated_can_be_freed_and_only_once),
      cmocka_unit_test(find_knows_every_byte_and_no_other),
      cmocka_unit_test(freed_memory_is_remembered_for_a_while_and_then_reused),
      cmocka_unit_test(nearest_is_the_closer_neighbour),
      cmocka_unit_test(a_chosen_address_must_be_free_and_the_heap_avoids_it),
      cmocka_unit_test(untouched_memory_costs_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
