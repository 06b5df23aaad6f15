# SPDX-License-Identifier: MIT
# Relative links of the Markdown files lead to files that exist, and anchors to headings.
. "$HEDDLE_SOURCE/tests/cli/common"
cd "$HEDDLE_SOURCE"

documents() {
  find . \( -name build -o -name 'build-*' -o -name node_modules -o -name '.?*' \) -prune -o -name '*.md' -print | sort
}

# Lines outside fenced blocks, without code spans: code may look like a link.
prose() {  # FILE
  awk '/^ *```/ { inside = !inside; next } !inside { gsub(/`[^`]*`/, "code"); print }' "$1"
}

# The anchors of a file's headings, as GitHub and MkDocs make them; a repeated one gets a number.
anchors() {  # FILE
  awk '/^ *```/ { inside = !inside; next }
    !inside && /^#+ / {
      sub(/^#+ +/, ""); gsub(/`/, ""); $0 = tolower($0)
      gsub(/[^a-z0-9_ -]/, ""); gsub(/ /, "-")
      print seen[$0]++ ? $0 "-" seen[$0] - 1 : $0
    }' "$1"
}

dead() {  # FILE TARGET: why it is dead, or nothing
  local file=${2%%#*} anchor=
  [[ $2 != *'#'* ]] || anchor=${2#*#}
  [ -n "$file" ] && file=$(dirname "$1")/$file || file=$1
  [ -e "$file" ] || { echo "no such file"; return; }
  [ -z "$anchor" ] || [[ $file != *.md ]] || anchors "$file" | grep -qx -- "$anchor" || echo "no such heading"
}

check() {  # FILE: prints dead links
  local target why
  while IFS= read -r target; do
    case $target in '' | *://* | mailto:*) continue ;; esac
    why=$(dead "$1" "$target")
    [ -z "$why" ] || echo "$1: ($target): $why"
  done < <(prose "$1" | grep -o '](\([^) ]*\)' | cut -c3-)
}

# The check itself: two dead links and three good ones.
printf '# A b: c\n[x](there.md#a-b-c) [y](#a-b-c) [z](gone.md) [v](#gone) [w](https://example.com/)\n' >"$scratch/there.md"
[ "$(check "$scratch/there.md" | wc -l)" = 2 ] || fail "the check of links: $(check "$scratch/there.md")"

count=0
while IFS= read -r document; do
  links=$(check "$document")
  [ -z "$links" ] || fail "dead links:"$'\n'"$links"
  count=$((count + 1))
done < <(documents)
[ "$count" -ge 20 ] || fail "only $count documents found"
