// SPDX-License-Identifier: MIT
// refused: 15: 'operator()', which names blockIdx or gridDim, is called by host code
struct Place {
  __host__ __device__ int operator()(int i) const {
#ifdef __CUDA_ARCH__
    i += blockIdx.x;
#endif
    return i;
  }
};

__global__ void store(int *out, Place place) { out[place(1)] = 1; }

void run(int *out, Place place) {
  store<<<8, 1>>>(out + place(2), place);
}
