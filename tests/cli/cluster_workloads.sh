# SPDX-License-Identifier: MIT
# Programs of the CTA clustering paper, rewritten without a change by hand, compute what they
# did before: one program per variant, on GPUs with fixed and with dynamic warp slots.
# tools/clustering runs all of them in all variants on four GPUs.
. "$HEDDLE_SOURCE/tests/cli/common"

[ -e "$(dirname "$HEDDLE")/libheddle_cluster.so" ] || skip "this Heddle was built without libclang"
need_cc
find_runner

same() {  # VARIANT PROGRAM
  expect_exit 0 env VARIANTS="$1" GPUS="k40 gtx1080" RUNNER="${runner[*]}" \
    bash "$HEDDLE_SOURCE/tools/clustering" "$HEDDLE" "$scratch/programs" tiny "$2"
  expect_text "$out" "$2 $1: the same results on k40 gtx1080"
}
same agents hotspot  # of more CTAs than SMs
same redirection matrixMul
same prefetch nw
same bypass bfs

# It reports a program that fails.
expect_exit 1 env VARIANTS="agents" bash "$HEDDLE_SOURCE/tools/clustering" "$HEDDLE" "$scratch/programs" tiny missing
expect_text "$out" "FAILED: missing agents is not built"
