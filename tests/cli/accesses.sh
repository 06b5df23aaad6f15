# SPDX-License-Identifier: MIT
# The table of accesses points at the culprit: the line marked so in each program
# of tests/accesses is the first row, and the largest stall names what it costs.
. "$HEDDLE_SOURCE/tests/cli/common"
need_cc
find_runner
cd "$scratch"

line_of() { grep -n "// $2" "$HEDDLE_SOURCE/tests/accesses/$1.cu" | cut -d: -f1; }  # PROGRAM MARK
build() { "$HEDDLE" cc "$@" >log 2>&1 || fail "heddle cc $*: $(cat log)"; }
run() { expect_exit 0 "${runner[@]}" "$HEDDLE" run "$@"; }
rows() { sed -n '/most expensive accesses/,/^$/p' <<<"$out" | sed 1d; }
ask() { "$HEDDLE" query "$@" --csv | sed 1d; }

# ---- three kernels, two GPUs

# On v100 a CTA does not wait for its stores, which delay the loads of other CTAs: what they cost
# is seen there. The table still shows eight times the transactions that are needed.
stores_of_transpose() {
  run --gpu v100 -- ./transpose
  rows | grep -q "^  global store .* transpose.cu:$(line_of transpose culprit)  *2,048  *32.0  *4.0 " || fail "transpose on v100: $out"
}

for name in transpose stencil gather; do
  build -lineinfo "$HEDDLE_SOURCE/tests/accesses/$name.cu" -o $name
  for gpu in gtx480 v100; do
    [ $name$gpu != transposev100 ] || { stores_of_transpose && continue; }
    run --gpu $gpu --db runs.db -- ./$name
    first=$(rows | head -n 1)
    culprit=" $name.cu:$(line_of $name culprit)[: ]"  # a line may access an array several times
    grep -q "$culprit" <<<"$first" || fail "$name on $gpu: $first"
    stall=$(sed -n '/issue slots/,/^$/s/.* %  *\([a-z].*\)/\1/p' <<<"$out" | grep -vxe issued -e 'launch latency' -e 'waiting for a CTA' -e 'grid too small' -e tail | head -n 1)
    rows | grep "$culprit" | grep -q " $stall\$" || fail "$name on $gpu: the largest stall is '$stall' in"$'\n'"$out"
    case $out in *-lineinfo*) fail "a hint although there are lines: $out" ;; esac
  done
done

# ---- every kind of access, in text, JSON and the store

build -lineinfo "$HEDDLE_SOURCE/tests/accesses/shared.cu" -o shared
run --accesses 20 --db shared.db --json shared.json -- ./shared
while read -r space kind mark executions transactions ideal; do
  place=shared.cu:$(line_of shared "$mark")
  rows | grep -q "^  $space $kind.* $place  *$executions  *$transactions  *$ideal " ||
    fail "no $space $kind at $place, $executions times $transactions of $ideal: $out"
done <<'END'
shared load culprit 1,024 32.0 1.0
shared store fill 256 1.0 1.0
global load fill 256 1.0 1.0
global atomic atomic 64 32.0 4.0
END
expect_text "$(rows | head -n 1)" "shared load x 16"
[ "$(rows | grep -c '^  [a-z]* [a-z]')" -gt 5 ] || fail "five rows although 20 were asked for: $out"
run --accesses 2 -- ./shared
[ "$(rows | grep -c '^  [a-z]* [a-z]')" = 2 ] || fail "--accesses 2: $out"
expect_text "$(rows)" "more: --accesses"
# 31 cycles more than without conflicts, for each of 1024 loads.
[ "$(ask shared.db "select bank_conflict_cycles, instructions, kind from accesses where kernel is null and space = 'shared' order by slots desc limit 1")" = 31744,16,load ] ||
  fail "the store: $(ask shared.db 'select * from accesses')"
grep -q '"bank_conflict_cycles": 31744' shared.json || fail "no conflicts in JSON"

# ---- a row per access: arrays by the names of their parameters, columns where those are equal

build -lineinfo "$HEDDLE_SOURCE/tests/accesses/arrays.cu" -o arrays
expect_rows() {  # COUNT PATTERN
  [ "$(rows | grep -c "$2")" = "$1" ] || fail "not $1 rows of '$2': $out"
}
for gpu in gtx480 v100; do
  run --gpu $gpu --accesses 20 --db arrays.db --json arrays.json -- ./arrays
  for array in x gain bias; do expect_rows 1 "^  global load  *$array  *arrays.cu:$(line_of arrays arrays)  "; done
  expect_rows 1 "^  global store  *y  *arrays.cu:$(line_of arrays arrays)  "
  expect_rows 2 "^  global load  *in  *arrays.cu:$(line_of arrays twice):[0-9][0-9]*  "
  expect_rows 1 "^  global store  *out  *arrays.cu:$(line_of arrays twice)  "
  # A pointer that is one of two parameters is neither.
  expect_rows 1 "^  global load  *arrays.cu:$(line_of arrays either)  "
  expect_rows 1 "^  global store  *out  *arrays.cu:$(line_of arrays either)  "
  # 32 lines where one would do, and four sectors where the GPU has them.
  expect_rows 1 "^  global load  *x  .*  512  *32.0  "
done
[ "$(ask arrays.db "select distinct array from accesses where kernel is not null and kind = 'load' and array is not null order by array" | tr '\n' ' ')" = "bias gain in x " ] ||
  fail "the store: $(ask arrays.db 'select distinct array from accesses')"
grep -q '"array": "gain"' arrays.json || fail "no array in JSON"

# Without the source, or with another one in its place, parameters have numbers.
cp "$HEDDLE_SOURCE/tests/accesses/arrays.cu" moved.cu
build -lineinfo moved.cu -o moved
rm moved.cu
run --accesses 20 -- ./moved
expect_rows 1 "^  global load  *param 1  *moved.cu:$(line_of arrays arrays)  "
echo '__global__ void blend(int a, int b, int c, int d) {}' >moved.cu
run --accesses 20 -- ./moved
expect_rows 1 "^  global load  *param 1  *moved.cu:$(line_of arrays arrays)  "

# ---- without lines

build "$HEDDLE_SOURCE/tests/accesses/gather.cu" -o plain
run -- ./plain
expect_text "$(rows)" "PTX line"
expect_text "$out" "compile with -lineinfo"
expect_text "$(rows)" "param 0"

# ---- mistakes

for value in 0 -1 many 3x; do
  expect_exit 2 "$HEDDLE" run --accesses $value -- ./shared
  expect_text "$err" "--accesses $value"
done
