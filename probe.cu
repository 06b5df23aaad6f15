__global__ void touch(float *data) { data[blockIdx.x * blockDim.x + threadIdx.x] += 1; }
int main() {
  float *data;
  cudaMalloc(&data, 64 * 64 * sizeof *data);
  touch<<<64, 64>>>(data);
  return cudaDeviceSynchronize();
}
