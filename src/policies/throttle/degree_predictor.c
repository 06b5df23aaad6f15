// SPDX-License-Identifier: MIT
// Yen's chain of factors: the time of a CTA at degree d follows from that at d - 1 by the
// growth of DRAM reads, of their latency and of the pipeline's share. Degree 1 is measured.
#include "policies/throttle/degree_predictor.h"

#include <math.h>

static double larger(double a, double b) {
  return a > b ? a : b;
}
static double smaller(double a, double b) {
  return a < b ? a : b;
}

static double over(uint64_t count, uint64_t whole) {
  return whole ? (double)count / (double)whole : 0;
}

double degree_miss_rate(const DegreeSample *sample) {
  // Merged requests may be answered with the first one; a CTA cannot read more than it
  // requests.
  return smaller(over(sample->dram_reads, sample->accesses), 1);
}

bool degree_is_memory_bound(const DegreeModel *model, const DegreeSample *sample) {
  uint64_t reads = sample->dram_reads + sample->dram_atomics;
  return over(reads, sample->warp_instructions) > model->memory_bound;
}

// ---- stage 1

// In logarithms, so that a segment's slope is an exponent: hits fall as a power of the
// pressure. bench/ fits the slopes with the same function.
void degree_segment_widths(const DegreeModel *model, double from, double to,
                           double widths[DEGREE_SEGMENTS]) {
  double low = 0;
  for (int i = 0; i < DEGREE_SEGMENTS; i++) {
    double high = i < DEGREE_SEGMENTS - 1 ? model->knot[i] : INFINITY;
    double a = larger(from, low), b = smaller(to, high);
    widths[i] = b > a ? log(b / a) : 0;
    low = high;
  }
}

// Loss in the logarithm of the hit rate between two pressures, for two uses of a line.
static double lost(const DegreeModel *model, double from, double to) {
  double widths[DEGREE_SEGMENTS], sum = 0;
  degree_segment_widths(model, from, to, widths);
  for (int i = 0; i < DEGREE_SEGMENTS; i++) sum += model->slope[i] * widths[i];
  return sum;
}

// Lines that are used more often have more hits to lose: the exponent grows with log2 of the
// uses, normalised to two.
double degree_dram_growth(const DegreeModel *model, double miss_rate, double uses_of_line,
                          double pressure_before, double pressure) {
  bool is_defined = miss_rate > 0 && miss_rate < 1 && pressure_before > 0 && uses_of_line > 1;
  if (!is_defined || pressure <= pressure_before) return 1;
  double exponent = log2(uses_of_line) * lost(model, pressure_before, pressure);
  double hits = (1 - miss_rate) * exp(-exponent);
  return larger((1 - hits) / miss_rate, 1);
}

// ---- stages 2 and 3: the thresholds of sections 5.1 and 4.4

double degree_latency_growth(const DegreeModel *model, double miss_rate, double miss_delta,
                             double set_over_capacity) {
  if (miss_rate < model->miss_low || miss_rate > model->miss_high) return model->latency_small;
  if (miss_rate < model->miss_middle) return model->latency_medium;
  if (set_over_capacity > model->set_large && miss_delta > model->delta_large)
    return model->latency_huge;
  if (set_over_capacity > model->set_huge && miss_delta > model->delta_huge)
    return model->latency_large;
  return model->latency_medium;
}

double degree_pipeline_growth(const DegreeModel *model, double warps, double pressure,
                              double reads_over_capacity) {
  if (warps <= model->pipeline_warps) return 1;
  if (pressure < 1) return model->pipeline_fits;
  return reads_over_capacity > model->reads_many ? model->pipeline_many : model->pipeline_medium;
}

// ---- the chain

static DegreeStep next_step(const DegreeModel *model, const DegreeSample *sample, uint32_t degree,
                            const DegreeStep *before) {
  double set = over(sample->lines, sample->capacity_lines), pressure = set * degree;
  DegreeStep step;
  step.dram_growth =
      degree_dram_growth(model, before->miss_rate, over(sample->line_uses, sample->lines),
                         set * (degree - 1), pressure);
  step.miss_rate = before->miss_rate * step.dram_growth;
  step.dram_reads = before->dram_reads * step.dram_growth;
  step.latency_growth =
      degree_latency_growth(model, step.miss_rate, step.miss_rate - before->miss_rate, set);
  double reads = sample->capacity_lines ? step.dram_reads / (double)sample->capacity_lines : 0;
  double warps = (double)sample->warps * degree;
  step.pipeline_growth = degree_pipeline_growth(model, warps, pressure, reads);
  step.cta_cycles =
      before->cta_cycles * step.dram_growth * step.latency_growth * step.pipeline_growth;
  return step;
}

// Prediction errors exceed a few percent: smaller gains do not distinguish degrees, and of these
// the largest hides the most latency.
static uint32_t largest_within_margin(const DegreeModel *model, const DegreeStep *steps,
                                      uint32_t best, uint32_t most) {
  double bound = steps[best - 1].cta_cycles * (1 + model->margin);
  uint32_t degree = most;
  while (degree > best && degree * bound <= best * steps[degree - 1].cta_cycles) degree--;
  return degree;
}

// Throughput is degree / cta_cycles; compared as products, without division. A kernel that is
// not memory bound gains from every CTA that fits.
uint32_t degree_predict(const DegreeModel *model, const DegreeSample *sample, uint32_t most,
                        DegreeStep *steps) {
  uint32_t best = 1;
  steps[0] = (DegreeStep){.miss_rate = degree_miss_rate(sample),
                          .dram_reads = (double)sample->dram_reads,
                          .dram_growth = 1,
                          .latency_growth = 1,
                          .pipeline_growth = 1,
                          .cta_cycles = (double)sample->cycles};
  for (uint32_t degree = 2; degree <= most; degree++) {
    steps[degree - 1] = next_step(model, sample, degree, &steps[degree - 2]);
    if (degree * steps[best - 1].cta_cycles > best * steps[degree - 1].cta_cycles) best = degree;
  }
  if (!degree_is_memory_bound(model, sample)) return most;
  return largest_within_margin(model, steps, best, most);
}
