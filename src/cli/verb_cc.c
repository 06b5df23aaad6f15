// SPDX-License-Identifier: MIT
// heddle cc: builds CUDA programs with clang, in place of nvcc.
#include "cc/build.h"
#include "cli/verb.h"

static Status run_cc(const Arguments *arguments, Error *err) {
  CcRequest request;
  CcToolchain toolchain;
  Status status = cc_request_parse(&request, arguments->operand_count, arguments->operands, err);
  for (int i = 0; i < request.notes.count && status == OK; i++)
    fprintf(stderr, "heddle cc: note: %s\n", request.notes.items[i]);
  if (status == OK) status = cc_toolchain_find(&toolchain, err);
  if (status == OK) status = cc_build(&request, &toolchain, err);
  cc_request_clear(&request);
  return status;
}

static const CliOption shown_options[] = {
    {"-o", "FILE", "what to write"},
    {"-c", NULL, "compile, do not link"},
    {"-ptx", NULL, "write the kernels' PTX"},
    {"-arch", "sm_NN", "what kernels are compiled for; sm_70 if not given"},
    {"-rdc", "true", "link the device code of several files"},
    {"-G, -lineinfo", NULL, "line numbers in the PTX"},
    {"-use_fast_math", NULL, "fast, less exact functions"},
    {0}};

const Verb cc_verb = {.name = "cc",
                      .summary = "builds a CUDA program with clang, in place of nvcc",
                      .operands = "FILE...",
                      .details =
                          "Takes nvcc's options; docs/cc.md has them all.\n"
                          "  heddle cc prog.cu -o prog\n"
                          "  heddle run -- ./prog\n",
                      .options = shown_options,
                      .takes_all_words = true,
                      .min_operands = 1,
                      .max_operands = 1 << 20,
                      .run = run_cc};
