# SPDX-License-Identifier: MIT
# heddle explain and --ideal: planted faults are found, a well written kernel gets no advice, causes
# are all of the time, and mistakes are reported.
. "$HEDDLE_SOURCE/tests/cli/common"

need_cc
cd "$scratch"
small=(--gpu gtx1080 --set gpu.sm_count=2 --set gpu.channels=2)
programs=$HEDDLE_SOURCE/tests/explain

# ---- faults

for name in barrier chain fine_nbody; do
  "$HEDDLE" cc -O3 -lineinfo -arch=sm_60 "$programs/$name.cu" -o $name || fail "cannot build $name"
done
for name in barrier chain; do
  expect_exit 0 "$HEDDLE" explain "${small[@]}" --quiet --json $name.json -- ./$name
  [ "$(jq -r '.kernels[0].findings[0].fault' $name.json)" = $name ] || fail "$name: $(jq -c '.kernels[0].findings' $name.json)"
  [ "$(jq '[.kernels[0].causes[].share] | add | . > 0.999999 and . < 1.000001' $name.json)" = true ] ||
    fail "$name: causes are $(jq '[.kernels[0].causes[].share] | add' $name.json) of the time"
done
expect_text "$out" "what to do"
expect_text "$out" "1. a chain of dependent arithmetic"
expect_text "$out" "--ideal dependency"

# The gain that was predicted is that of the repair, a third more or less.
"$HEDDLE" cc -O3 -arch=sm_60 -DREPAIRED "$programs/barrier.cu" -o repaired
"$HEDDLE" run "${small[@]}" --quiet --json repaired.json -- ./repaired >/dev/null
measured=$(jq -n "$(jq '.kernels[0].cycles' barrier.json) / $(jq '.kernels[0].cycles' repaired.json)")
predicted=$(jq '.kernels[0].findings[0].speedup' barrier.json)
[ "$(jq -n "$measured / $predicted | . > 0.66 and . < 1.34")" = true ] || fail "predicted $predicted, measured $measured"

# One warp works for all: without barriers it would take as long.
"$HEDDLE" cc -O3 -lineinfo -arch=sm_60 "$programs/others/leader.cu" -o leader
expect_exit 0 "$HEDDLE" explain "${small[@]}" --quiet --json leader.json -- ./leader
[ "$(jq -r '.kernels[0].findings[0].fault' leader.json)" = barrier ] || fail "leader: $(jq -c '.kernels[0].findings' leader.json)"
expect_text "$out" "--ideal balance"

expect_exit 0 "$HEDDLE" explain "${small[@]}" --quiet -- ./fine_nbody
expect_text "$out" "nothing to advise"
case $out in *"what to do"*) fail "advice on a kernel that is fine: $out" ;; esac

# ---- changes that are tried: on Volta, a smaller carve-out leaves room for the lines of a loop

cat >split.cu <<'END'
#include "program.h"
__global__ void smooth(const float *in, float *out, int rounds) {
  __shared__ float mine[1024];
  const float *own = in + blockIdx.x * 1024;
  mine[threadIdx.x] = blockIdx.x;
  __syncthreads();
  float sum = mine[63 - threadIdx.x];
  for (int round = 0; round < rounds; round++)
    for (int i = threadIdx.x; i < 1024; i += 64) sum = sum * 0.5f + own[i];
  out[blockIdx.x * 64 + threadIdx.x] = sum;
}
int main() {
  Buffer<float> in(120 * 1024, 61), out(120 * 64);
  smooth<<<120, 64>>>(in.data, out.data, 4);
  print_sum(out);
}
END
"$HEDDLE" cc -O3 -arch=sm_60 -I "$programs" split.cu -o split
expect_exit 0 "$HEDDLE" explain --gpu v100 --set gpu.sm_count=2 --set gpu.channels=1 --quiet --json split.json -- ./split
[ "$(jq -r '.kernels[0].findings[] | select(.fault == "l1_split") | .tried and .speedup > 1.1' split.json)" = true ] || fail "$(jq -c '.kernels[0].findings' split.json)"
expect_text "$out" "--set sm.shared_options_kb=64 --set sm.shared_kb=64"
# Schemes are tried, and are no advice; a kernel that does not wait for memory has none.
[ "$(jq -c '[.kernels[0].what_ifs[] | select(.scheme).title]' split.json)" = '["warps by GTO","CCWS","LAWS","APRES","CTAs per SM by sampling"]' ] || fail "$(jq -c '.kernels[0].what_ifs' split.json)"
[ "$(jq '[.kernels[].what_ifs[] | select(.scheme)] | length' chain.json)" = 0 ] || fail "schemes for a chain"

# ---- a source line: the option that explain prints has the effect that it prints

"$HEDDLE" run "${small[@]}" --quiet --json real.json -- ./chain >real.txt
"$HEDDLE" run "${small[@]}" --quiet --json ideal.json --ideal dependency -- ./chain >ideal.txt
cmp -s real.txt ideal.txt || fail "other results: $(cat ideal.txt)"
[ "$(jq '.kernels[0].cycles' ideal.json)" = "$(jq '.kernels[0].what_ifs[] | select(.ideal == "dependency") | .cycles | round' chain.json)" ] ||
  fail "another number of cycles than explain's"

# Coalesced, a load of one member of structures needs an eighth of the sectors, and no others.
"$HEDDLE" cc -O3 -lineinfo -arch=sm_60 "$programs/uncoalesced.cu" -o uncoalesced
"$HEDDLE" run "${small[@]}" --quiet --observe access_dump:file=real.csv -- ./uncoalesced >real.txt
"$HEDDLE" run "${small[@]}" --quiet --ideal coalesced:all --observe access_dump:file=ideal.csv -- ./uncoalesced >ideal.txt
cmp -s real.txt ideal.txt || fail "other results: $(cat ideal.txt)"
for run in real ideal; do awk -F, '$2 == "load" && $3 == "global" { print $4 }' $run.csv | sort >$run.loads; done
[ $(($(wc -l <real.loads))) = $((8 * $(wc -l <ideal.loads))) ] || fail "$(wc -l real.loads ideal.loads)"
[ -z "$(comm -13 <(uniq real.loads) <(uniq ideal.loads))" ] || fail "sectors that the program does not access"

# ---- the annotated source, and two runs

expect_exit 0 "$HEDDLE" explain "${small[@]}" --quiet --source -- ./barrier
expect_text "$out" "sum += x > 0;"
[[ $out =~ ([0-9]+)\ +32\.0\ +[0-9.]+\ %\ .*x\ =\ x\ \*\ 0\.5f ]] || fail "no executions in the margin: $out"

"$HEDDLE" run "${small[@]}" --quiet --json before.json --db two.db -- ./barrier >/dev/null
"$HEDDLE" run "${small[@]}" --quiet --json after.json --db two.db -- ./repaired >/dev/null
expect_exit 0 "$HEDDLE" diff before.json after.json --json diff.json
expect_text "$out" "cycles by cause"
[ "$(jq '.kernels[0].counters[0] | .before / .after' diff.json)" = "$(jq -n "$(jq '.kernels[0].cycles' before.json) / $(jq '.kernels[0].cycles' after.json)")" ] || fail "cycles: $(cat diff.json)"
[ "$(jq '.kernels[0].causes | map(select(.name == "barrier"))[0] | .before > 10 * .after' diff.json)" = true ] || fail "barrier: $(cat diff.json)"
files=$out
expect_exit 0 "$HEDDLE" diff two.db:1 two.db:2
[ "$out" = "$files" ] || fail "other differences from the store: $out"
expect_exit 0 "$HEDDLE" diff "${small[@]}" --quiet ./barrier ./repaired
[ "$out" = "$files" ] || fail "other differences of the programs: $out"
expect_exit 2 "$HEDDLE" diff two.db:9 two.db:1
expect_text "$err" "run 9: not in the store"
echo "{}" >empty.json
expect_exit 2 "$HEDDLE" diff empty.json before.json
expect_text "$err" "it has no kernels"

# ---- Ctrl-C: what was found until then is printed

"$HEDDLE" cc -O3 -lineinfo -arch=sm_60 "$programs/thrashing.cu" -o thrashing
# Shells start background processes with SIGINT ignored.
env --default-signal=INT "$HEDDLE" explain "${small[@]}" --jobs 1 --json stopped.json -- ./thrashing >stopped.txt 2>progress.txt &
run=$! code=0
for ((i = 0; i < 1200; i++)); do
  grep -q "as it is" progress.txt && break
  kill -0 $run 2>/dev/null || fail "ended by itself: $(cat progress.txt)"
  sleep 0.1
done
kill -INT $run
wait $run || code=$?
[ $code = 1 ] || fail "exit code $code: $(cat stopped.txt progress.txt)"
expect_text "$(cat stopped.txt)" "where the time goes"
expect_text "$(cat stopped.txt)" "stopped: some what-ifs are missing"
expect_text "$(cat progress.txt)" "stopped by the user"
[ "$(jq '.stopped and (.kernels[0].causes | length > 3) and (.kernels[0].what_ifs | length < 3)' stopped.json)" = true ] || fail "$(cat stopped.json)"

# ---- mistakes

expect_exit 2 "$HEDDLE" explain
expect_exit 2 "$HEDDLE" explain "${small[@]}" -- ./nothing
expect_exit 2 "$HEDDLE" run hotspot --size tiny --ideal bank
expect_text "$err" "unknown idealisation 'bank'; did you mean 'banks'?"
expect_exit 2 "$HEDDLE" run hotspot --size tiny --set ideal.hits=here
expect_text "$err" "expected a line"
