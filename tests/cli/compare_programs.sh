# SPDX-License-Identifier: MIT
# heddle compare with two programs: they are compared by time, relative to the first.
. "$HEDDLE_SOURCE/tests/cli/common"
need_cc
find_runner
cd "$scratch"
mkdir old new
"$HEDDLE" cc -DROUNDS=200 -o old/prog "$HEDDLE_SOURCE/tests/report/versions.cu"
"$HEDDLE" cc -DROUNDS=1 -o new/prog "$HEDDLE_SOURCE/tests/report/versions.cu"
cp old/prog slow
cp new/prog fast

expect_exit 0 "${runner[@]}" "$HEDDLE" compare ./slow ./fast --gpu tiny --schemes lrr,gto --db a.db --report a.json
value() { awk -v p="$1" -v s="$2" -v c="$3" '$1 == p && $3 == s { gsub(",", "", $c); print $c }' <<<"$out"; }
for scheme in lrr gto; do
  [ "$(value slow $scheme 5)" = 1.000 ] || fail "the first program is the baseline: $out"
  [ "$(value fast $scheme 5)" = "$(awk -v a="$(value slow $scheme 4)" -v b="$(value fast $scheme 4)" 'BEGIN { printf "%.3f", a / b }')" ] ||
    fail "the speed-up of fast under $scheme: $out"
done
awk -v s="$(value fast gto 5)" 'BEGIN { exit !(s > 1.2) }' || fail "fast is faster: $out"
case $out in *IPC* | *mean*) fail "programs are not compared by IPC, nor averaged: $out" ;; esac
# By IPC the slow one would win.
[ "$("$HEDDLE" query a.db --csv "select program from results where scheme = 'gto' order by warp_ipc desc limit 1" | tail -n 1)" = ./slow ] ||
  fail "the slow version has the higher IPC"
grep -q '"id":"speedup","title":"Speed-up over slow"' a.json || fail "the report's speed-up"
! grep -q '"id":"ipc"' a.json || fail "IPC in the report"
expect_exit 0 "$HEDDLE" figure a.db speedup -o a.csv
[ "$(sed -n 's/^gto,slow,tiny,\([^,]*\),$/\1/p' a.csv)" = 1 ] || fail "CSV: $(cat a.csv)"

# Versions with the same name; a line per program over a swept number.
expect_exit 0 "${runner[@]}" "$HEDDLE" compare old/prog ./new/prog --gpu tiny --schemes gto --db b.db
[ "$(value new/prog gto 5)" = "$("$HEDDLE" query a.db --csv "select printf('%.3f', max(cycles) * 1.0 / min(cycles)) from results where scheme = 'gto'" | tail -n 1)" ] ||
  fail "programs of the same name: $out"
expect_exit 0 "$HEDDLE" compare ./slow ./fast --gpu tiny --schemes gto --sweep l1d.size_kb=16,32 --print-study
expect_text "$out" "baseline = workload=slow
rows = l1d.size_kb
columns = workload
mean = none"
