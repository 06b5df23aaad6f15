# SPDX-License-Identifier: MIT
# The commands of README.md and of the documents on heddle cc and on studies do what they say.
. "$HEDDLE_SOURCE/tests/cli/samples_common"
run_commands_of README.md
cp out.3 readme_output
run_commands_of docs/cc.md docs/studies.md

# The output that the README shows is the program's.
while IFS= read -r line; do
  [[ $line == *... ]] || grep -qxF -- "$line" readme_output || fail "README.md: not in the output: $line"
done < <(awk '/^```/ { inside = $0 == "```text"; next } inside' "$HEDDLE_SOURCE/README.md")

# They did something.
grep -q '"cycles"' prog.json || fail "no result of prog"
[ -s mine.html ] && [ -s out.html ] || fail "no report"
[ "$("$HEDDLE" query schedulers.db --csv "select count(*) from results" | tail -n 1)" = 16 ] || fail "not 16 runs of the study"
for file in $(sed -n 's/^heddle figure .* -o \([a-z_]*\.[a-z]*\).*/\1/p' "$HEDDLE_SOURCE/docs/studies.md"); do
  [ -s "$file" ] || fail "no $file"
done
[ "$(wc -l <by_size.csv)" = 21 ] || fail "2 sizes, 2 schemes, 2 workloads and 3 means: $(cat by_size.csv)"
