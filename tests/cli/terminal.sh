# SPDX-License-Identifier: MIT
# Terminals: tables and progress fit 40, 60 and 80 columns; text is coloured on a terminal unless
# NO_COLOR, TERM=dumb or --color say otherwise, and plain in files and pipes.
. "$HEDDLE_SOURCE/tests/cli/common"
cd "$scratch"
vecadd=$cases/vecadd_20k.case
compare=(compare "$vecadd" --gpu tiny --schemes lrr,gto --db runs.db)
"$HEDDLE" "${compare[@]}" --quiet
escape=$'\033'

plain() { case $1 in *"$escape"*) fail "escape sequences in: $(cat -v <<<"$1")" ;; esac; }
coloured() { case $1 in *"$escape["[0-9]*m*) ;; *) fail "no colour in: $1" ;; esac; }

# ---- files and pipes

expect_exit 0 "$HEDDLE" list gpus
plain "$out"
[ "$(head -n 1 <<<"$out" | wc -c)" -gt 81 ] || fail "a pipe has no width"
expect_exit 0 env COLUMNS=40 "$HEDDLE" list gpus
[ "$(head -n 1 <<<"$out" | wc -c)" -gt 81 ] || fail "COLUMNS is for terminals"
expect_exit 2 "$HEDDLE" runn
plain "$err"
expect_exit 0 "$HEDDLE" list gpus --color always
coloured "$out"
expect_exit 0 env NO_COLOR=1 TERM=dumb "$HEDDLE" --color=always "${compare[@]}"
expect_text "$out" "$escape[1mspeed-up$escape[0m"
expect_text "$out" "$escape[32m1.0"
expect_exit 2 "$HEDDLE" --color always runn
expect_text "$err" "heddle: $escape[1;31munknown command"
expect_exit 2 "$HEDDLE" list gpus --color sometimes
expect_text "$err" "--color sometimes: expected auto, always or never"
expect_exit 2 "$HEDDLE" list gpus --color
expect_text "$err" "--color needs a value"
expect_exit 0 "$HEDDLE" completion words -- list --co
[ "$out" = --color ] || fail "--color is completed to '$out'"
expect_exit 0 "$HEDDLE" completion words -- list --color n
[ "$out" = never ] || fail "n is completed to '$out'"

# ---- terminals

script -qec true /dev/null >/dev/null 2>&1 || { skip_part "no pseudo-terminal"; exit 0; }

# Leaves what a terminal of so many columns shows in $out.
on_terminal() {  # COLUMNS COMMAND
  script -qec "stty cols $1; $2" /dev/null </dev/null >shown 2>&1 || true
  out=$(tr -d '\r' <shown)
}
widest() { sed 's/\x1b\[[0-9;]*[mK]//g' <<<"$out" | awk '{ if (length > m) m = length } END { print m }'; }

for columns in 40 60 80; do
  for command in "list gpus" "list params" "list workloads" "list stats" "${compare[*]}" "query runs.db 'select * from results'" \
    "query runs.db 'select program, gpu, scheme, cycles from results'" "figure runs.db --list | head -n 1"; do
    on_terminal $columns "'$HEDDLE' $command"
    # Sentences are wrapped by the terminal.
    out=$(grep -v '^Values of\|^Geometric mean\|\.$' <<<"$out")
    [ "$(widest)" -le $columns ] || fail "$command: $(widest) of $columns columns: $(cat -v <<<"$out")"
  done
done
# Nothing is left out: the words are those of an unlimited table.
words() { tr -s ' \n' '\n\n' <<<"$1" | sed 's/\x1b\[[0-9;]*[mK]//g' | sort -u; }
on_terminal 80 "'$HEDDLE' list observers"
folded=$(words "$out")
expect_exit 0 "$HEDDLE" list observers
[ "$(words "$out")" = "$folded" ] || fail "a folded table differs: $(diff <(words "$out") - <<<"$folded")"

export TERM=xterm
unset NO_COLOR
on_terminal 80 "'$HEDDLE' list gpus"
coloured "$out"
on_terminal 80 "'$HEDDLE' runn"
coloured "$out"
for setting in NO_COLOR=1 TERM=dumb; do
  on_terminal 80 "env $setting '$HEDDLE' ${compare[*]}"
  plain "$(sed "s/\r\?$escape\[K//g" <<<"$out")"
done
on_terminal 80 "env NO_COLOR= '$HEDDLE' list gpus"
coloured "$out"
on_terminal 80 "'$HEDDLE' list gpus --color never"
plain "$out"
on_terminal 80 "'$HEDDLE' list gpus | cat"
plain "$out"

# A progress line is cut, so that it can be rewritten; none without cursor control.
write_long_case
for columns in 40 60; do
  for seconds in 2 20; do
    on_terminal $columns "timeout -s INT $seconds '$HEDDLE' run long.case --quiet"
    out=$(tr '\r' '\n' <shown | grep fma_chain: || true)
    [ -z "$out" ] || break
  done
  [ -n "$out" ] && [ "$(widest)" -lt $columns ] || fail "progress of $(widest) in $columns columns: $out"
done
on_terminal 80 "env TERM=dumb timeout -s INT 2 '$HEDDLE' run long.case --quiet"
case $out in *fma_chain:*) fail "progress on a dumb terminal" ;; esac

# ---- programs print their tables through heddle run

can_compile || { skip_part "clang not found: no programs"; exit 0; }
find_runner
run="${runner[*]} '$HEDDLE' run matrixMul --size tiny"
eval "$run" >/dev/null
on_terminal 60 "$run"
coloured "$out"
[ "$(sed -n '/most expensive/,/more: --accesses/p' <<<"$out" | sed 's/\x1b\[[0-9;]*m//g' | awk '{ if (length > m) m = length } END { print m }')" -le 60 ] ||
  fail "a program's table: $out"
on_terminal 60 "$run | cat"
plain "$(sed "s/\r\?$escape\[K//g" <<<"$out")"
