# SPDX-License-Identifier: MIT
# Both tutorials end where they say: docs/tutorials/scheduler.md and docs/tutorials/kernel.md.
. "$HEDDLE_SOURCE/tests/cli/samples_common"

run_commands_of docs/tutorials/scheduler.md
# Snippets are those of the example that ships.
awk '/^```/ { inside = $0 == "```c"; first = 1; next } inside && first { first = 0; whole = /^\/\// } inside && !whole' \
  "$HEDDLE_SOURCE/docs/tutorials/scheduler.md" >snippets
[ "$(wc -l <snippets)" -ge 5 ] || fail "no snippets"
while IFS= read -r line; do
  grep -qxF -- "$line" "$HEDDLE_SOURCE/examples/plugin/oldest_loads.c" || fail "not in examples/plugin/oldest_loads.c: $line"
done <snippets
# The last comparison, as a table: the plugin was run again after each change, and is now ahead of gto.
tail -n 1 out.13 | awk '$1 " " $2 == "geometric mean" && $3 == 1 && $5 > $4 && $4 > 1 { fine = 1 } END { exit !fine }' ||
  fail "oldest_loads is not the fastest: $(cat out.13)"
tail -n 1 out.9 | awk '$5 < 1 { fine = 1 } END { exit !fine }' || fail "a static limit gains: $(cat out.9)"
[ -s scheduler.html ] || fail "no report"

run_commands_of docs/tutorials/kernel.md
cycles() { "$HEDDLE" query kernel.db --csv "select cycles from results where program = './$1'" | tail -n 1; }
first=$(cycles distances) second=$(cycles columns) third=$(cycles clustered)
[ $((3 * second)) -lt "$first" ] || fail "$first cycles, then $second"
[ $((10 * third)) -lt $((9 * second)) ] || fail "$second cycles, then $third"
grep -q 'global load x 4 *q *distances.cu:16 ' out.3 || fail "the costliest access is not line 16: $(cat out.3)"
[ -s kernel.html ] || fail "no report"
