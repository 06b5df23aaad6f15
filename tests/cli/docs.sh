# SPDX-License-Identifier: MIT
# make docs: the site is built from every Markdown file, has a search index, and
# a dead link, a dead anchor or a page outside the navigation stops it.
. "$HEDDLE_SOURCE/tests/cli/common"
cd "$scratch"
command -v mkdocs >/dev/null || skip "mkdocs not found (tools/setup docs)"

"$HEDDLE_SOURCE/tools/docs" "$scratch/site" >out 2>&1 || fail "tools/docs: $(cat out)"
pages=$(find "$scratch/site" -name '*.html' ! -name 404.html | wc -l)
[ "$pages" -ge 34 ] || fail "only $pages pages"
grep -q 'href="docs/model.html"' "$scratch/site/index.html" || fail "README.md does not link to the model"
for word in "write_policy" "APRES" "prefetcher"; do
  grep -q "$word" "$scratch/site/search/search_index.js" || fail "the search does not know $word"
done
# A reader without a network: everything comes from the site itself.
! grep -rlE '<(script|link|img)[^>]*(src|href)="?https?:' "$scratch/site" --include='*.html' || fail "pages load from a network"

# A project of one page, built by the same tool.
project=$scratch/project
mkdir -p "$project/src/base"
printf 'enum { TIMING_MODEL = 3 };\n' >"$project/src/base/version.h"
cp -r "$HEDDLE_SOURCE/tools" "$project"
sed '/^nav:/,$d' "$HEDDLE_SOURCE/mkdocs.yml" >"$project/mkdocs.yml"
printf 'nav:\n  - Start: README.md\n' >>"$project/mkdocs.yml"
builds() {  # TEXT of README.md
  printf '# A title\n\n%s\n' "$1" >"$project/README.md"
  "$project/tools/docs" "$scratch/small" >out 2>&1
}
refuses() {  # TEXT, MESSAGE
  ! builds "$1" || fail "accepted: $1"
  grep -qF -- "$2" out || fail "$1: no '$2' in $(cat out)"
}
builds '[good](#a-title)' || fail "a good page: $(cat out)"
refuses '[dead](gone.md)' gone.md
refuses '[dead](#gone)' 'index.html: dead link #gone'
part() { printf '<!-- begin: heddle study %s -->\nTiming model %s, heddle 0.1.0, 4 runs.\n<!-- end: heddle study %s -->' "$1" "$2" "$1"; }
builds "$(part a 3)" || fail "a page of this timing model: $(cat out)"
refuses "$(part a 3)"$'\n\n'"$(part b 2)" 'README.md: b: Timing model 2,'
refuses $'<!-- begin: heddle study c -->\n<!-- end: heddle study c -->' 'README.md: c:'
echo '# Another' >"$project/another.md"
refuses 'text' another.md
