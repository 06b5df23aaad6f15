# SPDX-License-Identifier: MIT
# Energy on every shipped GPU: either its costs have a source and give plausible
# powers, or no energy is reported, and the configuration says why.
. "$HEDDLE_SOURCE/tests/cli/common"
cd "$scratch"

# Watts of the boards, from data sheets. The machines of papers have a GTX 480's SMs,
# and 250 W per 15 of them.
board_watts() {
  case $1 in
    gtx480 | gtx480-3.2 | apres15) echo 250 ;;
    gtx570) echo 219 ;;
    clustered60) echo $((250 * 60 / 15)) ;;
    k40) echo 235 ;;
    gtx980) echo 165 ;;
    gtx1080) echo 180 ;;
    v100) echo 250 ;;
    a100) echo 400 ;;
    laser13 | tiny | titanv | p100 | rtx2080ti | rtx3070 | rtx3080 | rtx4070 | rtx4090 | h100) echo none ;;
    *) fail "no power known of $1: add it here" ;;
  esac
}

param() {  # GPU NAME: its value
  "$HEDDLE" list params --gpu "$1" | sed -n "s/^energy\.$2  *//p" | sed 's/  .*//'
}

# "  energy   5.49 mJ, 153 W: execute ... static 22 %" of a run, as watts.
watts() {  # GPU CASE
  "$HEDDLE" run "$cases/$2.case" --gpu "$1" | awk '/^  energy / && !n++ { print $4 }'
}

# A compute-bound and a memory-bound kernel: more than at rest by a fifth, less than the board is built for.
check_power() {  # GPU BOARD SMS
  local rest name found
  rest=$(awk -v sm="$(param "$1" sm_static_mw)" -v chip="$(param "$1" chip_static_mw)" -v count="$3" \
    'BEGIN { print (sm * count + chip) / 1000 }')
  for name in fma_chain_full saxpy_256k; do
    found=$(watts "$1" "$name")
    awk -v found="$found" -v rest="$rest" -v board="$2" 'BEGIN { exit !(found > 1.2 * rest && found < 1.3 * board) }' ||
      fail "$1 takes '$found' W in $name; at rest $rest W, the board's limit $2 W"
  done
}

"$HEDDLE" list gpus >gpus
[ "$(wc -l <gpus)" -gt 10 ] || fail "GPUs: $(cat gpus)"
while read -r gpu _ sms _; do
  board=$(board_watts "$gpu")
  if [ "$board" = none ]; then
    [ "$(param "$gpu" enabled)" = false ] || fail "$gpu has costs, and no power to compare with"
    expect_text "$(param "$gpu" source)" "none: "
    continue
  fi
  [ "$(param "$gpu" enabled)" = true ] || fail "$gpu has no energy"
  case $(param "$gpu" source) in none* | "") fail "$gpu: no source of its costs" ;; esac
  check_power "$gpu" "$board" "$sms"
done < <(tail -n +2 gpus)

# The table and the JSON: energy with its source, or none with the reason.
expect_exit 0 "$HEDDLE" run "$cases/vecadd_20k.case" --gpu v100 --json run.json
expect_text "$out" "  energy  "
grep -q '"energy.total_pj": [1-9]' run.json || fail "no energy of the V100"
grep -q '"source": "GTX 480 x 0.116 ' run.json || fail "no source in the JSON"
printf '[gpu]\nname = mine\n' >mine.cfg
for gpu in tiny laser13 ./mine.cfg; do
  expect_exit 0 "$HEDDLE" run "$cases/vecadd_20k.case" --gpu $gpu --json run.json --db runs.db
  case $out in *"  energy  "* | *" W:"*) fail "$gpu has no costs: $out" ;; esac
  case $(cat run.json) in *_pj\":*) fail "$gpu has no costs" ;; esac
  grep -q '"source": "none: ' run.json || fail "no reason in the JSON of $gpu"
done
expect_exit 2 "$HEDDLE" query runs.db 'select "energy.total_pj" from results'
expect_exit 0 "$HEDDLE" run "$cases/vecadd_20k.case" --gpu tiny --set energy.enabled=true
expect_text "$out" "  energy  "
# No exponents, however large.
expect_exit 0 "$HEDDLE" run "$cases/vecadd_20k.case" --set energy.chip_static_mw=9000000
expect_text "$out" " W: "
case $out in *e+0*" W:"*) fail "an exponent: $out" ;; esac

# A figure of energy needs a GPU with costs: a mistake before anything runs.
cat >study.ini <<END
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
expect_exit 2 "$HEDDLE" study ./study.ini --db study.db
expect_text "$err" "[figure e] requires energy.total_pj, but tiny has no energy costs (none: a machine for tests); set them in its [energy] section (docs/energy.md)"
[ ! -e study.db ] || fail "a store after a mistake"
sed -i 's/gpus = tiny, gtx480/gpus = gtx480/' study.ini
expect_exit 0 "$HEDDLE" study ./study.ini --db study.db
expect_exit 2 "$HEDDLE" figure runs.db --metric energy.total_pj --x gpu -o f.csv
expect_text "$err" "the figure has no values: no complete run has 'energy.total_pj'; only GPUs with [energy] costs report energy (\`heddle list gpus\`)"
