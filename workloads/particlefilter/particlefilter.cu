// SPDX-License-Identifier: MIT
// Follows an object through a noisy video with particles, each a guess where it is.
// For every frame: particles move, and are weighed by what the picture shows at the
// 69 points of a disc around them; weights are divided by their sum and added up;
// then particles are drawn anew, heavy ones more often.
//
// A particle's 69 places lie behind each other, so warps are 8832 bytes apart, a
// load touches 32 lines, and the next 31 want them again. The picture itself is
// read where these places say, and all particles look at about the same.
//
// PA in Oh et al. (cache-insensitive). Follows a disc through a generated video; five kernels
// per frame, in double precision. The first two loads of table I are a particle's 69 places in
// the picture, 8832 bytes from warp to warp, and the picture at these places; both are in
// `weigh_particles`. One thread adds up the weights of all particles, as in the original, but
// in a launch of its own: in the original other CTAs may not have written theirs yet. The host
// checks each step of each frame from what the device made before it. At `paper`: 128 x 128
// pixels, 10 frames, 1000 particles, the suite's default; `small` has more particles and fewer
// frames.
#include <algorithm>
#include <cmath>

#include "common/arguments.h"
#include "common/compare.h"
#include "common/device_array.h"
#include "common/random.h"
#include "common/timer.h"

enum { CTA = 512, RADIUS = 5, BACKGROUND = 100, OBJECT = 228 };

struct Video {
  const int *pixel;  // frame by frame at each place, row by row in x
  int width, height, frames;
};

struct Disc {
  const int *offset;  // x, y of each point
  int points;
};

struct Particles {
  double *x, *y, *weight, *sum, *sum_up_to;  // sums: of each CTA; of a particle and those before it
  double *next_x, *next_y;
  unsigned *seed;
  int *place;
  int count;
};

__host__ __device__ static double uniform(unsigned *seed) {
  *seed = *seed * 1664525u + 1013904223u;
  return ((*seed >> 8) + 0.5) / (1 << 24);
}
__host__ __device__ static double normal(unsigned *seed) {
  double length = uniform(seed), angle = uniform(seed);
  return sqrt(-2 * log(length)) * cos(2 * 3.14159265358979323846 * angle);
}

// What lies outside the video is looked up at its beginning.
__host__ __device__ static int place_of(const Video &video, double x, double y, const int *offset,
                                        int frame) {
  int px = (int)floor(x + 0.5) + offset[0], py = (int)floor(y + 0.5) + offset[1];
  bool is_inside = px >= 0 && px < video.width && py >= 0 && py < video.height;
  return is_inside ? (px * video.height + py) * video.frames + frame : 0;
}

__host__ __device__ static double likeness(int pixel) {
  double to_background = pixel - BACKGROUND, to_object = pixel - OBJECT;
  return (to_background * to_background - to_object * to_object) / 50;
}

__device__ static double weigh(const Particles &all, const Video &video, const Disc &disc, int i,
                               int frame) {
  int *place = all.place + i * disc.points;
#pragma unroll 1
  for (int p = 0; p < disc.points; p++)
    place[p] = place_of(video, all.x[i], all.y[i], disc.offset + 2 * p, frame);
  double sum = 0;
#pragma unroll 1
  for (int p = 0; p < disc.points; p++) sum += likeness(video.pixel[place[p]]);
  return exp(sum / disc.points) / all.count;
}

__global__ void weigh_particles(Particles all, Video video, Disc disc, int frame) {
  __shared__ double buffer[CTA];
  int tx = threadIdx.x, i = blockIdx.x * CTA + tx;
  buffer[tx] = 0;
  if (i < all.count) {
    unsigned seed = all.seed[i];
    all.x[i] = all.next_x[i] + 1 + 5 * normal(&seed);
    all.y[i] = all.next_y[i] - 2 + 2 * normal(&seed);
    all.seed[i] = seed;
    buffer[tx] = all.weight[i] = weigh(all, video, disc, i, frame);
  }
  for (int half = CTA / 2; half > 0; half /= 2) {
    __syncthreads();
    if (tx < half) buffer[tx] += buffer[tx + half];
  }
  if (tx == 0) all.sum[blockIdx.x] = buffer[0];
}

__global__ void sum_weights(Particles all, int ctas) {
  if (threadIdx.x > 0) return;
  double sum = 0;
  for (int i = 0; i < ctas; i++) sum += all.sum[i];
  all.sum[0] = sum;
}

__global__ void normalise_weights(Particles all) {
  __shared__ double sum;
  int i = blockIdx.x * CTA + threadIdx.x;
  if (threadIdx.x == 0) sum = all.sum[0];
  __syncthreads();
  if (i < all.count) all.weight[i] /= sum;
}

// One thread adds up, as the original's does.
__global__ void add_up(Particles all) {
  if (threadIdx.x > 0) return;
  double sum = 0;
  for (int i = 0; i < all.count; i++) all.sum_up_to[i] = sum += all.weight[i];
}

// Particle i goes where the first one is whose sum reaches `shift` + i parts of all.
__host__ __device__ static int drawn(const double *sum_up_to, int count, int i, double shift) {
  double wanted = (shift + i) / count;
#pragma unroll 1
  for (int p = 0; p < count; p++)
    if (sum_up_to[p] >= wanted) return p;
  return count - 1;
}

__global__ void draw_particles(Particles all, double shift) {
  int i = blockIdx.x * CTA + threadIdx.x;
  if (i >= all.count) return;
  int from = drawn(all.sum_up_to, all.count, i, shift);
  all.next_x[i] = all.x[from];
  all.next_y[i] = all.y[from];
}

// The points less than RADIUS away.
static std::vector<int> disc_offsets() {
  std::vector<int> offsets;
  for (int x = -RADIUS; x <= RADIUS; x++)
    for (int y = -RADIUS; y <= RADIUS; y++)
      if (x * x + y * y < RADIUS * RADIUS) offsets.insert(offsets.end(), {x, y});
  return offsets;
}

// A disc that begins in the middle and goes one to the right and two up each frame.
static std::vector<int> generate(const Video &video, const std::vector<int> &offsets,
                                 Random *random) {
  std::vector<int> pixel((size_t)video.width * video.height * video.frames, BACKGROUND);
  for (int frame = 0; frame < video.frames; frame++)
    for (size_t p = 0; p < offsets.size(); p += 2) {
      int place = place_of(video, video.width / 2 + frame, video.height / 2 - 2 * frame,
                           &offsets[p], frame);
      if (place) pixel[place] = OBJECT;
    }
  for (int &level : pixel) level = std::min(std::max(level + (int)random->below(21) - 10, 0), 255);
  return pixel;
}

struct Snapshot {
  std::vector<double> x, y, weight, sum_up_to, next_x, next_y;
};

static Snapshot moved_on_host(const Snapshot &before, std::vector<unsigned> *seeds) {
  Snapshot moved = before;
  for (size_t i = 0; i < seeds->size(); i++) {
    moved.x[i] = before.next_x[i] + 1 + 5 * normal(&(*seeds)[i]);
    moved.y[i] = before.next_y[i] - 2 + 2 * normal(&(*seeds)[i]);
  }
  return moved;
}

static std::vector<double> weights_on_host(const Snapshot &now, const Video &video,
                                           const Disc &disc, int frame) {
  std::vector<double> weights;
  double all = 0;
  for (size_t i = 0; i < now.x.size(); i++) {
    double sum = 0;
    for (int p = 0; p < disc.points; p++)
      sum += likeness(video.pixel[place_of(video, now.x[i], now.y[i], disc.offset + 2 * p, frame)]);
    weights.push_back(exp(sum / disc.points));
    all += weights.back();
  }
  for (double &weight : weights) weight /= all;
  return weights;
}

// Each step of a frame from what the device itself made before it, so that a last bit
// does not become another particle.
static void check_frame(Comparison *comparison, const Snapshot &before, const Snapshot &now,
                        std::vector<unsigned> *seeds, const Video &video, const Disc &disc,
                        int frame, double shift) {
  Snapshot moved = moved_on_host(before, seeds);
  comparison->near("x", now.x, moved.x, 1e-12);
  comparison->near("y", now.y, moved.y, 1e-12);
  comparison->near("weights", now.weight, weights_on_host(now, video, disc, frame), 1e-9, 1e-100);
  std::vector<double> sums, x, y;
  for (double weight : now.weight) sums.push_back((sums.empty() ? 0 : sums.back()) + weight);
  comparison->near("sums of weights", now.sum_up_to, sums, 1e-12);
  int count = (int)sums.size();
  for (int i = 0; i < count; i++) {
    int from = drawn(now.sum_up_to.data(), count, i, shift);
    x.push_back(now.x[from]);
    y.push_back(now.y[from]);
  }
  comparison->exact("x of those drawn", now.next_x, x);
  comparison->exact("y of those drawn", now.next_y, y);
}

static void print_estimate(const Snapshot &now, const Video &video, int frame) {
  double x = 0, y = 0;
  for (size_t i = 0; i < now.x.size(); i++)
    x += now.weight[i] * now.x[i], y += now.weight[i] * now.y[i];
  printf("frame %d: the object is at %.1f, %.1f, believed at %.1f, %.1f\n", frame,
         video.width / 2.0 + frame, video.height / 2.0 - 2 * frame, x, y);
}

int main(int argc, char **argv) {
  Arguments arguments(argc, argv, "an object in a noisy video, followed by particles");
  Video video = {};
  video.width = (int)arguments.number("width", {64, 128, 128}, 1, 2048, "pixels in x");
  video.height = (int)arguments.number("height", {64, 128, 128}, 1, 2048, "pixels in y");
  video.frames = (int)arguments.number("frames", {2, 3, 10}, 2, 64, "frames");
  int count = (int)arguments.number("particles", {600, 2048, 1000}, 1, 1 << 20, "particles");
  arguments.done();

  Random random(arguments.seed());
  std::vector<int> offsets = disc_offsets(), pixels = generate(video, offsets, &random);
  Disc disc = {offsets.data(), (int)offsets.size() / 2};
  std::vector<unsigned> seeds((size_t)count);
  for (unsigned &seed : seeds) seed = (unsigned)random.bits();
  size_t n = (size_t)count;
  unsigned ctas = ctas_for(count, CTA);
  Snapshot before = {{},
                     {},
                     {},
                     {},
                     std::vector<double>(n, video.width / 2),
                     std::vector<double>(n, video.height / 2)};
  before.x = before.y = std::vector<double>(n);
  DeviceArray<int> device_pixels(pixels), device_offsets(offsets), place(n * (size_t)disc.points);
  DeviceArray<double> x(n), y(n), weight(n), sum((size_t)ctas), sum_up_to(n);
  DeviceArray<double> next_x(before.next_x), next_y(before.next_y);
  DeviceArray<unsigned> device_seeds(seeds);
  Particles all = {x, y, weight, sum, sum_up_to, next_x, next_y, device_seeds, place, count};
  Video device_video = video;
  device_video.pixel = device_pixels, video.pixel = pixels.data();
  Disc device_disc = {device_offsets, disc.points};

  Comparison comparison;
  for (int frame = 1; frame < video.frames; frame++) {
    double shift = random.uniform(0, 1);
    Timer timer;
    weigh_particles<<<ctas, CTA>>>(all, device_video, device_disc, frame);
    sum_weights<<<1, CTA>>>(all, (int)ctas);
    normalise_weights<<<ctas, CTA>>>(all);
    add_up<<<1, CTA>>>(all);
    draw_particles<<<ctas, CTA>>>(all, shift);
    timer.stop("frame");
    Snapshot now = {x.get(), y.get(), weight.get(), sum_up_to.get(), next_x.get(), next_y.get()};
    check_frame(&comparison, before, now, &seeds, video, disc, frame, shift);
    print_estimate(now, video, frame);
    before = now;
  }
  return comparison.verdict();
}
