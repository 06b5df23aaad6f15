# SPDX-License-Identifier: MIT
# Heddle's own host instructions for three short runs, against tests/reference/host_instructions.tsv:
# more than 3 % above is a slow-down that nobody meant. Unlike times, counts do not depend on the
# host's load or speed; they depend on the compiler, which the table names. After a change
# that is worth its instructions, put the counts that this test prints into the table.
. "$HEDDLE_SOURCE/tests/cli/common"

table=$HEDDLE_SOURCE/tests/reference/host_instructions.tsv
cache=$(dirname "$HEDDLE")/CMakeCache.txt
command -v valgrind >/dev/null || skip "valgrind not found"
[ -e "$cache" ] || skip "not a build folder: the compiler is not known"
compiler=$(sed -n 's/^CMAKE_C_COMPILER:[A-Z]*=//p' "$cache")
"$compiler" --version | grep -q "Free Software Foundation" || skip "counts are those of gcc"
[ "$("$compiler" -dumpversion)" = "$(awk '$1 == "#gcc" { print $2 }' "$table")" ] || skip "counts are those of another gcc"
grep -q '^HEDDLE_LTO:BOOL=ON' "$cache" && ! grep -Eq '^HEDDLE_(SANITIZE|TSAN):BOOL=ON' "$cache" ||
  skip "counts are those of an optimised build"

# Only what is in our files: what libraries execute depends on the host's processor.
count() {  # OPTION... CASE
  valgrind --tool=cachegrind --cache-sim=no --cachegrind-out-file="$scratch/counts" \
    "$HEDDLE" run --quiet "$@" >"$scratch/log" 2>&1 || fail "valgrind heddle run $*: $(tail -3 "$scratch/log")"
  awk '/^fl=/ { ours = /\/src\/[a-z]+\// } /^[0-9]/ && ours { sum += $2 } END { printf "%d\n", sum }' "$scratch/counts"
}

missed=0
while IFS=$'\t' read -r gpu case wanted; do
  [[ $gpu == \#* ]] && continue
  is=$(count --gpu "$gpu" "$cases/$case.case")
  echo "$gpu	$case	$is"
  awk -v is="$is" -v wanted="$wanted" 'BEGIN { exit !(is > 1.03 * wanted) }' || continue
  echo "FAILED: $case on $gpu takes $is host instructions, more than 3 % above $wanted" >&2
  missed=1
done <"$table"
[ $missed = 0 ] || fail "slower than tests/reference/host_instructions.tsv says"
