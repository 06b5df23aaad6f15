# SPDX-License-Identifier: MIT
# Schemes and plugins from the command line; the example of docs/policies.md
# works as it is printed there.
. "$HEDDLE_SOURCE/tests/cli/common"

cd "$HEDDLE_SOURCE"
vecadd=$cases/vecadd_20k.case
# Example number N of the page: the first is the whole file, the second a function of its file.
example() { awk -v n="$1" '/^```c$/ { on = ++count == n; next } /^```$/ { on = 0 } on' docs/policies.md; }
example 1 >"$scratch/youngest.c"
cmp "$scratch/youngest.c" examples/plugin/youngest.c || fail "docs/policies.md prints another example"
example 2 >"$scratch/second_line.c"
lines=$(wc -l <"$scratch/second_line.c")
[ "$lines" -ge 5 ] || fail "docs/policies.md has no second example"
grep -A $((lines - 1)) -F "$(head -n 1 "$scratch/second_line.c")" examples/plugin/second_line.c |
  cmp - "$scratch/second_line.c" || fail "docs/policies.md prints another second_line"
"${CC:-cc}" -shared -fPIC -Wall -Wextra -Werror -Isrc "$scratch/youngest.c" -o "$scratch/youngest.so"

expect_exit 0 "$HEDDLE" run "$vecadd" --plugin "$scratch/youngest.so" \
  --scheme "youngest:reverse=true + next_line" --json -
expect_text "$out" '"scheme": "youngest:reverse=true + next_line"'
expect_text "$out" '"warp_scheduler": "youngest:reverse=true"'
expect_text "$out" '"prefetch": "next_line"'
expect_text "$out" '"C": 209848320'
expect_exit 0 "$HEDDLE" list policies --plugin "$scratch/youngest.so"
expect_text "$out" "youngest"
expect_text "$out" ":reverse=false"

# Found from where it lies, too.
(cd "$scratch" && "$HEDDLE" run "$vecadd" --plugin youngest.so --scheme youngest --quiet)

expect_exit 2 "$HEDDLE" run "$vecadd" --scheme youngest
expect_text "$err" "unknown policy or scheme 'youngest'"
expect_exit 2 "$HEDDLE" run "$vecadd" --plugin "$scratch/youngest.so" --plugin "$scratch/youngest.so"
expect_text "$err" "duplicate warp_scheduler 'youngest'"
expect_exit 2 "$HEDDLE" run "$vecadd" --plugin "$scratch/none.so"
expect_text "$err" "cannot load plugin"

# The scheme as it was given, and --set after it.
expect_exit 0 "$HEDDLE" run "$vecadd" --scheme lookahead --set policy.prefetch=none --json -
expect_text "$out" '"scheme": "lookahead"'
expect_text "$out" '"warp_scheduler": "two_level:active_warps=8"'
expect_text "$out" '"prefetch": "none"'
expect_text "$out" '"warp_scheduler.two_level.demotions": '
expect_exit 0 "$HEDDLE" list schemes
expect_text "$out" "lookahead"
expect_exit 0 "$HEDDLE" list policies
expect_text "$out" ":active_warps=8"

# Counters of policies, summed over all schedulers of all SMs.
expect_exit 0 "$HEDDLE" run "$vecadd" --scheme gto --json -
expect_text "$out" '"warp_instructions": 12160'
expect_text "$out" '"warp_scheduler.gto.issues": 12160'

# Descriptions that cannot be true are rejected before anything is allocated.
grep -q "sizeof(Youngest), params" "$scratch/youngest.c" || fail "youngest.c has another state_size"
for size in SIZE_MAX '(size_t)1 << 60' 0; do
  sed "s/sizeof(Youngest), params/$size, params/" "$scratch/youngest.c" >"$scratch/size.c"
  "${CC:-cc}" -shared -fPIC -w -Isrc "$scratch/size.c" -o "$scratch/size.so"
  expect_exit 2 "$HEDDLE" run "$vecadd" --plugin "$scratch/size.so" --scheme youngest
  expect_text "$err" "size.so: its policy youngest has "
done

# What a plugin does wrong is told as the plugin's, and is no bug of heddle's.
sed 's/  int best = __builtin_ctzll(view->candidates);/  return 64; int best = 0;/' "$scratch/youngest.c" >"$scratch/wrong.c"
sed 's/  int best = __builtin_ctzll(view->candidates);/  *(volatile int *)0 = 1; int best = 0;/' "$scratch/youngest.c" >"$scratch/crash.c"
for kind in wrong crash; do
  "${CC:-cc}" -shared -fPIC -w -Isrc "$scratch/$kind.c" -o "$scratch/$kind.so"
done
expect_exit 2 "$HEDDLE" run "$vecadd" --plugin "$scratch/wrong.so" --scheme youngest
expect_text "$err" "$scratch/wrong.so: policy youngest returned an invalid answer"
expect_exit 2 "$HEDDLE" run "$vecadd" --plugin "$scratch/crash.so" --scheme youngest
expect_text "$err" "plugin $scratch/crash.so crashed"

# A shared part is made by those that work on it; its parameters are checked.
expect_exit 2 "$HEDDLE" run "$vecadd" --scheme "gto + prefetch_group"
expect_text "$err" "policy.shared: no policy of this scheme uses 'prefetch_group'"
expect_exit 0 "$HEDDLE" run "$vecadd" --scheme "laws + sap + prefetch_group" --quiet
expect_exit 2 "$HEDDLE" run "$vecadd" --scheme "laws + sap + shared=prefetch_group:size=2"
expect_text "$err" "policy prefetch_group has no parameters"
