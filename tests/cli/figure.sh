# SPDX-License-Identifier: MIT
# heddle figure: figures of a study and of single runs, as SVG, PDF, PNG and CSV.
. "$HEDDLE_SOURCE/tests/cli/common"
command -v node >/dev/null || skip "no node, which draws figures (tools/setup page)"
command -v rsvg-convert >/dev/null || skip "no rsvg-convert, which makes PDF and PNG (tools/setup figures)"
[ -s "$(dirname "$HEDDLE")/page/figure.js" ] || skip "this Heddle was built without figures (tools/setup page, make)"
cd "$scratch"
cp "$HEDDLE_SOURCE/tests/reference/ref.ptx" .
for name in mm_tiled_96 vecadd_20k; do sed "s|^ptx .*|ptx ref.ptx|" "$cases/$name.case" >$name.case; done

ask() {  # DB SQL
  "$HEDDLE" query "$1" --csv "$2" | tail -n +2
}
draw() {  # FILE ARGUMENTS
  local file=$1
  shift
  expect_exit 0 "$HEDDLE" figure "$@" -o "$file"
  [ "$out" = "$file" ] || fail "says '$out'"
}
count() {  # PATTERN FILE: how often it is there
  grep -o -- "$1" "$2" | wc -l
}

"$HEDDLE" compare mm_tiled_96.case vecadd_20k.case --sweep l1d.size_kb=16,32,64 --schemes lrr,gto --db sweep.db --quiet >/dev/null
"$HEDDLE" compare mm_tiled_96.case vecadd_20k.case --gpu gtx480,k40 --schemes lrr,gto --db bars.db --quiet >/dev/null

# What there is.
expect_exit 0 "$HEDDLE" figure sweep.db --list
expect_text "$out" "speedup  lines     Speed-up over lrr with l1d.size_kb = 16"
expect_text "$out" "dimensions: workload (2), gpu (1), scheme (2), l1d.size_kb (3)"

# CSV: the numbers of the store, a line each.
draw f.csv sweep.db speedup
[ "$(head -n 1 f.csv)" = l1d.size_kb,scheme,workload,gpu,measured,paper ] || fail "columns: $(head -n 1 f.csv)"
[ "$(wc -l <f.csv)" = 19 ] || fail "3 sizes, 2 schemes, 2 workloads and their mean: $(cat f.csv)"
cycles() {  # SCHEME SIZE
  ask sweep.db "select cycles from results where program = 'mm_tiled_96.case' and scheme = '$1' and settings = 'l1d.size_kb=$2'"
}
awk -F, -v a="$(cycles lrr 16)" -v b="$(cycles gto 64)" '$1 == 64 && $2 == "gto" && $3 == "mm_tiled_96" { d = $5 - a / b; found = d < 1e-8 && d > -1e-8 }
  END { exit !found }' f.csv || fail "64,gto,mm_tiled_96: $(cat f.csv)"
draw f.csv sweep.db --metric cycles --where workload=mm_tiled_96
[ "$(sed -n 's/^32,gto,mm_tiled_96,gtx480,\([0-9]*\),$/\1/p' f.csv)" = "$(cycles gto 32)" ] || fail "cycles: $(cat f.csv)"
draw f.csv sweep.db --metric cycles --x scheme --where gpu=gtx480 --where workload=vecadd_20k --where l1d.size_kb=16
[ "$(cut -d, -f1-4 f.csv)" = "scheme,gpu,workload,l1d.size_kb
lrr,gtx480,vecadd_20k,16
gto,gtx480,vecadd_20k,16" ] || fail "every dimension chosen: $(cat f.csv)"
draw f.csv sweep.db speedup --where scheme=gto
[ "$(wc -l <f.csv)" = 10 ] || fail "one of the series: $(cat f.csv)"
node=$(command -v node)
expect_exit 0 env PATH=/nowhere "$HEDDLE" figure sweep.db speedup -o f.csv  # needs nothing

# SVG: well-formed, by itself, as wide as a column; a symbol for each number, a line for each series and panel.
draw f.svg sweep.db speedup
"$node" -e 'const { DOMParser } = require("module").createRequire(process.argv[2])("linkedom");
  const root = new DOMParser().parseFromString(require("fs").readFileSync(process.argv[1], "utf8"), "image/svg+xml").documentElement;
  if (root.tagName !== "svg") throw root.tagName;' f.svg "$(dirname "$HEDDLE")/page/package.json" || fail "f.svg is not well-formed"
rsvg-convert f.svg >/dev/null || fail "f.svg cannot be read"
expect_text "$(cat f.svg)" 'width="84mm"'
expect_text "$(cat f.svg)" "<title>Speed-up over lrr with l1d.size_kb = 16</title>"
expect_text "$(cat f.svg)" "Speed-up over lrr, l1d.size_kb = 16"
expect_text "$(cat f.svg)" ">L1D size (KB)<"
expect_text "$(cat f.svg)" "font-family: Helvetica"
case $(cat f.svg) in *http*://*w3.org/2000/svg*http*) fail "f.svg asks for something elsewhere" ;; *NaN* | *undefined* | *"<style"* | *class=*) fail "f.svg: $(cat f.svg)" ;; esac
[ "$(count 'stroke-width="1.9"' f.svg)" = 3 ] || fail "a group of lines for each panel: $(count 'stroke-width="1.9"' f.svg)"
cp f.svg again.svg
draw f.svg sweep.db speedup
cmp -s f.svg again.svg || fail "the same figure twice differs"
draw f.svg sweep.db speedup --width page
expect_text "$(cat f.svg)" 'width="178mm"'
draw f.svg sweep.db --metric l1d.hit_rate --x scheme --series workload --where l1d.size_kb=32 --axis "Hits & more (<1)"
expect_text "$(cat f.svg)" "Hits &amp; more (&lt;1)"
draw f.svg sweep.db speedup --axis $'bell \a and escape \033'
rsvg-convert f.svg >/dev/null || fail "control characters"

# Bars that are relative to something start at 1, and say so; others at 0.
draw f.svg bars.db speedup --where gpu=k40
expect_text "$(cat f.svg)" "Speed-up over lrr (bars start at 1)"
draw f.svg bars.db ipc-k40
case $(cat f.svg) in *"start at 1"*) fail "bars of values start at 0" ;; esac

# Means that lack a workload say so, in the drawing and in its numbers.
printf '%s\n' '[study]' 'workloads = mm, vec' 'gpus = gtx480' 'schemes = lrr, gto, short' '[workload mm]' 'is = ./mm_tiled_96.case' \
  '[workload vec]' 'is = ./vecadd_20k.case' '[scheme short]' 'is = lrr' 'set = run.max_ctas=40' '[figure speedup]' 'as = speedup' >lacking.ini
expect_exit 1 "$HEDDLE" study ./lacking.ini --db lacking.db --quiet
draw f.svg lacking.db speedup --width page
expect_text "$(cat f.svg)" ">geometric mean of 1 of 2; missing: vec (short)<"
draw f.csv lacking.db speedup
grep -q '^geometric mean (1 of 2),gto,gtx480,' f.csv || fail "the mean in CSV: $(cat f.csv)"

# PDF with its font in it, the same every time; PNG at 300 dots an inch.
draw f.pdf sweep.db speedup
[ "$(head -c 5 f.pdf)" = %PDF- ] || fail "no PDF"
grep -qa "/FontFile2" f.pdf || fail "no font in the PDF"
cp f.pdf again.pdf
draw f.pdf sweep.db speedup
cmp -s f.pdf again.pdf || fail "the same PDF twice differs"
draw f.png sweep.db speedup
[ "$(od -An -j16 -N4 -tu1 f.png | awk '{ print $3 * 256 + $4 }')" = 993 ] || fail "84 mm are 993 pixels: $(od -An -j16 -N4 -tu1 f.png)"

# Single runs: any parameter of their configurations is a dimension; what would be mixed is told.
for size in 16 32; do "$HEDDLE" run vecadd_20k.case --scheme lrr --set l1d.size_kb=$size --db runs.db --quiet; done
draw f.csv runs.db --metric cycles --x l1d.size_kb
[ "$(cut -d, -f1-4 f.csv)" = "l1d.size_kb,scheme,workload,gpu
16,lrr,vecadd_20k,gtx480
32,lrr,vecadd_20k,gtx480" ] || fail "$(cat f.csv)"
[ "$(sed -n 's/^32,.*,\([0-9]*\),$/\1/p' f.csv)" = "$(ask runs.db "select cycles from results where settings = 'l1d.size_kb=32'")" ] ||
  fail "runs: $(cat f.csv)"

mistake() {  # TEXT ARGUMENTS
  local text=$1
  shift
  expect_exit 2 "$HEDDLE" figure "$@"
  expect_text "$err" "$text"
}
mistake "runs 1 and 2 are both vecadd_20k, gtx480, lrr here, and differ in l1d.size_kb" runs.db --metric cycles -o f.svg
mistake "unknown parameter 'l1d.size': not recorded in any run; did you mean 'l1d.size_kb'?" runs.db --metric cycles --x l1d.size -o f.svg
mistake "single runs have no named figures" runs.db speedup -o f.svg
mistake "unknown figure 'speedupp'; did you mean 'speedup'?" sweep.db speedupp -o f.svg
mistake "ambiguous: 2 figures (speedup-gtx480, speedup-k40); choose one by name or with --where gpu=gtx480" bars.db speedup -o f.svg
mistake "title: not UTF-8 text" sweep.db speedup --title $'\xff' -o f.svg
mistake "no output file given: -o FILE.svg" sweep.db speedup
mistake "a figure is a .svg, .pdf, .png or .csv file" sweep.db speedup -o f.jpg
mistake "cannot write" sweep.db speedup -o none/f.svg
mistake "no figure given: name one of the study (--list shows them)" sweep.db -o f.svg
mistake "unknown dimension 'l1d.size'; did you mean 'l1d.size_kb'?" sweep.db speedup --x l1d.size -o f.svg
mistake "the study has no gpu 'gtx4800'; did you mean 'gtx480'?" sweep.db speedup --where gpu=gtx4800 -o f.svg
mistake "the study has no gpu 'gtx48'; did you mean 'gtx480'?" sweep.db --metric cycles --x scheme --where gpu=gtx48 -o f.svg
mistake "scheme = gto: not possible with rows = scheme" sweep.db --metric cycles --x scheme --where scheme=gto -o f.svg
mistake "--width 3: expected column (84 mm), page (178 mm)" sweep.db speedup --width 3 -o f.svg
mistake "--scale log: expected auto, linear, log2" sweep.db speedup --scale log -o f.svg
mistake "unknown study 'compare' in the store" sweep.db speedup --study compare -o f.svg
mistake "'1 ++ 2': expected the name of a statistic" sweep.db --metric "1 ++ 2" -o f.svg
[ ! -e f.jpg ] || fail "a file after a mistake"
# A file that cannot be finished is not there, and leaves nothing behind.
rm f.svg f.pdf
mkdir empty
expect_exit 2 env PATH="$scratch/empty" "$HEDDLE" figure sweep.db speedup -o f.svg
expect_text "$err" "node not found"
ln -s "$node" empty/node
expect_exit 2 env PATH="$scratch/empty" "$HEDDLE" figure sweep.db speedup -o f.pdf
expect_text "$err" "rsvg-convert not found"
printf '#!/bin/sh\necho no such luck >&2\nexit 3\n' >empty/rsvg-convert
chmod +x empty/rsvg-convert
expect_exit 2 env PATH="$scratch/empty" "$HEDDLE" figure sweep.db speedup -o f.pdf
expect_text "$err" "rsvg-convert failed to draw the figure: no such luck"
[ -z "$(ls | grep -e part -e 'f\.svg' -e 'f\.pdf')" ] || fail "left behind: $(ls)"
mistake "the figure has no values" sweep.db --metric policies.warp_scheduler.ccws.lost -o f.svg
mistake "--metric: unknown statistic 'l1d.hitrate'; did you mean 'l1d.hit_rate'?" sweep.db --metric "100 * l1d.hitrate" -o f.svg
