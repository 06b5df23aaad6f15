// SPDX-License-Identifier: MIT
// Gravity between all pairs: a thread sums what all bodies do to one, and moves
// it. All lanes read the same body at the same time, 16 bytes; the line that it
// comes in holds the next seven, and is wanted by every CTA.
//
// NBO in Li et al. (cache-line). A thread accumulates the forces of all bodies on one and moves
// it; bodies are 16 bytes, eight per 128-byte line, and every CTA reads all of them. Li et al.
// list no shared memory, and none is used here; the published sample keeps tiles of bodies
// there. At `paper`: 15360 bodies, one step.
#include "common/arguments.h"
#include "common/compare.h"
#include "common/device_array.h"
#include "common/random.h"
#include "common/timer.h"

enum { CTA = 256 };

const float SOFTENING = 0.01f;

// position: x, y, z and mass.
__global__ void integrate_bodies(const float4 *position, float4 *new_position, float4 *velocity,
                                 int bodies, float step) {
  int i = blockIdx.x * CTA + threadIdx.x;
  if (i >= bodies) return;
  float4 own = position[i];
  float ax = 0, ay = 0, az = 0;
#pragma unroll 4
  for (int j = 0; j < bodies; j++) {
    float4 other = position[j];
    float dx = other.x - own.x, dy = other.y - own.y, dz = other.z - own.z;
    float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + SOFTENING);
    float pull = other.w * inverse * inverse * inverse;
    ax += dx * pull;
    ay += dy * pull;
    az += dz * pull;
  }
  float4 v = velocity[i];
  v.x += ax * step, v.y += ay * step, v.z += az * step;
  own.x += v.x * step, own.y += v.y * step, own.z += v.z * step;
  velocity[i] = v;
  new_position[i] = own;
}

static void integrate_on_host(const std::vector<float4> &position, std::vector<float4> *moved,
                              std::vector<float4> *velocity, float step) {
  for (size_t i = 0; i < position.size(); i++) {
    double pull[3] = {0, 0, 0};
    for (const float4 &other : position) {
      double d[] = {(double)other.x - position[i].x, (double)other.y - position[i].y,
                    (double)other.z - position[i].z};
      double square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2] + SOFTENING;
      for (int k = 0; k < 3; k++) pull[k] += other.w * d[k] / (square * std::sqrt(square));
    }
    float4 &v = (*velocity)[i], &p = (*moved)[i];
    p = position[i];
    v.x += (float)pull[0] * step, v.y += (float)pull[1] * step, v.z += (float)pull[2] * step;
    p.x += v.x * step, p.y += v.y * step, p.z += v.z * step;
  }
}

static std::vector<float> coordinates(const std::vector<float4> &bodies) {
  std::vector<float> values;
  for (const float4 &body : bodies) values.insert(values.end(), {body.x, body.y, body.z, body.w});
  return values;
}

int main(int argc, char **argv) {
  Arguments arguments(argc, argv, "gravity between all pairs of bodies");
  int bodies = (int)arguments.number("bodies", {512, 3840, 15360}, 1, 1 << 20, "bodies");
  int steps = (int)arguments.number("steps", {1, 1, 1}, 1, 1000, "time steps");
  arguments.done();

  const float step = 0.016f;
  Random random(arguments.seed());
  std::vector<float4> position((size_t)bodies), velocity((size_t)bodies);
  for (float4 &p : position)
    p = make_float4(random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1),
                    random.uniform(0.5f, 1) / (float)bodies);
  DeviceArray<float4> now(position), next((size_t)bodies), device_velocity(velocity);
  Timer timer;
  for (int i = 0; i < steps; i++)
    integrate_bodies<<<ctas_for(bodies, CTA), CTA>>>(i % 2 ? next : now, i % 2 ? now : next,
                                                     device_velocity, bodies, step);
  timer.stop("nbody");

  std::vector<float4> moved(position.size());
  for (int i = 0; i < steps; i++) {
    integrate_on_host(position, &moved, &velocity, step);
    position.swap(moved);
  }
  Comparison comparison;
  comparison.near("position", coordinates((steps % 2 ? next : now).get()), coordinates(position),
                  1e-5);
  comparison.near("velocity", coordinates(device_velocity.get()), coordinates(velocity), 1e-4, 0.1);
  return comparison.verdict();
}
