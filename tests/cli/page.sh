# SPDX-License-Identifier: MIT
# The report page in a browser: tests/report/*.mjs, on pages that heddle makes.
. "$HEDDLE_SOURCE/tests/cli/common"

folder=$(dirname "$HEDDLE")/page
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) ||
  skip "no chromium, which the page is tested in (tools/setup browser)"
[ -s "$folder/report.html" ] || skip "this Heddle was built without its page (tools/setup page, make)"
"$HEDDLE_SOURCE/tools/page" tests "$folder" || fail "no packages for the page's tests"
ln -sfn "$HEDDLE_SOURCE/tests/report" "$folder/tests"

(cd "$folder" && node_modules/.bin/tsc --noEmit) || fail "the page's types"

# Runs with everything recorded, one that fails, and a name that looks like markup.
cd "$scratch"
hostile='<!--<script>alert(1)<img src=x onerror=alert(2)>.case'
sed "s|^ptx .*|ptx $HEDDLE_SOURCE/tests/reference/ref.ptx|" "$cases/vecadd_20k.case" >"$hostile"
record() { "$HEDDLE" run "$@" --db runs.db --quiet --observe all --interval 500 >/dev/null; }
for scheme in lrr gto; do
  record "$cases/stencil5_512.case" --scheme $scheme
  record "$cases/mm_tiled_96.case" --scheme $scheme
done
record "$cases/vecadd_20k.case" --max-cycles 1000 || true
expect_exit 0 "$HEDDLE" report runs.db --output runs.html
expect_exit 0 "$HEDDLE" report runs.db --output runs.json
record "$hostile"
expect_exit 0 "$HEDDLE" report runs.db --output hostile.html
"$HEDDLE" run nothing.case --db empty.db 2>/dev/null && fail "ran nothing"
expect_exit 0 "$HEDDLE" report empty.db --output empty.html

# Two GPUs, and a program whose CTAs share nothing; more CTAs than a table of the page has rows.
sed "s|^ptx .*|ptx $HEDDLE_SOURCE/tests/reference/ref.ptx|" "$cases/vecadd_20k.case" >vecadd.case
sed "s/20480/163840/; s/81920/655360/; s/ 320 1 1 / 2560 1 1 /" vecadd.case >many.case
for gpu in gtx480 tiny; do for scheme in lrr gto; do
  "$HEDDLE" run vecadd.case --gpu $gpu --scheme $scheme --db two.db --quiet --observe all >/dev/null
done; done
expect_exit 0 "$HEDDLE" report two.db --output two.html
"$HEDDLE" run many.case --db many.db --quiet --observe ctas >/dev/null
expect_exit 0 "$HEDDLE" report many.db --output many.html
expect_exit 0 "$HEDDLE" report many.db --output many.json

# A study with a paper's numbers.
cat >study.ini <<END
[study]
title = A study
workloads = stencil, mm
gpus = gtx480
schemes = lrr, gto
observe = accesses
[workload stencil]
is = $cases/stencil5_512.case
[workload mm]
is = $cases/mm_tiled_96.case
[figure l1d]
title = Speed-up
as = speedup
baseline = lrr
[paper l1d]
source = figure 1
mm gto = 1.5
mean gto = 1.25
END
expect_exit 0 "$HEDDLE" study study.ini --db study.db --quiet --report study.html
expect_exit 0 "$HEDDLE" report study.db --output study.json

# A comparison with a sweep, its figure as the command line saves it, and a run with arguments.
expect_exit 0 "$HEDDLE" compare "$cases/mm_tiled_96.case" "$cases/vecadd_20k.case" --sweep l1d.size_kb=16,32,64 --schemes lrr,gto \
  --db sweep.db --quiet --report sweep.html
expect_exit 0 "$HEDDLE" report sweep.db --output sweep.json
expect_exit 0 "$HEDDLE" figure sweep.db speedup -o speedup.csv
expect_exit 0 "$HEDDLE" run matrixMul --size tiny --db arguments.db --quiet -- --n 64
expect_exit 0 "$HEDDLE" report arguments.db --output arguments.html

# A scheme that stops before the end of one workload.
sed "s/ 320 1 1 / 64 1 1 /" vecadd.case >small.case
cat >partial.ini <<END
[study]
workloads = big, small
gpus = tiny
schemes = lrr, gto, short
[workload big]
is = ./vecadd.case
[workload small]
is = ./small.case
[scheme short]
is = lrr
set = run.max_cycles=12000
[figure speedup]
as = speedup
END
expect_exit 1 "$HEDDLE" study ./partial.ini --db partial.db --quiet --report partial.html

# Two versions of a program: the slow one computes more, at more instructions per cycle.
if can_compile; then
  cp "$HEDDLE_SOURCE/tests/report/versions.cu" .
  "$HEDDLE" cc -DROUNDS=200 -o slow versions.cu
  "$HEDDLE" cc -DROUNDS=1 -o fast versions.cu
  expect_exit 0 "$HEDDLE" compare ./slow ./fast --gpu tiny --schemes gto --db programs.db --quiet --report programs.html
  for program in slow fast; do "$HEDDLE" run --gpu tiny --db program_runs.db --quiet -- ./$program >/dev/null; done
  expect_exit 0 "$HEDDLE" report program_runs.db --output program_runs.html

  # An explanation, and the difference of two of its machines.
  cp "$HEDDLE_SOURCE/tests/report/columns.cu" .
  "$HEDDLE" cc -O3 -lineinfo -arch=sm_60 -o columns columns.cu
  pascal=(--gpu gtx1080 --set gpu.sm_count=4 --set gpu.channels=2 --quiet)
  expect_exit 0 "$HEDDLE" explain "${pascal[@]}" --report explain.html -- ./columns
  expect_exit 0 "$HEDDLE" explain "${pascal[@]}" --report explain.json -- ./columns
  # A perfect L1 gains more than a tenth on one kernel, on which schemes for locality are tried.
  schemes=$(jq -c '[.explanation.kernels[] | [.kernel, ([.what_ifs[] | select(.scheme).title] | join(", "))]] | sort' explain.json)
  [ "$schemes" = '[["columns","warps by LRR, CCWS, LAWS, APRES, CTAs per SM by sampling"],["powers",""]]' ] || fail "schemes: $schemes"
  expect_exit 0 "$HEDDLE" run "${pascal[@]}" --json explained_run.json -- ./columns
  expect_exit 0 "$HEDDLE" run "${pascal[@]}" --json faster_run.json --ideal load:all --kernels columns -- ./columns
  expect_exit 0 "$HEDDLE" diff explained_run.json faster_run.json --report diff.html
  expect_exit 0 "$HEDDLE" diff explained_run.json faster_run.json --report diff.json
else
  skip_part "clang not found: programs on the page"
fi

# Kernels that launch kernels.
expect_exit 0 "$HEDDLE" run Quicksort --size tiny --gpu laser13 --db launches.db --quiet --observe dynamic_reuse
expect_exit 0 "$HEDDLE" report launches.db --output launches.html
expect_exit 0 "$HEDDLE" report launches.db --output launches.json

cd "$folder"
HEDDLE_BROWSER=$browser timeout 500 node --preserve-symlinks --preserve-symlinks-main tests/page_test.mjs "$scratch"
