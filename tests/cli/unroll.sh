# SPDX-License-Identifier: MIT
# heddle cc unrolls loops over a thread's arrays as nvcc does, so that the arrays become
# registers; local memory that is left is reported, when compiling and by runs.
. "$HEDDLE_SOURCE/tests/cli/common"

need_cc
find_runner
source=$HEDDLE_SOURCE/tests/cc/register_tiles.cu
cd "$scratch"

# body KERNEL FILE: the code of a kernel in PTX.
body() { awk -v name="$1" '/\.entry/ { on = index($0, length(name) name) } on; /^}/ { on = 0 }' "$2"; }

# in_registers FILE...: the kernels that nvcc compiles without local memory have none.
in_registers() {
  local file name
  for file; do
    for name in sgemm vectors volume plain; do
      [ -n "$(body $name "$file")" ] || fail "$file: no kernel $name"
      case $(body $name "$file") in *.local*) fail "$file: $name uses local memory" ;; esac
    done
    for name in local_dynamic local_rolled local_large; do
      case $(body $name "$file") in *__local_depot*) ;; *) fail "$file: $name: no local memory" ;; esac
    done
    # 64 products per iteration, and a few of indices: the loop around them stays.
    count=$(body sgemm "$file" | grep -c 'fma\.')
    [ "$count" = 64 ] || fail "$file: $count fused multiply-adds in sgemm"
    # Kernels without arrays are as they were.
    count=$(body plain "$file" | grep -c 'ld\.global')
    [ "$count" -lt 10 ] || fail "$file: $count loads in plain"
  done
}

expect_exit 0 "$HEDDLE" cc -ptx "$source" -o plain.ptx
expect_exit 0 "$HEDDLE" cc -ptx -lineinfo "$source" -o lines.ptx
in_registers plain.ptx lines.ptx
# Line numbers change no instruction.
instructions() { grep -v -E '^\s*(\.loc|\.file|\.section|//)|^L(tmp|func)' "$1"; }
cmp <(instructions plain.ptx) <(instructions lines.ptx) || fail "-lineinfo changes code"

# Programs contain the same, also as relocatable code.
for options in "-rdc=true -lineinfo" ""; do
  rm -f tiles
  expect_exit 0 "$HEDDLE" cc $options "$source" -o tiles
  [ -z "$err" ] || fail "messages of the compiler: $err"
  expect_exit 0 "${runner[@]}" "$HEDDLE" run --functional --json tiles.json -- ./tiles
  expect_text "$out" PASSED
  jq -e '[.kernels[] | {(.readable_name): .local_bytes}] | add |
    . == {sgemm: 0, vectors: 0, volume: 0, plain: 0, local_dynamic: 64, local_rolled: 64, local_large: 2048}' \
    tiles.json >jq.txt || fail "$options: local memory: $(jq -c '[.kernels[] | [.readable_name, .local_bytes]]' tiles.json)"
done

# The cycles are those of #pragma unroll.
cycles() {  # PROGRAM
  expect_exit 0 "${runner[@]}" "$HEDDLE" run --gpu gtx480 --kernels sgemm --json timed.json -- "$1"
  jq '.kernels[] | select(.readable_name == "sgemm") | .cycles' timed.json
}
expect_exit 0 "$HEDDLE" cc -DUNROLL='_Pragma("unroll")' "$source" -o with_pragma
without=$(cycles ./tiles) with=$(cycles ./with_pragma)
awk -v a="$without" -v b="$with" 'BEGIN { exit !(a > 0 && a < b * 1.01 && b < a * 1.01) }' ||
  fail "sgemm takes $without cycles, with #pragma unroll $with"

# What is left is reported: per kernel, and the most of many.
expect_exit 0 "${runner[@]}" "$HEDDLE" run --gpu gtx480 --kernels sgemm,local_rolled -- ./tiles
expect_text "$out" "local memory 64 bytes per thread: an array becomes registers if"
[ "$(grep -c "local memory" <<<"$out")" = 1 ] || fail "local memory of sgemm: $out"
expect_exit 0 "${runner[@]}" "$HEDDLE" run --gpu gtx480 -- ./tiles
expect_text "$out" "local memory 2048 bytes per thread of local_large: "

# Also by the compiler, on request. Kernels that no limit improves are compiled twice.
cat >small.cu <<END
__global__ void dynamic(int *p) {
  int a[4] = {1, 2, 3, 4};
  for (int i = 0; i < p[0]; i++) a[p[i] & 3] += i;
  p[0] = a[p[1] & 3];
}
__global__ void constant(int *p) { p[0] = 1; }
END
for options in "-Xptxas -v" "-Xptxas=-O3,-v" -res-usage; do
  expect_exit 0 "$HEDDLE" cc -c $options small.cu
  expect_text "$err" "heddle cc: small.cu: dynamic: 16 bytes of local memory per thread"
  expect_text "$err" "heddle cc: small.cu: constant: 0 bytes of local memory per thread"
done
expect_exit 0 "$HEDDLE" cc -c -v small.cu
[ "$(grep -c -e '-x ir' <<<"$err")" = 2 ] || fail "device code is not compiled twice: $err"
sed -i '/dynamic/,/^}/d' small.cu
expect_exit 0 "$HEDDLE" cc -c -v -Xptxas -O3 small.cu
[ "$(grep -c -e '-x ir' <<<"$err")" = 1 ] || fail "device code is not compiled once: $err"
case $err in *"local memory"*) fail "-Xptxas -O3 reports local memory" ;; esac
expect_exit 0 "$HEDDLE" cc -ptx small.cu -o -
expect_text "$out" ".entry _Z8constantPi"
"$HEDDLE" cc -ptx small.cu -o /dev/stdout | grep -c '\.entry' >count.txt || fail "nothing on /dev/stdout"

# Loops without arrays: limits of nvcc 13 from Volta on, before it clang's.
product() {  # NAME ITERATIONS PRODUCTS: the cost of an iteration is one more
  printf '__global__ void %s(float *p, float a, int n) {\n  float x = a;\n' "$1"
  printf '  for (int i = 0; i < %s; i++) x = x%s;\n  *p = x;\n}\n' "$2" "$(printf ' * a%.0s' $(seq "$3"))"
}
{ product all 30 12; product some 31 12; product unknown n 6; } >loops.cu
# A sum of two arrays: one index, not a pointer to advance for each.
cat >>loops.cu <<END
__global__ void two(const float *p, const float *q, float *r, int n) {
#pragma unroll 1
  for (int i = threadIdx.x; i < n; i += 32) r[i] = p[i] + q[i];
}
END
# One address and constant offsets, not an index for each of the loads.
cat >>loops.cu <<END
__global__ void far(int *p, const int *q, int n) {
  int sum = 0;
  for (int i = 0; i < 30; i++) sum += q[(30 * n + i) * 6144 + (int)threadIdx.x];
  p[threadIdx.x] = sum;
}
END
# A loop of three blocks: it ends with one jump backwards, under its condition.
cat >>loops.cu <<END
__global__ void tail(const float *p, float *q, int n) {
  int i = threadIdx.x;
#pragma unroll 1
  do {
    float x = p[i];
    if (x > 1) x = x / (x * x - 3);
    else x = __logf(__logf(x)) * x + 2;
    q[i] = x;
  } while ((i += 32) < n);
}
END
multiplications() { body "$1" loops.ptx | grep -c 'mul\(\.rn\)\?\.f32'; }
expect_exit 0 "$HEDDLE" cc -ptx loops.cu -o loops.ptx
[ "$(multiplications all)" = 360 ] || fail "30 iterations: $(multiplications all) products"
[ "$(multiplications some)" -lt 100 ] || fail "31 iterations: $(multiplications some) products"
[ "$(multiplications unknown)" = 30 ] || fail "n iterations: $(multiplications unknown) products"
jumps_back() {  # without a condition
  body tail loops.ptx | awk '/^[$L][A-Za-z0-9_$]*:/ { sub(/:.*/, ""); seen[$0] = 1 }
    $1 ~ /^bra/ { sub(/;/, "", $2); count += $2 in seen } END { print count + 0 }'
}
advanced() { body two loops.ptx | grep -c 'add\.s64.*, 128;'; }
[ "$(advanced)" = 0 ] || fail "$(advanced) pointers are advanced"
indices() { body far loops.ptx | grep -c 'mul\.wide\|mul\.lo\|mad'; }
[ "$(indices)" -le 4 ] || fail "30 loads have $(indices) products in their indices"
[ "$(jumps_back)" = 0 ] || fail "$(jumps_back) jumps backwards without a condition"
expect_exit 0 "$HEDDLE" cc -arch=sm_35 -ptx loops.cu -o loops.ptx
[ "$(multiplications all)" -lt 100 ] || fail "sm_35: $(multiplications all) products"
[ "$(multiplications unknown)" = 54 ] || fail "sm_35: $(multiplications unknown) products"
[ "$(advanced)" = 3 ] || fail "sm_35: $(advanced) pointers are advanced"
[ "$(indices)" -gt 30 ] || fail "sm_35: $(indices) products in indices"
[ "$(jumps_back)" -gt 0 ] || fail "sm_35: no jump backwards without a condition"
