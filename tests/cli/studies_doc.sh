# SPDX-License-Identifier: MIT
# The study and the figures of docs/studies.md, as they stand there.
. "$HEDDLE_SOURCE/tests/cli/common"
command -v node >/dev/null || skip "no node, which draws figures (tools/setup page)"
command -v rsvg-convert >/dev/null || skip "no rsvg-convert, which makes PDF and PNG (tools/setup figures)"
command -v clang >/dev/null || skip "no clang, which builds workloads (tools/setup cc)"
[ -s "$(dirname "$HEDDLE")/page/figure.js" ] || skip "this heddle was built without figures (tools/setup page, make)"

sed -n '/^```ini$/,/^```$/{/^```/!p}' "$HEDDLE_SOURCE/docs/studies.md" >"$scratch/mine.ini"
[ "$(grep -c '^\[' "$scratch/mine.ini")" -ge 8 ] || fail "the study is not found"
cd "$HEDDLE_SOURCE"  # paths of the study are from here
expect_exit 0 "$HEDDLE" study "$scratch/mine.ini" --db "$scratch/mine.db"
for part in "Speed-up over lrr with 16 KB" "workload geometric mean" "mean, streaming" "1.020" "paper: figure 10 and section 5.2" "A remark."; do
  expect_text "$out" "$part"
done

cd "$scratch"
grep '^heddle figure mine.db' "$HEDDLE_SOURCE/docs/studies.md" >lines
[ "$(wc -l <lines)" -ge 6 ] || fail "the figures are not found"
PATH=$(dirname "$HEDDLE"):$PATH
export PATH
while read -r line; do
  expect_exit 0 bash -c "$line"
  file=$(sed -n 's/.* -o //p' <<<"$line")
  [ -z "$file" ] || [ -s "$file" ] || fail "no $file: $line"
done <lines
