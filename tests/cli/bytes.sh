# SPDX-License-Identifier: MIT
# Names and files with bytes that are no UTF-8: results, stores and reports are
# written all the same; a study, whose names are its rows, says so and stops.
. "$HEDDLE_SOURCE/tests/cli/common"

odd=$scratch/$'v\xff.case'
sed "s|^ptx .*|ptx $HEDDLE_SOURCE/tests/reference/ref.ptx|; s/\bC\b/\xe9/" "$cases/vecadd_20k.case" >"$odd"
expect_exit 0 "$HEDDLE" run "$odd" --functional --quiet --json "$scratch/odd.json" --db "$scratch/odd.db"
expect_text "$(cat "$scratch/odd.json")" 'v\uFFFD.case"'
expect_text "$(cat "$scratch/odd.json")" '"\uFFFD": 209848320'
expect_exit 0 "$HEDDLE" report "$scratch/odd.db" --output "$scratch/odd.report.json"
expect_text "$(cat "$scratch/odd.report.json")" 'v\uFFFD.case"'
expect_exit 0 "$HEDDLE" export "$scratch/odd.db" --json
expect_text "$out" 'v\uFFFD.case"'

printf '[study]\nworkloads = nn\ngpus = tiny\nschemes = gto\ntitle = caf\xe9\n' >"$scratch/odd.ini"
expect_exit 2 "$HEDDLE" study "$scratch/odd.ini" --db "$scratch/study.db"
expect_text "$err" ":5: not UTF-8 text"
