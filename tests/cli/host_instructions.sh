# SPDX-License-Identifier: MIT
# Heddle's own host instructions for three short runs: more than 3 % above those in
# tests/reference/host_instructions.tsv is a slow-down that nobody meant. After a change that is
# worth its instructions, tools/host_instructions BUILD prints the new table.
. "$HEDDLE_SOURCE/tests/cli/common"

table=$HEDDLE_SOURCE/tests/reference/host_instructions.tsv
code=0
"$HEDDLE_SOURCE/tools/host_instructions" "$(dirname "$HEDDLE")" >"$scratch/counts" || code=$?
[ $code != 77 ] || exit 77
[ $code = 0 ] || fail "tools/host_instructions: exit code $code"

slower() {  # COUNTS: the runs in them that take more than the table allows
  paste "$table" "$1" | awk -F '\t' '!/^#/ && $6 > 1.03 * $3 {
    printf "%s on %s takes %d host instructions, more than 3 %% above %d\n", $2, $1, $6, $3 }'
}

cat "$scratch/counts"
[ "$(grep -vc '^#' "$scratch/counts")" = 3 ] || fail "three counts were expected"
[ -z "$(slower "$scratch/counts")" ] || fail "$(slower "$scratch/counts")"

# 4 % more would be noticed.
awk -F '\t' -v OFS='\t' '!/^#/ { $3 *= 1.04 } { print }' "$table" >"$scratch/more"
[ "$(slower "$scratch/more" | wc -l)" = 3 ] || fail "4 % more instructions are not noticed"
