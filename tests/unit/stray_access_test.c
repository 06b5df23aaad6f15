// SPDX-License-Identifier: MIT
// Accesses outside of allocations: faults byte by byte, or page by page.
#include "exec/memory/stray_access.h"

#include "exec/cluster.h"
#include "exec/mbarrier.h"

#include "unit/memory_support.h"

enum { PAGE = STRAY_PAGE_BYTES };

static Rig *make(MemoryBounds bounds) {
  Rig *rig = rig_create();
  device_memory_set_bounds(rig->context.memory, bounds);
  return rig;
}

// A load of one lane; what it read is in *value.
static bool load(Rig *rig, uint64_t address, uint32_t *value) {
  Instruction *in = rig_form(rig, (Form){.op = OP_LD, .space = SPACE_GLOBAL, .type = TYPE_U32});
  in->src[0] = D(0);
  in->dst[0] = R(0);
  in->dst_bytes = 4;
  rig_ramp_64(rig, D(0), address, 0);
  bool is_fine = rig_run(rig, exec_find_memory, 1);
  *value = rig_32(rig, R(0))[0];
  return is_fine;
}

static bool store(Rig *rig, uint64_t address, uint32_t value) {
  Instruction *in = rig_form(rig, (Form){.op = OP_ST, .space = SPACE_GLOBAL, .type = TYPE_U32});
  in->src[0] = D(0);
  in->src[1] = R(0);
  in->src_bytes = 4;
  rig_ramp_64(rig, D(0), address, 0);
  rig_32(rig, R(0))[0] = value;
  return rig_run(rig, exec_find_memory, 1);
}

static bool load_pair(Rig *rig, uint64_t address, uint32_t pair[2]) {
  Instruction *in =
      rig_form(rig, (Form){.op = OP_LD, .space = SPACE_GLOBAL, .type = TYPE_U32, .vector = 2});
  in->src[0] = D(0);
  in->dst[0] = R(0);
  in->dst[1] = R(1);
  in->dst_bytes = 4;
  rig_ramp_64(rig, D(0), address, 0);
  bool is_fine = rig_run(rig, exec_find_memory, 1);
  pair[0] = rig_32(rig, R(0))[0];
  pair[1] = rig_32(rig, R(1))[0];
  return is_fine;
}

static StrayReport take(Rig *rig, StrayKind kind) {
  return stray_report_take(device_memory_strays(rig->context.memory), kind);
}

static void exact_bounds_are_the_rule(void **state) {
  (void)state;
  Rig *rig = make(BOUNDS_EXACT);
  uint32_t value;
  uint64_t address = rig_alloc(rig, 100);
  assert_null(device_memory_strays(rig->context.memory));
  assert_true(load(rig, address + 96, &value));
  assert_false(load(rig, address + 100, &value));
  assert_int_equal(rig->context.fault.kind, FAULT_OUT_OF_BOUNDS);
  assert_false(load(rig, address - 4, &value));
  rig_destroy(rig);
}

static void a_page_with_an_allocation_and_those_beside_it_pass(void **state) {
  (void)state;
  Rig *rig = make(BOUNDS_PAGE);
  uint32_t value = 1;
  uint64_t address = rig_alloc(rig, 100), page = address / PAGE * PAGE;
  assert_true(load(rig, address + 100, &value));
  assert_int_equal(value, 0);
  assert_true(load(rig, page - PAGE, &value));
  assert_true(load(rig, page + 2 * PAGE - 4, &value));
  assert_int_equal(take(rig, STRAY_READ).count, 3);
  assert_false(load(rig, page - PAGE - 4, &value));
  assert_int_equal(rig->context.fault.kind, FAULT_OUT_OF_BOUNDS);
  assert_false(load(rig, page + 2 * PAGE, &value));
  assert_false(load(rig, 16, &value));
  assert_int_equal(rig->context.fault.kind, FAULT_NULL_POINTER);
  assert_false(load(rig, address + 102, &value));
  assert_int_equal(rig->context.fault.kind, FAULT_MISALIGNED);
  assert_int_equal(take(rig, STRAY_READ).count, 0);
  rig_destroy(rig);
}

// The page of the one that is nearer in bytes may be further away.
static void either_neighbour_may_hold_the_page(void **state) {
  (void)state;
  Rig *rig = make(BOUNDS_PAGE);
  uint32_t value;
  const uint64_t base = UINT64_C(0x200000000);
  assert_int_equal(
      device_memory_alloc_at(rig->context.memory, base, 4096, ALLOCATION_HEAP, NULL, NULL, NULL),
      OK);
  assert_int_equal(device_memory_alloc_at(rig->context.memory, base + 4 * PAGE - 4096, 4096,
                                          ALLOCATION_HEAP, NULL, NULL, NULL),
                   OK);
  assert_true(load(rig, base + 2 * PAGE + 64, &value));
  assert_true(load(rig, base + 2 * PAGE - 4, &value));
  rig_destroy(rig);
}

static void stores_stay_and_touch_no_allocation(void **state) {
  (void)state;
  Rig *rig = make(BOUNDS_PAGE);
  uint32_t value;
  uint64_t first = rig_alloc(rig, 100), second = rig_alloc(rig, 100);
  assert_true(store(rig, first + 100, 7));
  assert_true(store(rig, first + 200, 8));
  assert_true(store(rig, first - 64, 9));
  assert_true(load(rig, first + 100, &value));
  assert_int_equal(value, 7);
  assert_true(load(rig, first + 200, &value));
  assert_int_equal(value, 8);
  assert_true(load(rig, first - 64, &value));
  assert_int_equal(value, 9);
  assert_int_equal(take(rig, STRAY_WRITE).count, 3);
  for (uint32_t i = 0; i < 100; i++) {
    assert_int_equal(rig_host(rig, first)[i], 0);
    assert_int_equal(rig_host(rig, second)[i], 0);
  }
  rig_destroy(rig);
}

static void an_access_may_be_half_in_half_out(void **state) {
  (void)state;
  Rig *rig = make(BOUNDS_PAGE);
  uint32_t pair[2];
  static _Alignas(16) uint8_t of_host[64];
  uint64_t address = rig_alloc(rig, 100), at = UINT64_C(0x300000000);
  memset(rig_host(rig, address), 3, 100);
  assert_true(store(rig, address + 100, 5));
  assert_true(load_pair(rig, address + 96, pair));
  assert_int_equal(pair[0], 0x03030303);
  assert_int_equal(pair[1], 5);
  // Host memory has nothing behind it, and what lies between two has its own.
  assert_int_equal(
      device_memory_alloc_at(rig->context.memory, at, 60, ALLOCATION_HOST, NULL, of_host, NULL),
      OK);
  assert_false(load_pair(rig, at + 56, pair));
  assert_true(load_pair(rig, at + 64, pair));
  assert_int_equal(device_memory_alloc_at(rig->context.memory, at + PAGE, 4, ALLOCATION_VARIABLE,
                                          NULL, NULL, NULL),
                   OK);
  assert_int_equal(device_memory_alloc_at(rig->context.memory, at + PAGE + 4, 4,
                                          ALLOCATION_VARIABLE, NULL, NULL, NULL),
                   OK);
  assert_false(load_pair(rig, at + PAGE, pair));
  rig_destroy(rig);
}

static void memory_that_was_freed_is_as_good_as_none(void **state) {
  (void)state;
  Rig *rig = make(BOUNDS_PAGE);
  uint32_t value;
  uint64_t address = rig_alloc(rig, 100), other = rig_alloc(rig, 100);
  memset(rig_host(rig, address), 3, 100);
  assert_int_equal(device_memory_free(rig->context.memory, address, NULL), OK);
  exec_forget_allocations(&rig->context);
  assert_true(load(rig, address, &value));
  assert_int_equal(value, 0);
  assert_int_equal(device_memory_free(rig->context.memory, other, NULL), OK);
  exec_forget_allocations(&rig->context);
  assert_false(load(rig, address, &value));
  assert_int_equal(rig->context.fault.kind, FAULT_USE_AFTER_FREE);
  rig_destroy(rig);
}

// Of several SMs the earliest cycle counts, then the lowest number.
static void the_first_one_is_told(void **state) {
  (void)state;
  Rig *rig = make(BOUNDS_PAGE);
  uint32_t value;
  uint64_t address = rig_alloc(rig, 100);
  rig->context.clock = 20;
  rig->context.sm_id = 3;
  assert_true(load(rig, address + 400, &value));
  rig->context.sm_id = 2;
  assert_true(load(rig, address + 500, &value));
  rig->context.sm_id = 5;
  assert_true(load(rig, address + 600, &value));
  StrayReport report = take(rig, STRAY_READ);
  assert_int_equal(report.count, 3);
  assert_non_null(strstr(report.first, "400 bytes past the end of X (100 bytes"));
  assert_non_null(strstr(report.first, "kernel rig, CTA (3,0,0)"));
  rig->context.clock = 1;
  assert_true(load(rig, address + 600, &value));
  report = take(rig, STRAY_READ);
  assert_int_equal(report.count, 1);
  assert_non_null(strstr(report.first, "400 bytes past the end"));
  rig_destroy(rig);
}

static void a_fault_says_what_a_gpu_would_do(void **state) {
  (void)state;
  Rig *rig = make(BOUNDS_EXACT);
  uint32_t value;
  Error err;
  uint64_t address = rig_alloc(rig, 100);
  assert_false(load(rig, address + 400, &value));
  fault_report(&rig->context, &rig->warp, &err);
  assert_non_null(strstr(err.text, "run.bounds=page"));
  assert_false(load(rig, address + 4 * PAGE, &value));
  fault_report(&rig->context, &rig->warp, &err);
  assert_null(strstr(err.text, "run.bounds"));
  rig_destroy(rig);
}

// ---- mbarriers of other CTAs of a cluster

// An arrival of lane 0 at the barrier at offset 8 of the CTA of a rank.
static bool arrive(Rig *rig, uint32_t rank) {
  Instruction *in = rig_form(
      rig,
      (Form){.op = OP_MBARRIER, .mode = MODE_ARRIVE, .space = SPACE_SHARED, .type = TYPE_B64});
  rig->code[0].form = rig->code[1].form = in->form;
  in->src[0] = R(0);
  in->address_bytes = 4;
  rig_32(rig, R(0))[0] = 8 | (rank + 1) << CLUSTER_RANK_SHIFT;
  return rig_run(rig, exec_find_mbarrier, 1);
}

// The rig's CTA is the first of two, of which the second has left.
static Rig *make_last(CtaCluster *cluster, MemoryBounds bounds) {
  Rig *rig = make(bounds);
  *cluster = (CtaCluster){.size = 2};
  cluster_join(cluster, &rig->cta, 0);
  ((uint64_t *)rig->shared)[1] = mbarrier_pack((Mbarrier){.expected = 2, .pending = 2});
  return rig;
}

static void an_arrival_at_a_cta_that_has_left_is_a_fault(void **state) {
  (void)state;
  CtaCluster cluster;
  Rig *rig = make_last(&cluster, BOUNDS_EXACT);
  Error err;
  assert_true(arrive(rig, 0));
  assert_false(arrive(rig, 1));
  assert_int_equal(rig->context.fault.kind, FAULT_BAD_CLUSTER);
  fault_report(&rig->context, &rig->warp, &err);
  assert_non_null(strstr(err.text, "run.bounds=page"));
  rig_destroy(rig);
}

static void with_pages_it_has_no_effect_and_is_counted(void **state) {
  (void)state;
  CtaCluster cluster;
  Rig *rig = make_last(&cluster, BOUNDS_PAGE);
  assert_true(arrive(rig, 1));
  assert_int_equal(rig->context.access.mask, 0);
  assert_true(arrive(rig, 0));
  assert_int_equal(mbarrier_unpack(((uint64_t *)rig->shared)[1]).pending, 1);
  assert_false(arrive(rig, 2));
  StrayReport report = take(rig, STRAY_ARRIVAL);
  assert_int_equal(report.count, 1);
  assert_non_null(strstr(report.first, "one that has exited"));
  assert_int_equal(take(rig, STRAY_WRITE).count, 0);
  rig_destroy(rig);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(exact_bounds_are_the_rule),
      cmocka_unit_test(a_page_with_an_allocation_and_those_beside_it_pass),
      cmocka_unit_test(either_neighbour_may_hold_the_page),
      cmocka_unit_test(stores_stay_and_touch_no_allocation),
      cmocka_unit_test(an_access_may_be_half_in_half_out),
      cmocka_unit_test(memory_that_was_freed_is_as_good_as_none),
      cmocka_unit_test(the_first_one_is_told),
      cmocka_unit_test(a_fault_says_what_a_gpu_would_do),
      cmocka_unit_test(an_arrival_at_a_cta_that_has_left_is_a_fault),
      cmocka_unit_test(with_pages_it_has_no_effect_and_is_counted),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
