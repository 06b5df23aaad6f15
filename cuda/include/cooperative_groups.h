// SPDX-License-Identifier: MIT
// Cooperative groups: thread blocks, tiles of a warp, the threads that happen to
// be together, and grids of a cooperative launch.
//
// Left out: clusters, groups of several GPUs.
// memcpy_async copies at once: a kernel may not rely on the order, only on wait.
#ifndef HEDDLE_COOPERATIVE_GROUPS_H
#define HEDDLE_COOPERATIVE_GROUPS_H
#define _COOPERATIVE_GROUPS_H_ 1  // what programs ask for to know that it was read

#include "cuda_runtime.h"

HEDDLE_CALLERS_LINES_BEGIN

#define HEDDLE_MEMBER __device__ __forceinline__

// Counts arrivals of blocks at a grid's barrier; the top bit turns over when all
// have come. Kernels that synchronise grids at the same time would share it.
static __device__ unsigned int heddle_grid_arrivals;

namespace cooperative_groups {

namespace details {
HEDDLE_MEMBER unsigned int lanes_below() {
  unsigned int mask;
  asm("mov.u32 %0, %%lanemask_lt;" : "=r"(mask));
  return mask;
}
HEDDLE_MEMBER unsigned int rank_in_block() {
  return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
}
HEDDLE_MEMBER unsigned int block_size() {
  return blockDim.x * blockDim.y * blockDim.z;
}
HEDDLE_MEMBER unsigned int grid_blocks() {
  return gridDim.x * gridDim.y * gridDim.z;
}

// Which values an instruction moves from lane to lane; others travel as words.
template <class T>
struct moves_at_once {
  enum { value = 0 };
};
#define HEDDLE_MOVES_AT_ONCE(T)  \
  template <>                    \
  struct moves_at_once<T> {      \
    enum { value = 1 };          \
  };
HEDDLE_MOVES_AT_ONCE(int)
HEDDLE_MOVES_AT_ONCE(unsigned int)
HEDDLE_MOVES_AT_ONCE(long)
HEDDLE_MOVES_AT_ONCE(unsigned long)
HEDDLE_MOVES_AT_ONCE(long long)
HEDDLE_MOVES_AT_ONCE(unsigned long long)
HEDDLE_MOVES_AT_ONCE(float)
HEDDLE_MOVES_AT_ONCE(double)
#undef HEDDLE_MOVES_AT_ONCE

template <class T>
union words_of {
  static_assert(__is_trivially_copyable(T), "what lanes exchange has to be trivially copyable");
  enum { count = (sizeof(T) + 3) / 4 };
  unsigned int word[count];
  T value;
  HEDDLE_MEMBER explicit words_of(const T &from) : word() { memcpy(word, &from, sizeof(T)); }
};

// One shuffle among lanes: `shuffle` is called for a value or for its words.
template <bool at_once>
struct exchange {
  template <class T, class Shuffle>
  static HEDDLE_MEMBER T run(const T &value, Shuffle shuffle) {
    return shuffle(value);
  }
};
template <>
struct exchange<false> {
  template <class T, class Shuffle>
  static HEDDLE_MEMBER T run(const T &value, Shuffle shuffle) {
    words_of<T> words(value);
    for (int i = 0; i < words_of<T>::count; i++) words.word[i] = shuffle(words.word[i]);
    return words.value;
  }
};
#define HEDDLE_SHUFFLE(name, intrinsic)                                                 \
  struct name {                                                                         \
    unsigned int mask;                                                                  \
    int lane, width;                                                                    \
    template <class T>                                                                  \
    HEDDLE_MEMBER T operator()(T value) const {                                         \
      return intrinsic(mask, value, lane, width);                                       \
    }                                                                                   \
  };                                                                                    \
  template <class T>                                                                    \
  HEDDLE_MEMBER T exchange_##name(unsigned int mask, T value, int lane, int width) {    \
    return exchange<moves_at_once<T>::value>::run(value, name{mask, lane, width});      \
  }
HEDDLE_SHUFFLE(from_lane, __shfl_sync)
HEDDLE_SHUFFLE(from_below, __shfl_up_sync)
HEDDLE_SHUFFLE(from_above, __shfl_down_sync)
HEDDLE_SHUFFLE(from_opposite, __shfl_xor_sync)
#undef HEDDLE_SHUFFLE
}  // namespace details

// A group of any kind. Within a warp the mask says who belongs to it; a mask of
// no lanes stands for the whole block.
class thread_group {
 public:
  HEDDLE_MEMBER explicit thread_group(unsigned int mask) : mask_(mask) {}
  HEDDLE_MEMBER unsigned int size() const { return mask_ ? __popc(mask_) : details::block_size(); }
  HEDDLE_MEMBER unsigned int num_threads() const { return size(); }
  HEDDLE_MEMBER unsigned int thread_rank() const {
    return mask_ ? __popc(mask_ & details::lanes_below()) : details::rank_in_block();
  }
  HEDDLE_MEMBER void sync() const {
    if (mask_)
      __syncwarp(mask_);
    else
      __syncthreads();
  }
  HEDDLE_MEMBER bool is_valid() const { return true; }
  HEDDLE_MEMBER unsigned int heddle_mask() const { return mask_; }

 protected:
  unsigned int mask_;
};

class thread_block : public thread_group {
 public:
  HEDDLE_MEMBER thread_block() : thread_group(0) {}
  static HEDDLE_MEMBER void sync() { __syncthreads(); }
  static HEDDLE_MEMBER unsigned int thread_rank() { return details::rank_in_block(); }
  static HEDDLE_MEMBER unsigned int size() { return details::block_size(); }
  static HEDDLE_MEMBER unsigned int num_threads() { return size(); }
  static HEDDLE_MEMBER dim3 group_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
  static HEDDLE_MEMBER dim3 thread_index() { return dim3(threadIdx.x, threadIdx.y, threadIdx.z); }
  static HEDDLE_MEMBER dim3 group_dim() { return dim3(blockDim.x, blockDim.y, blockDim.z); }
  static HEDDLE_MEMBER dim3 dim_threads() { return group_dim(); }
};
static HEDDLE_MEMBER thread_block this_thread_block() {
  return thread_block();
}

// Votes and shuffles among the lanes of a mask, by rank.
#define HEDDLE_GROUP_VOTES             \
  HEDDLE_MEMBER int any(int p) const { \
    return __any_sync(mask_, p);       \
  }                                    \
  HEDDLE_MEMBER int all(int p) const { \
    return __all_sync(mask_, p);       \
  }

// The lanes that were active together.
class coalesced_group : public thread_group {
 public:
  HEDDLE_MEMBER explicit coalesced_group(unsigned int mask, unsigned int rank = 0,
                                         unsigned int count = 1)
      : thread_group(mask), meta_rank_(rank), meta_size_(count) {}
  // Which part of how many it is, if it was made by a partition.
  HEDDLE_MEMBER unsigned int meta_group_rank() const { return meta_rank_; }
  HEDDLE_MEMBER unsigned int meta_group_size() const { return meta_size_; }
  HEDDLE_GROUP_VOTES
  // Bit i is the lane of rank i.
  HEDDLE_MEMBER unsigned int ballot(int p) const { return packed(__ballot_sync(mask_, p)); }
  template <class T>
  HEDDLE_MEMBER T shfl(T value, unsigned int rank) const {
    return from(value, rank);
  }
  template <class T>
  HEDDLE_MEMBER T shfl_down(T value, unsigned int distance) const {
    unsigned int rank = thread_rank() + distance;
    return from(value, rank < size() ? rank : thread_rank());
  }
  template <class T>
  HEDDLE_MEMBER T shfl_up(T value, unsigned int distance) const {
    unsigned int rank = thread_rank();
    return from(value, rank >= distance ? rank - distance : rank);
  }

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 700
  template <class T>
  HEDDLE_MEMBER unsigned int match_any(T value) const {
    return packed(__match_any_sync(mask_, value));
  }
#endif

 private:
  unsigned int meta_rank_, meta_size_;

  template <class T>
  HEDDLE_MEMBER T from(T value, unsigned int rank) const {
    return details::exchange_from_lane(mask_, value, (int)lane_of(rank), 32);
  }
  HEDDLE_MEMBER unsigned int lane_of(unsigned int rank) const {
    unsigned int left = mask_;
    for (unsigned int i = 0; i < rank; i++) left &= left - 1;
    return (unsigned int)__ffs((int)left) - 1;
  }
  HEDDLE_MEMBER unsigned int packed(unsigned int lanes) const {
    unsigned int result = 0, rank = 0;
    for (unsigned int left = mask_; left; left &= left - 1, rank++)
      if (lanes & left & (0u - left)) result |= 1u << rank;
    return result;
  }
};
static HEDDLE_MEMBER coalesced_group coalesced_threads() {
  return coalesced_group(__activemask());
}

namespace details {
// Of how many threads a group is that a tile is cut from: 0 if only its block knows.
template <class Group>
struct parent_size {
  enum { value = 0 };
};
}  // namespace details

// A power of two of neighbouring lanes.
template <unsigned int tile_size, class Parent = void>
class thread_block_tile : public thread_group {
 public:
  static_assert(tile_size <= 32 && (tile_size & (tile_size - 1)) == 0,
                "the size of a tile is a power of two, at most 1024");
  HEDDLE_MEMBER thread_block_tile() : thread_group(mask_here()) {}
  // A tile that forgets what it is a part of.
  template <class Other>
  HEDDLE_MEMBER thread_block_tile(const thread_block_tile<tile_size, Other> &other)
      : thread_group(other.heddle_mask()) {}
  static HEDDLE_MEMBER unsigned int size() { return tile_size; }
  static HEDDLE_MEMBER unsigned int num_threads() { return tile_size; }
  static HEDDLE_MEMBER unsigned int thread_rank() {
    return details::rank_in_block() & (tile_size - 1);
  }
  static HEDDLE_MEMBER unsigned int meta_group_rank() {
    unsigned int parent = details::parent_size<Parent>::value, rank = details::rank_in_block();
    return (parent ? rank & (parent - 1) : rank) / tile_size;
  }
  static HEDDLE_MEMBER unsigned int meta_group_size() {
    unsigned int parent = details::parent_size<Parent>::value;
    return ((parent ? parent : details::block_size()) + tile_size - 1) / tile_size;
  }
  HEDDLE_MEMBER void sync() const { __syncwarp(mask_); }
  HEDDLE_GROUP_VOTES
  HEDDLE_MEMBER unsigned int ballot(int p) const {
    return __ballot_sync(mask_, p) >> first_lane() & (0xffffffffu >> (32 - tile_size));
  }
  template <class T>
  HEDDLE_MEMBER T shfl(T value, int rank) const {
    return details::exchange_from_lane(mask_, value, rank, tile_size);
  }
  template <class T>
  HEDDLE_MEMBER T shfl_down(T value, unsigned int distance) const {
    return details::exchange_from_above(mask_, value, (int)distance, tile_size);
  }
  template <class T>
  HEDDLE_MEMBER T shfl_up(T value, unsigned int distance) const {
    return details::exchange_from_below(mask_, value, (int)distance, tile_size);
  }
  template <class T>
  HEDDLE_MEMBER T shfl_xor(T value, unsigned int lanes) const {
    return details::exchange_from_opposite(mask_, value, (int)lanes, tile_size);
  }
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 700
  template <class T>
  HEDDLE_MEMBER unsigned int match_any(T value) const {
    return __match_any_sync(mask_, value) >> first_lane();
  }
#endif

 private:
  static HEDDLE_MEMBER unsigned int first_lane() {
    return details::rank_in_block() & 31u & ~(tile_size - 1);
  }
  static HEDDLE_MEMBER unsigned int mask_here() {
    return 0xffffffffu >> (32 - tile_size) << first_lane();
  }
};
#undef HEDDLE_GROUP_VOTES

namespace details {
template <unsigned int tile_size, class Parent>
struct parent_size<thread_block_tile<tile_size, Parent>> {
  enum { value = tile_size };
};
}  // namespace details

template <unsigned int tile_size, class Group>
static HEDDLE_MEMBER thread_block_tile<tile_size, Group> tiled_partition(const Group &) {
  return thread_block_tile<tile_size, Group>();
}
// A size known at run time only.
static HEDDLE_MEMBER thread_group tiled_partition(const thread_group &, unsigned int tile_size) {
  unsigned int first = details::rank_in_block() & 31u & ~(tile_size - 1);
  return thread_group(0xffffffffu >> (32 - tile_size) << first);
}

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 700
// Those of a group who say the same.
template <class Group, class Label>
static HEDDLE_MEMBER coalesced_group labeled_partition(const Group &group, Label label) {
  unsigned int all = group.heddle_mask(), mine = __match_any_sync(all, label);
  // Parts are numbered in the order of their first lanes.
  unsigned int first = __ffs((int)mine) - 1;
  unsigned int heads = __ballot_sync(all, (mine & details::lanes_below()) == 0);
  return coalesced_group(mine, __popc(heads & ((1u << first) - 1)), __popc(heads));
}
#endif
template <class Group>
static HEDDLE_MEMBER coalesced_group binary_partition(const Group &group, bool label) {
  unsigned int all = group.heddle_mask(), yes = __ballot_sync(all, label);
  return label ? coalesced_group(yes, 0, 2) : coalesced_group(all & ~yes, 1, 2);
}

// All threads of a cooperative launch. Its blocks are resident together, so a
// block may wait for the others.
class grid_group {
 public:
  HEDDLE_MEMBER bool is_valid() const { return true; }
  HEDDLE_MEMBER unsigned long long size() const {
    return (unsigned long long)details::grid_blocks() * details::block_size();
  }
  HEDDLE_MEMBER unsigned long long num_threads() const { return size(); }
  HEDDLE_MEMBER unsigned long long thread_rank() const {
    return block_rank() * details::block_size() + details::rank_in_block();
  }
  HEDDLE_MEMBER unsigned long long block_rank() const {
    return ((unsigned long long)blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  }
  HEDDLE_MEMBER unsigned long long num_blocks() const { return details::grid_blocks(); }
  HEDDLE_MEMBER dim3 group_dim() const { return dim3(gridDim.x, gridDim.y, gridDim.z); }
  HEDDLE_MEMBER dim3 dim_blocks() const { return group_dim(); }
  HEDDLE_MEMBER dim3 block_index() const { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
  HEDDLE_MEMBER void sync() const {
    __syncthreads();
    if (details::rank_in_block() == 0) {
      // The first block adds what turns the top bit over once all others added one.
      unsigned int amount = block_rank() == 0 ? 0x80000000u - (details::grid_blocks() - 1) : 1;
      __threadfence();
      unsigned int before = atomicAdd(&heddle_grid_arrivals, amount);
      while (((before ^ *(volatile unsigned int *)&heddle_grid_arrivals) & 0x80000000u) == 0) {
      }
      __threadfence();
    }
    __syncthreads();
  }
};
static HEDDLE_MEMBER grid_group this_grid() {
  return grid_group();
}

template <class Group>
static HEDDLE_MEMBER void sync(const Group &group) {
  group.sync();
}
template <class Group>
static HEDDLE_MEMBER unsigned int thread_rank(const Group &group) {
  return (unsigned int)group.thread_rank();
}
template <class Group>
static HEDDLE_MEMBER unsigned int group_size(const Group &group) {
  return (unsigned int)group.size();
}

template <class T>
struct plus {
  HEDDLE_MEMBER T operator()(T a, T b) const { return a + b; }
};
template <class T>
struct less {
  HEDDLE_MEMBER T operator()(T a, T b) const { return b < a ? b : a; }
};
template <class T>
struct greater {
  HEDDLE_MEMBER T operator()(T a, T b) const { return a < b ? b : a; }
};
template <class T>
struct bit_and {
  HEDDLE_MEMBER T operator()(T a, T b) const { return a & b; }
};
template <class T>
struct bit_or {
  HEDDLE_MEMBER T operator()(T a, T b) const { return a | b; }
};
template <class T>
struct bit_xor {
  HEDDLE_MEMBER T operator()(T a, T b) const { return a ^ b; }
};

// Every lane of the group gets the result.
template <unsigned int tile_size, class Parent, class T, class Operation>
static HEDDLE_MEMBER T reduce(const thread_block_tile<tile_size, Parent> &tile, T value,
                              Operation operation) {
  for (unsigned int lanes = tile_size / 2; lanes > 0; lanes /= 2)
    value = operation(value, tile.shfl_xor(value, lanes));
  return value;
}
template <class T, class Operation>
static HEDDLE_MEMBER T reduce(const coalesced_group &group, T value, Operation operation) {
  T result = group.shfl(value, 0);
  for (unsigned int rank = 1; rank < group.size(); rank++)
    result = operation(result, group.shfl(value, rank));
  return result;
}

// Each gets the values up to its own; exclusive, without its own, and the first
// gets a T() then.
template <class Group, class T, class Operation>
static HEDDLE_MEMBER T inclusive_scan(const Group &group, T value, Operation operation) {
  for (unsigned int distance = 1; distance < group.size(); distance *= 2) {
    T before = group.shfl_up(value, distance);
    if (group.thread_rank() >= distance) value = operation(before, value);
  }
  return value;
}
template <class Group, class T>
static HEDDLE_MEMBER T inclusive_scan(const Group &group, T value) {
  return inclusive_scan(group, value, plus<T>());
}
template <class Group, class T, class Operation>
static HEDDLE_MEMBER T exclusive_scan(const Group &group, T value, Operation operation) {
  T before = group.shfl_up(inclusive_scan(group, value, operation), 1);
  return group.thread_rank() ? before : T();
}
template <class Group, class T>
static HEDDLE_MEMBER T exclusive_scan(const Group &group, T value) {
  return exclusive_scan(group, value, plus<T>());
}

template <class Group, class Function>
static HEDDLE_MEMBER void invoke_one(const Group &group, Function function) {
  if (group.thread_rank() == 0) function();
}

// Copies shared among the threads of a group.
template <class Group, class T, class S>
static HEDDLE_MEMBER void memcpy_async(const Group &group, T *to, const S *from, size_t bytes) {
  bool by_words = ((size_t)to | (size_t)from | bytes) % 4 == 0;
  size_t count = by_words ? bytes / 4 : bytes;
  for (size_t i = group.thread_rank(); i < count; i += group.size())
    if (by_words)
      ((int *)to)[i] = ((const int *)from)[i];
    else
      ((char *)to)[i] = ((const char *)from)[i];
}
template <class Group>
static HEDDLE_MEMBER void wait(const Group &group) {
  group.sync();
}
template <unsigned int stages, class Group>
static HEDDLE_MEMBER void wait_prior(const Group &group) {
  group.sync();
}

}  // namespace cooperative_groups

#include "heddle/large_tiles.h"
#undef HEDDLE_MEMBER
HEDDLE_CALLERS_LINES_END

#endif
