# SPDX-License-Identifier: MIT
# Every sample of the documents below does what it says, as printed: files are
# those of the blocks that name them in their first line, commands run in order,
# in a folder with build/ and tests/ of the source.
. "$HEDDLE_SOURCE/tests/cli/common"
need_cc
command -v rsvg-convert >/dev/null || skip "rsvg-convert not found (tools/setup figures)"
[ -s "$(dirname "$HEDDLE")/page/report.html" ] || skip "this Heddle was built without its report page"
find_runner
cd "$scratch"
ln -s "$(dirname "$HEDDLE")" build
ln -s "$HEDDLE_SOURCE/tests" tests
export PATH=$scratch/build:$PATH

# Blocks of a document: files named in a first line "// NAME" or "# NAME" are
# written, lines of blocks without a language are printed, text is output.
commands_of() {  # DOCUMENT
  awk '/^```/ { inside = !inside; language = inside ? substr($0, 4) : ""; file = ""; first = 1; next }
    !inside { next }
    language == "text" { next }
    language == "" { print; next }
    first { file = $2; first = 0; if (file !~ /^[a-z_]+\.(cu|ini)$/) { print "echo no file name in a block; false"; exit } }
    { print > file }' "$1"
}

for document in README docs/cc docs/studies; do
  commands=$(commands_of "$HEDDLE_SOURCE/$document.md")
  [ "$(grep -c . <<<"$commands")" -ge 3 ] || fail "$document.md: hardly any samples: $commands"
  while IFS= read -r line; do
    case $line in
      "heddle study quick"*) continue ;;  # make demo
      "make "*) continue ;;               # built this program
    esac
    got=0
    "${runner[@]}" bash -c "$line" >out 2>err </dev/null || got=$?
    [ $got = 0 ] || fail "$document.md: $line: exit code $got"$'\n'"$(cat out err)"
    [[ $line != "build/heddle run "* ]] || cp out readme_output
  done <<<"$commands"
done

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
