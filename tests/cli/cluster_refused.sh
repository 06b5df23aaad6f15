# SPDX-License-Identifier: MIT
# heddle cluster: what cannot be rewritten safely is refused, with its line and the reason.
. "$HEDDLE_SOURCE/tests/cli/common"

[ -e "$(dirname "$HEDDLE")/libheddle_cluster.so" ] || skip "this Heddle was built without libclang"
programs=$HEDDLE_SOURCE/tests/cluster
cd "$scratch"

checked=0
for source in "$programs"/refused/*.cu; do
  wanted=$(sed -n 's|^// refused: ||p' "$source")
  expect_exit 2 "$HEDDLE" cluster "$source" -o refused.cu
  grep -q "$source:${wanted%%: *}:.*${wanted#*: }" <<<"$err" || fail "'$wanted' is not in:"$'\n'"$err"
  [ ! -e refused.cu ] || fail "$source was written all the same"
  checked=$((checked + 1))
done
[ $checked -ge 39 ] || fail "only $checked programs that are refused"
