// SPDX-License-Identifier: MIT
// Textures: an array behind a texture object, and behind a texture reference
// of hand-written PTX, with every setting read back.
#include "check_driver.h"

static const int width = 32, height = 16;

// out[i] = the texture at (i, row).
static const char *const reference_ptx = R"(
.version 6.4
.target sm_70
.address_size 64
.global .texref picture;
.visible .entry read_row(.param .u64 out, .param .f32 row) {
  .reg .f32 %f<8>;
  .reg .u64 %a<3>;
  .reg .u32 %i;
  ld.param.u64 %a1, [out];
  ld.param.f32 %f1, [row];
  mov.u32 %i, %tid.x;
  cvt.rn.f32.u32 %f2, %i;
  tex.2d.v4.f32.f32 {%f3, %f4, %f5, %f6}, [picture, {%f2, %f1}];
  mul.wide.u32 %a2, %i, 4;
  add.u64 %a1, %a1, %a2;
  st.global.f32 [%a1], %f3;
  ret;
}
)";

static std::vector<float> image() {
  std::vector<float> texels(width * height);
  for (int i = 0; i < width * height; i++) texels[i] = (float)((i * 37) % 101);
  return texels;
}

static CUarray array_of(const std::vector<float> &texels) {
  CUDA_ARRAY_DESCRIPTOR wanted = {}, got;
  wanted.Width = width;
  wanted.Height = height;
  wanted.Format = CU_AD_FORMAT_FLOAT;
  wanted.NumChannels = 1;
  CUarray array;
  CHECK(cuArrayCreate(&array, &wanted));
  CHECK(cuArrayGetDescriptor(&got, array));
  EXPECT(got.Width == wanted.Width && got.Height == wanted.Height && got.NumChannels == 1 &&
         got.Format == wanted.Format);
  CUDA_MEMCPY2D copy = {};
  copy.srcMemoryType = CU_MEMORYTYPE_HOST;
  copy.srcHost = texels.data();
  copy.srcPitch = width * 4;
  copy.dstMemoryType = CU_MEMORYTYPE_ARRAY;
  copy.dstArray = array;
  copy.WidthInBytes = width * 4;
  copy.Height = height;
  CHECK(cuMemcpy2D(&copy));
  copy.dstY = 1;
  EXPECT(cuMemcpy2D(&copy) == CUDA_ERROR_INVALID_VALUE);  // one row too many
  return array;
}

// Without an angle the picture is itself; half a turn reads it backwards.
static void object(CUmodule module, CUarray array, const std::vector<float> &texels) {
  CUfunction function;
  CUtexObject texture;
  CUDA_RESOURCE_DESC resource = {};
  CUDA_TEXTURE_DESC how = {};
  resource.resType = CU_RESOURCE_TYPE_ARRAY;
  resource.res.array.hArray = array;
  how.addressMode[0] = how.addressMode[1] = CU_TR_ADDRESS_MODE_WRAP;
  how.filterMode = CU_TR_FILTER_MODE_POINT;
  how.flags = CU_TRSF_NORMALIZED_COORDINATES;
  CHECK(cuTexObjectCreate(&texture, &resource, &how, NULL));
  CHECK(cuModuleGetFunction(&function, module, "rotate"));
  CUdeviceptr out = upload(std::vector<float>(width * height));
  int w = width, h = height;
  float angle = 0;
  void *arguments[] = {&out, &texture, &w, &h, &angle};
  CHECK(cuLaunchKernel(function, width / 8, height / 8, 1, 8, 8, 1, 0, NULL, arguments, NULL));
  EXPECT(download<float>(out, width * height) == texels);
  CHECK(cuTexObjectDestroy(texture));
  EXPECT(cuTexObjectDestroy(texture) == CUDA_ERROR_INVALID_VALUE);
  CHECK(cuMemFree(out));
}

static void expect_row(CUfunction function, const float *wanted, float row) {
  CUdeviceptr out = upload(std::vector<float>(width));
  void *arguments[] = {&out, &row};
  CHECK(cuLaunchKernel(function, 1, 1, 1, width, 1, 1, 0, NULL, arguments, NULL));
  std::vector<float> got = download<float>(out, width);
  for (int x = 0; x < width; x++) EXPECT(got[x] == wanted[x]);
  CHECK(cuMemFree(out));
}

static void settings(CUtexref reference) {
  CUaddress_mode mode;
  CUfilter_mode filter;
  CUarray_format format;
  int channels;
  unsigned flags;
  CHECK(cuTexRefGetAddressMode(&mode, reference, 1));
  CHECK(cuTexRefGetFilterMode(&filter, reference));
  CHECK(cuTexRefGetFormat(&format, &channels, reference));
  CHECK(cuTexRefGetFlags(&flags, reference));
  EXPECT(mode == CU_TR_ADDRESS_MODE_CLAMP && filter == CU_TR_FILTER_MODE_POINT && flags == 0);
  EXPECT(format == CU_AD_FORMAT_FLOAT && channels == 1);
}

static void reference(CUarray array, const std::vector<float> &texels) {
  CUmodule module;
  CUfunction function;
  CUtexref texture, again;
  CUarray same;
  CHECK(cuModuleLoadData(&module, reference_ptx));
  CHECK(cuModuleGetFunction(&function, module, "read_row"));
  CHECK(cuModuleGetTexRef(&texture, module, "picture"));
  CHECK(cuModuleGetTexRef(&again, module, "picture"));
  EXPECT(texture == again);
  EXPECT(cuModuleGetTexRef(&again, module, "no picture") == CUDA_ERROR_NOT_FOUND);
  CHECK(cuTexRefSetArray(texture, array, CU_TRSA_OVERRIDE_FORMAT));
  CHECK(cuTexRefSetAddressMode(texture, 0, CU_TR_ADDRESS_MODE_CLAMP));
  CHECK(cuTexRefSetAddressMode(texture, 1, CU_TR_ADDRESS_MODE_CLAMP));
  CHECK(cuTexRefSetFilterMode(texture, CU_TR_FILTER_MODE_POINT));
  CHECK(cuTexRefSetFormat(texture, CU_AD_FORMAT_FLOAT, 1));
  CHECK(cuTexRefSetFlags(texture, 0));
  CHECK(cuParamSetTexRef(function, CU_PARAM_TR_DEFAULT, texture));
  settings(texture);
  CHECK(cuTexRefGetArray(&same, texture));
  EXPECT(same == array);
  expect_row(function, &texels[5 * width], 5);
  // The same reference over rows of plain memory.
  CUDA_ARRAY_DESCRIPTOR rows = {};
  rows.Width = width;
  rows.Height = height / 2;
  rows.Format = CU_AD_FORMAT_FLOAT;
  rows.NumChannels = 1;
  CUdeviceptr memory = upload(texels);
  CHECK(cuTexRefSetAddress2D(texture, &rows, memory, 2 * width * 4));
  expect_row(function, &texels[6 * width], 3);
  CHECK(cuModuleUnload(module));
  EXPECT(cuTexRefSetFlags(texture, 0) == CUDA_ERROR_INVALID_HANDLE);
  CHECK(cuMemFree(memory));
}

int main(int argc, char **argv) {
  CUcontext context;
  CUmodule module;
  CUdevice device = first_device();
  CHECK(create_context(&context, 0, device));
  CHECK(cuModuleLoad(&module, argc > 1 ? argv[1] : "kernels.ptx"));
  std::vector<float> texels = image();
  CUarray array = array_of(texels);
  object(module, array, texels);
  reference(array, texels);
  CHECK(cuArrayDestroy(array));
  CHECK(cuCtxDestroy(context));
  return finish("simple_texture");
}
