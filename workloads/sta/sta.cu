// SPDX-License-Identifier: MIT
// Static timing analysis: when each gate's output is settled at the latest, going
// up level by level, and when it must be for the last one to be in time, going
// down. A thread has a gate and walks along its own list of wires: the lanes of a
// warp are in different lines, and come back to them for the next wire. Times of
// other gates are read where the wires lead, by several CTAs.
//
// STA in Yen (irregular, 3.0 MB). Static timing analysis: arrival times level by level up a
// circuit, required times down again; one thread per gate traverses its wires. Compared
// exactly. At `paper`: 82000 gates in 12 levels, also at `small`.
#include <cfloat>

#include "common/arguments.h"
#include "common/circuit.h"
#include "common/compare.h"
#include "common/device_array.h"
#include "common/timer.h"

enum { CTA = 192 };

// Gates first .. last - 1.
__global__ void find_arrival(float *arrival, const float *delay, const int *start,
                             const int *driver, int first, int last) {
  int gate = first + blockIdx.x * CTA + threadIdx.x;
  if (gate >= last) return;
  float latest = 0;
  int end = start[gate + 1];
#pragma unroll 1
  for (int i = start[gate]; i < end; i++) latest = fmaxf(latest, arrival[driver[i]]);
  arrival[gate] = latest + delay[gate];
}

__global__ void find_required(float *required, const float *delay, const int *start,
                              const int *driven, int first, int last, float period) {
  int gate = first + blockIdx.x * CTA + threadIdx.x;
  if (gate >= last) return;
  float earliest = period;
  int end = start[gate + 1];
#pragma unroll 1
  for (int i = start[gate]; i < end; i++) {
    int other = driven[i];
    earliest = fminf(earliest, required[other] - delay[other]);
  }
  required[gate] = earliest;
}

struct Times {
  std::vector<float> arrival, required;
};

static Times times_on_host(const Circuit &circuit, const std::vector<float> &delay, float period) {
  size_t gates = (size_t)circuit.gates;
  Times times = {std::vector<float>(gates), std::vector<float>(gates, period)};
  for (size_t g = 0; g < gates; g++) {
    for (int i = circuit.inputs.start[g]; i < circuit.inputs.start[g + 1]; i++)
      times.arrival[g] = std::max(times.arrival[g], times.arrival[circuit.inputs.target[i]]);
    times.arrival[g] += delay[g];
  }
  for (size_t g = gates; g-- > 0;)
    for (int i = circuit.inputs.start[g]; i < circuit.inputs.start[g + 1]; i++) {
      float &required = times.required[circuit.inputs.target[i]];
      required = std::min(required, times.required[g] - delay[g]);
    }
  return times;
}

int main(int argc, char **argv) {
  Arguments arguments(argc, argv, "static timing analysis of a circuit");
  int levels = (int)arguments.number("levels", {6, 12, 12}, 2, 1000, "levels of gates");
  int gates = (int)arguments.number("gates", {3000, 82000, 82000}, 1000, 1 << 24, "gates");
  arguments.done();

  Circuit circuit = circuit_generate(gates, levels, arguments.seed());
  Random random(arguments.seed() + 1);
  std::vector<float> delay = random.floats((size_t)gates, 0.5f, 2);
  const float period = 2.0f * (float)levels;
  DeviceArray<float> device_delay(delay), arrival((size_t)gates), required((size_t)gates);
  DeviceArray<int> input_start(circuit.inputs.start), driver(circuit.inputs.target);
  DeviceArray<int> output_start(circuit.outputs.start), driven(circuit.outputs.target);
  Timer timer;
  for (int l = 0; l < levels; l++) {
    int first = circuit.level_start[l], last = circuit.level_start[l + 1];
    find_arrival<<<ctas_for(last - first, CTA), CTA>>>(arrival, device_delay, input_start, driver,
                                                       first, last);
  }
  for (int l = levels - 1; l >= 0; l--) {
    int first = circuit.level_start[l], last = circuit.level_start[l + 1];
    find_required<<<ctas_for(last - first, CTA), CTA>>>(required, device_delay, output_start,
                                                        driven, first, last, period);
  }
  timer.stop("sta");

  Times expected = times_on_host(circuit, delay, period);
  Comparison comparison;
  comparison.exact("arrival", arrival.get(), expected.arrival);
  comparison.exact("required", required.get(), expected.required);
  return comparison.verdict();
}
