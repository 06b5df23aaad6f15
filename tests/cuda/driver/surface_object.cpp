// SPDX-License-Identifier: MIT
// An array behind a surface object: hand-written PTX reads it and writes it back.
#include "check_driver.h"

static const int width = 32, height = 2;

// out[i] = the surface at (i, 1), which is doubled in place.
static const char *const ptx = R"(
.version 6.4
.target sm_70
.address_size 64
.visible .entry double_row(.param .u64 out, .param .u64 surface) {
  .reg .b64 %a<3>, %surface;
  .reg .b32 %i, %row, %byte, %v;
  ld.param.u64 %a1, [out];
  ld.param.u64 %surface, [surface];
  mov.u32 %i, %tid.x;
  mov.u32 %row, 1;
  shl.b32 %byte, %i, 2;
  suld.b.2d.b32.trap {%v}, [%surface, {%byte, %row}];
  mul.wide.u32 %a2, %i, 4;
  add.u64 %a1, %a1, %a2;
  st.global.u32 [%a1], %v;
  shl.b32 %v, %v, 1;
  sust.b.2d.b32.trap [%surface, {%byte, %row}], {%v};
  ret;
}
)";

static CUarray surface_array(std::vector<int> *texels) {
  CUDA_ARRAY3D_DESCRIPTOR wanted = {};
  CUarray array;
  wanted.Width = width;
  wanted.Height = height;
  wanted.Format = CU_AD_FORMAT_SIGNED_INT32;
  wanted.NumChannels = 1;
  wanted.Flags = CUDA_ARRAY3D_SURFACE_LDST;
  CHECK(cuArray3DCreate(&array, &wanted));
  CUDA_MEMCPY2D copy = {};
  copy.srcMemoryType = CU_MEMORYTYPE_HOST;
  copy.srcHost = texels->data();
  copy.srcPitch = copy.WidthInBytes = width * sizeof(int);
  copy.dstMemoryType = CU_MEMORYTYPE_ARRAY;
  copy.dstArray = array;
  copy.Height = height;
  CHECK(cuMemcpy2D(&copy));
  return array;
}

int main() {
  CUdevice device;
  CUcontext context;
  CUmodule module;
  CUfunction function;
  CUsurfObject surface, none;
  CHECK(cuInit(0));
  CHECK(cuDeviceGet(&device, 0));
  CHECK(cuDevicePrimaryCtxRetain(&context, device));
  CHECK(cuCtxSetCurrent(context));
  std::vector<int> texels(width * height);
  for (int i = 0; i < width * height; i++) texels[i] = i * 7;
  CUarray array = surface_array(&texels);
  CUDA_RESOURCE_DESC resource = {};
  resource.resType = CU_RESOURCE_TYPE_ARRAY;
  resource.res.array.hArray = array;
  CHECK(cuSurfObjectCreate(&surface, &resource));
  resource.resType = CU_RESOURCE_TYPE_LINEAR;
  EXPECT(cuSurfObjectCreate(&none, &resource) == CUDA_ERROR_INVALID_VALUE);
  CHECK(cuModuleLoadData(&module, ptx));
  CHECK(cuModuleGetFunction(&function, module, "double_row"));
  CUdeviceptr out = upload(std::vector<int>(width));
  void *arguments[] = {&out, &surface};
  for (int round = 0; round < 2; round++) {
    CHECK(cuLaunchKernel(function, 1, 1, 1, width, 1, 1, 0, NULL, arguments, NULL));
    std::vector<int> got = download<int>(out, width);
    for (int x = 0; x < width; x++) EXPECT(got[x] == texels[width + x] << round);
  }
  CHECK(cuSurfObjectDestroy(surface));
  EXPECT(cuSurfObjectDestroy(surface) == CUDA_ERROR_INVALID_VALUE);
  CHECK(cuMemFree(out));
  CHECK(cuArrayDestroy(array));
  return finish("surface_object");
}
