// SPDX-License-Identifier: MIT
// Texture references to linear memory and to arrays, filtered and normalised,
// and texture objects.
#include <math.h>

#include "check.h"

enum { WIDTH = 16, HEIGHT = 8 };

texture<float> line;
texture<uchar4, cudaTextureType1D, cudaReadModeNormalizedFloat> pixels;
texture<float, 2, cudaReadModeElementType> picture;

__global__ void read_lines(float *out) {
  int i = threadIdx.x;
  float4 pixel = tex1Dfetch(pixels, i);
  out[i] = tex1Dfetch(line, i) + pixel.x + 2 * pixel.w;
}

__global__ void read_picture(float *out) {
  int x = threadIdx.x, y = threadIdx.y;
  out[y * WIDTH + x] = tex2D(picture, x + 1.0f, y + 0.5f);
}

// A fetch between two uses of a value in shared memory does not make it be loaded again.
__global__ void scale_rows(float *out) {
  __shared__ float scale;
  int x = threadIdx.x;
  if (x == 0) scale = out[0];
  __syncthreads();
  float sum = 0;
  for (int y = 0; y < HEIGHT; y++) sum += scale * tex2D(picture, x + 0.5f, y + 0.5f);
  out[x] = sum;
}

__global__ void read_objects(cudaTextureObject_t one, cudaTextureObject_t two, int4 *out) {
  int x = threadIdx.x, y = threadIdx.y;
  int4 a = tex1Dfetch<int4>(one, x);
  float2 b = tex2D<float2>(two, x + 0.5f, y + 0.5f);
  out[y * WIDTH + x] = make_int4(a.x, a.w, (int)b.x, (int)b.y);
}

static void test_lines() {
  float values[32], out[32], *dvalues, *dout;
  uchar4 colours[32], *dcolours;
  for (int i = 0; i < 32; i++) {
    values[i] = i * 1.5f;
    colours[i] = make_uchar4((unsigned char)(i * 8), 0, 0, 255);
  }
  CUDA(cudaMalloc(&dvalues, sizeof values));
  CUDA(cudaMalloc(&dcolours, sizeof colours));
  CUDA(cudaMalloc(&dout, sizeof out));
  CUDA(cudaMemcpy(dvalues, values, sizeof values, cudaMemcpyHostToDevice));
  CUDA(cudaMemcpy(dcolours, colours, sizeof colours, cudaMemcpyHostToDevice));
  size_t offset = 1;
  CUDA(cudaBindTexture(&offset, line, dvalues, sizeof values));
  CHECK(offset == 0, "offset %zu", offset);
  CUDA(cudaBindTexture(NULL, pixels, dcolours, sizeof colours));
  read_lines<<<1, 32>>>(dout);
  CUDA(cudaMemcpy(out, dout, sizeof out, cudaMemcpyDeviceToHost));
  for (int i = 0; i < 32; i++) {
    float expected = values[i] + i * 8 / 255.0f + 2;
    CHECK(fabsf(out[i] - expected) < 1e-4f, "%d: %g, not %g", i, out[i], expected);
  }
  CUDA(cudaUnbindTexture(line));
  CUDA(cudaUnbindTexture(pixels));
}

// Half a texel to the right, linear: the mean of two neighbours.
static void test_picture() {
  float values[HEIGHT][WIDTH], out[HEIGHT][WIDTH], *dout;
  for (int y = 0; y < HEIGHT; y++)
    for (int x = 0; x < WIDTH; x++) values[y][x] = y * 100 + x * 2;
  cudaArray_t array;
  cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  CUDA(cudaMallocArray(&array, &format, WIDTH, HEIGHT));
  CUDA(cudaMemcpy2DToArray(array, 0, 0, values, sizeof values[0], sizeof values[0], HEIGHT,
                           cudaMemcpyHostToDevice));
  CUDA(cudaMalloc(&dout, sizeof out));
  picture.filterMode = cudaFilterModeLinear;
  picture.addressMode[0] = cudaAddressModeClamp;
  picture.addressMode[1] = cudaAddressModeClamp;
  picture.normalized = false;
  CUDA(cudaBindTextureToArray(picture, array));
  read_picture<<<1, dim3(WIDTH, HEIGHT)>>>(dout);
  CUDA(cudaMemcpy(out, dout, sizeof out, cudaMemcpyDeviceToHost));
  for (int y = 0; y < HEIGHT; y++)
    for (int x = 0; x < WIDTH; x++) {
      float expected = x + 1 < WIDTH ? values[y][x] + 1 : values[y][x];
      CHECK(out[y][x] == expected, "%d %d: %g, not %g", x, y, out[y][x], expected);
    }
  out[0][0] = 3;
  CUDA(cudaMemcpy(dout, out, sizeof(float), cudaMemcpyHostToDevice));
  scale_rows<<<1, WIDTH>>>(dout);
  CUDA(cudaMemcpy(out, dout, sizeof out[0], cudaMemcpyDeviceToHost));
  for (int x = 0; x < WIDTH; x++)
    CHECK(out[0][x] == 3 * (2800 + 16 * x), "column %d: %g", x, out[0][x]);
  CUDA(cudaUnbindTexture(picture));
  CUDA(cudaFreeArray(array));
}

static void test_objects() {
  int4 ones[WIDTH], *dones, out[HEIGHT * WIDTH], *dout;
  float2 twos[HEIGHT][WIDTH], *dtwos;
  size_t pitch;
  for (int x = 0; x < WIDTH; x++) ones[x] = make_int4(x, 0, 0, -x);
  for (int y = 0; y < HEIGHT; y++)
    for (int x = 0; x < WIDTH; x++) twos[y][x] = make_float2((float)(y * 50), (float)(x + y));
  CUDA(cudaMalloc(&dones, sizeof ones));
  CUDA(cudaMallocPitch(&dtwos, &pitch, sizeof twos[0], HEIGHT));
  CUDA(cudaMalloc(&dout, sizeof out));
  CUDA(cudaMemcpy(dones, ones, sizeof ones, cudaMemcpyHostToDevice));
  CUDA(cudaMemcpy2D(dtwos, pitch, twos, sizeof twos[0], sizeof twos[0], HEIGHT,
                    cudaMemcpyHostToDevice));
  cudaTextureObject_t one, two;
  cudaResourceDesc resource = {};
  cudaTextureDesc description = {};
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear.devPtr = dones;
  resource.res.linear.desc = cudaCreateChannelDesc<int4>();
  resource.res.linear.sizeInBytes = sizeof ones;
  CUDA(cudaCreateTextureObject(&one, &resource, &description, NULL));
  resource.resType = cudaResourceTypePitch2D;
  resource.res.pitch2D.devPtr = dtwos;
  resource.res.pitch2D.desc = cudaCreateChannelDesc<float2>();
  resource.res.pitch2D.width = WIDTH;
  resource.res.pitch2D.height = HEIGHT;
  resource.res.pitch2D.pitchInBytes = pitch;
  CUDA(cudaCreateTextureObject(&two, &resource, &description, NULL));
  read_objects<<<1, dim3(WIDTH, HEIGHT)>>>(one, two, dout);
  CUDA(cudaMemcpy(out, dout, sizeof out, cudaMemcpyDeviceToHost));
  for (int i = 0; i < WIDTH * HEIGHT; i++) {
    int x = i % WIDTH, y = i / WIDTH;
    CHECK(out[i].x == x && out[i].y == -x && out[i].z == y * 50 && out[i].w == x + y,
          "%d %d: %d %d %d %d", x, y, out[i].x, out[i].y, out[i].z, out[i].w);
  }
  CUDA(cudaDestroyTextureObject(one));
  CUDA(cudaDestroyTextureObject(two));
}

int main() {
  test_lines();
  test_picture();
  test_objects();
  return check_end();
}
