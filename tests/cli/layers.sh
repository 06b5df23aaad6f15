# SPDX-License-Identifier: MIT
# No include goes the wrong way: a room sees the rooms that the table of
# src/README.md names. A row is | `room/` | what | rooms |.
. "$HEDDLE_SOURCE/tests/cli/common"

cd "$HEDDLE_SOURCE/src"
declare -A may=()
while read -r room rooms; do
  may[$room]="$room $rooms"
done < <(sed -n 's/^| `\([a-z]*\)\/` |.*| `\([a-z `]*\)` |$/\1 \2/p' README.md | tr -d '`')
[ ${#may[@]} -ge 18 ] || fail "only ${#may[@]} rooms in the table of src/README.md"
for folder in */; do
  [ -n "${may[${folder%/}]:-}" ] || fail "src/$folder is not in the table of src/README.md"
done

# The room of the file, the room that it includes, and where.
grep -rn --include='*.[ch]' '^ *#include "' . | grep -v '\.def"' |
  sed 's|^\./\([a-z]*\)/\([^:]*\):[0-9]*: *#include "\([^"]*\)".*|\1 \3 \1/\2|' >"$scratch/includes"
seen=0
while read -r from to file; do
  case $to in
    */*) ;;
    *) fail "$file: an include without its room: $to" ;;
  esac
  case " ${may[$from]} " in
    *" ${to%%/*} "*) ;;
    *) fail "$file: $from may not include $to" ;;
  esac
  seen=$((seen + 1))
done <"$scratch/includes"
[ $seen -gt 50 ] || fail "only $seen includes were found"
