# SPDX-License-Identifier: MIT
# The programs that nvcc builds (program_nvcc.sh), built by heddle cc: the same
# results, and no data races. Those that need what our headers lack are named.
. "$HEDDLE_SOURCE/tests/cli/common"
need_cc
find_runner

programs=$HEDDLE_SOURCE/tests/cuda
lacking=" libraries pipelines "  # Thrust and CUB, cuda::pipeline

for source in "$programs"/*.cu; do
  name=$(basename "$source" .cu)
  case $name in parts_*) continue ;; esac
  case $lacking in *" $name "*) continue ;; esac
  "$HEDDLE" cc $(sed -n "s|^// nvcc: ||p" "$source") "$source" -o "$scratch/$name" >"$scratch/log" 2>&1 ||
    fail "heddle cc $name: $(cat "$scratch/log")"
  expect_exit 0 "${runner[@]}" "$HEDDLE" run --functional --check races:warp=on --quiet -- "$scratch/$name"
  expect_text "$out" "PASSED"
done
