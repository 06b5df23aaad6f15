// SPDX-License-Identifier: MIT
// Gate-level simulation: a launch a level, a thread a gate, 32 patterns a word.
// After the last level registers take over what they are wired to, and the
// next cycle begins. A thread walks along its own list of inputs and reads their
// values where they are: divergent loads, with lines that other CTAs read as well.
//
// GSIM in Yen (irregular, 3.5 MB). Logic simulation of a circuit with registers, level by
// level, 32 patterns per word; `--cycles` clock cycles. Compared exactly. `paper`: 170500 gates
// in 12 levels, 10 cycles.
#include "common/arguments.h"
#include "common/circuit.h"
#include "common/compare.h"
#include "common/device_array.h"
#include "common/timer.h"

enum { CTA = 192 };

// The inversions of these are KINDS more.
enum Kind { AND, OR, XOR, KINDS };

__host__ __device__ static unsigned combined(int kind, unsigned a, unsigned b) {
  return kind % KINDS == AND ? a & b : kind % KINDS == OR ? a | b : a ^ b;
}

// Gates first .. last - 1.
__global__ void evaluate(unsigned *value, const int *kind, const int *start, const int *driver,
                         int first, int last) {
  int gate = first + blockIdx.x * CTA + threadIdx.x;
  if (gate >= last) return;
  int own_kind = kind[gate], begin = start[gate], end = start[gate + 1];
  unsigned result = value[driver[begin]];
#pragma unroll 1
  for (int i = begin + 1; i < end; i++) result = combined(own_kind, result, value[driver[i]]);
  value[gate] = own_kind >= KINDS ? ~result : result;
}

// Registers are level 0, and take their values from the last level only.
__global__ void latch(unsigned *value, const int *source, int registers) {
  int i = blockIdx.x * CTA + threadIdx.x;
  if (i < registers) value[i] = value[source[i]];
}

static void simulate_on_host(std::vector<unsigned> *value, const Circuit &circuit,
                             const std::vector<int> &kind) {
  const Graph &inputs = circuit.inputs;
  for (int g = circuit.level_start[1]; g < circuit.gates; g++) {
    unsigned result = (*value)[inputs.target[inputs.start[g]]];
    for (int i = inputs.start[g] + 1; i < inputs.start[g + 1]; i++)
      result = combined(kind[g], result, (*value)[inputs.target[i]]);
    (*value)[g] = kind[g] >= KINDS ? ~result : result;
  }
}

int main(int argc, char **argv) {
  Arguments arguments(argc, argv, "gate-level simulation of a circuit");
  int levels = (int)arguments.number("levels", {6, 12, 12}, 2, 1000, "levels of gates");
  int gates = (int)arguments.number("gates", {3000, 60000, 170500}, 1000, 1 << 24, "gates");
  int cycles = (int)arguments.number("cycles", {2, 2, 10}, 1, 10000, "cycles of the clock");
  arguments.done();

  Circuit circuit = circuit_generate(gates, levels, arguments.seed());
  Random random(arguments.seed() + 1);
  int registers = circuit.level_start[1];
  std::vector<int> kind = random.integers((size_t)gates, 0, 2 * KINDS);
  std::vector<int> source =
      random.integers((size_t)registers, circuit.level_start[levels - 1], gates);
  std::vector<unsigned> value((size_t)gates);
  for (int i = 0; i < registers; i++) value[i] = (unsigned)random.bits();
  DeviceArray<unsigned> device_value(value);
  DeviceArray<int> device_kind(kind), device_source(source);
  DeviceArray<int> start(circuit.inputs.start), driver(circuit.inputs.target);
  Timer timer;
  for (int cycle = 0; cycle < cycles; cycle++) {
    for (int l = 1; l < levels; l++) {
      int first = circuit.level_start[l], last = circuit.level_start[l + 1];
      evaluate<<<ctas_for(last - first, CTA), CTA>>>(device_value, device_kind, start, driver,
                                                     first, last);
    }
    latch<<<ctas_for(registers, CTA), CTA>>>(device_value, device_source, registers);
  }
  timer.stop("gsim");

  for (int cycle = 0; cycle < cycles; cycle++) {
    simulate_on_host(&value, circuit, kind);
    for (int i = 0; i < registers; i++) value[i] = value[source[i]];
  }
  Comparison comparison;
  comparison.exact("values", device_value.get(), value);
  return comparison.verdict();
}
