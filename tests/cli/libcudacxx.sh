# SPDX-License-Identifier: MIT
# libcu++ compiles with `heddle cc`, Debian's as it is or that of CUDA's CCCL, and its barriers,
# pipelines and atomics work.
. "$HEDDLE_SOURCE/tests/cli/common"

need_cc
for include in ${HEDDLE_LIBCUDACXX:-} /usr/include /usr/local/cuda/include/cccl; do
  [ ! -e "$include/cuda/std/barrier" ] || break
done
[ -e "$include/cuda/std/barrier" ] || skip "libcu++ not found (libcu++-dev)"
find_runner
cd "$scratch"
options=
[ "$include" = /usr/include ] || options=-I$include
expect_exit 0 "$HEDDLE" cc -arch=sm_80 -std=c++17 $options "$HEDDLE_SOURCE/tests/cc/libcudacxx.cu" -o program
expect_exit 0 "${runner[@]}" timeout 60 "$HEDDLE" run --functional -- ./program
expect_text "$out" PASSED
