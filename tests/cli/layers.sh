# SPDX-License-Identifier: MIT
# No include goes the wrong way: a room sees the rooms below it (src/README.md).
. "$HEDDLE_SOURCE/tests/cli/common"

declare -A may=(
  [base]="base"
  [isa]="base isa"
  [policies]="base isa policies"
  [memory]="base isa policies memory"
  [sm]="base isa policies memory sm"
  [gpu]="base isa policies memory sm gpu"
  [functional]="base isa functional"
  [frontends]="base isa frontends"
  [locality]="base isa policies locality"
  [report]="base report"
  [device]="base isa policies memory sm gpu functional frontends locality report device"
  [cudart]="base isa policies memory sm gpu functional frontends locality report device cudart"
  [cudadriver]="base isa policies memory sm gpu functional frontends locality report device cudadriver"
  [cc]="base cc"
  [cluster]="base cc cluster"
  [store]="base store"
  [study]="base store study"
  [cli]="base isa policies memory sm gpu functional frontends locality report device cc cluster store study cli"
)

cd "$HEDDLE_SOURCE/src"
seen=0
while IFS=: read -r file _ text; do
  from=${file%%/*}
  to=$(sed -n 's/.*#include "\([a-z0-9_]*\)\/.*/\1/p' <<<"$text")
  [ -n "$to" ] || fail "$file: an include without its room: $text"
  [ -n "${may[$from]:-}" ] || fail "$file: room $from is not in the map"
  case " ${may[$from]} " in
    *" $to "*) ;;
    *) fail "$file: $from may not include $to: $text" ;;
  esac
  seen=$((seen + 1))
done < <(grep -rn --include='*.[ch]' '^ *#include "' . | sed 's|^\./||' | grep -v '\.def"')
[ $seen -gt 50 ] || fail "only $seen includes were found"
