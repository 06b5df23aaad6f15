// SPDX-License-Identifier: MIT
// The same name in several namespaces, layouts that nobody would choose, default
// arguments, code that is compiled out.
#include "check.h"
namespace a { __global__ void fill(int *v) { v[blockIdx.x] = 1; } namespace deep { template <class T> __global__ void fill(T *v, int n) { int i = blockIdx.x; if (i < n) v[i] = T(3); } } }
namespace b { __global__ void fill(int *v) { v[blockIdx.x] = 2; } }
using namespace a::deep;
// comment with kernel<<<1, 2>>>(x)
__global__
void
odd  ( int * v
     , int n   // the count
     , float f = 0.5f
     )
{
    // first
    const int i = blockIdx.x
                * blockDim.x
                + threadIdx.x ;
    if ( i < n ) { v[i] += (int)( f * 4 ) ; }
    return ;
}
#define CTAS_OF_ODD(n) ((n) + 31) / 32
#define THREADS_OF_ODD 32
#ifdef NEVER
__global__ void broken(int *v) { v[blockIdx.x] = undefined_thing; }
#endif
template <int WIDTH_, int HEIGHT_> struct Tile { enum { X = WIDTH_, Y = HEIGHT_ }; };
template <typename T, typename SHAPE>
__global__ void tiled(T *out, int pitch)
{
  __shared__ T s[SHAPE::Y][SHAPE::X];
  const int tx = threadIdx.x, ty = threadIdx.y;
  s[ty][tx] = (T)(blockIdx.y * 100 + blockIdx.x);
  __syncthreads();
  out[(blockIdx.y * SHAPE::Y + ty) * pitch + blockIdx.x * SHAPE::X + tx] = s[SHAPE::Y - 1 - ty][SHAPE::X - 1 - tx];
}
struct Result { int sum; };
__global__ void sums(Result *r, const int *v, int per) {
  __shared__ Result local;
  if (threadIdx.x == 0) local.sum = 0;
  __syncthreads();
  for (int k = threadIdx.x; k < per; k += blockDim.x) atomicAdd(&local.sum, v[blockIdx.x * per + k]);
  __syncthreads();
  if (threadIdx.x == 0) r[blockIdx.x] = local;
}
__global__ void three(int *v, dim3 d) {
  unsigned linear = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  if (d.x == gridDim.x && d.y == gridDim.y && d.z == gridDim.z) v[linear] = (int)linear;
  goto end; end: ;
}
int main()
{
  Array<int> v(100), w(100);
  a::fill<<<100, 1>>>(v); b::fill <<< 100 , 1 >>> ( w );
  for (int x : v.get()) CHECK(x == 1);
  for (int x : w.get()) CHECK(x == 2);
  for (int i = 0; i < 2; i++) fill<int> <<<100, 1>>>((int *)v, 50);
  a::deep::fill<<<100, 1>>>((int *)w, 50);
  std::vector<int> vv = v.get();
  for (int i = 0; i < 100; i++) CHECK(vv[i] == (i < 50 ? 3 : 1));
  odd
    <<< CTAS_OF_ODD(100),
        THREADS_OF_ODD >>>
    ( v, 100 );
  odd<<<CTAS_OF_ODD(100), THREADS_OF_ODD>>>(v, 100, 1.0f);
  vv = v.get();
  for (int i = 0; i < 100; i++) CHECK(vv[i] == (i < 50 ? 9 : 7));
  Array<float> t(16 * 12);
  tiled<float, Tile<4, 3> ><<<dim3(4, 4), dim3(Tile<4, 3>::X, Tile<4, 3>::Y)>>>(t, 16);
  std::vector<float> tt = t.get();
  for (int y = 0; y < 12; y++) for (int x = 0; x < 16; x++) CHECK(tt[y * 16 + x] == y / 3 * 100 + x / 4);
  Array<int> ones(64 * 90, 1); Array<Result> r(90);
  sums<<<90, 64>>>(r, ones, 64);
  for (Result x : r.get()) CHECK(x.sum == 64);
  Array<int> big(7 * 5 * 3);
  dim3 g(7, 5, 3);
  if (g.x) three<<<g, 1>>>(big, g); else CHECK(false);
  std::vector<int> bb = big.get();
  for (int i = 0; i < 105; i++) CHECK(bb[i] == i);
  return verdict();
}
