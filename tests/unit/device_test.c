// SPDX-License-Identifier: MIT
// The device behind the APIs, without either of them.
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "device/device.h"

enum { COUNT = 64, BYTES = COUNT * 4 };

static const char image[] =
    ".version 6.4\n.target sm_30\n.address_size 64\n"
    ".visible .global .align 4 .u32 bias = 7;\n"
    ".visible .entry add(.param .u64 data, .param .u32 value) {\n"
    "  .reg .u64 %d<4>; .reg .u32 %r<8>;\n"
    "  ld.param.u64 %d0, [data]; ld.param.u32 %r0, [value];\n"
    "  mov.u32 %r1, %tid.x; mov.u32 %r5, %ctaid.x; mov.u32 %r6, %ntid.x; mad.lo.u32 %r1, %r5, %r6, "
    "%r1;\n"
    "  mul.wide.u32 %d1, %r1, 4; add.u64 %d2, %d0, %d1;\n"
    "  ld.global.u32 %r2, [%d2]; add.u32 %r3, %r2, %r0; st.global.u32 [%d2], %r3;\n"
    "  ret; }\n"
    ".visible .entry biased(.param .u64 data) {\n"
    "  .reg .u64 %d<2>; .reg .u32 %r<2>;\n"
    "  ld.param.u64 %d0, [data]; ld.global.u32 %r0, [bias]; st.global.u32 [%d0], %r0; ret; }\n";

typedef struct Rig {
  Device *device;
  DeviceModule *module;
  DeviceKernel *add, *biased;
  uint64_t data;
} Rig;

static void load(Rig *rig) {
  assert_int_equal(device_module_load(rig->device, image, &rig->module, NULL), DEVICE_OK);
  assert_int_equal(device_kernel_in_module(rig->device, rig->module, "add", &rig->add), DEVICE_OK);
  assert_int_equal(device_kernel_in_module(rig->device, rig->module, "biased", &rig->biased),
                   DEVICE_OK);
  assert_int_equal(device_alloc(rig->device, BYTES, &rig->data), DEVICE_OK);
}

static Device *make_device(bool is_functional) {
  DeviceRun options = {.spec = {.gpu = "tiny", .functional = is_functional}};
  return device_create(&options);
}

static int setup(void **state) {
  static Rig rig;
  rig.device = make_device(true);
  load(&rig);
  *state = &rig;
  return 0;
}

static int setup_timing(void **state) {
  static Rig rig;
  rig.device = make_device(false);
  load(&rig);
  *state = &rig;
  return 0;
}

static int teardown(void **state) {
  device_destroy(((Rig *)*state)->device);
  return 0;
}

static DeviceError launch_add(const Rig *rig, uint64_t data, uint32_t value, DeviceStream *stream) {
  void *arguments[] = {&data, &value};
  DeviceLaunch launch = {.kernel = rig->add,
                         .grid = {2, 1, 1},
                         .block = {COUNT / 2, 1, 1},
                         .arguments = arguments,
                         .stream = stream};
  return device_launch(rig->device, &launch);
}

static void write_data(const Rig *rig, uint32_t value) {
  uint32_t host[COUNT];
  for (int i = 0; i < COUNT; i++) host[i] = value;
  DeviceCopy copy = {.to = {SIDE_DEVICE, rig->data, BYTES, 0},
                     .from = {SIDE_HOST, (uint64_t)(uintptr_t)host, BYTES, 0},
                     .width_bytes = BYTES,
                     .height = 1,
                     .depth = 1};
  assert_int_equal(device_copy(rig->device, &copy, NULL, true), DEVICE_OK);
  memset(host, 0xee, sizeof host);  // it was taken when the call returned
}

static uint32_t read_data(const Rig *rig, int index) {
  uint32_t host[COUNT];
  DeviceCopy copy = {.to = {SIDE_HOST, (uint64_t)(uintptr_t)host, BYTES, 0},
                     .from = {SIDE_DEVICE, rig->data, BYTES, 0},
                     .width_bytes = BYTES,
                     .height = 1,
                     .depth = 1};
  assert_int_equal(device_copy(rig->device, &copy, NULL, true), DEVICE_OK);
  return host[index];
}

static void queued_work_keeps_the_order_of_its_stream(void **state) {
  const Rig *rig = *state;
  write_data(rig, 100);
  assert_int_equal(launch_add(rig, rig->data, 5, NULL), DEVICE_OK);
  assert_int_equal(launch_add(rig, rig->data, 6, NULL), DEVICE_OK);
  assert_int_equal(read_data(rig, 0), 111);
  assert_int_equal(read_data(rig, COUNT - 1), 111);
}

static void an_event_orders_two_streams(void **state) {
  const Rig *rig = *state;
  DeviceStream *first, *second;
  DeviceEvent *event;
  assert_int_equal(device_stream_create(rig->device, false, 0, &first), DEVICE_OK);
  assert_int_equal(device_stream_create(rig->device, false, -1, &second), DEVICE_OK);
  assert_int_equal(device_event_create(rig->device, true, &event), DEVICE_OK);
  write_data(rig, 1);
  assert_int_equal(device_synchronize(rig->device), DEVICE_OK);
  // The second stream has the higher priority, and waits all the same.
  CopyPlace place = {SIDE_DEVICE, rig->data, BYTES, 0};
  assert_int_equal(launch_add(rig, rig->data, 10, first), DEVICE_OK);
  assert_int_equal(device_event_record(rig->device, event, first), DEVICE_OK);
  assert_int_equal(device_stream_wait(rig->device, second, event), DEVICE_OK);
  assert_int_equal(device_fill(rig->device, &place, 2, 4, 8, 1, 1, second, true), DEVICE_OK);
  assert_int_equal(device_event_destroy(rig->device, event), DEVICE_OK);
  assert_int_equal(device_stream_synchronize(rig->device, second), DEVICE_OK);
  assert_int_equal(read_data(rig, 1), 2);
  assert_int_equal(read_data(rig, 2), 11);
  assert_int_equal(device_stream_destroy(rig->device, first), DEVICE_OK);
  assert_int_equal(device_stream_destroy(rig->device, first), DEVICE_INVALID_HANDLE);
}

// What a function of the host saw in managed memory when it was called.
typedef struct Witness {
  const uint32_t *at;
  uint32_t seen, calls;
} Witness;

static void look(void *self) {
  Witness *witness = self;
  witness->seen = *witness->at;
  witness->calls++;
}

static void callbacks_run_in_their_turn_without_being_asked_for(void **state) {
  const Rig *rig = *state;
  void *shared;
  assert_int_equal(device_host_alloc(rig->device, BYTES, HOST_MANAGED, &shared), DEVICE_OK);
  memset(shared, 0, BYTES);
  Witness witness = {.at = shared};
  launch_add(rig, (uint64_t)(uintptr_t)shared, 5, NULL);
  assert_int_equal(device_stream_call(rig->device, NULL, look, &witness), DEVICE_OK);
  assert_int_equal(witness.calls, 1);
  assert_int_equal(witness.seen, 5);
  assert_int_equal(device_free(rig->device, (uint64_t)(uintptr_t)shared), DEVICE_OK);
}

static void the_time_between_events_is_that_of_the_kernels_between_them(void **state) {
  const Rig *rig = *state;
  DeviceEvent *start, *middle, *end;
  float first, second, both;
  device_event_create(rig->device, true, &start);
  device_event_create(rig->device, true, &middle);
  device_event_create(rig->device, true, &end);
  write_data(rig, 0);
  device_event_record(rig->device, start, NULL);
  launch_add(rig, rig->data, 1, NULL);
  device_event_record(rig->device, middle, NULL);
  launch_add(rig, rig->data, 1, NULL);
  assert_int_equal(device_event_elapsed(rig->device, start, end, &both), DEVICE_INVALID_HANDLE);
  device_event_record(rig->device, end, NULL);
  assert_int_equal(device_event_elapsed(rig->device, start, end, &both), DEVICE_NOT_READY);
  assert_int_equal(device_event_synchronize(rig->device, end), DEVICE_OK);
  assert_int_equal(device_event_elapsed(rig->device, start, middle, &first), DEVICE_OK);
  assert_int_equal(device_event_elapsed(rig->device, middle, end, &second), DEVICE_OK);
  assert_int_equal(device_event_elapsed(rig->device, start, end, &both), DEVICE_OK);
  assert_true(first > 0 && second > 0);
  assert_float_equal(both, first + second, 1e-6);
  assert_int_equal(read_data(rig, 0), 2);
}

static void a_fault_stays_until_the_reset(void **state) {
  Rig *rig = *state;
  uint64_t address;
  assert_int_equal(launch_add(rig, rig->data + (1 << 20), 1, NULL), DEVICE_OK);
  assert_int_equal(device_synchronize(rig->device), DEVICE_ILLEGAL_ADDRESS);
  assert_int_equal(device_alloc(rig->device, 4, &address), DEVICE_ILLEGAL_ADDRESS);
  assert_int_equal(device_error(rig->device), DEVICE_ILLEGAL_ADDRESS);
  assert_int_equal(device_reset(rig->device), DEVICE_OK);
  assert_int_equal(device_error(rig->device), DEVICE_OK);
  assert_int_equal(device_alloc(rig->device, BYTES, &rig->data), DEVICE_OK);
  write_data(rig, 3);
  assert_int_equal(launch_add(rig, rig->data, 1, NULL), DEVICE_OK);
  assert_int_equal(read_data(rig, 0), 4);
}

static void variables_are_found_and_written(void **state) {
  const Rig *rig = *state;
  uint64_t address, size, data = rig->data;
  void *arguments[] = {&data};
  DeviceLaunch launch = {
      .kernel = rig->biased, .grid = {1, 1, 1}, .block = {1, 1, 1}, .arguments = arguments};
  assert_int_equal(device_symbol_in_module(rig->device, rig->module, "bias", &address, &size),
                   DEVICE_OK);
  assert_int_equal(size, 4);
  assert_int_equal(device_symbol_in_module(rig->device, rig->module, "bia", &address, &size),
                   DEVICE_NOT_FOUND);
  device_launch(rig->device, &launch);
  assert_int_equal(read_data(rig, 0), 7);
  CopyPlace place = {SIDE_DEVICE, address, 4, 0};
  assert_int_equal(device_fill(rig->device, &place, 0x01020304, 4, 4, 1, 1, NULL, true), DEVICE_OK);
  device_launch(rig->device, &launch);
  assert_int_equal(read_data(rig, 0), 0x01020304);
}

static void a_second_module_has_variables_of_its_own(void **state) {
  const Rig *rig = *state;
  DeviceModule *other;
  uint64_t first, second, size;
  assert_int_equal(device_module_load(rig->device, image, &other, NULL), DEVICE_OK);
  device_symbol_in_module(rig->device, rig->module, "bias", &first, &size);
  device_symbol_in_module(rig->device, other, "bias", &second, &size);
  assert_true(first != second);
  device_module_unload(rig->device, other);
}

static void bad_images_are_refused_with_a_reason(void **state) {
  const Rig *rig = *state;
  DeviceModule *module;
  Error log;
  assert_int_equal(device_module_load(rig->device, ".version 6.4\nnonsense", &module, &log),
                   DEVICE_INVALID_PTX);
  assert_non_null(strstr(log.text, "module.ptx:2"));
  assert_int_equal(device_module_load(rig->device,
                                      "\x7f"
                                      "ELF..............",
                                      &module, &log),
                   DEVICE_NO_KERNEL_IMAGE);
  assert_non_null(strstr(log.text, "machine code"));
  assert_int_equal(device_module_load(rig->device, "some other bytes", &module, &log),
                   DEVICE_INVALID_IMAGE);
  DeviceKernel *kernel;
  assert_int_equal(device_kernel_in_module(rig->device, rig->module, "subtract", &kernel),
                   DEVICE_NOT_FOUND);
}

// A damaged size leads out of the image, and out of the memory of the process.
static void images_of_damaged_sizes_are_refused(void **state) {
  const Rig *rig = *state;
  const size_t page = (size_t)sysconf(_SC_PAGESIZE);
  uint8_t *pages = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  uint8_t *bytes = pages + page - 32;
  struct Header {
    uint32_t magic;
    uint16_t version, header_bytes;
    uint64_t body_bytes;
  } fatbin = {0xba55ed50, 1, 16, 0};
  struct Linked {
    uint32_t magic, count;
    uint64_t bytes;
  } linked = {0x4b4c4448, 1, 0};
  const uint64_t sizes[] = {17, page, UINT64_C(1) << 31, UINT64_C(1) << 40, UINT64_MAX - 16,
                            UINT64_MAX};
  assert_int_equal(mprotect(pages + page, page, PROT_NONE), 0);
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    DeviceModule *module;
    Error log;
    fatbin.body_bytes = sizes[i];
    memcpy(bytes, &fatbin, sizeof fatbin);
    assert_int_equal(device_module_load(rig->device, bytes, &module, &log), DEVICE_INVALID_IMAGE);
    linked.bytes = sizes[i] + 16;  // the last one claims less than its header has
    memcpy(bytes, &linked, sizeof linked);
    assert_int_equal(device_module_load(rig->device, bytes, &module, &log), DEVICE_INVALID_IMAGE);
    assert_non_null(strstr(log.text, "corrupt image"));
  }
  // All there, but the text of 8 bytes does not fit.
  DeviceModule *module;
  Error log;
  linked.bytes = 31;
  memcpy(bytes, &linked, sizeof linked);
  memcpy(bytes + 16, &(uint64_t){6}, 8);
  assert_int_equal(device_module_load(rig->device, bytes, &module, &log), DEVICE_INVALID_PTX);
  assert_non_null(strstr(log.text, "extends past its end"));
  munmap(pages, 2 * page);
}

static void memory_of_the_host_is_reached_at_its_own_address(void **state) {
  const Rig *rig = *state;
  void *host;
  DevicePointer pointer;
  assert_int_equal(device_host_alloc(rig->device, BYTES, HOST_MANAGED, &host), DEVICE_OK);
  ((uint32_t *)host)[5] = 50;
  assert_int_equal(launch_add(rig, (uint64_t)(uintptr_t)host, 5, NULL), DEVICE_OK);
  assert_int_equal(device_synchronize(rig->device), DEVICE_OK);
  assert_int_equal(((uint32_t *)host)[5], 55);
  assert_true(device_pointer_find(rig->device, (uint64_t)(uintptr_t)host + 8, &pointer));
  assert_true(pointer.is_managed && pointer.is_device);
  assert_int_equal(device_host_free(rig->device, host, HOST_PINNED), DEVICE_INVALID_VALUE);
  assert_int_equal(device_free(rig->device, (uint64_t)(uintptr_t)host), DEVICE_OK);
  assert_false(device_pointer_find(rig->device, (uint64_t)(uintptr_t)host, &pointer));
}

static void bad_shapes_and_handles_are_refused(void **state) {
  const Rig *rig = *state;
  uint64_t data = rig->data;
  uint32_t value = 1, other;
  void *arguments[] = {&data, &value};
  DeviceLaunch launch = {
      .kernel = rig->add, .grid = {1, 1, 1}, .block = {2000, 1, 1}, .arguments = arguments};
  assert_int_equal(device_launch(rig->device, &launch), DEVICE_INVALID_CONFIGURATION);
  launch.block[0] = 0;
  assert_int_equal(device_launch(rig->device, &launch), DEVICE_INVALID_CONFIGURATION);
  launch.block[0] = 32;
  launch.dynamic_shared_bytes = UINT64_C(1) << 40;
  assert_int_equal(device_launch(rig->device, &launch), DEVICE_INVALID_VALUE);
  launch.dynamic_shared_bytes = 0;
  launch.stream = (DeviceStream *)&other;
  assert_int_equal(device_launch(rig->device, &launch), DEVICE_INVALID_HANDLE);
  assert_int_equal(device_event_record(rig->device, (DeviceEvent *)&other, NULL),
                   DEVICE_INVALID_HANDLE);
  assert_int_equal(device_synchronize(rig->device), DEVICE_OK);
}

// Each thread has data of its own: kernels of two streams may run side by side,
// and then their loads and stores of the same word would mix.
static void *add_many(void *self) {
  Rig mine = *(const Rig *)self;
  DeviceStream *stream = device_thread_stream(mine.device);
  if (device_alloc(mine.device, BYTES, &mine.data)) return self;
  write_data(&mine, 3);
  for (int i = 0; i < 20; i++)
    if (launch_add(&mine, mine.data, 1, stream) || device_stream_synchronize(mine.device, stream))
      return self;
  bool is_right = read_data(&mine, 7) == 23;
  return is_right && !device_free(mine.device, mine.data) ? NULL : self;
}

static void threads_may_use_it_at_the_same_time(void **state) {
  Rig *rig = *state;
  pthread_t threads[4];
  for (int t = 0; t < 4; t++) pthread_create(&threads[t], NULL, add_many, rig);
  for (int t = 0; t < 4; t++) {
    void *failed;
    pthread_join(threads[t], &failed);
    assert_null(failed);
  }
}

static void bad_options_break_the_device_not_the_program(void **state) {
  (void)state;
  DeviceRun options = {.spec = {.gpu = "no such gpu"}};
  uint64_t address;
  Device *device = device_create(&options);
  assert_int_equal(device_alloc(device, 4, &address), DEVICE_NOT_INITIALIZED);
  assert_int_equal(device_synchronize(device), DEVICE_NOT_INITIALIZED);
  assert_null(device_config(device));
  device_destroy(device);
}

#define BOTH(test)                                        \
  cmocka_unit_test_setup_teardown(test, setup, teardown), \
      cmocka_unit_test_setup_teardown(test, setup_timing, teardown)

int main(void) {
  const struct CMUnitTest tests[] = {
      BOTH(queued_work_keeps_the_order_of_its_stream),
      BOTH(an_event_orders_two_streams),
      BOTH(callbacks_run_in_their_turn_without_being_asked_for),
      BOTH(the_time_between_events_is_that_of_the_kernels_between_them),
      BOTH(variables_are_found_and_written),
      BOTH(memory_of_the_host_is_reached_at_its_own_address),
      BOTH(threads_may_use_it_at_the_same_time),
      cmocka_unit_test_setup_teardown(a_fault_stays_until_the_reset, setup, teardown),
      cmocka_unit_test_setup_teardown(a_second_module_has_variables_of_its_own, setup, teardown),
      cmocka_unit_test_setup_teardown(bad_images_are_refused_with_a_reason, setup, teardown),
      cmocka_unit_test_setup_teardown(images_of_damaged_sizes_are_refused, setup, teardown),
      cmocka_unit_test_setup_teardown(bad_shapes_and_handles_are_refused, setup, teardown),
      cmocka_unit_test(bad_options_break_the_device_not_the_program),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
