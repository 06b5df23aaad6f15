// SPDX-License-Identifier: MIT
// What the sparse part of cuSOLVER shares. Structure is analysed on the host; numbers are worked
// out by the same code on either side: functions ...Host call it with a team of one, the others
// with warps.
#ifndef CUSOLVER_SPARSE_H
#define CUSOLVER_SPARSE_H

#include <cusparse.h>

#include <memory>
#include <string.h>
#include <vector>

#include "context.h"

#define BOTH __host__ __device__

struct cusolverSpContext {
  cudaStream_t stream;
};

typedef std::vector<int> Ints;

// Rows of a sparse matrix, from 0, columns ascending; places: where the caller's array has the
// values.
struct Pattern {
  int rows, columns;
  Ints starts, indices, places;
};

// Of a matrix in CSR; is_device: its arrays are on the device. False: not a matrix, or a copy
// failed. csrEndPtrA: may be NULL.
bool pattern_read(Pattern *to, int rows, int columns, int nnz, cusparseMatDescr_t description,
                  const int *starts, const int *ends, const int *indices, bool is_device);
// Row i is row p[i], column j is column q[j].
Pattern pattern_permuted(const Pattern &from, const int *p, const int *q);
Pattern pattern_transposed(const Pattern &from);

// Permutations for few entries in factors of A + A'; A is square.
enum Ordering { NATURAL, CUTHILL_MCKEE, MINIMUM_DEGREE, DISSECTION };
Ints ordering_find(const Pattern &a, Ordering kind);

// ---- memory on one side

class Space {
  std::vector<void *> owned;

 public:
  const bool is_device;
  bool has_failed = false;
  explicit Space(bool on_device) : is_device(on_device) {}
  Space(const Space &) = delete;
  ~Space() {
    for (void *at : owned) is_device ? (void)cudaFree(at) : free(at);
  }
  template <typename T>
  T *allocate(size_t count) {
    void *at = nullptr;
    size_t size = (count + 1) * sizeof(T);
    if (is_device ? cudaMalloc(&at, size) != cudaSuccess || cudaMemset(at, 0, size) != cudaSuccess
                  : !(at = calloc(1, size)))
      has_failed = true;
    if (at) owned.push_back(at);
    return static_cast<T *>(at);
  }
  template <typename T>
  T *copy(const std::vector<T> &from) {
    T *at = allocate<T>(from.size());
    if (at && !from.empty())
      has_failed |=
          cudaMemcpy(at, from.data(), from.size() * sizeof(T), cudaMemcpyDefault) != cudaSuccess;
    return at;
  }
};

// ---- threads that work on one item

struct Team {
  int lane, size;
  template <typename T>
  BOTH T sum(T value) const {
#ifdef __CUDA_ARCH__
    for (int step = 16; step; step /= 2) value += __shfl_xor_sync(0xffffffff, value, step);
#endif
    return value;
  }
  BOTH void sync() const {
#ifdef __CUDA_ARCH__
    __syncwarp();
#endif
  }
};

// Items of a level depend on items of earlier levels only.
struct Levels {
  Ints host_starts;
  int *starts, *order;
};
Levels levels_of(const Ints &level_of_item, Space *space);

enum { WARPS = 4, MOST_CTAS = 64 };

// A vector of zeroes for each team that runs at a time; an item leaves it as it was.
inline size_t work_size(const Space &space, size_t length) {
  return space.is_device ? length * WARPS * MOST_CTAS : length;
}

template <typename Step>
__global__ void __launch_bounds__(WARPS * 32)
    run_levels(Step step, const int *starts, const int *order, int first, int last) {
  int warp = (int)(blockIdx.x * WARPS + threadIdx.x / 32);
  Team team = {(int)threadIdx.x % 32, 32};
  for (int level = first; level < last; level++) {
    for (int i = starts[level] + warp; i < starts[level + 1]; i += (int)gridDim.x * WARPS)
      step(order[i], warp, team);
    __syncthreads();
  }
}

// step(item, number of the team, team) for all items. Levels with no more items than a CTA has
// warps follow one another in one launch.
template <typename Step>
void run_steps(const Step &step, const Levels &levels, const Space &space, cudaStream_t stream) {
  int count = (int)levels.host_starts.size() - 1;
  auto width = [&](int level) { return levels.host_starts[level + 1] - levels.host_starts[level]; };
  for (int i = 0; !space.is_device && i < levels.host_starts[count]; i++)
    step(levels.order[i], 0, Team{0, 1});
  for (int first = 0, last; space.is_device && first < count; first = last) {
    for (last = first + 1; width(first) <= WARPS && last < count && width(last) <= WARPS;) last++;
    int ctas = blocks_for(width(first), WARPS);
    if (ctas > MOST_CTAS) ctas = MOST_CTAS;
    run_levels<<<ctas, WARPS * 32, 0, stream>>>(step, levels.starts, levels.order, first, last);
  }
}

template <typename Step>
__global__ void run_once(Step step) {
  step(Team{(int)threadIdx.x, 32});
}
template <typename Step>
void run_single(const Step &step, const Space &space, cudaStream_t stream) {
  if (space.is_device)
    run_once<<<1, 32, 0, stream>>>(step);
  else
    step(Team{0, 1});
}

// to[i] = from[places[i]], or zero where there is no place.
template <typename T>
struct Gather {
  T *to;
  const T *from;
  const int *places;
  int count;
  BOTH void operator()(const Team &team) const {
    for (int i = team.lane; i < count; i += team.size)
      to[i] = places[i] < 0 ? T(0) : from[places[i]];
  }
};
template <typename T>
__global__ void gather_wide(Gather<T> gather) {
  gather(Team{(int)(blockIdx.x * blockDim.x + threadIdx.x), (int)(gridDim.x * blockDim.x)});
}
template <typename T>
void run_gather(const Gather<T> &gather, const Space &space, cudaStream_t stream) {
  if (!space.is_device)
    gather(Team{0, 1});
  else if (gather.count)
    gather_wide<<<blocks_for(gather.count, 1024), 256, 0, stream>>>(gather);
}

// ---- factors

// A = L L', of the lower half of A.
class Cholesky {
 public:
  Cholesky(const Pattern &a, bool is_device);
  template <typename T>
  cusolverStatus_t factor(const T *values, cudaStream_t stream);
  template <typename T>
  cusolverStatus_t solve(const T *b, T *x, cudaStream_t stream);
  template <typename T>
  cusolverStatus_t diagonal(std::vector<T> *to);
  size_t bytes() const { return (size_t)entries * 16; }
  int n, entries;
  Space space;

 private:
  Levels levels;
  int *starts, *columns, *below_starts, *below_rows, *below_places, *places;
  void *values = nullptr, *work = nullptr;
};

template <typename T>
struct FactorColumn;  // sparse_qr.cu

// A = Q R, by Householder's reflections; A has no fewer rows than columns.
class Orthogonal {
 public:
  Orthogonal(const Pattern &a, bool is_device);
  // shift: subtracted from the diagonal.
  template <typename T>
  cusolverStatus_t factor(const T *values, T shift, cudaStream_t stream);
  template <typename T>
  cusolverStatus_t solve(const T *b, T *x, cudaStream_t stream);
  template <typename T>
  cusolverStatus_t diagonal(std::vector<T> *to);
  size_t bytes() const { return ((size_t)entries + (size_t)reflected) * 16; }
  int m, n, entries, reflected;  // entries of R without its diagonal, of the reflections
  Space space;

 private:
  // The factors as kernels see them, of A's values.
  template <typename T>
  FactorColumn<T> columns(const T *values, T shift) const;
  Levels levels;
  int *a_starts, *a_rows, *a_places;  // columns of A
  int *r_starts, *r_rows;             // columns of R, above the diagonal
  int *v_starts, *v_rows;             // rows of each reflection, its pivot first
  void *r = nullptr, *v = nullptr, *scalars = nullptr, *work = nullptr;
};

// First j where a factor's diagonal is not above the tolerance, or -1.
template <typename T>
int first_zero(const std::vector<T> &diagonal, double tolerance) {
  for (size_t j = 0; j < diagonal.size(); j++)
    if (!((diagonal[j] < 0 ? -(double)diagonal[j] : (double)diagonal[j]) > tolerance))
      return (int)j;
  return -1;
}

#endif
