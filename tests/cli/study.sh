# SPDX-License-Identifier: MIT
# heddle study: experiments and their classification, restriction to some values, variants that fail
# their own check, and a study that is killed and resumed.
. "$HEDDLE_SOURCE/tests/cli/common"

need_cc
cd "$scratch"
ask() { "$HEDDLE" query "$1" --csv "$2" | tail -n +2; }

# All CTAs of a row read the same data; with FAIL in its environment, the program fails its check.
cat >shared.cu <<'END'
#include <cstdlib>
__global__ void share(const float *table, float *sums) {
  float sum = 0;
  for (int i = threadIdx.x; i < 1024; i += 64) sum += table[blockIdx.y * 1024 + i];
  sums[(blockIdx.y * gridDim.x + blockIdx.x) * 64 + threadIdx.x] = sum;
}
int main() {
  float *a, *b;
  cudaMalloc(&a, 16 * 1024 * 4), cudaMalloc(&b, 64 * 64 * 4);
  cudaMemset(a, 0, 16 * 1024 * 4);
  share<<<dim3(4, 16), 64>>>(a, b);
  return cudaDeviceSynchronize() != cudaSuccess || getenv("FAIL");
}
END
"$HEDDLE" cc -O3 -arch=sm_35 shared.cu -o shared

# ---- classification, by the code of heddle classify

cat >kinds.ini <<'END'
[study]
workloads = right, wrong, unknown
gpus = gtx570
schemes = gto
experiments = classification
set = gpu.sm_count=2
[workload *]
is = ./shared
[workload right]
group = algorithm and more
[workload wrong]
group = streaming
[classification table]
title = Categories
source = table 2
END
expect_exit 0 "$HEDDLE" study kinds.ini --report kinds.json
expect_text "$out" "1 of 2 agree with the paper"
expect_text "$err" "5/5"  # three names for one program: its runs are made once
[ "$(jq -c '[.tables[0].rows[][:4]]' kinds.json)" = \
  '[["right","algorithm and more","algorithm","yes"],["wrong","streaming","algorithm","no"],["unknown",null,"algorithm",null]]' ] ||
  fail "$(jq -c .tables kinds.json)"
"$HEDDLE" classify --gpu gtx570 --set gpu.sm_count=2 --quiet --json one.json -- ./shared 
[ "$(jq -r '.tables[0] | .rows[0][.columns | index("evidence")]' kinds.json)" = "$(jq -r '.kernels[0].reason' one.json)" ] ||
  fail "classify: $(cat one.json)"
[ "$(ask classify.db "select cycles, \"l2.reads\" from results order by cycles")" = \
  "$(ask kinds.db "select cycles, \"l2.reads\" from results order by cycles")" ] || fail "other runs than those of classify"
expect_exit 0 "$HEDDLE" figure kinds.db --list
expect_text "$out" "table   table     Categories"
expect_exit 0 "$HEDDLE" figure kinds.db table -o table.csv
grep -q '^wrong,streaming,algorithm,no,.*,share,100,' table.csv || fail "$(cat table.csv)"
expect_exit 2 "$HEDDLE" figure kinds.db table -o table.svg
expect_text "$err" "a table is written as a .csv file"

# ---- variants: failures are seen, and only some may be run

cat >variants.ini <<'END'
[study]
workloads = shared
gpus = tiny, gtx480
schemes = gto
variants = plain, fails, slow=2, slow=1
observe = none
[workload shared]
is = ./shared
[variant fails]
environment = FAIL=1
[variant slow=*]
set = sm.max_ctas=*
[figure speed]
as = speedup
columns = variant
baseline = plain
best = slow: slow=*
show = fails, slow
[paper speed]
shared slow gtx480 = 0.75
END
expect_exit 1 "$HEDDLE" study variants.ini
expect_text "$err" "2 of 8 runs failed; the first is shared tiny gto variant=fails: "
expect_text "$err" "exited with code 1"
[ "$(ask variants.db "select count(*) from runs where state = 'failed'")" = 2 ] || fail "states"
expect_text "$out" "slow=2)  0.750"
expect_text "$out" "shared              -  0."
[ "$(grep -c ' 0.750$' <<<"$out")" = 1 ] || fail "the paper's number belongs to one GPU: $out"
expect_exit 0 "$HEDDLE" study variants.ini --only variant=plain,slow* --only gpu=gtx480
expect_text "$err" "3 of 3 runs already in the store"
case $out in *fails*) fail "left out, and shown: $out" ;; esac
expect_exit 0 "$HEDDLE" figure variants.db speed -o speed.csv
grep -q '^shared,slow,gtx480,gto,0\.[0-9]*,0.75,slow=2$' speed.csv || fail "$(cat speed.csv)"
expect_exit 2 "$HEDDLE" study variants.ini --only gpu=gtx48
expect_text "$err" "did you mean 'gtx480'"
expect_exit 2 "$HEDDLE" study variants.ini --only gtx480
expect_text "$err" "expected DIMENSION = VALUE"

# ---- the generated part of a page: from the store alone

expect_exit 0 "$HEDDLE" study variants.ini --markdown -
expect_text "$out" "Timing model $(sed -n 's/^enum { TIMING_MODEL = \([0-9]*\) };/\1/p' "$HEDDLE_SOURCE/src/base/version.h"), heddle "
expect_text "$out" ", 3 runs, $(ask variants.db "select substr(max(ended), 1, 10) from runs")."
expect_text "$out" "| shared | slow 0."
expect_text "$out" " (0.75) |"
[ ! -e csv ] || fail "printing writes no files"
printf 'Before.\n<!-- begin: heddle study variants -->\nold\n<!-- end: heddle study variants -->\nAfter.\n' >page.md
expect_exit 0 "$HEDDLE" study variants.ini --markdown page.md
grep -q '^| \[.*\](csv/variants_speed.csv) | ' page.md || fail "$(cat page.md)"
! grep -q old page.md || fail "the old part is there: $(cat page.md)"
[ "$(sed -n '1p;$p' page.md | paste -sd ' ')" = "Before. After." ] || fail "$(cat page.md)"
grep -q '^<svg' pictures/variants_speed.svg && grep -q '^!\[.*\](pictures/variants_speed.svg)$' page.md || fail "no picture: $(cat page.md)"
grep -q '^shared,slow,gtx480,gto,0\.[0-9]*,0.75,slow=2$' csv/variants_speed.csv || fail "$(cat csv/*)"
cp page.md once.md
expect_exit 0 "$HEDDLE" study variants.ini --markdown page.md
cmp page.md once.md || fail "the same part twice differs"
printf '<!-- begin: heddle study variants -->\n' >half.md
expect_exit 2 "$HEDDLE" study variants.ini --markdown half.md
expect_text "$err" "half.md: no line '<!-- end: heddle study variants -->'"
[ "$(cat half.md)" = '<!-- begin: heddle study variants -->' ] || fail "a page without a marker was changed"
expect_exit 2 "$HEDDLE" study other.ini --db variants.db --markdown page.md
expect_text "$err" "unknown study 'other'"

# ---- killed, it resumes: no complete run is lost or repeated

cat >killed.ini <<'END'
[study]
workloads = shared
gpus = tiny, gtx480
schemes = gto
variants = TOT=1, TOT=2, TOT=3, TOT=4, TOT=5, TOT=6
[workload shared]
is = ./shared
[variant TOT=*]
set = sm.max_ctas=*
END
"$HEDDLE" study killed.ini --jobs 1 >/dev/null 2>progress &
child=$!
while ! grep -q '^3/' progress; do kill -0 $child 2>/dev/null || fail "ended: $(cat progress)"; done
kill -9 $child
{ wait $child || true; } 2>/dev/null
ask killed.db "select id, job from runs where state = 'complete'" | sort >before
[ "$(wc -l <before)" -ge 3 ] && [ "$(wc -l <before)" -lt 12 ] || fail "$(wc -l <before) runs at the kill"
expect_exit 2 "$HEDDLE" study killed.ini --markdown -
expect_text "$err" "of the 12 runs of the study killed"
expect_exit 0 "$HEDDLE" study killed.ini
ask killed.db "select id, job from runs where state = 'complete'" | sort >after
[ -z "$(comm -23 before after)" ] || fail "lost runs"
[ "$(wc -l <after)" = 12 ] && [ -z "$(cut -d, -f2 after | sort | uniq -d)" ] || fail "repeated runs: $(cat after)"
