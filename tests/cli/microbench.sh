# SPDX-License-Identifier: MIT
# Figure 2 of Li et al. (ASPLOS 2017), from its microbenchmark: on the SM of CTA 0, the first turn
# of CTAs pays the latency of memory, and all later ones that of the L1;
# staggered, only the first CTA of all does.
. "$HEDDLE_SOURCE/tests/cli/common"

need_cc
find_runner

# clocks TURN WHAT: first, least, mean or most of a turn's line.
clocks() { sed -n "s/^turn $1:.* $2 \([0-9.]*\).*/\1/p" <<<"$out"; }

in_range() {  # WHAT VALUE LOW HIGH
  awk -v v="$2" -v low="$3" -v high="$4" 'BEGIN { exit !(v != "" && v >= low && v <= high) }' ||
    fail "$1: $2 clocks, not $3 to $4"$'\n'"$out"
}

# GPU SLOTS CTAS L1 MEMORY: the latencies that the GPU is configured for, and
# what the pipeline adds. Li et al. (ASPLOS 2017), table 1 and listing 3.
check() {
  local gpu=$1 slots=$2 ctas=$3 l1=$4 memory=$5
  expect_exit 0 "${runner[@]}" "$HEDDLE" run microbench --quiet --gpu "$gpu" --size tiny
  expect_text "$out" "$slots slots"
  expect_text "$out" ": $ctas CTAs"
  turns=$(grep -c '^turn ' <<<"$out")
  [ "$turns" -ge 2 ] || fail "$gpu: $turns turns"
  in_range "$gpu, quickest of turn 0" "$(clocks 0 least)" $((memory - 30)) $((memory + 30))
  # The slowest of a turn also waits for the others' misses.
  in_range "$gpu, slowest of turn 0" "$(clocks 0 most)" $((memory - 30)) $((memory + 40))
  for ((turn = 1; turn < turns; turn++)); do
    in_range "$gpu, quickest of turn $turn" "$(clocks $turn least)" $((l1 - 5)) $((l1 + 5))
    in_range "$gpu, slowest of turn $turn" "$(clocks $turn most)" $((l1 - 5)) $((l1 + 20))
  done

  expect_exit 0 "${runner[@]}" "$HEDDLE" run microbench --quiet --gpu "$gpu" --size tiny -- --staggered
  expect_text "$out" "turn 0: $slots CTAs"
  in_range "$gpu, first CTA" "$(clocks 0 first)" $((memory - 30)) $((memory + 30))
  # One CTA pays, and the mean of the others is that of the L1.
  others=$(awk -v mean="$(clocks 0 mean)" -v n="$slots" -v first="$(clocks 0 first)" \
    'BEGIN { printf "%.1f", (mean * n - first) / (n - 1) }')
  in_range "$gpu, others of turn 0" "$others" $((l1 - 5)) $((l1 + 5))
  for ((turn = 1; turn < turns; turn++)); do
    in_range "$gpu, staggered turn $turn" "$(clocks $turn most)" $((l1 - 5)) $((l1 + 5))
  done
}

check gtx570 8 480 49 330
check k40 16 960 42 326
check gtx980 32 1024 90 368
check gtx1080 32 1280 130 731
