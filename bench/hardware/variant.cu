// SPDX-License-Identifier: MIT
// Host program for one block shape of the convolution of AutoTuningAssociation/benchmark_hub, whose
// source is given as -DKERNEL_FILE="..." and whose shape is given as the tuner gives it, by macros
// (bench/hardware/build_variants). Launches it once on an image of 4096 x 4096, or on as many of its
// upper rows as give every SM the waves of CTAs that its argument asks for.
#include <cstdio>
#include <cstdlib>
#include <vector>

#include KERNEL_FILE

static int groups(int pixels, int per_group) { return (pixels + per_group - 1) / per_group; }

// As many rows of CTAs as make so many waves, of at most all.
static int rows_of(int waves, dim3 grid) {
  int sms = 0, ctas = 0;
  cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0);
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&ctas, convolution_kernel,
                                                block_size_x * block_size_y, 0);
  int rows = groups(waves * sms * ctas, (int)grid.x);
  return rows < (int)grid.y ? rows : (int)grid.y;
}

int main(int argc, char **argv) {
  std::vector<float> image((size_t)input_width * input_height), filter(33 * 33);
  unsigned state = 1;
  for (float &value : image) value = (float)((state = state * 1664525u + 1013904223u) >> 16) / 65536;
  for (float &value : filter) value = (float)((state = state * 1664525u + 1013904223u) >> 16) / 65536;
  float *input, *output;
  cudaMalloc(&input, image.size() * sizeof(float));
  cudaMalloc(&output, (size_t)image_width * image_height * sizeof(float));
  cudaMemcpy(input, image.data(), image.size() * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpyToSymbol(d_filter, filter.data(), filter.size() * sizeof(float));
  dim3 grid(groups(image_width, block_size_x * tile_size_x),
            groups(image_height, block_size_y * tile_size_y));
  if (argc > 1) grid.y = rows_of(atoi(argv[1]), grid);
  convolution_kernel<<<grid, dim3(block_size_x, block_size_y)>>>(output, input, nullptr);
  cudaError_t error = cudaDeviceSynchronize();
  if (error != cudaSuccess) fprintf(stderr, "%s\n", cudaGetErrorString(error));
  return error != cudaSuccess;
}
