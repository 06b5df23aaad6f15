// SPDX-License-Identifier: MIT
// Tiles of several warps: 64 to 1024 threads, included by cooperative_groups.h.
// Their warps synchronise by counting in shared memory, and exchange values
// through it. As in CUDA they can broadcast, vote, reduce and scan, but not shuffle
// in other ways; every thread of the tile takes part.
#ifndef HEDDLE_LARGE_TILES_H
#define HEDDLE_LARGE_TILES_H

namespace cooperative_groups {

// Memory that a program sets aside for such tiles. Not needed: they have their own.
template <unsigned int block_size = 1024>
struct block_tile_memory {};
template <unsigned int block_size>
static HEDDLE_MEMBER thread_block this_thread_block(block_tile_memory<block_size> &) {
  return thread_block();
}

namespace details {

enum { MAX_WARPS = 32 };

// A counter per tile: of warps that have arrived, with a top bit that flips when
// all have. Tiles of all sizes have their own, as in a binary heap: the tile of 1024
// threads is 1, those of 512 are 2 and 3, those of 64 are 16 to 31.
HEDDLE_MEMBER unsigned int *tile_arrivals() {
  static __shared__ unsigned int arrivals[MAX_WARPS];
  return arrivals;
}
// Collective. The first barrier is for warps still in a barrier of an earlier tile.
HEDDLE_MEMBER void reset_tile_arrivals() {
  __syncthreads();
  if (rank_in_block() < MAX_WARPS) tile_arrivals()[rank_in_block()] = 0;
  __syncthreads();
}
// A value of each warp.
template <class T>
HEDDLE_MEMBER T *warp_values() {
  static __shared__ __attribute__((aligned(16))) unsigned char bytes[MAX_WARPS * sizeof(T)];
  return reinterpret_cast<T *>(bytes);
}

template <unsigned int tile_size, class Parent>
class large_tile {
 public:
  static HEDDLE_MEMBER unsigned int size() { return tile_size; }
  static HEDDLE_MEMBER unsigned int num_threads() { return tile_size; }
  static HEDDLE_MEMBER unsigned int thread_rank() { return rank_in_block() & (tile_size - 1); }
  static HEDDLE_MEMBER unsigned int meta_group_rank() {
    unsigned int parent = parent_size<Parent>::value, rank = rank_in_block();
    return (parent ? rank & (parent - 1) : rank) / tile_size;
  }
  static HEDDLE_MEMBER unsigned int meta_group_size() {
    unsigned int parent = parent_size<Parent>::value;
    return ((parent ? parent : block_size()) + tile_size - 1) / tile_size;
  }
  HEDDLE_MEMBER bool is_valid() const { return true; }

  HEDDLE_MEMBER void sync() const {
    __syncwarp();
    if ((rank_in_block() & 31) == 0) {
      volatile unsigned int *arrivals =
          tile_arrivals() + 1024 / tile_size + rank_in_block() / tile_size;
      unsigned int amount = thread_rank() ? 1 : 0x80000000u - (warps() - 1);
      __threadfence_block();
      unsigned int before = atomicAdd(const_cast<unsigned int *>(arrivals), amount);
      while (((before ^ *arrivals) & 0x80000000u) == 0) {
      }
      __threadfence_block();
    }
    __syncwarp();
  }

  template <class T>
  HEDDLE_MEMBER T shfl(T value, int rank) const {
    const T *values = share(value, (unsigned int)rank & 31);
    T result = values[rank / 32];
    sync();
    return result;
  }
  HEDDLE_MEMBER int any(int p) const { return votes(__any_sync(0xffffffffu, p)) > 0; }
  HEDDLE_MEMBER int all(int p) const { return votes(__all_sync(0xffffffffu, p)) == warps(); }

  template <class T, class Operation>
  HEDDLE_MEMBER T heddle_reduce(T value, Operation operation) const {
    for (unsigned int lanes = 16; lanes > 0; lanes /= 2)
      value = operation(value, exchange_from_opposite(0xffffffffu, value, (int)lanes, 32));
    const T *values = share(value, 0);
    T result = values[0];
    for (unsigned int warp = 1; warp < warps(); warp++) result = operation(result, values[warp]);
    sync();
    return result;
  }
  template <class T, class Operation>
  HEDDLE_MEMBER T heddle_scan(T value, Operation operation) const {
    unsigned int lane = rank_in_block() & 31;
    for (int distance = 1; distance < 32; distance *= 2) {
      T before = exchange_from_below(0xffffffffu, value, distance, 32);
      if (lane >= (unsigned int)distance) value = operation(before, value);
    }
    const T *values = share(value, 31);
    for (int warp = (int)(thread_rank() / 32) - 1; warp >= 0; warp--)
      value = operation(values[warp], value);
    sync();
    return value;
  }
  // The value of the thread before; the first thread gets its own.
  template <class T>
  HEDDLE_MEMBER T heddle_from_before(T value) const {
    const T *values = share(value, 31);
    unsigned int warp = thread_rank() / 32;
    T before = exchange_from_below(0xffffffffu, value, 1, 32);
    if ((rank_in_block() & 31) == 0 && warp) before = values[warp - 1];
    sync();
    return before;
  }

 private:
  static HEDDLE_MEMBER unsigned int first_warp() {
    return rank_in_block() / tile_size * (tile_size / 32);
  }
  // The last tile of a block may be smaller.
  static HEDDLE_MEMBER unsigned int warps() {
    unsigned int left = block_size() - first_warp() * 32;
    return ((left < tile_size ? left : tile_size) + 31) / 32;
  }
  // The value of one lane of every warp of the tile, when all have stored theirs.
  template <class T>
  HEDDLE_MEMBER const T *share(T value, unsigned int lane) const {
    if ((rank_in_block() & 31) == lane) warp_values<T>()[rank_in_block() / 32] = value;
    sync();
    return warp_values<T>() + first_warp();
  }
  // How many warps of the tile vote for something.
  HEDDLE_MEMBER unsigned int votes(int vote) const {
    const int *values = share(vote, 0);
    unsigned int result = 0;
    for (unsigned int warp = 0; warp < warps(); warp++) result += values[warp] != 0;
    sync();
    return result;
  }
};

}  // namespace details

#define HEDDLE_LARGE_TILE(tile_size)                                                               \
  template <class Parent>                                                                          \
  class thread_block_tile<tile_size, Parent> : public details::large_tile<tile_size, Parent> {     \
   public:                                                                                         \
    /* A part of a large tile finds the counters reset. */                                         \
    HEDDLE_MEMBER thread_block_tile() {                                                            \
      if (!details::parent_size<Parent>::value) details::reset_tile_arrivals();                    \
    }                                                                                              \
    template <class Other>                                                                         \
    HEDDLE_MEMBER thread_block_tile(const thread_block_tile<tile_size, Other> &) {}                \
  };                                                                                               \
  template <class Parent, class T, class Operation>                                                \
  static HEDDLE_MEMBER T reduce(const thread_block_tile<tile_size, Parent> &tile, T value,         \
                                Operation operation) {                                             \
    return tile.heddle_reduce(value, operation);                                                   \
  }                                                                                                \
  template <class Parent, class T, class Operation>                                                \
  static HEDDLE_MEMBER T inclusive_scan(const thread_block_tile<tile_size, Parent> &tile, T value, \
                                        Operation operation) {                                     \
    return tile.heddle_scan(value, operation);                                                     \
  }                                                                                                \
  template <class Parent, class T, class Operation>                                                \
  static HEDDLE_MEMBER T exclusive_scan(const thread_block_tile<tile_size, Parent> &tile, T value, \
                                        Operation operation) {                                     \
    T before = tile.heddle_from_before(tile.heddle_scan(value, operation));                        \
    return tile.thread_rank() ? before : T();                                                      \
  }
HEDDLE_LARGE_TILE(64)
HEDDLE_LARGE_TILE(128)
HEDDLE_LARGE_TILE(256)
HEDDLE_LARGE_TILE(512)
HEDDLE_LARGE_TILE(1024)
#undef HEDDLE_LARGE_TILE

}  // namespace cooperative_groups

#endif
