# SPDX-License-Identifier: MIT
# Code that was built for a newer architecture than the default GPU: a note says which GPU is
# simulated and which ones have that architecture; once, and not if a GPU was chosen.
. "$HEDDLE_SOURCE/tests/cli/common"
cd "$scratch"

case_of() {  # ARCHITECTURE
  printf '// a comment\n.version 7.0\n.target %s\n.address_size 64\n.visible .entry k() { ret; }\n' $1 >k.ptx
  printf 'ptx k.ptx\nlaunch k 1 1 1 32 1 1\nlaunch k 1 1 1 32 1 1\n' >k.case
}
for line in "sm_80|note: built for sm_80, simulated on the default GPU, gtx480 (sm_20); --gpu a100 simulates sm_80" \
  "sm_70|note: built for sm_70, simulated on the default GPU, gtx480 (sm_20); --gpu titanv or --gpu v100 simulates sm_70" \
  "sm_75|; --gpu rtx2080ti simulates sm_75" "sm_72|; --gpu titanv or --gpu v100 simulates the nearest GPU, sm_70" "sm_100|simulates the nearest GPU, sm_90"; do
  case_of "${line%%|*}"
  expect_exit 0 "$HEDDLE" run k.case --quiet
  expect_text "$err" "${line#*|}"
  [ "$(grep -c . <<<"$err")" = 1 ] || fail "more than a note: $err"
done
quiet() {
  expect_exit 0 "$HEDDLE" run k.case --quiet "$@"
  [ -z "$err" ] || fail "$*: $err"
}
quiet --gpu gtx480
quiet --gpu a100
quiet --functional
quiet --set gpu.compute_capability=100
case_of sm_61  # older code is meant for all
quiet

can_compile || { skip_part "clang not found: no programs"; exit 0; }
find_runner
cat >prog.cu <<'END'
__global__ void k() {}
int main() {
  k<<<1, 1>>>();
  k<<<1, 1>>>();
  return cudaDeviceSynchronize();
}
END
"$HEDDLE" cc -arch=sm_80 prog.cu -o prog
expect_exit 0 "${runner[@]}" "$HEDDLE" run --quiet -- ./prog
[ "$err" = "heddle: note: built for sm_80, simulated on the default GPU, gtx480 (sm_20); --gpu a100 simulates sm_80" ] || fail "$err"
for options in "--gpu gtx480" "--gpu v100" --functional; do
  expect_exit 0 "${runner[@]}" "$HEDDLE" run --quiet $options -- ./prog
  [ -z "$err" ] || fail "$options: $err"
done
# Workloads are built for every GPU.
expect_exit 0 "${runner[@]}" "$HEDDLE" run matrixMul --size tiny --quiet
case $err in *note:*) fail "$err" ;; esac
