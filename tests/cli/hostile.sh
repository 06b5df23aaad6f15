# SPDX-License-Identifier: MIT
# Kernels without end: grids of 2^63 CTAs, loops, floods of text, kernels that
# launch themselves. Limits stop them with a message, and their results stay.
. "$HEDDLE_SOURCE/tests/cli/common"

cat >"$scratch/endless.ptx" <<'END'
.version 6.0
.target sm_50
.address_size 64
.visible .entry empty() { ret; }
.visible .entry spin() { AGAIN: bra AGAIN; }
END
stopped() {  # PART-OF-MESSAGE LAUNCH OPTION...
  printf 'ptx endless.ptx\nlaunch %s\n' "$2" >"$scratch/endless.case"
  expect_exit 1 "$HEDDLE" run "$scratch/endless.case" --json "$scratch/json" "${@:3}"
  expect_text "$err" "endless.case:2: "
  expect_text "$err" "$1"
  expect_text "$(cat "$scratch/json")" '"complete": false'
}
stopped "stopped after 3000 cycles" "empty 2147483647 65535 65535 1024 1 1" --max-cycles 3000
stopped "stopped after 3000 warp instructions" "empty 2147483647 65535 65535 1 1 1" --functional \
  --set run.max_instructions=3000
stopped "stopped after 3000 cycles" "spin 4 1 1 64 1 1" --max-cycles 3000
stopped "out of range 1..2147483647 x 1..65535" "empty 1 70000 1 32 1 1"
stopped "block 4096 x 1 x 1 out of range" "empty 1 1 1 4096 1 1"

cat >>"$scratch/endless.ptx" <<'END'
.visible .entry stack()
{
  .local .align 8 .b8 large[1073741824];
  ret;
}
END
expect_exit 2 "$HEDDLE" run "$scratch/endless.case"
expect_text "$err" "large: stack frame larger than 1048576 bytes per thread"

# ---- files that editors on Windows wrote: a byte-order mark changes nothing

mark=$'\xef\xbb\xbf'
marked() { (printf %s "$mark" && cat "$1") >"$2"; }
mkdir "$scratch/marked"
cd "$scratch/marked"
marked "$HEDDLE_SOURCE/tests/reference/ref.ptx" ref.ptx
sed 's|^ptx .*|ptx ref.ptx|' "$cases/vecadd_20k.case" >plain.case
marked plain.case vecadd.case
marked "$HEDDLE_SOURCE/configs/gtx480.cfg" gpu.cfg
printf '%s[policy]\nwarp_scheduler = lrr\n' "$mark" >scheme.ini
expect_exit 0 "$HEDDLE" run "$cases/vecadd_20k.case" --scheme lrr --json plain.json --quiet
expect_exit 0 "$HEDDLE" run vecadd.case --gpu ./gpu.cfg --scheme ./scheme.ini --json marked.json --quiet
cycles() { grep -m 1 '"cycles":' "$1"; }
[ "$(cycles plain.json)" = "$(cycles marked.json)" ] || fail "a byte-order mark changes the result"
printf '%s[study]\nworkloads = v\ngpus = gtx480\nschemes = lrr\n[workload v]\nis = vecadd.case\n' "$mark" >study.ini
expect_exit 0 "$HEDDLE" study study.ini --quiet
printf '%s-gpgpu_n_clusters 4\n' "$mark" >gpgpusim.config
expect_exit 0 "$HEDDLE" config import gpgpusim.config
printf '\xff\xfe[\0s\0m\0]\0' >utf16.cfg
expect_exit 2 "$HEDDLE" run vecadd.case --gpu ./utf16.cfg
expect_text "$err" "save it as UTF-8"
cd "$scratch"

# ---- links that others plant where a file is about to be written

echo untouched >victim
expect_exit 0 bash -c 'ln -s "$PWD/victim" "out.json.$$.part" && exec "$0" run "$1" --functional --quiet --json out.json' \
  "$HEDDLE" "$cases/vecadd_20k.case"
[ "$(cat victim)" = untouched ] || fail "a planted link was followed"
grep -q '"warp_instructions"' out.json || fail "no result beside a planted link"
# What programs leave for heddle goes through a folder that nobody else can enter.
expect_exit 2 env TMPDIR="$scratch" "$HEDDLE" run -- bash -c 'stat -c "%a %u" "$(dirname "$HEDDLE_RUN")"'
[ "$out" = "700 $(id -u)" ] || fail "the folder of results: $out"

# ---- programs

cat >"$scratch/hostile.cu" <<'END'
#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>
__device__ int begun, refused;
__global__ void deeper() {
  atomicAdd(&begun, 1);
  deeper<<<1, 1>>>();
  if (cudaGetLastError()) atomicAdd(&refused, 1);
}
__global__ void twice() {
  twice<<<1, 1>>>();
  twice<<<1, 1>>>();
}
__global__ void talk() {
  for (;;) printf("a line without end\n");
}
int main(int, char **argv) {
  int counts[2];
  if (!strcmp(argv[1], "deeper")) deeper<<<1, 1>>>();
  if (!strcmp(argv[1], "twice")) twice<<<1, 1>>>();
  if (!strcmp(argv[1], "talk")) talk<<<1, 32>>>();
  cudaError_t error = cudaDeviceSynchronize();
  if (error) return printf("%s\n", cudaGetErrorName(error)), 1;
  cudaMemcpyFromSymbol(&counts[0], begun, sizeof(int));
  cudaMemcpyFromSymbol(&counts[1], refused, sizeof(int));
  printf("%d kernels, %d refused\n", counts[0], counts[1]);
}
END
need_cc
"$HEDDLE" cc -rdc=true "$scratch/hostile.cu" -o "$scratch/hostile" >"$scratch/log" 2>&1 ||
  fail "heddle cc: $(cat "$scratch/log")"
find_runner

# A run in what is no file: refused at once, by a program that nobody waits for.
mkfifo "$scratch/pipe"
for file in "$scratch/pipe" /dev/zero "$scratch"; do
  reason="not a regular file"
  [ "$file" != "$scratch" ] || reason="is a directory"
  got=0
  HEDDLE_RUN=$file LD_LIBRARY_PATH=$(dirname "$HEDDLE") timeout 20 "${runner[@]}" "$scratch/hostile" deeper \
    >"$scratch/out" 2>"$scratch/err" || got=$?
  [ "$got" = 1 ] || fail "HEDDLE_RUN=$file: exit code $got"
  expect_text "$(cat "$scratch/err")" "HEDDLE_RUN: cannot read $file: $reason"
done
printf '\xef\xbb\xbf{"functional": true, "observe": ["none"]}\n' >"$scratch/run.json"
HEDDLE_RUN=$scratch/run.json LD_LIBRARY_PATH=$(dirname "$HEDDLE") expect_exit 0 "${runner[@]}" "$scratch/hostile" deeper
expect_text "$out" "25 kernels, 1 refused"

expect_exit 0 "${runner[@]}" "$HEDDLE" run --quiet --functional -- "$scratch/hostile" deeper
expect_text "$out" "25 kernels, 1 refused"
expect_exit 1 "${runner[@]}" "$HEDDLE" run --quiet --gpu tiny --max-cycles 150000 -- "$scratch/hostile" twice
expect_text "$err" "hostile: stopped after 150000 cycles"
expect_exit 1 "${runner[@]}" "$HEDDLE" run --quiet --gpu tiny --max-cycles 20000 -- "$scratch/hostile" talk
expect_text "$err" "hostile: stopped after 20000 cycles"
case $out in *cudaError*) fail "the program went on behind the limit: $out" ;; esac
# By hand it is told, as a GPU does when a kernel takes too long.
echo '{"gpu": "tiny", "max_cycles": "20000"}' >"$scratch/run.json"
expect_exit 1 "${runner[@]}" env LD_LIBRARY_PATH="$(dirname "$HEDDLE")" HEDDLE_RUN="$scratch/run.json" "$scratch/hostile" talk
expect_text "$out" "cudaErrorLaunchTimeout"
