# SPDX-License-Identifier: MIT
# Kernels compiled and linked at run time, by programs of heddle cc and of nvcc.
. "$HEDDLE_SOURCE/tests/cli/common"

need_cc
find_runner
cd "$scratch"
source=$HEDDLE_SOURCE/tests/cc/libraries/nvrtc.cpp

expect_exit 0 "$HEDDLE" cc -std=c++14 "$source" -lnvrtc -lnvJitLink -lcuda -o nvrtc
mkdir temporary
TMPDIR=$scratch/temporary expect_exit 0 "${runner[@]}" "$HEDDLE" run --functional -- ./nvrtc
expect_text "$out" PASSED
[ -z "$(ls temporary)" ] || fail "left in TMPDIR: $(ls temporary)"

find_nvcc || exit 0
"$nvcc" "$source" -o by_nvcc -lnvrtc -lnvJitLink -lcuda >log 2>&1 || exit 0  # no NVRTC to link with
expect_exit 0 "${runner[@]}" "$HEDDLE" run --functional -- ./by_nvcc
expect_text "$out" PASSED
