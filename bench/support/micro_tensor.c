// SPDX-License-Identifier: MIT
// Matrix products, asynchronous copies and the halves of the L2, measured as those who published
// values did: latencies in a chain of dependent products of one warp, rates with 16 warps of eight
// chains each.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/micro_quantity.h"

enum { CHAIN = 128, RATE_TURN = 4 * MICRO_CHAINS, RATE_WARPS = 16 };

static Status product_latency(const MicroQuantity *quantity, const char *folder,
                              const GpuConfig *config, double *value, Error *err) {
  MicroRun run = {.kernel = quantity->kernel,
                  .measured = quantity->measured,
                  .ctas = 1,
                  .threads = 32,
                  .count = 1};
  MicroResult result;
  TRY(micro_run(folder, config, &run, &result, err));
  *value = (result.clocks - 2.0) / (CHAIN - 1);
  return OK;
}

// Multiply-adds per cycle and SM; `work` of a product.
static Status product_rate(const MicroQuantity *quantity, const char *folder,
                           const GpuConfig *config, double *value, Error *err) {
  enum { FEW = 8, MANY = 24 };
  MicroRun run = {.kernel = quantity->kernel,
                  .measured = quantity->measured,
                  .ctas = 1,
                  .threads = 32 * RATE_WARPS};
  MicroResult few, many;
  run.count = FEW;
  TRY(micro_run(folder, config, &run, &few, err));
  run.count = MANY;
  TRY(micro_run(folder, config, &run, &many, err));
  double cycles = ((double)many.cycles - (double)few.cycles) / (MANY - FEW);
  *value = quantity->work * RATE_TURN * RATE_WARPS / cycles;
  return OK;
}

static Status remote_latency(const MicroQuantity *quantity, const char *folder,
                             const GpuConfig *config, double *value, Error *err) {
  MicroRun run = {.kernel = quantity->kernel, .measured = "", .ctas = 2, .threads = 32, .count = 1};
  MicroResult result;
  TRY(micro_run(folder, config, &run, &result, err));
  *value = (result.clocks - 2.0) / (CHAIN - 1);
  return OK;
}

// Cycles per product of a warp group of `work` columns: what is measured is the opcode behind
// "wgmma.mma_async.", then the operands behind the sums.
static Status group_latency(const MicroQuantity *quantity, const char *folder,
                            const GpuConfig *config, double *value, Error *err) {
  enum { PRODUCTS = 16 };
  static char text[1024];
  uint32_t n = (uint32_t)quantity->work;
  int opcode = (int)strcspn(quantity->measured, " ");
  size_t used =
      (size_t)snprintf(text, sizeof text, "wgmma.mma_async.%.*s {", opcode, quantity->measured);
  for (uint32_t i = 0; i < n / 2; i++)
    used += (size_t)snprintf(text + used, sizeof text - used, "%s%%f%u", i ? "," : "", i + 1);
  snprintf(text + used, sizeof text - used, "},%s;", quantity->measured + opcode);
  MicroRun run = {
      .kernel = quantity->kernel, .measured = text, .ctas = 1, .threads = 128, .count = 1};
  MicroResult result;
  TRY(micro_run(folder, config, &run, &result, err));
  *value = (double)result.clocks / PRODUCTS;
  return OK;
}

// Multiply-adds per cycle and SM: columns of A are what follows 'k' in the shape.
static Status group_rate(const MicroQuantity *quantity, const char *folder, const GpuConfig *config,
                         double *value, Error *err) {
  double cycles;
  TRY(group_latency(quantity, folder, config, &cycles, err));
  const char *shape = strstr(quantity->measured, "m64n");
  const char *depth = shape ? strchr(shape, 'k') : NULL;
  *value = depth ? 64 * strtod(depth + 1, NULL) * quantity->work / cycles : 0;
  return OK;
}

// Copies of a line that says where the next is, lines in turn of a buffer that stays in the L2.
static Status copy_latency(const MicroQuantity *quantity, const char *folder,
                           const GpuConfig *config, double *value, Error *err) {
  enum { COPIES = 64, LINE = 128 };
  uint32_t lines = (uint32_t)(quantity->span / LINE);
  MicroRun run = {.kernel = quantity->kernel,
                  .measured = quantity->measured,
                  .ctas = 1,
                  .threads = 1,
                  .count = lines / COPIES + 2,
                  .data_bytes = quantity->span,
                  .ring_count = lines,
                  .ring_stride = LINE};
  MicroResult result;
  TRY(micro_run(folder, config, &run, &result, err));
  *value = (result.clocks - 2.0) / (COPIES - 1);
  return OK;
}

// Of a line in one half of the L2, which the other half has no copy of.
static Status half_latency(const MicroQuantity *quantity, const char *folder,
                           const GpuConfig *config, double *value, Error *err) {
  enum { LINE = 128, CLOCKS = 2 };  // reading the clock takes as much
  uint32_t lines = (uint32_t)(quantity->span / LINE);
  MicroRun run = {.kernel = quantity->kernel,
                  .measured = quantity->measured,
                  .ctas = 1,
                  .threads = 1,
                  .count = lines,
                  .data_bytes = quantity->span,
                  .ring_count = lines,
                  .ring_stride = LINE};
  MicroResult result;
  TRY(micro_run(folder, config, &run, &result, err));
  *value = (double)result.clocks - CLOCKS;
  return OK;
}

// Registers of A and B, and of the sums in a chain and of one of eight.
#define A1 "{%a1}"
#define A2 "{%a1, %a2}"
#define A4 "{%a1, %a2, %a3, %a4}"
#define B1 "{%b1}"
#define B2 "{%b1, %b2}"
#define B4 "{%b1, %b2, %b3, %b4}"
#define F "{%f1, %f2, %f3, %f4}"
#define FS "{%f1#, %f2#, %f3#, %f4#}"
#define H "{%r1, %r2}"
#define HS "{%r1#, %r2#}"
#define I "{%r1, %r2, %r3, %r4}"
#define IS "{%r1#, %r2#, %r3#, %r4#}"
#define D "{%fd1, %fd2}"
#define DS "{%fd1#, %fd2#}"
#define PRODUCT(form, a, b, sum, sums, tail, fmas, name)               \
  {"mma " name " latency",                                             \
   "cycles",                                                           \
   product_latency,                                                    \
   "product",                                                          \
   "mma." form " " sum ", " a ", " b ", " sum tail ";",                \
   0,                                                                  \
   0},                                                                 \
  {                                                                    \
    "mma " name " rate", "FMA/clk/SM", product_rate, "product_rate",   \
        "mma." form " " sums ", " a ", " b ", " sums tail ";", fmas, 0 \
  }
#define DENSE(shape, types, a, b, sum, sums, fmas, name) \
  PRODUCT("sync.aligned." shape ".row.col." types, a, b, sum, sums, "", fmas, name)
#define SPARSE(shape, types, a, b, sum, sums, fmas, name) \
  PRODUCT("sp.sync.aligned." shape ".row.col." types, a, b, sum, sums, ", %a5, 0x0", fmas, name)

#define BULK_COPY                                                                                  \
  "mbarrier.arrive.expect_tx.shared.b64 _, [%r9], 128;\n"                                          \
  "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r8], [%rd1], 128, [%r9];\n" \
  "mbarrier.try_wait.parity.shared.b64 %p2, [%r9], %r7;\nxor.b32 %r7, %r7, 1;\n"                   \
  "@%p2 ld.shared.u64 %rd1, [%r8];"
#define ASYNC_COPY                                                     \
  "cp.async.cg.shared.global [%r8], [%rd1], 16;\ncp.async.wait_all;\n" \
  "ld.shared.u64 %rd1, [%r8];"

// Products of a warp group: A and B in shared memory, or A in registers.
#define GROUP_SS " %rd2, %rd3, %p2, 1, 1"
#define GROUP_SP " %rd2, %rd3, %r6, 0, %p2, 1, 1, 0, 0"
#define GROUP_SP_RS " {%r1, %r2, %r3, %r4}, %rd3, %r6, 0, %p2, 1, 1, 0"
#define GROUP(measure, unit, shape, n, types, operands, name) \
  { "wgmma " name, unit, measure, "group", "sync.aligned.m64n" #n shape "." types operands, n, 0 }
#define GROUP_LATENCY(shape, n, types, operands, name) \
  GROUP(group_latency, "cycles", shape, n, types, operands, name " latency")
#define GROUP_RATE(shape, n, types, operands, name) \
  GROUP(group_rate, "FMA/clk/SM", shape, n, types, operands, name " rate")

const MicroQuantity micro_tensor_quantities[] = {
    DENSE("m16n8k8", "f32.f16.f16.f32", A2, B1, F, FS, 1024, "m16n8k8 f16/f32"),
    DENSE("m16n8k16", "f32.f16.f16.f32", A4, B2, F, FS, 2048, "m16n8k16 f16/f32"),
    DENSE("m16n8k8", "f16.f16.f16.f16", A2, B1, H, HS, 1024, "m16n8k8 f16/f16"),
    DENSE("m16n8k16", "f16.f16.f16.f16", A4, B2, H, HS, 2048, "m16n8k16 f16/f16"),
    DENSE("m16n8k16", "f32.bf16.bf16.f32", A4, B2, F, FS, 2048, "m16n8k16 bf16/f32"),
    DENSE("m16n8k4", "f32.tf32.tf32.f32", A2, B1, F, FS, 512, "m16n8k4 tf32"),
    DENSE("m16n8k8", "f32.tf32.tf32.f32", A4, B2, F, FS, 1024, "m16n8k8 tf32"),
    DENSE("m16n8k16", "s32.s8.s8.s32", A2, B1, I, IS, 2048, "m16n8k16 s8"),
    DENSE("m16n8k32", "s32.s8.s8.s32", A4, B2, I, IS, 4096, "m16n8k32 s8"),
    DENSE("m16n8k32", "s32.s4.s4.s32", A2, B1, I, IS, 4096, "m16n8k32 s4"),
    DENSE("m16n8k64", "s32.s4.s4.s32", A4, B2, I, IS, 8192, "m16n8k64 s4"),
    PRODUCT("sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.xor.popc", A4, B2, I, IS, "", 32768,
            "m16n8k256 b1"),
    PRODUCT("sync.aligned.m8n8k4.row.col.f64.f64.f64.f64", "{%fd9}", "{%fd10}", D, DS, "", 256,
            "m8n8k4 f64"),
    SPARSE("m16n8k16", "f32.f16.f16.f32", A2, B2, F, FS, 2048, "sp m16n8k16 f16/f32"),
    SPARSE("m16n8k32", "f32.f16.f16.f32", A4, B4, F, FS, 4096, "sp m16n8k32 f16/f32"),
    SPARSE("m16n8k64", "s32.s8.s8.s32", A4, B4, I, IS, 8192, "sp m16n8k64 s8"),
    {"ldmatrix.x4 latency", "cycles", product_latency, "matrices",
     "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r1, %r2, %r3, %r4}, [%r1];", 0, 0},
    GROUP_LATENCY("k16", 256, "f32.f16.f16", GROUP_SS ", 0, 0", "m64n256k16"),
    GROUP_LATENCY("k16", 64, "f32.f16.f16", GROUP_SS ", 0, 0", "m64n64k16"),
    GROUP_LATENCY("k32", 256, "f32.e4m3.e4m3", GROUP_SS, "m64n256k32 e4m3"),
    GROUP_LATENCY("k32", 256, "s32.s8.s8", " %rd2, %rd3, %p2", "m64n256k32 s8"),
    {"wgmma sp m64n256k32 latency", "cycles", group_latency, "group",
     "sp.sync.aligned.m64n256k32.f32.f16.f16" GROUP_SP, 256, 0},
    {"wgmma sp m64n256k32, A in registers, latency", "cycles", group_latency, "group",
     "sp.sync.aligned.m64n256k32.f32.f16.f16" GROUP_SP_RS, 256, 0},
    GROUP_RATE("k16", 256, "f32.f16.f16", GROUP_SS ", 0, 0", "m64n256k16"),
    GROUP_RATE("k8", 256, "f32.tf32.tf32", GROUP_SS, "m64n256k8 tf32"),
    GROUP_RATE("k32", 256, "f32.e4m3.e4m3", GROUP_SS, "m64n256k32 e4m3"),
    GROUP_RATE("k32", 256, "s32.s8.s8", " %rd2, %rd3, %p2", "m64n256k32 s8"),
    {"remote shared latency", "cycles", remote_latency, "remote", "", 0, 0},
    {"bulk copy latency", "cycles", copy_latency, "copies", BULK_COPY, 0, 512 * 1024},
    {"L2 latency, near half", "cycles", half_latency, "halves", "min.u32 %r5, %r5, %r6;", 0,
     512 * 1024},
    {"L2 latency, far half", "cycles", half_latency, "halves", "max.u32 %r5, %r5, %r6;", 0,
     512 * 1024},
    {"cp.async latency", "cycles", copy_latency, "copies", ASYNC_COPY, 0, 512 * 1024},
    {0},
};
