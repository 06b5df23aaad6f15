// SPDX-License-Identifier: MIT
// The public reference cases, and the kernels of this folder, cut down to a
// few thousand warp instructions: for tests that run them hundreds of times.
#ifndef TIMING_SMALL_CASES_H
#define TIMING_SMALL_CASES_H

#include <string.h>

#include "support/case_outcome.h"

typedef struct SmallCase {
  const char *name, *text;
} SmallCase;

#define SMALL_PTX "ptx tests/reference/ref.ptx\n"
#define SMALL_DATA "tests/reference/data/"

static const SmallCase small_cases[] = {
    {"atax_rows",
     SMALL_PTX "alloc T 512\nalloc A 8192\nalloc X 64\nfill A f32 rand 1\n"
               "fill X f32 rand 2\nlaunch atax_rows 2 1 1 64 1 1 $T $A $X i:16\nsum T f32\n"},
    {"bank_stride_1", SMALL_PTX "alloc O 512\n"
                                "launch bank_conflict 2 1 1 64 1 1 $O i:1 i:4\nsum O i32\n"},
    {"bank_stride_32", SMALL_PTX "alloc O 512\n"
                                 "launch bank_conflict 2 1 1 64 1 1 $O i:32 i:4\nsum O i32\n"},
    {"chase_dram", SMALL_PTX "alloc O 128\nalloc N 65536\nfill N i32 ring 16 1024\n"
                             "launch chase 1 1 1 1 1 1 $O $N i:16\nsum O i32\n"},
    {"chase_l1", SMALL_PTX "alloc O 128\nalloc N 1024\nfill N i32 ring 8 32\n"
                           "launch chase 1 1 1 1 1 1 $O $N i:33\nsum O i32\n"},
    {"chase_l2", SMALL_PTX "alloc O 128\nalloc N 8192\nfill N i32 ring 64 32\n"
                           "launch chase 1 1 1 1 1 1 $O $N i:70\nsum O i32\n"},
    {"divergent", SMALL_PTX "alloc O 1024\nalloc I 1024\nfill I i32 rand 5\n"
                            "launch divergent 4 1 1 64 1 1 $O $I i:256\nsum O i32\n"},
    {"fma_chain_1warp", SMALL_PTX "alloc O 128\n"
                                  "launch fma_chain 1 1 1 32 1 1 $O f:0.5 i:8\nsum O f32\n"},
    {"fma_chain", SMALL_PTX "alloc O 6144\n"
                            "launch fma_chain 6 1 1 256 1 1 $O f:0.5 i:3\nsum O f32\n"},
    {"histo", SMALL_PTX "alloc B 1024\nalloc I 2048\nfill I i32 rand 5\n"
                        "launch histo_global 3 1 1 64 1 1 $B $I i:512\nsum B i32\n"},
    {"imul_chain_1warp", SMALL_PTX "alloc O 128\n"
                                   "launch imul_chain 1 1 1 32 1 1 $O i:5 i:8\nsum O i32\n"},
    {"imul_chain", SMALL_PTX "alloc O 6144\n"
                             "launch imul_chain 6 1 1 256 1 1 $O i:5 i:3\nsum O i32\n"},
    {"mm_naive",
     SMALL_PTX "alloc C 1024\nalloc A 1024\nalloc B 1024\nfill A f32 rand 1\n"
               "fill B f32 rand 2\nlaunch mm_naive 1 1 1 16 16 1 $C $A $B i:16\nsum C f32\n"},
    {"mm_tiled",
     SMALL_PTX "regs mm_tiled 20\nalloc C 4096\nalloc A 4096\nalloc B 4096\nfill A f32 rand 1\n"
               "fill B f32 rand 2\nlaunch mm_tiled 2 2 1 16 16 1 $C $A $B i:32\nsum C f32\n"},
    {"reduce", SMALL_PTX "alloc O 16\nalloc I 8192\nfill I f32 rand 1\n"
                         "launch reduce_tree 4 1 1 256 1 1 $O $I\nsum O f32\n"},
    {"reread", SMALL_PTX "alloc O 2048\nalloc I 4096\nfill I f32 rand 1\n"
                         "launch reread 4 1 1 128 1 1 $O $I i:2 i:3\nsum O f32\n"},
    {"saxpy", SMALL_PTX "alloc Y 4096\nalloc X 4096\nfill X f32 rand 1\nfill Y f32 rand 2\n"
                        "launch saxpy 4 1 1 128 1 1 $Y $X f:2.5 i:1000\nsum Y f32\n"},
    {"sfu_chain", SMALL_PTX "alloc O 256\nlaunch sfu_chain 2 1 1 32 1 1 $O i:3\nsum O f32\n"},
    {"spmv", SMALL_PTX "alloc Y 512\nalloc R 516\nalloc K 8192\nalloc V 8192\nalloc X 65536\n"
                       "fill R i32 file " SMALL_DATA "uni16k_rp.bin\nfill K i32 file " SMALL_DATA
                       "uni16k_ci.bin\nfill V f32 rand 1\nfill X f32 rand 2\n"
                       "launch spmv_csr 2 1 1 64 1 1 $Y $R $K $V $X i:128\nsum Y f32\n"},
    {"stencil5", SMALL_PTX "alloc O 4096\nalloc I 4096\nfill I f32 rand 1\n"
                           "launch stencil5 1 4 1 32 8 1 $O $I i:32\nsum O f32\n"},
    {"transpose", SMALL_PTX "alloc O 4096\nalloc I 4096\nfill I f32 rand 1\n"
                            "launch transpose_naive 2 2 1 16 16 1 $O $I i:32\nsum O f32\n"},
    {"vecadd", SMALL_PTX "alloc C 2048\nalloc A 2048\nalloc B 2048\nfill A i32 iota\n"
                         "fill B i32 const 7\nlaunch vecadd 8 1 1 64 1 1 $C $A $B\nsum C i32\n"},
    {"two_kernels",
     SMALL_PTX "alloc C 2048\nalloc A 2048\nfill A i32 iota\n"
               "launch vecadd 8 1 1 64 1 1 $C $A $A\nlaunch vecadd 4 1 1 128 1 1 $A $C $C\n"
               "sum A i32\n"},
    {"mixture",
     "ptx tests/timing/mixture.ptx\nalloc O 2048\nalloc I 4096\nalloc B 64\n"
     "fill I i32 rand 3\nlaunch mixture 4 1 1 96 1 1 $O $I $B\nsum O i32\nsum B i32\n"},
};
enum { SMALL_CASE_COUNT = sizeof small_cases / sizeof *small_cases };

static inline Status small_case_parse(Case **parsed, const SmallCase *small, Error *err) {
  return case_parse(parsed, small->name, small->text, strlen(small->text), err);
}

#endif
