// SPDX-License-Identifier: MIT
// nvcc: -rdc=true
// Adaptive mesh refinement of an explosion field: burning particles in a plane, and a mesh
// that gets finer where the energy changes much from cell to cell. A CTA has a block of
// 16 x 16 cells; each quadrant in which a cell changes too much becomes a block of cells
// half as large, by a child kernel, down to 24 levels.
//
// Cells are written once and never read, particles and all that kernels have in common are in
// constant memory, and a child gets its block as an argument: kernels compute, and share next
// to no data. What they access twice are the arguments that they store for a launch.
//
// AMR. An explosion field: burning particles in a plane, with energy falling with the square of
// the distance. A CTA computes a block of 16 x 16 cells; a child refines a quadrant, with cells
// half as large, if the energy changes by more than
// `--threshold` thousandths between adjacent cells. The mesh thus follows each particle down 24
// levels. Cells are written once, particles are in constant memory, a child's block is an
// argument. Table 3 states 150,000,000 cells for an unpublished combustion simulation; with
// 1261 kernels that can only be the resolution of a uniform grid, which ours exceeds at level
// 10. With `--flat` the host launches each level.
#include <algorithm>
#include <tuple>

#include "common/compare.h"
#include "common/device_array.h"
#include "common/dynamic.h"
#include "common/random.h"
#include "common/timer.h"

enum { EDGE = 16, THREADS = EDGE * EDGE, MOST_LEVELS = 24, MOST_PARTICLES = 1024 };

// Places are whole numbers of the smallest cell that there can be.
struct Particle {
  int x, y;
  float strength;
};

struct Field {
  int particles, reactions;  // how many
};

__constant__ Particle device_particles[MOST_PARTICLES];

// Sums are fused here, so that no compiler chooses, and the host agrees to the bit.
__host__ __device__ static float energy(const Particle *particles, const Field &field, int x,
                                        int y) {
  float sum = 0;
  for (int i = 0; i < field.particles; i++) {
    float dx = (float)(x - particles[i].x), dy = (float)(y - particles[i].y);
    sum += particles[i].strength / fmaf(dx, dx, fmaf(dy, dy, 1.0f));
  }
  return sum;
}

// How far the fuel has burnt: small steps of a logistic reaction.
__host__ __device__ static float burn(const Field &field, float energy) {
  float rate = energy / (energy + 1.0f), burnt = 0.01f;
  for (int i = 0; i < field.reactions; i++) burnt = fmaf(burnt * (1.0f - burnt), rate, burnt);
  return burnt;
}

struct Block {
  int x, y, level;
  __host__ __device__ int cell() const { return 1 << (MOST_LEVELS - level); }
};

// What a cell holds, and by how many thousandths its energy differs from its neighbours'.
__host__ __device__ static float make_cell(const Particle *particles, const Field &field,
                                           const Block &block, int column, int row, int *change) {
  int size = block.cell(), x = block.x + column * size, y = block.y + row * size;
  float here = energy(particles, field, x, y);
  float right = energy(particles, field, x + size, y),
        below = energy(particles, field, x, y + size);
  *change = (int)fminf(1000.0f * (fabsf(right - here) + fabsf(below - here)) / here, 1e6f);
  return burn(field, here);
}

__host__ __device__ static Block quadrant_of(const Block &block, int quadrant) {
  int half = block.cell() * EDGE / 2;
  return {block.x + quadrant % 2 * half, block.y + quadrant / 2 * half, block.level + 1};
}

struct Mesh {
  Block *blocks;
  float *cells;  // THREADS for each block
  int *count;    // of blocks, also if there was no room for them
  int *list;     // blocks that the host has to launch
  int *list_count;
  int room, most_levels;
};

struct Setup {
  Mesh mesh;
  Field field;
  Dynamic dynamic;
};

__constant__ Setup setup;

__global__ void refine(Block block, int number, const int *numbers);

// One thread for each quadrant.
__device__ void refine_quadrant(const Block &block, int quadrant) {
  const Mesh &mesh = setup.mesh;
  int number = atomicAdd(mesh.count, 1);
  if (number >= mesh.room) return;
  Block finer = quadrant_of(block, quadrant);
  mesh.blocks[number] = finer;
  if (!setup.dynamic.is_flat) {
    ChildStream stream(setup.dynamic);
    refine<<<1, THREADS, 0, stream>>>(finer, number, NULL);
    if (cudaGetLastError() == cudaSuccess) return;
  }
  mesh.list[atomicAdd(mesh.list_count, 1)] = number;
}

// A block, or one for each CTA, by its number.
__global__ void refine(Block block, int number, const int *numbers) {
  __shared__ int most[4];
  const Mesh &mesh = setup.mesh;
  int column = threadIdx.x % EDGE, row = threadIdx.x / EDGE, change;
  if (numbers) {
    number = numbers[blockIdx.x];
    block = mesh.blocks[number];
  }
  if (threadIdx.x < 4) most[threadIdx.x] = 0;
  __syncthreads();
  mesh.cells[number * THREADS + threadIdx.x] =
      make_cell(device_particles, setup.field, block, column, row, &change);
  atomicMax(&most[row / (EDGE / 2) * 2 + column / (EDGE / 2)], change);
  __syncthreads();
  bool is_finest = block.level == mesh.most_levels;
  if (threadIdx.x < 4 && most[threadIdx.x] > setup.dynamic.threshold && !is_finest)
    refine_quadrant(block, threadIdx.x);
}

struct Result {
  std::vector<Block> blocks;
  std::vector<float> cells;
};

static Result refine_on_device(const std::vector<Particle> &particles, const Field &field,
                               int most_levels, int room, const Dynamic &dynamic) {
  CUDA(cudaMemcpyToSymbol(device_particles, particles.data(), particles.size() * sizeof(Particle)));
  DeviceArray<Block> blocks((size_t)room);
  DeviceArray<float> cells((size_t)room * THREADS);
  DeviceArray<int> count(std::vector<int>(1, 1)), list((size_t)room), list_count(1),
      now((size_t)room);
  Setup all = {{blocks, cells, count, list, list_count, room, most_levels}, field, dynamic};
  CUDA(cudaMemcpyToSymbol(setup, &all, sizeof all));
  std::vector<int> numbers(1, 0);  // the coarsest block: all zeros
  Timer timer;
  while (!numbers.empty()) {
    now.set(numbers);
    list_count.set(std::vector<int>(1, 0));
    refine<<<(unsigned)numbers.size(), THREADS>>>(Block(), 0, now);
    numbers = list.get();
    numbers.resize((size_t)list_count.get()[0]);
  }
  timer.stop("amr");
  int made = count.get()[0];
  if (made > room) fail(EXIT_INPUT, "--room %d: there are more than %d blocks", room, made);
  Result result = {blocks.get(), cells.get()};
  result.blocks.resize((size_t)made);
  result.cells.resize((size_t)made * THREADS);
  return result;
}

static void refine_on_host(const std::vector<Particle> &particles, const Field &field,
                           const Block &block, int most_levels, int threshold, Result *result) {
  int most[4] = {0}, change;
  result->blocks.push_back(block);
  for (int row = 0; row < EDGE; row++)
    for (int column = 0; column < EDGE; column++) {
      result->cells.push_back(make_cell(particles.data(), field, block, column, row, &change));
      int *quadrant = &most[row / (EDGE / 2) * 2 + column / (EDGE / 2)];
      *quadrant = std::max(*quadrant, change);
    }
  for (int q = 0; q < 4 && block.level < most_levels; q++)
    if (most[q] > threshold)
      refine_on_host(particles, field, quadrant_of(block, q), most_levels, threshold, result);
}

// Blocks come in any order; this is by level and place, as level, x, y and cells.
static std::vector<float> in_order(const Result &result, std::vector<int> *places) {
  std::vector<std::tuple<int, int, int, size_t>> order;
  for (size_t b = 0; b < result.blocks.size(); b++) {
    const Block &block = result.blocks[b];
    order.push_back(std::make_tuple(block.level, block.x, block.y, b));
  }
  std::sort(order.begin(), order.end());
  std::vector<float> cells;
  for (const auto &each : order) {
    auto first = result.cells.begin() + (long)std::get<3>(each) * THREADS;
    cells.insert(cells.end(), first, first + THREADS);
    places->insert(places->end(), {std::get<0>(each), std::get<1>(each), std::get<2>(each)});
  }
  return cells;
}

int main(int argc, char **argv) {
  Arguments arguments(argc, argv, "adaptive mesh refinement with dynamic parallelism");
  Field field;
  field.particles = (int)arguments.number("particles", {2, 8, 32}, 1, MOST_PARTICLES, "that burn");
  field.reactions = (int)arguments.number("reactions", {8, 32, 64}, 0, 1 << 20, "steps of a cell");
  int levels = (int)arguments.number("depth", {6, 16, 24}, 0, MOST_LEVELS, "levels of refinement");
  int room =
      (int)arguments.number("room", {1 << 8, 1 << 11, 1 << 13}, 1, 1 << 20, "blocks, at most");
  Dynamic dynamic = dynamic_options(&arguments, {1500, 1500, 1500},
                                    "change of energy over a cell that is left, in thousandths");
  arguments.done();

  Random random(arguments.seed());
  std::vector<Particle> particles;
  int size = EDGE << MOST_LEVELS;
  for (int i = 0; i < field.particles; i++)
    particles.push_back({(int)random.below((uint32_t)size), (int)random.below((uint32_t)size),
                         random.uniform(0.5f, 2)});
  dynamic_make_room(dynamic, room);
  Result got = refine_on_device(particles, field, levels, room, dynamic), wanted;
  refine_on_host(particles, field, {0, 0, 0}, levels, dynamic.threshold, &wanted);
  printf("%zu blocks, %zu cells\n", wanted.blocks.size(), wanted.cells.size());
  std::vector<int> got_places, wanted_places;
  std::vector<float> got_cells = in_order(got, &got_places);
  std::vector<float> wanted_cells = in_order(wanted, &wanted_places);
  Comparison comparison;
  comparison.exact("blocks", got_places, wanted_places);
  comparison.exact("cells", got_cells, wanted_cells);
  return comparison.verdict();
}
