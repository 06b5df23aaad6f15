# SPDX-License-Identifier: MIT
# What shells complete: heddle's answer for a line that is being typed, and that
# bash, zsh and fish hand the line over and take the answer.
. "$HEDDLE_SOURCE/tests/cli/common"
PATH=$(dirname "$HEDDLE"):$PATH

expect_words() {  # EXPECTED WORD...: the last word is being typed
  local wanted=$1 got
  shift
  got=$("$HEDDLE" completion words -- "$@" | tr '\n' ' ')
  [ "${got% }" = "$wanted" ] || fail "completing '$*': '$got' instead of '$wanted'"
}
expect_word() {  # EXPECTED WORD...: among others
  local wanted=$1
  shift
  "$HEDDLE" completion words -- "$@" | grep -qxF -e "$wanted" || fail "completing '$*': no '$wanted'"
}

expect_words "compare completion" comp
expect_words "--help" --h
expect_words "" nothing --gpu ""
# Values of options, behind a blank or an equals sign.
expect_words "tiny small paper" run --size ""
expect_words "k40" run --gpu k
expect_words "--gpu=k40" run --gpu=k
expect_words "latency" run --observe la
expect_words "accesses access_dump" run --observe ac
expect_words "gpgpusim" run --stats-format ""
# Schemes are policies, too; lists go on behind a comma and never repeat a name.
expect_word "lrr" run --scheme ""
expect_word "laws" run --scheme la
expect_words "lrr,gto lrr,gty" compare --schemes lrr,gt
expect_words "lrr,gto,gty" compare --schemes lrr,gto,gt
expect_words "gtx480,k40" compare --gpu gtx480,k
expect_words "lrr + next_line" run --scheme "lrr + next"
# Parameters: sections, keys, values; policies with theirs.
expect_words "l1d. l1i. l1c. l1t." run --set l1
expect_words "l1d.ways= l1d.write_policy= l1d.write_allocate=" run --set l1d.w
expect_words "l1d.sectored=true l1d.sectored=false" run --set l1d.sectored=
expect_words "l1d.allocate=on_miss l1d.allocate=on_fill" run --set l1d.allocate=on
expect_words "policy.warp_scheduler=gto policy.warp_scheduler=gty" run --set policy.warp_scheduler=g
expect_words "l2.replacement=lru" run --set l2.replacement=l
expect_words "dram.scheduler=frfcfs dram.scheduler=fifo" run --set dram.scheduler=f
expect_words "policy.warp_scheduler=two_level:active_warps=" run --set policy.warp_scheduler=two_level:
# Operands and options of the verb.
expect_words "matrixMul" run matrixM
expect_words "quick" study qui
expect_words "workloads" list wor
expect_words "bash zsh fish" completion ""
expect_words "--csv" export x.db --cs
# Behind -- stands a program.
expect_words "" run -- --g
expect_exit 0 "$HEDDLE" completion words --
[ -z "$out" ] || fail "words for no line: $out"

# bash, which takes = and : for ends of words.
"$HEDDLE" completion bash >"$scratch/bash"
. "$scratch/bash"
typed() {  # LINE
  COMP_LINE=$1 COMP_POINT=${#1}
  COMP_WORDBREAKS=$' \t\n"\'><=;|&(:'
  _heddle
  echo "${COMPREPLY[*]}"
}
[ "$(typed "heddle comp")" = "compare completion" ] || fail "bash: verbs"
[ "$(typed "heddle run --set policy.warp_scheduler=m")" = mascar ] || fail "bash: behind ="
[ "$(typed "heddle run --set policy.warp_scheduler=two_level:a")" = active_warps= ] || fail "bash: behind :"
[ "$(typed "heddle compare --schemes lrr,looka")" = lrr,lookahead ] || fail "bash: behind a comma"
[ "$(typed "heddle run --size ")" = "tiny small paper" ] || fail "bash: an empty word"
[ "$(typed "$HEDDLE list wor")" = workloads ] || fail "bash: a path"

if command -v zsh >/dev/null; then
  "$HEDDLE" completion zsh >"$scratch/_heddle"
  cat >"$scratch/try.zsh" <<'END'
compadd() { while [[ $1 != -- ]]; do shift; done; shift; print -r -- "$@"; }
compdef() { :; }
_files() { :; }
source $1
words=(heddle run --set l1d.sectored=t) CURRENT=4 PREFIX=l1d.sectored=t
_heddle
words=(heddle run --set l1) CURRENT=4 PREFIX=l1
_heddle
END
  expect_exit 0 zsh -f "$scratch/try.zsh" "$scratch/_heddle"
  [ "$(grep . <<<"$out")" = "l1d.sectored=true"$'\n'"l1d. l1i. l1c. l1t." ] || fail "zsh: $out"
else
  skip_part "zsh not found"
fi

if command -v fish >/dev/null; then
  "$HEDDLE" completion fish >"$scratch/heddle.fish"
  export HOME=$scratch
  in_fish() { fish -c "source $scratch/heddle.fish; complete -C '$1'" | tr '\n' ' '; }
  [ "$(in_fish "heddle comp")" = "compare completion " ] || fail "fish: verbs: $(in_fish "heddle comp")"
  [ "$(in_fish "heddle run --set l1d.sectored=t")" = "l1d.sectored=true " ] || fail "fish: values"
  [ "$(in_fish "heddle compare --schemes lrr,looka")" = "lrr,lookahead " ] || fail "fish: lists"
  [ "$(in_fish "heddle run --size ")" = "paper small tiny " ] || fail "fish: an empty word: $(in_fish "heddle run --size ")"
  touch "$scratch/some.case"
  [ "$(cd "$scratch" && in_fish "heddle run som")" = "some.case " ] || fail "fish: files"
else
  skip_part "fish not found"
fi
