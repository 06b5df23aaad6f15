// SPDX-License-Identifier: MIT
// Device memory goes back to what it was before a launch, and forward again.
#include "exec/memory/page_log.h"

#include <string.h>

#include "unit/cmocka_all.h"

enum { BYTES = 3 * PAGE_LOG_BLOCK_BYTES + 100 };

static uint8_t *host_of(DeviceMemory *memory, uint64_t address) {
  return device_memory_find(memory, address)->host;
}

static void written_blocks_go_back_and_forward(void **state) {
  (void)state;
  Error err;
  uint64_t large, small;
  DeviceMemory *memory = device_memory_create(1 << 20);
  assert_int_equal(device_memory_alloc(memory, BYTES, ALLOCATION_HEAP, "a", &large, &err), OK);
  assert_int_equal(device_memory_alloc(memory, 40, ALLOCATION_HEAP, "b", &small, &err), OK);
  uint8_t *a = host_of(memory, large), *b = host_of(memory, small);
  memset(a, 1, BYTES);
  memset(b, 2, 40);
  PageLog log = {0};
  page_log_begin(&log, memory);
  page_log_note(&log, a + PAGE_LOG_BLOCK_BYTES - 2, 4);  // two blocks
  memset(a + PAGE_LOG_BLOCK_BYTES - 2, 9, 4);
  page_log_note(&log, a + BYTES - 1, 1);
  a[BYTES - 1] = 8;
  page_log_note(&log, b, 16);
  page_log_note(&log, b, 16);
  memset(b, 7, 16);
  assert_int_equal(log.block_count, 4);
  page_log_swap(&log);
  for (uint32_t i = 0; i < BYTES; i++) assert_int_equal(a[i], 1);
  for (uint32_t i = 0; i < 40; i++) assert_int_equal(b[i], 2);
  // What is written now is lost with the state that it belongs to.
  a[5] = 33;
  page_log_swap(&log);
  assert_int_equal(a[PAGE_LOG_BLOCK_BYTES - 3], 1);
  assert_int_equal(a[PAGE_LOG_BLOCK_BYTES - 2], 9);
  assert_int_equal(a[PAGE_LOG_BLOCK_BYTES + 1], 9);
  assert_int_equal(a[PAGE_LOG_BLOCK_BYTES + 2], 1);
  assert_int_equal(a[BYTES - 1], 8);
  assert_int_equal(b[15], 7);
  assert_int_equal(b[16], 2);
  assert_int_equal(a[5], 1);
  page_log_end(&log);
  device_memory_destroy(memory);
}

// Lanes of one store: most in one block, lane 5 across its end, lane 6 in another allocation, lane
// 7 back in the first block, lane 8 in the last; lane 9 does not store.
static void blocks_of_all_lanes_are_logged(void **state) {
  (void)state;
  Error err;
  uint64_t large, small;
  DeviceMemory *memory = device_memory_create(1 << 20);
  assert_int_equal(device_memory_alloc(memory, BYTES, ALLOCATION_HEAP, "a", &large, &err), OK);
  assert_int_equal(device_memory_alloc(memory, 40, ALLOCATION_HEAP, "b", &small, &err), OK);
  uint8_t *a = host_of(memory, large), *b = host_of(memory, small);
  PendingStore store = {.mask = 0x1ff, .bytes = 4};
  for (int i = 0; i < 10; i++) store.at[i] = a + 4 * i;
  store.at[5] = a + PAGE_LOG_BLOCK_BYTES - 2;
  store.at[6] = b + 8;
  store.at[8] = a + 3 * PAGE_LOG_BLOCK_BYTES;
  store.at[9] = a + 2 * PAGE_LOG_BLOCK_BYTES;
  PageLog log = {0};
  page_log_begin(&log, memory);
  page_log_note_store(&log, &store);
  const uint8_t *const logged[] = {a, a + PAGE_LOG_BLOCK_BYTES, b, a + 3 * PAGE_LOG_BLOCK_BYTES};
  assert_int_equal(log.block_count, 4);
  for (uint32_t i = 0; i < 4; i++) assert_ptr_equal(log.blocks[i].at, logged[i]);
  page_log_end(&log);
  device_memory_destroy(memory);
}

// Memory of the host that two allocations show must not be exchanged twice.
static void memory_with_two_addresses_is_logged_once(void **state) {
  (void)state;
  Error err;
  static uint8_t host[8192];
  DeviceMemory *memory = device_memory_create(1 << 20);
  assert_int_equal(
      device_memory_alloc_at(memory, 0xd0000000, 6000, ALLOCATION_HOST, "x", host, &err), OK);
  assert_int_equal(
      device_memory_alloc_at(memory, 0xe0000000, 4192, ALLOCATION_HOST, "y", host + 4000, &err),
      OK);
  PageLog log = {0};
  page_log_begin(&log, memory);
  assert_int_equal(log.range_count, 1);
  page_log_note(&log, host + 5000, 1);
  host[5000] = 5;
  page_log_note(&log, host + 8191, 1);
  host[8191] = 6;
  page_log_note(&log, host + 8192, 1);  // not the device's
  assert_int_equal(log.block_count, 1);
  page_log_swap(&log);
  assert_int_equal(host[5000] + host[8191], 0);
  page_log_end(&log);
  device_memory_destroy(memory);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(written_blocks_go_back_and_forward),
      cmocka_unit_test(blocks_of_all_lanes_are_logged),
      cmocka_unit_test(memory_with_two_addresses_is_logged_once),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
