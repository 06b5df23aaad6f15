// SPDX-License-Identifier: MIT
// PTX from a string with options and logs, dynamic shared memory, pitched
// memory and copies of boxes, streams and events.
#include "check_driver.h"

static const int n = 64, side = 16;

static CUmodule load(const char *path) {
  std::string image = read_text(path);
  char info[1024] = "?", errors[1024] = "?";
  CUjit_option options[] = {CU_JIT_INFO_LOG_BUFFER, CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES,
                            CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES,
                            CU_JIT_MAX_REGISTERS, CU_JIT_WALL_TIME};
  void *values[] = {info,   (void *)sizeof info, errors, (void *)sizeof errors,
                    (void *)32, NULL};
  CUmodule module;
  CHECK(cuModuleLoadDataEx(&module, image.c_str(), 6, options, values));
  EXPECT(strlen(errors) == 0 && values[3] == NULL);
  float milliseconds;
  memcpy(&milliseconds, &values[5], sizeof milliseconds);
  EXPECT(milliseconds > 0);
  return module;
}

static std::vector<float> product(const std::vector<float> &a, const std::vector<float> &b) {
  std::vector<float> c(n * n);
  for (int y = 0; y < n; y++)
    for (int x = 0; x < n; x++)
      for (int k = 0; k < n; k++) c[y * n + x] += a[y * n + k] * b[k * n + x];
  return c;
}

// Out to pitched memory, and back into the middle of a larger picture.
static void boxes(CUdeviceptr from, const std::vector<float> &wanted) {
  CUdeviceptr pitched;
  size_t pitch;
  const int margin = 3, wide = n + 2 * margin;
  std::vector<float> picture(wide * wide, -1);
  CHECK(cuMemAllocPitch(&pitched, &pitch, n * 4, n, 4));
  EXPECT(pitch >= n * 4);
  CUDA_MEMCPY2D copy = {};
  copy.srcMemoryType = CU_MEMORYTYPE_DEVICE;
  copy.srcDevice = from;
  copy.srcPitch = n * 4;
  copy.dstMemoryType = CU_MEMORYTYPE_UNIFIED;
  copy.dstDevice = pitched;
  copy.dstPitch = pitch;
  copy.WidthInBytes = n * 4;
  copy.Height = n;
  CHECK(cuMemcpy2D(&copy));
  CUDA_MEMCPY3D back = {};
  back.srcMemoryType = CU_MEMORYTYPE_DEVICE;
  back.srcDevice = pitched;
  back.srcPitch = pitch;
  back.dstMemoryType = CU_MEMORYTYPE_HOST;
  back.dstHost = picture.data();
  back.dstPitch = wide * 4;
  back.dstXInBytes = margin * 4;
  back.dstY = margin;
  back.WidthInBytes = n * 4;
  back.Height = n;
  back.Depth = 1;
  CHECK(cuMemcpy3D(&back));
  for (int y = 0; y < wide; y++)
    for (int x = 0; x < wide; x++) {
      bool is_inside = x >= margin && x < n + margin && y >= margin && y < n + margin;
      EXPECT(picture[y * wide + x] == (is_inside ? wanted[(y - margin) * n + x - margin] : -1));
    }
  CHECK(cuMemsetD2D16(pitched, pitch, 0x1234, 2, n));
  CHECK(cuMemFree(pitched));
}

// Memory in the stream's order, of a pool that counts.
static void pools(CUstream stream) {
  CUmemoryPool pool;
  CUdeviceptr data;
  cuuint64_t used = 1;
  CHECK(cuDeviceGetDefaultMemPool(&pool, 0));
  CHECK(cuMemAllocAsync(&data, 4096, stream));
  CHECK(cuMemsetD8Async(data, 7, 4096, stream));
  CHECK(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &used));
  EXPECT(used >= 4096);
  EXPECT(download<unsigned char>(data, 4096) == std::vector<unsigned char>(4096, 7));
  CHECK(cuMemFreeAsync(data, stream));
  CHECK(cuStreamSynchronize(stream));
  CHECK(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &used));
  EXPECT(used == 0);
}

static void called(CUstream, CUresult status, void *data) {
  *(CUresult *)data = status;
}

int main(int argc, char **argv) {
  CUcontext context;
  CUfunction function;
  CUstream stream;
  CUevent start, end;
  CUdevice device = first_device();
  CHECK(create_context(&context, CU_CTX_SCHED_BLOCKING_SYNC, device));
  CUmodule module = load(argc > 1 ? argv[1] : "kernels.ptx");
  CHECK(cuModuleGetFunction(&function, module, "matrix_multiply"));
  std::vector<float> a(n * n), b(n * n);
  for (int i = 0; i < n * n; i++) a[i] = (float)(i % 13), b[i] = (float)(i % 7) - 3;
  CUdeviceptr device_a = upload(a), device_b = upload(b), device_c = upload(a);
  CHECK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  CHECK(cuEventCreate(&start, CU_EVENT_DEFAULT));
  CHECK(cuEventCreate(&end, CU_EVENT_DEFAULT));
  int size = n;
  CUresult status = CUDA_ERROR_UNKNOWN;
  float milliseconds = 0;
  void *arguments[] = {&device_c, &device_a, &device_b, &size};
  CHECK(cuEventRecord(start, stream));
  CHECK(cuLaunchKernel(function, n / side, n / side, 1, side, side, 1, 2 * side * side * 4, stream,
                       arguments, NULL));
  CHECK(cuEventRecord(end, stream));
  CHECK(cuStreamAddCallback(stream, called, &status, 0));
  CHECK(cuEventSynchronize(end));
  CHECK(cuStreamSynchronize(stream));
  EXPECT(status == CUDA_SUCCESS);
  CHECK(cuEventElapsedTime(&milliseconds, start, end));
  EXPECT(milliseconds > 0);
  std::vector<float> wanted = product(a, b);
  EXPECT(download<float>(device_c, n * n) == wanted);
  boxes(device_c, wanted);
  pools(stream);
  CHECK(cuEventDestroy(start));
  CHECK(cuEventDestroy(end));
  CHECK(cuStreamDestroy(stream));
  CHECK(cuCtxDestroy(context));  // and all else that is still there
  return finish("matrix_multiply");
}
