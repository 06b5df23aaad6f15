// SPDX-License-Identifier: MIT
// Latencies come from the clock register of one warp, rates from the cycles that a kernel takes
// more for more work: what a launch costs, and what a cold start costs, cancels out.
#include "support/micro_quantity.h"

#include <stdio.h>
#include <string.h>

enum {
  CHAIN = 128,         // instructions of chain.ptx
  CHASE = 64,          // loads of chase.ptx
  RATE_TURN = 16 * 8,  // instructions of rate.ptx in a turn
  LINE = 128,
  THREADS = 1024,
  VECTOR = 16,
};
static const uint64_t kilo = 1024, mega = 1024 * 1024;

// From the first issue to the last: one gap fewer than instructions.
static Status chain(const MicroQuantity *quantity, const char *folder, const GpuConfig *config,
                    double *value, Error *err) {
  MicroRun run = {.kernel = quantity->kernel,
                  .measured = quantity->measured,
                  .ctas = 1,
                  .threads = 32,
                  .count = 1,
                  .step = 3};
  MicroResult result;
  TRY(micro_run(folder, config, &run, &result, err));
  *value = (result.clocks - 2.0) / (CHAIN - 1);
  return OK;
}

// A constant load and the addition that makes the next address, without the addition.
static Status indexed(const MicroQuantity *quantity, const char *folder, const GpuConfig *config,
                      double *value, Error *err) {
  const MicroQuantity add = {.kernel = "chain", .measured = "add.s32 %r1, %r1, %r2;"};
  double both, one;
  TRY(chain(quantity, folder, config, &both, err));
  TRY(chain(&add, folder, config, &one, err));
  *value = both - one;
  return OK;
}

// Cycles from atomic to atomic of one warp, of which `work` lanes share a word.
static Status atomic_interval(const MicroQuantity *quantity, const char *folder,
                              const GpuConfig *config, double *value, Error *err) {
  MicroRun run = {.kernel = quantity->kernel,
                  .measured = quantity->measured,
                  .ctas = 1,
                  .threads = 32,
                  .step = (uint32_t)quantity->work,
                  .data_bytes = 4096};
  MicroResult result;
  TRY(micro_run(folder, config, &run, &result, err));
  *value = (result.clocks - 2.0) / (CHAIN - 1);
  return OK;
}

// Fetches of a texel that says which is next: itself.
static Status fetch(const MicroQuantity *quantity, const char *folder, const GpuConfig *config,
                    double *value, Error *err) {
  MicroRun run = {.kernel = quantity->kernel,
                  .measured = quantity->measured,
                  .ctas = 1,
                  .threads = 1,
                  .count = 2,
                  .data_bytes = 4096,
                  .is_texture = true};
  MicroResult result;
  TRY(micro_run(folder, config, &run, &result, err));
  *value = (result.clocks - 2.0) / (CHASE - 1);
  return OK;
}

// Lines in turn, so many bytes of them; 0: lines anywhere, each once.
static Status chase(const MicroQuantity *quantity, const char *folder, const GpuConfig *config,
                    double *value, Error *err) {
  uint32_t lines = quantity->span ? (uint32_t)(quantity->span / LINE) : 9 * CHASE;
  MicroRun run = {.kernel = quantity->kernel,
                  .measured = quantity->measured,
                  .ctas = 1,
                  .threads = 1,
                  .data_bytes = quantity->span ? quantity->span : 64 * mega,
                  .ring_count = lines,
                  .ring_stride = quantity->span ? LINE : 0};
  run.count = quantity->span ? lines / CHASE + 2 : 8;
  MicroResult result;
  TRY(micro_run(folder, config, &run, &result, err));
  *value = (result.clocks - 2.0) / (CHASE - 1);
  return OK;
}

// Cycles for so much more work: from `few` turns to `many`.
static Status slope(MicroRun *run, uint32_t few, uint32_t many, const char *folder,
                    const GpuConfig *config, double *cycles, Error *err) {
  MicroResult first, second;
  run->count = few;
  TRY(micro_run(folder, config, run, &first, err));
  run->count = many;
  TRY(micro_run(folder, config, run, &second, err));
  *cycles = ((double)second.cycles - (double)first.cycles) / (many - few);
  return OK;
}

// Lanes per cycle and SM.
static Status rate(const MicroQuantity *quantity, const char *folder, const GpuConfig *config,
                   double *value, Error *err) {
  MicroRun run = {.kernel = quantity->kernel,
                  .measured = quantity->measured,
                  .ctas = 1,
                  .threads = THREADS,
                  .step = 3};
  double cycles;
  TRY(slope(&run, 4, 12, folder, config, &cycles, err));
  *value = RATE_TURN * (double)THREADS / cycles;
  return OK;
}

// Lanes per cycle and SM that fetch texels of `work` bytes: neighbours, or up to `span` apart.
static Status texel_rate(const MicroQuantity *quantity, const char *folder, const GpuConfig *config,
                         double *value, Error *err) {
  MicroRun run = {.kernel = quantity->kernel,
                  .measured = quantity->measured,
                  .ctas = 1,
                  .threads = THREADS,
                  .step = (uint32_t)quantity->span,
                  .data_bytes = 32 * 32 * VECTOR,
                  .channels = (uint32_t)quantity->work / 4};
  double cycles;
  TRY(slope(&run, 16, 48, folder, config, &cycles, err));
  *value = MICRO_CHAINS * (double)THREADS / cycles;
  return OK;
}

// Lanes per cycle of all SMs whose words are `work` bytes apart, one CTA of `span` threads each.
static Status global_atomics(const MicroQuantity *quantity, const char *folder,
                             const GpuConfig *config, double *value, Error *err) {
  uint32_t threads = (uint32_t)quantity->span, ctas = config->gpu.sm_count;
  MicroRun run = {.kernel = quantity->kernel,
                  .measured = quantity->measured,
                  .ctas = ctas,
                  .threads = threads,
                  .step = (uint32_t)quantity->work,
                  .data_bytes = 4096 + (uint64_t)quantity->work * threads * ctas};
  double cycles;
  TRY(slope(&run, 2, 4, folder, config, &cycles, err));
  *value = MICRO_CHAINS * (double)threads * ctas / cycles;
  return OK;
}

// Lanes per cycle and SM of four CTAs on each, since one waits for the latency of its barrier;
// longer than their starts take. The instruction has no registers: it stands for all chains.
static Status barrier_rate(const MicroQuantity *quantity, const char *folder,
                           const GpuConfig *config, double *value, Error *err) {
  enum { CTAS_PER_SM = 4 };
  MicroRun run = {.kernel = quantity->kernel,
                  .measured = quantity->measured,
                  .ctas = CTAS_PER_SM * config->gpu.sm_count,
                  .threads = THREADS / CTAS_PER_SM,
                  .step = 3};
  double cycles;
  TRY(slope(&run, 16, 48, folder, config, &cycles, err));
  *value = RATE_TURN * (double)THREADS / cycles / MICRO_CHAINS;
  return OK;
}

// Cycles per warp that reads 32 different constants.
static Status words(const MicroQuantity *quantity, const char *folder, const GpuConfig *config,
                    double *value, Error *err) {
  MicroRun run = {.kernel = quantity->kernel, .measured = "", .ctas = 1, .threads = 256};
  double cycles;
  TRY(slope(&run, 4, 12, folder, config, &cycles, err));
  *value = cycles / (MICRO_CHAINS * 256.0 / 32);
  return OK;
}

// Bytes per cycle and SM of a buffer that fits the L1.
static Status l1_bandwidth(const MicroQuantity *quantity, const char *folder,
                           const GpuConfig *config, double *value, Error *err) {
  uint32_t part = (uint32_t)(quantity->span / MICRO_CHAINS);
  MicroRun run = {.kernel = quantity->kernel,
                  .measured = quantity->measured,
                  .ctas = 1,
                  .threads = THREADS,
                  .step = part,
                  .bytes = part,
                  .data_bytes = quantity->span};
  double cycles;
  TRY(slope(&run, 4, 12, folder, config, &cycles, err));
  *value = quantity->work * MICRO_CHAINS * THREADS / cycles;
  return OK;
}

static uint64_t l2_bytes(const GpuConfig *config) {
  uint64_t lines = (uint64_t)config->l2.sets * config->l2.ways;
  return lines * config->l2.line_bytes * config->gpu.channels * config->gpu.slices_per_channel;
}

static bool writes(const MicroQuantity *quantity) {
  return strstr(quantity->measured, "st.global") != NULL;
}

// Bytes per cycle of all SMs. CTAs read the same bytes, or each its own (span 0).
static Status gpu_bandwidth(const MicroQuantity *quantity, const char *folder,
                            const GpuConfig *config, double *value, Error *err) {
  uint32_t turn = THREADS * VECTOR * MICRO_CHAINS, ctas = config->gpu.sm_count;
  // Stores fill the L2 first, some sets of it later than others: what exceeds twice its size
  // reaches DRAM.
  uint64_t filling = writes(quantity) ? 2 * l2_bytes(config) : 0;
  uint32_t few = 1 + (uint32_t)(filling / ((uint64_t)turn * ctas));
  uint32_t many = few + 2;
  MicroRun run = {.kernel = quantity->kernel,
                  .measured = quantity->measured,
                  .ctas = ctas,
                  .threads = THREADS,
                  .step = THREADS * VECTOR};
  run.bytes = quantity->span ? (uint32_t)quantity->span : 1u << 31;
  // An odd number of turns: CTAs a power of two apart would all be in rows of the same banks.
  run.shift = quantity->span ? 0 : (many | 1) * turn;
  // What is read, at most half of the 128 MB before the second buffer, and that.
  uint64_t read = quantity->span ? quantity->span + turn : (uint64_t)ctas * run.shift;
  run.data_bytes = 128 * mega + read;
  double cycles;
  // Once around a buffer that stays in the L2 it is there.
  uint32_t around = (uint32_t)(quantity->span / turn);
  TRY(slope(&run, around ? around : few, around ? around + 4 : many, folder, config, &cycles, err));
  *value = quantity->work * MICRO_CHAINS * THREADS * ctas / cycles;
  return OK;
}

// The same in GB/s.
static Status gpu_gigabytes(const MicroQuantity *quantity, const char *folder,
                            const GpuConfig *config, double *value, Error *err) {
  TRY(gpu_bandwidth(quantity, folder, config, value, err));
  *value *= config->gpu.core_clock_mhz / 1e3;
  return OK;
}

static Status empty_cycles(const MicroQuantity *quantity, uint32_t ctas, const char *folder,
                           const GpuConfig *config, double *cycles, Error *err) {
  MicroRun run = {.kernel = quantity->kernel, .measured = "", .ctas = ctas, .threads = 64};
  MicroResult result;
  TRY(micro_run(folder, config, &run, &result, err));
  *cycles = (double)result.cycles;
  return OK;
}

enum { FEW_CTAS = 1000, MANY_CTAS = 3000 };

static Status cta_start_rate(const MicroQuantity *quantity, const char *folder,
                             const GpuConfig *config, double *value, Error *err) {
  double few, many;
  TRY(empty_cycles(quantity, FEW_CTAS, folder, config, &few, err));
  TRY(empty_cycles(quantity, MANY_CTAS, folder, config, &many, err));
  *value = (many - few) / (MANY_CTAS - FEW_CTAS);
  return OK;
}

// Where the line through the cycles of empty kernels meets no CTAs at all.
static Status launch_cost(const MicroQuantity *quantity, const char *folder,
                          const GpuConfig *config, double *value, Error *err) {
  double few, each;
  TRY(empty_cycles(quantity, FEW_CTAS, folder, config, &few, err));
  TRY(cta_start_rate(quantity, folder, config, &each, err));
  *value = few - each * FEW_CTAS;
  return OK;
}

// From the start of a CTA to that of the next in its place, two CTAs per SM. Ten waves more.
static Status cta_period(const MicroQuantity *quantity, const char *folder, const GpuConfig *config,
                         double *value, Error *err) {
  char text[256];
  enum { WAVES = 10, CTA_THREADS = 64 };
  uint32_t wave = 2 * config->gpu.sm_count;
  snprintf(text, sizeof text, ".shared .align 8 .b8 place[%u];\n%s",
           config->sm.shared_kb * 1024 / 2 - 1024, quantity->measured);
  MicroRun run = {.kernel = quantity->kernel,
                  .measured = text,
                  .ctas = WAVES * wave,
                  .threads = CTA_THREADS,
                  .data_bytes = UINT64_C(8) * CTA_THREADS * 2 * WAVES * wave};
  MicroResult few, many;
  TRY(micro_run(folder, config, &run, &few, err));
  run.ctas *= 2;
  TRY(micro_run(folder, config, &run, &many, err));
  *value = ((double)many.cycles - (double)few.cycles) / WAVES;
  return OK;
}

// The largest buffer whose lines are all found again.
static Status l1_size(const MicroQuantity *quantity, const char *folder, const GpuConfig *config,
                      double *value, Error *err) {
  MicroQuantity part = *quantity;
  double first, here;
  part.span = 4 * kilo;
  TRY(chase(&part, folder, config, &first, err));
  *value = 4;
  for (uint64_t size = 8; size <= 256; size += size < 64 ? 4 : 8) {
    part.span = size * kilo;
    TRY(chase(&part, folder, config, &here, err));
    if (here > 1.2 * first) break;
    *value = (double)size;
  }
  return OK;
}

#define CHAIN_OF(name, text) \
  { name, "cycles", chain, "chain", text, 0, 0 }
#define RATE_OF(name, text) \
  { name, "lanes/clk/SM", rate, "rate", text, 0, 0 }
#define TEXELS(name, bytes, apart)                                                    \
  {                                                                                   \
    name, "lanes/clk/SM", texel_rate, "texels",                                       \
        "tex.2d.v4.u32.s32 {%r#, %r10, %r11, %r12}, [%rd1, {%x#, %y}];", bytes, apart \
  }
#define SHARED_ATOMIC(name, lanes) \
  { name, "cycles", atomic_interval, "shared_atomic", "red.shared.add.u32 [%r9], %r1;", lanes, 0 }
#define ADD_GLOBAL "red.global.add.u32 [%rd1], %r1;"
#define READ "ld.global.v4.f32 {%f1#, %f2#, %f3#, %f4#}, [%rd1+OFFSET#];\nadd.f32 %f0, %f0, %f1#;"
#define READ_CG \
  "ld.global.cg.v4.f32 {%f1#, %f2#, %f3#, %f4#}, [%rd1+OFFSET#];\nadd.f32 %f0, %f0, %f1#;"
#define SCALE                                                    \
  "ld.global.v4.f32 {%f1#, %f2#, %f3#, %f4#}, [%rd1+OFFSET#];\n" \
  "st.global.v4.f32 [%rd3+OFFSET#], {%f1#, %f2#, %f3#, %f4#};"
#define LOAD_ONE "ld.global.f64 %fd1, [%rd1];\nsetp.eq.f64 %p1, %fd1, 0d405EC00000000000;"
#define STORE_ONE "st.global.f64 [%rd1], %fd1;"
#define WRITE "st.global.v4.f32 [%rd1+OFFSET#], {%f0, %f0, %f0, %f0};"

const MicroQuantity micro_quantities[] = {
    CHAIN_OF("iadd latency", "add.s32 %r1, %r1, %r2;"),
    CHAIN_OF("imad latency", "mad.lo.s32 %r1, %r1, %r2, %r0;"),
    CHAIN_OF("imul latency", "mul.lo.u32 %r1, %r1, %r2;"),
    CHAIN_OF("logic latency", "xor.b32 %r1, %r1, %r2;"),
    CHAIN_OF("idiv latency", "div.s32 %r1, %r1, %r2;"),
    CHAIN_OF("fadd latency", "add.f32 %f1, %f1, %f0;"),
    CHAIN_OF("ffma latency", "fma.rn.f32 %f1, %f1, %f0, %f0;"),
    CHAIN_OF("dadd latency", "add.f64 %fd1, %fd1, %fd0;"),
    CHAIN_OF("dfma latency", "fma.rn.f64 %fd1, %fd1, %fd0, %fd0;"),
    CHAIN_OF("sin latency", "sin.approx.f32 %f1, %f1;"),
    CHAIN_OF("ex2 latency", "ex2.approx.f32 %f1, %f1;"),
    CHAIN_OF("rcp latency", "rcp.approx.f32 %f1, %f1;"),
    CHAIN_OF("sqrt latency", "sqrt.approx.f32 %f1, %f1;"),
    CHAIN_OF("rsqrt latency", "rsqrt.approx.f32 %f1, %f1;"),
    CHAIN_OF("shfl latency", "shfl.sync.bfly.b32 %r1, %r1, 1, 31, -1;"),
    RATE_OF("shfl rate", "shfl.sync.bfly.b32 %r#, %r#, 1, 31, -1;"),
    RATE_OF("fp32 rate", "fma.rn.f32 %f#, %f#, %f0, %f0;"),
    RATE_OF("iadd rate", "add.s32 %r#, %r#, %r0;"),
    RATE_OF("imad rate", "mad.lo.s32 %r#, %r#, %r0, %r0;"),
    RATE_OF("logic rate", "xor.b32 %r#, %r#, %r0;"),
    RATE_OF("shift rate", "shr.u32 %r#, %r#, 1;"),
    {"barrier rate", "lanes/clk/SM", barrier_rate, "rate", "bar.sync 0;", 0, 0},
    RATE_OF("sfu rate", "rsqrt.approx.ftz.f32 %f#, %f#;"),
    RATE_OF("fp64 rate", "fma.rn.f64 %fd#, %fd#, %fd0, %fd0;"),
    {"shared latency", "cycles", chain, "shared", "", 0, 0},
    {"constant latency", "cycles", indexed, "constant", "", 0, 0},
    {"constant words", "cycles/warp", words, "words", "", 0, 0},
    {"texture latency", "cycles", fetch, "fetch",
     "tex.1d.v4.u32.s32 {%r1, %r2, %r3, %r4}, [%rd1, {%r1}];", 0, 0},
    TEXELS("texture rate", 4, 0),
    TEXELS("texture rate, 8 B", 8, 0),
    TEXELS("texture rate, 16 B", 16, 0),
    TEXELS("texture rate, 4 B apart", 4, 4),
    TEXELS("texture rate, 8 B apart", 8, 4),
    TEXELS("texture rate, 16 B apart", 16, 4),
    {"L1 latency", "cycles", chase, "chase", "ld.global.u64 %rd1, [%rd1];", 0, 4096},
    {"L2 latency", "cycles", chase, "chase", "ld.global.u64 %rd1, [%rd1];", 0, 512 * 1024},
    {"DRAM latency", "cycles", chase, "chase", "ld.global.u64 %rd1, [%rd1];", 0, 0},
    {"atomic latency", "cycles", chain, "atomic", "", 0, 0},
    {"atomic, spread", "cycles", atomic_interval, "atomic_interval", ADD_GLOBAL, 1, 0},
    {"atomic, 32 lanes", "cycles", atomic_interval, "atomic_interval", ADD_GLOBAL, 32, 0},
    {"atomics on one word", "lanes/clk", global_atomics, "global_atomic", ADD_GLOBAL, 0, 128},
    {"atomics on neighbours", "lanes/clk", global_atomics, "global_atomic", ADD_GLOBAL, 4, 1024},
    {"shared atomic latency", "cycles", atomic_interval, "shared_atomic",
     "atom.shared.add.u32 %r1, [%r9], %r1;", 1, 0},
    SHARED_ATOMIC("shared atomic, spread", 1),
    SHARED_ATOMIC("shared atomic, 2 lanes", 2),
    SHARED_ATOMIC("shared atomic, 4 lanes", 4),
    SHARED_ATOMIC("shared atomic, 8 lanes", 8),
    SHARED_ATOMIC("shared atomic, 16 lanes", 16),
    SHARED_ATOMIC("shared atomic, 32 lanes", 32),
    {"shared float atomic", "cycles", atomic_interval, "shared_atomic",
     "red.shared.add.f32 [%r9], %f1;", 1, 0},
    {"L1 size", "KB", l1_size, "chase", "ld.global.u64 %rd1, [%rd1];", 0, 0},
    {"L1 bandwidth", "B/clk/SM", l1_bandwidth, "stream", READ, 16, 16 * 1024},
    {"L2 bandwidth, one buffer", "B/clk", gpu_bandwidth, "stream", READ_CG, 16, 1024 * 1024},
    {"DRAM bandwidth, read", "GB/s", gpu_gigabytes, "stream", READ, 16, 0},
    {"DRAM bandwidth, write", "GB/s", gpu_gigabytes, "stream", WRITE, 16, 0},
    {"DRAM bandwidth, scale", "GB/s", gpu_gigabytes, "stream", SCALE, 32, 0},
    {"launch cost", "cycles", launch_cost, "empty", "", 0, 0},
    {"CTA start", "cycles/CTA", cta_start_rate, "empty", "", 0, 0},
    {"CTA of one load", "cycles", cta_period, "turn", LOAD_ONE, 0, 0},
    {"CTA of one store", "cycles", cta_period, "turn", STORE_ONE, 0, 0},
    {0},
};

void micro_format(double value, char text[MICRO_VALUE_BYTES]) {
  snprintf(text, MICRO_VALUE_BYTES, "%.*f", value < 10 ? 2 : value < 1000 ? 1 : 0, value);
}
