# SPDX-License-Identifier: MIT
# Observers without timing: who accesses what is the same as with timing, for kernels that launch kernels
# and for others; observers that need time are refused.
. "$HEDDLE_SOURCE/tests/cli/common"
find_runner
need_cc
cd "$scratch"

ask() { "$HEDDLE" query "$1.db" --csv "$2" | tail -n +2; }

observe() {  # NAME OPTIONS...
  local name=$1
  shift
  expect_exit 0 "${runner[@]}" "$HEDDLE" run "$@" --gpu laser13 --quiet --observe dynamic_reuse --db "$name.db"
  expect_text "$out" "PASSED"
}

# Distances depend on the order, shares, ratios and chains do not.
for workload in Quicksort SPMM-small matrixMul; do
  rm -f with.db without.db
  observe with "$workload" --size tiny
  observe without "$workload" --size tiny --functional
  for query in 'select "references", lines, self, self_repeats, parent_child, sibling, children, kernels, ctas, warps from dynamic_reuse' \
    'select relation, pairs, high, b0, b1, b4, b9 from reuse_ratios' 'select "of", units, chains, longest from reuse_chains'; do
    wanted=$(ask with "$query") got=$(ask without "$query")
    [ -n "$wanted" ] || fail "$workload: $query: nothing"
    [ "$got" = "$wanted" ] || fail "$workload: $query: with timing $wanted, without $got"
  done
  [ "$(ask without 'select "references" > 0 from dynamic_reuse')" = 1 ] || fail "$workload: nothing was observed"
  [ "$(ask without "select sum(self) > 0 from reuse_distances")" = 1 ] || fail "$workload: no distances"
done
[ "$(ask without "select mode from runs")" = functional ] || fail "the run had timing"

# What needs time is refused before anything runs.
expect_exit 2 "${runner[@]}" "$HEDDLE" run Quicksort --size tiny --functional --observe latency
expect_text "$err" "--observe latency: requires a timing run"
expect_exit 2 "${runner[@]}" "$HEDDLE" run Quicksort --size tiny --functional --observe nonsense
expect_exit 0 "${runner[@]}" "$HEDDLE" run Quicksort --size tiny --functional --quiet
