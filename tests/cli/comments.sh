# SPDX-License-Identifier: MIT
# Every C file begins with a licence line and a comment that says what the file is for.
. "$HEDDLE_SOURCE/tests/cli/common"

mute() {  # FILE...: those without such a comment
  awk 'FNR == 2 && !(/^\/\/ [^ ]/ && NF > 3) { print FILENAME }' "$@"
}

printf '// SPDX-License-Identifier: MIT\n#include <stdio.h>\n' >"$scratch/none.c"
printf '// SPDX-License-Identifier: MIT\n// The arena.\n' >"$scratch/name.c"
printf '// SPDX-License-Identifier: MIT\n// Splits lines into words.\n' >"$scratch/good.c"
[ "$(mute "$scratch"/{none,name,good}.c | wc -l)" = 2 ] || fail "the check of comments: $(mute "$scratch"/*.c)"

cd "$HEDDLE_SOURCE"
find src bench tests examples cuda -name '*.c' >"$scratch/files"
[ "$(wc -l <"$scratch/files")" -ge 500 ] || fail "few files: $(wc -l <"$scratch/files")"
files=$(xargs awk 'FNR == 2 && !(/^\/\/ [^ ]/ && NF > 3) { print FILENAME }' <"$scratch/files")
[ -z "$files" ] || fail "no first comment that says what the file is for:"$'\n'"$files"
