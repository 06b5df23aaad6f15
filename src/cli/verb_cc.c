// SPDX-License-Identifier: MIT
// heddle cc: builds CUDA programs with clang, in place of nvcc.
#include "base/version.h"
#include "cc/build.h"
#include "cli/verb.h"

// Scripts look for the last line in the output of nvcc.
static void print_version(void) {
  printf(
      "nvcc: NVIDIA (R) Cuda compiler driver, replaced by heddle cc %s\n"
      "Cuda compilation tools, release 11.5, V11.5.0\n",
      version_text());
}

static Status build(const CcRequest *request, Error *err) {
  CcToolchain toolchain;
  TRY(cc_toolchain_find(&toolchain, err));
  return cc_build(request, &toolchain, err);
}

static Status run_cc(const Arguments *arguments, Error *err) {
  CcRequest request;
  Status status = cc_request_parse(&request, arguments->operand_count, arguments->operands, err);
  for (int i = 0; i < request.notes.count && status == OK; i++)
    fprintf(stderr, "heddle cc: note: %s\n", request.notes.items[i]);
  if (status == OK && request.wants_version)
    print_version();
  else if (status == OK)
    status = build(&request, err);
  cc_request_clear(&request);
  return status;
}

static const CliOption shown_options[] = {
    {"-o", "FILE", "output file"},
    {"-c", NULL, "compile without linking"},
    {"-ptx", NULL, "write PTX of the kernels"},
    {"-arch", "sm_NN", "target architecture of kernels; default sm_70"},
    {"-rdc", "true", "relocatable device code, linked across files"},
    {"-G, -lineinfo", NULL, "line numbers in the PTX"},
    {"-use_fast_math", NULL, "fast, less accurate math functions"},
    {0}};

const Verb cc_verb = {.name = "cc",
                      .summary = "builds a CUDA program with clang, in place of nvcc",
                      .operands = "FILE...",
                      .details =
                          "Accepts nvcc's options; docs/cc.md lists them.\n  heddle cc prog.cu -o "
                          "prog\n  heddle run -- ./prog\n",
                      .options = shown_options,
                      .takes_all_words = true,
                      .min_operands = 1,
                      .max_operands = 1 << 20,
                      .run = run_cc};
