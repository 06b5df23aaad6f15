// SPDX-License-Identifier: MIT
// Surfaces of each shape, written and read beside what textures see of the same
// array; cube maps, plain and in layers; gathers.
#include "check.h"

static const int width = 40, height = 12, depth = 5;

__global__ void count_1d(cudaSurfaceObject_t surface) {
  short value;
  surf1Dread(&value, surface, threadIdx.x * (int)sizeof value);
  surf1Dwrite((short)(value + threadIdx.x), surface, threadIdx.x * (int)sizeof value);
}

// Each thread moves its texel one to the right, in another array.
__global__ void shift(cudaSurfaceObject_t from, cudaSurfaceObject_t to, int columns, int rows) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
  if (x >= columns || y >= rows) return;
  float4 texel = surf2Dread<float4>(from, x * (int)sizeof(float4), y, cudaBoundaryModeTrap);
  texel.w += 1;
  surf2Dwrite(texel, to, (x + 1) * (int)sizeof(float4), y, cudaBoundaryModeZero);
}

__global__ void beside(cudaSurfaceObject_t surface, float4 *out) {
  out[0] = surf2Dread<float4>(surface, -160, 0, cudaBoundaryModeZero);
  out[1] = surf2Dread<float4>(surface, 100000, 100000, cudaBoundaryModeClamp);
}

__global__ void fill_layers(cudaSurfaceObject_t surface) {
  uchar4 value = make_uchar4(threadIdx.x, threadIdx.y, blockIdx.x, 9);
  surf2DLayeredwrite(value, surface, threadIdx.x * (int)sizeof value, threadIdx.y, blockIdx.x);
}

__global__ void double_box(cudaSurfaceObject_t surface) {
  int value;
  surf3Dread(&value, surface, threadIdx.x * 4, threadIdx.y, blockIdx.x);
  surf3Dwrite(value * 2, surface, threadIdx.x * 4, threadIdx.y, blockIdx.x);
}

__global__ void read_texture(cudaTextureObject_t texture, float4 *out, int columns) {
  int x = threadIdx.x, y = blockIdx.x;
  out[y * columns + x] = tex2D<float4>(texture, x + 0.5f, y + 0.5f);
}

// Four channels of the square whose corners meet at (x, y).
__global__ void gather(cudaTextureObject_t texture, float4 *out) {
  out[threadIdx.x] = tex2Dgather<float4>(texture, threadIdx.x + 1.0f, 2.0f, 1);
}

__global__ void look(cudaTextureObject_t cube, const float3 *directions, float *out) {
  float3 d = directions[threadIdx.x];
  out[threadIdx.x] = texCubemap<float>(cube, d.x, d.y, d.z);
}

__global__ void look_in_layer(cudaTextureObject_t cubes, const float3 *directions, float *out) {
  float3 d = directions[threadIdx.x];
  out[threadIdx.x] = texCubemapLayered<float>(cubes, d.x, d.y, d.z, 1);
}

static cudaResourceDesc describe(cudaArray_t array) {
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  return resource;
}

static cudaSurfaceObject_t surface_of(cudaArray_t array) {
  cudaSurfaceObject_t surface;
  cudaResourceDesc resource = describe(array);
  CHECK(cudaCreateSurfaceObject(&surface, &resource));
  return surface;
}

static cudaTextureObject_t texture_of(cudaArray_t array) {
  cudaTextureObject_t texture;
  cudaResourceDesc resource = describe(array);
  cudaTextureDesc how = {};
  how.addressMode[0] = how.addressMode[1] = cudaAddressModeClamp;
  CHECK(cudaCreateTextureObject(&texture, &resource, &how, NULL));
  return texture;
}

static void copy_box(cudaArray_t array, void *host, cudaExtent extent, size_t texel, bool to_host) {
  cudaMemcpy3DParms copy = {};
  cudaPitchedPtr pointer =
      make_cudaPitchedPtr(host, extent.width * texel, extent.width, extent.height);
  if (to_host)
    copy.srcArray = array, copy.dstPtr = pointer, copy.kind = cudaMemcpyDeviceToHost;
  else
    copy.dstArray = array, copy.srcPtr = pointer, copy.kind = cudaMemcpyHostToDevice;
  copy.extent = extent;
  CHECK(cudaMemcpy3D(&copy));
}

static void one_dimension() {
  cudaArray_t array;
  short values[64];
  cudaChannelFormatDesc format = cudaCreateChannelDesc<short>();
  CHECK(cudaMallocArray(&array, &format, 64, 0, cudaArraySurfaceLoadStore));
  for (int i = 0; i < 64; i++) values[i] = (short)(100 - i);
  CHECK(cudaMemcpy2DToArray(array, 0, 0, values, sizeof values, sizeof values, 1,
                            cudaMemcpyHostToDevice));
  count_1d<<<1, 64>>>(surface_of(array));
  CHECK(cudaMemcpy2DFromArray(values, sizeof values, array, 0, 0, sizeof values, 1,
                              cudaMemcpyDeviceToHost));
  for (int i = 0; i < 64; i++) EXPECT(values[i] == 100);
  CHECK(cudaFreeArray(array));
}

static void two_dimensions() {
  static float4 image[height][width], seen[height][width];
  cudaArray_t from, to;
  float4 *out;
  unsigned flags;
  cudaChannelFormatDesc format = cudaCreateChannelDesc<float4>();
  CHECK(cudaMallocArray(&from, &format, width, height, cudaArraySurfaceLoadStore));
  CHECK(cudaMallocArray(&to, &format, width, height, cudaArraySurfaceLoadStore));
  CHECK(cudaArrayGetInfo(NULL, NULL, &flags, to));
  EXPECT(flags == cudaArraySurfaceLoadStore);
  CHECK(cudaMalloc((void **)&out, sizeof seen));
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++) image[y][x] = make_float4(x, y, x * y, 0);
  CHECK(cudaMemcpy2DToArray(from, 0, 0, image, sizeof image[0], sizeof image[0], height,
                            cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy2DToArray(to, 0, 0, image, sizeof image[0], sizeof image[0], height,
                            cudaMemcpyHostToDevice));
  shift<<<dim3(2, height), 32>>>(surface_of(from), surface_of(to), width, height);
  read_texture<<<height, width>>>(texture_of(to), out, width);
  CHECK(cudaMemcpy(seen, out, sizeof seen, cudaMemcpyDeviceToHost));
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++)
      EXPECT(seen[y][x].x == (x ? x - 1 : 0) && seen[y][x].y == y && seen[y][x].w == (x > 0));
  beside<<<1, 1>>>(surface_of(from), out);
  CHECK(cudaMemcpy(seen, out, 2 * sizeof(float4), cudaMemcpyDeviceToHost));
  EXPECT(seen[0][0].z == 0 && seen[0][1].x == width - 1 && seen[0][1].y == height - 1);
  gather<<<1, 4>>>(texture_of(from), out);
  CHECK(cudaMemcpy(seen, out, 4 * sizeof(float4), cudaMemcpyDeviceToHost));
  for (int i = 0; i < 4; i++)
    EXPECT(seen[0][i].x == 2 && seen[0][i].y == 2 && seen[0][i].z == 1 && seen[0][i].w == 1);
  CHECK(cudaFreeArray(from));
  CHECK(cudaFreeArray(to));
  CHECK(cudaFree(out));
}

static void boxes_and_layers() {
  static int box[depth][height][width];
  static uchar4 layers[depth][height][width];
  cudaArray_t array;
  cudaExtent extent = make_cudaExtent(width, height, depth);
  cudaChannelFormatDesc format = cudaCreateChannelDesc<int>();
  CHECK(cudaMalloc3DArray(&array, &format, extent, cudaArraySurfaceLoadStore));
  for (int i = 0; i < width * height * depth; i++) box[0][0][i] = i;
  copy_box(array, box, extent, sizeof(int), false);
  double_box<<<depth, dim3(width, height)>>>(surface_of(array));
  copy_box(array, box, extent, sizeof(int), true);
  for (int i = 0; i < width * height * depth; i++) EXPECT(box[0][0][i] == 2 * i);
  CHECK(cudaFreeArray(array));

  format = cudaCreateChannelDesc<uchar4>();
  CHECK(cudaMalloc3DArray(&array, &format, extent,
                          cudaArrayLayered | cudaArraySurfaceLoadStore));
  fill_layers<<<depth, dim3(width, height)>>>(surface_of(array));
  copy_box(array, layers, extent, sizeof(uchar4), true);
  for (int z = 0; z < depth; z++)
    for (int y = 0; y < height; y++)
      for (int x = 0; x < width; x++)
        EXPECT(layers[z][y][x].x == x && layers[z][y][x].y == y && layers[z][y][x].z == z);
  CHECK(cudaFreeArray(array));
}

// Face f of cube c holds 100 c + 10 f, and 1 more on the right, 2 more below.
static void cubes() {
  const int side = 2, count = 2;
  float texels[count * 6][side][side], seen[8];
  float3 *directions, host[8] = {{1, 0, 0},  {-1, 0, 0}, {0, 1, 0},         {0, -1, 0},
                                 {0, 0, 1},  {0, 0, -1}, {1, -0.5f, -0.5f}, {0.5f, 0.5f, 1}};
  const float expected[8] = {0, 10, 20, 30, 40, 50, 3, 41};
  float *out;
  for (int f = 0; f < count * 6; f++)
    for (int y = 0; y < side; y++)
      for (int x = 0; x < side; x++) texels[f][y][x] = f / 6 * 100 + f % 6 * 10 + x + 2 * y;
  for (int i = 0; i < 6; i++)  // a little to the upper left of each face's middle
    host[i] = make_float3(host[i].x + (i == 2 || i == 3 ? -0.1f : i == 4 ? -0.1f : i == 5 ? 0.1f : 0),
                          host[i].y + (i < 2 || i > 3 ? 0.1f : 0),
                          host[i].z + (i == 0 ? 0.1f : i == 1 ? -0.1f : i == 2 ? -0.1f
                                                              : i == 3 ? 0.1f : 0));
  CHECK(cudaMalloc((void **)&directions, sizeof host));
  CHECK(cudaMalloc((void **)&out, sizeof seen));
  CHECK(cudaMemcpy(directions, host, sizeof host, cudaMemcpyHostToDevice));
  cudaArray_t array;
  cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  EXPECT(cudaMalloc3DArray(&array, &format, make_cudaExtent(side, side, 5), cudaArrayCubemap) ==
         cudaErrorInvalidValue);
  cudaGetLastError();
  CHECK(cudaMalloc3DArray(&array, &format, make_cudaExtent(side, side, 6), cudaArrayCubemap));
  copy_box(array, texels, make_cudaExtent(side, side, 6), sizeof(float), false);
  look<<<1, 8>>>(texture_of(array), directions, out);
  CHECK(cudaMemcpy(seen, out, sizeof seen, cudaMemcpyDeviceToHost));
  for (int i = 0; i < 8; i++) EXPECT(seen[i] == expected[i]);
  CHECK(cudaFreeArray(array));

  CHECK(cudaMalloc3DArray(&array, &format, make_cudaExtent(side, side, 12),
                          cudaArrayCubemap | cudaArrayLayered));
  copy_box(array, texels, make_cudaExtent(side, side, 12), sizeof(float), false);
  look_in_layer<<<1, 8>>>(texture_of(array), directions, out);
  CHECK(cudaMemcpy(seen, out, sizeof seen, cudaMemcpyDeviceToHost));
  for (int i = 0; i < 8; i++) EXPECT(seen[i] == 100 + expected[i]);
  CHECK(cudaFreeArray(array));
}

// A write beside the surface that may not be ends the kernel.
__global__ void fall_off(cudaSurfaceObject_t surface) {
  surf1Dwrite(1, surface, 4000, cudaBoundaryModeTrap);
}

static void traps() {
  cudaArray_t array;
  cudaChannelFormatDesc format = cudaCreateChannelDesc<int>();
  CHECK(cudaMallocArray(&array, &format, 16, 0, cudaArraySurfaceLoadStore));
  fall_off<<<1, 1>>>(surface_of(array));
  EXPECT(cudaDeviceSynchronize() == cudaErrorIllegalAddress);
  CHECK(cudaDeviceReset());
}

int main() {
  one_dimension();
  two_dimensions();
  boxes_and_layers();
  cubes();
  traps();
  return finish("surfaces");
}
