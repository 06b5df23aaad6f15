// SPDX-License-Identifier: MIT
// Addresses and memory apart: a vector that grows by pieces and stays where it
// is, a piece that is seen in two places, and what may not be done.
#include <unistd.h>

#include "check_driver.h"

static const char *const ptx = R"(
.version 6.4
.target sm_70
.address_size 64
.visible .entry add_index(.param .u64 values, .param .u32 count) {
  .reg .b64 %a<3>;
  .reg .b32 %i, %n, %v, %step;
  .reg .pred %p;
  ld.param.u64 %a1, [values];
  ld.param.u32 %n, [count];
  mov.u32 %i, %tid.x;
next:
  setp.ge.u32 %p, %i, %n;
  @%p ret;
  mul.wide.u32 %a2, %i, 4;
  add.u64 %a2, %a1, %a2;
  ld.global.u32 %v, [%a2];
  add.u32 %v, %v, %i;
  st.global.u32 [%a2], %v;
  add.u32 %i, %i, 256;
  bra next;
}
)";

static size_t granularity;

static CUmemAllocationProp properties() {
  CUmemAllocationProp wanted = {};
  wanted.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  wanted.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  return wanted;
}

static CUmemGenericAllocationHandle piece() {
  CUmemGenericAllocationHandle handle;
  CUmemAllocationProp wanted = properties();
  CHECK(cuMemCreate(&handle, granularity, &wanted, 0));
  return handle;
}

static CUresult allow(CUdeviceptr address, size_t size, CUmemAccess_flags flags) {
  CUmemAccessDesc access = {};
  access.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  access.flags = flags;
  return cuMemSetAccess(address, size, &access, 1);
}

// Maps a piece behind what is there and gives its handle back.
static void grow(CUdeviceptr vector, int pieces) {
  CUmemGenericAllocationHandle handle = piece();
  CUdeviceptr end = vector + pieces * granularity;
  CHECK(cuMemMap(end, granularity, 0, handle, 0));
  CHECK(cuMemRelease(handle));
  CHECK(allow(end, granularity, CU_MEM_ACCESS_FLAGS_PROT_READWRITE));
}

static void launch(CUfunction function, CUdeviceptr values, unsigned count) {
  void *arguments[] = {&values, &count};
  CHECK(cuLaunchKernel(function, 1, 1, 1, 256, 1, 1, 0, NULL, arguments, NULL));
}

static void a_vector_grows_in_place(CUfunction function) {
  const unsigned count = (unsigned)(2 * granularity / sizeof(int));
  size_t before, after, total;
  CUdeviceptr vector;
  CHECK(cuMemGetInfo(&before, &total));
  CHECK(cuMemAddressReserve(&vector, 4 * granularity, 0, 0, 0));
  EXPECT(vector % granularity == 0);
  grow(vector, 0);
  EXPECT(cuMemsetD32(vector, 7, count) == CUDA_ERROR_INVALID_VALUE);
  grow(vector, 1);
  CHECK(cuMemGetInfo(&after, &total));
  EXPECT(before - after == 2 * granularity);
  CHECK(cuMemsetD32(vector, 7, count));
  launch(function, vector, count);
  std::vector<unsigned> values = download<unsigned>(vector, count);
  for (unsigned i = 0; i < count; i++) EXPECT(values[i] == 7 + i);
  EXPECT(cuMemFree(vector) == CUDA_ERROR_INVALID_VALUE);
  EXPECT(cuMemAddressFree(vector, 4 * granularity) == CUDA_ERROR_INVALID_VALUE);
  EXPECT(cuMemUnmap(vector, 3 * granularity) == CUDA_ERROR_INVALID_VALUE);
  CHECK(cuMemUnmap(vector, 2 * granularity));
  CHECK(cuMemAddressFree(vector, 4 * granularity));
  CHECK(cuMemGetInfo(&after, &total));
  EXPECT(before == after);
}

static void a_piece_is_seen_twice() {
  CUmemGenericAllocationHandle handle = piece(), again;
  CUmemAllocationProp told = {};
  CUdeviceptr range;
  unsigned long long flags = 9;
  unsigned value = 0;
  CUmemLocation here = properties().location;
  CHECK(cuMemAddressReserve(&range, 2 * granularity, 0, 0, 0));
  for (int i = 0; i < 2; i++) CHECK(cuMemMap(range + i * granularity, granularity, 0, handle, 0));
  EXPECT(cuMemcpyDtoH(&value, range, sizeof value) == CUDA_ERROR_INVALID_VALUE);
  CHECK(allow(range, 2 * granularity, CU_MEM_ACCESS_FLAGS_PROT_READWRITE));
  CHECK(cuMemsetD32(range, 42, 1));
  CHECK(cuMemcpyDtoH(&value, range + granularity, sizeof value));
  EXPECT(value == 42);
  CHECK(cuMemGetAccess(&flags, &here, range));
  EXPECT(flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
  CHECK(cuMemRetainAllocationHandle(&again, (void *)range));
  EXPECT(again == handle);
  CHECK(cuMemGetAllocationPropertiesFromHandle(&told, handle));
  EXPECT(told.type == CU_MEM_ALLOCATION_TYPE_PINNED);
  for (int i = 0; i < 2; i++) CHECK(cuMemRelease(handle));
  EXPECT(cuMemRelease(handle) == CUDA_ERROR_INVALID_VALUE);
  CHECK(cuMemUnmap(range, 2 * granularity));
  CHECK(cuMemAddressFree(range, 2 * granularity));
}

// As another process would that got the file.
static void a_piece_passes_through_a_file() {
  const CUmemAllocationHandleType by_file = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
  CUmemGenericAllocationHandle handle = piece(), opened;
  CUdeviceptr range;
  unsigned value = 0;
  int file = -1;
  CHECK(cuMemExportToShareableHandle(&file, handle, by_file, 0));
  CHECK(cuMemImportFromShareableHandle(&opened, (void *)(intptr_t)file, by_file));
  EXPECT(close(file) == 0 && opened != handle);
  CHECK(cuMemAddressReserve(&range, 2 * granularity, 0, 0, 0));
  CHECK(cuMemMap(range, granularity, 0, handle, 0));
  CHECK(cuMemMap(range + granularity, granularity, 0, opened, 0));
  CHECK(allow(range, 2 * granularity, CU_MEM_ACCESS_FLAGS_PROT_READWRITE));
  CHECK(cuMemsetD32(range, 43, 1));
  CHECK(cuMemcpyDtoH(&value, range + granularity, sizeof value));
  EXPECT(value == 43);
  CHECK(cuMemUnmap(range, 2 * granularity));
  CHECK(cuMemAddressFree(range, 2 * granularity));
  CHECK(cuMemRelease(handle));
  CHECK(cuMemRelease(opened));
  EXPECT(cuMemImportFromShareableHandle(&opened, (void *)-1, by_file) == CUDA_ERROR_INVALID_VALUE);
}

// Breaks the context.
static void what_may_be_read_only_is_not_written(CUfunction function) {
  CUdeviceptr range;
  CHECK(cuMemAddressReserve(&range, granularity, 0, 0, 0));
  grow(range, 0);
  CHECK(allow(range, granularity, CU_MEM_ACCESS_FLAGS_PROT_READ));
  launch(function, range, 32);
  EXPECT(cuCtxSynchronize() == CUDA_ERROR_ILLEGAL_ADDRESS);
}

int main() {
  CUcontext context;
  CUmodule module;
  CUfunction function;
  CUmemAllocationProp wanted = properties();
  CUdevice device = first_device();
  int has_virtual_memory = 0;
  CHECK(create_context(&context, 0, device));
  CHECK(cuDeviceGetAttribute(&has_virtual_memory,
                             CU_DEVICE_ATTRIBUTE_VIRTUAL_ADDRESS_MANAGEMENT_SUPPORTED, device));
  EXPECT(has_virtual_memory == 1);
  CHECK(cuMemGetAllocationGranularity(&granularity, &wanted, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
  CHECK(cuModuleLoadData(&module, ptx));
  CHECK(cuModuleGetFunction(&function, module, "add_index"));
  a_vector_grows_in_place(function);
  a_piece_is_seen_twice();
  a_piece_passes_through_a_file();
  what_may_be_read_only_is_not_written(function);
  // What a context took with it may be given back.
  CHECK(cuCtxDestroy(context));
  CHECK(cuMemUnmap(0, granularity));
  return finish("virtual_memory");
}
