# SPDX-License-Identifier: MIT
# Energy on every shipped GPU: either its costs are known, and powers are
# plausible, or there is no word of energy.
. "$HEDDLE_SOURCE/tests/cli/common"

# Watts of the boards, from data sheets. The machines of papers are 40 nm: a GTX
# 480's 250 W by number of SMs and clock.
board_watts() {
  case $1 in
    gtx480 | gtx480-3.2 | apres15) echo 250 ;;
    gtx570) echo 219 ;;
    clustered60) echo $((250 * 60 / 15 * 2)) ;;
    k40) echo 235 ;;
    gtx980) echo 165 ;;
    gtx1080) echo 180 ;;
    v100) echo 250 ;;
    a100) echo 400 ;;
    laser13 | tiny) echo none ;;
    *) fail "a GPU without a line here: $1" ;;
  esac
}

# A run's line, "energy  5.49 mJ, 153 W: ... at rest 22 %", as watts and the share at rest.
powers() {  # GPU CASE
  "$HEDDLE" run "$cases/$2.case" --gpu "$1" | awk '/^  energy / && !n++ { print $4, $(NF - 1) }'
}

for gpu in $("$HEDDLE" list gpus | awk 'NR > 1 { print $1 }'); do
  board=$(board_watts "$gpu")
  [ "$board" = none ] && continue
  for name in fma_chain_full saxpy_256k; do
    found=$(powers "$gpu" "$name")
    echo "$gpu $name: $found; board $board"
    printf '%s\n' "$found" | awk -v board="$board" \
      'NF == 2 && $1 < 1.3 * board && $2 > 0 && $2 < 100 { good = 1 } END { exit !good }' ||
      fail "$gpu takes '$found' (watts, % at rest) in $name; the board is for $board W"
  done
done

# The table: a line, or none.
expect_exit 0 "$HEDDLE" run "$cases/vecadd_20k.case" --gpu v100
expect_text "$out" "  energy  "
for gpu in tiny laser13; do
  expect_exit 0 "$HEDDLE" run "$cases/vecadd_20k.case" --gpu $gpu --json "$scratch/run.json"
  case $out in *"  energy  "*) fail "$gpu has no costs: $out" ;; esac
  case $(cat "$scratch/run.json") in *total_pj*) fail "$gpu has no costs" ;; esac
done
expect_exit 0 "$HEDDLE" run "$cases/vecadd_20k.case" --gpu tiny --set energy.enabled=true
expect_text "$out" "  energy  "

# Costs that a configuration does not have.
printf '[gpu]\nname = mine\n' >"$scratch/mine.cfg"
expect_exit 0 "$HEDDLE" run "$cases/vecadd_20k.case" --gpu "$scratch/mine.cfg"
case $out in *"  energy  "*) fail "a configuration without costs: $out" ;; esac

# A figure of energy on such a GPU, and on one that has costs.
cat >"$scratch/study.ini" <<END
[study]
title = energy
workloads = vecadd
gpus = tiny, gtx480
schemes = gto
[workload vecadd]
is = $cases/vecadd_20k.case
[figure e]
statistic = energy.total_pj * cycles
rows = workload
columns = gpu
END
expect_exit 2 "$HEDDLE" study "$scratch/study.ini" --db "$scratch/study.db"
expect_text "$err" "[figure e] needs energy.total_pj, but tiny has no [energy] costs (docs/energy.md)"
sed -i 's/gpus = tiny, gtx480/gpus = gtx480/' "$scratch/study.ini"
expect_exit 0 "$HEDDLE" study "$scratch/study.ini" --db "$scratch/study.db"
