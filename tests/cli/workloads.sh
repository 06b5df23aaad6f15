# SPDX-License-Identifier: MIT
# Workloads by name: the listing, running, options, where programs are kept, and
# mistakes. tests/workloads/ runs every one of them.
. "$HEDDLE_SOURCE/tests/cli/common"

need_cc
build=$(dirname "$HEDDLE")
find_runner
cd "$scratch"

# Every program has a description at least; every description is complete and listed.
expect_exit 0 "$HEDDLE" list workloads
for folder in "$HEDDLE_SOURCE"/workloads/*/; do
  program=$(basename "$folder")
  [ "$program" != common ] || continue
  [ -e "$folder/$program.cu" ] || fail "there is no $program.cu"
  for file in "$folder"*.ini; do
    name=$(basename "$file" .ini)
    grep -q "^$name  " <<<"$out" || fail "$name is not listed"
    for key in summary abbreviation suite cta; do
      grep -q "^$key" "$file" || fail "$name.ini has no $key"
    done
    grep -q -e "^paper_" -e "^suite = own" "$file" || fail "$name.ini has no paper_"
  done
done

# docs/workloads/programs.csv is what tools/workloads_table prints.
"$HEDDLE_SOURCE/tools/workloads_table" >programs.csv
cmp programs.csv "$HEDDLE_SOURCE/docs/workloads/programs.csv" ||
  fail "docs/workloads/programs.csv is out of date: run tools/workloads_table >docs/workloads/programs.csv"
for row in '^kmeans,KMN,kmeans/kmeans.cu,Rodinia,Li: algorithm; Oh: cache-sensitive,.*,"points 1024/32768/494020, rounds 2/1/20"$' \
  '^histogram,.*,bytes 65536/4194304/67108864$' '^BFS-small,.*,bfs_dp/bfs_dp.cu,'; do
  grep -q "$row" programs.csv || fail "docs/workloads/programs.csv has no row: $row"
done
[ -z "$(awk 'NR > 1 { print tolower($2) }' <<<"$out" | sort | uniq -d)" ] ||
  fail "two workloads have one abbreviation"

# By name and by abbreviation; options of heddle before, the program's behind --.
expect_exit 0 "${runner[@]}" "$HEDDLE" run matrixMul --size tiny --gpu gtx570
expect_text "$out" PASSED
expect_text "$out" "matrixMul on gtx570"
expect_text "$out" "grid 2x2, block 32x32"
expect_exit 0 "${runner[@]}" "$HEDDLE" run mm --size tiny --functional -- --n 96
expect_text "$out" " 3x2 "
expect_exit 0 "${runner[@]}" "$HEDDLE" run matrixMul --functional --json - -- --size=tiny
expect_exit 0 "${runner[@]}" "$HEDDLE" run matrixMul -- --help
expect_text "$out" "columns of B"

# A description may choose the program's input; what the command line says comes later.
expect_exit 0 "${runner[@]}" "$HEDDLE" run BFS-small --size tiny --functional --quiet
expect_text "$out" "48 nodes, 2256 directed edges"
expect_exit 0 "${runner[@]}" "$HEDDLE" run bfs-small --size tiny --functional --quiet -- --input graph500
expect_text "$out" "128 nodes, 2200 directed edges"
expect_exit 1 "${runner[@]}" "$HEDDLE" run BFS-small --size tiny -- --input large
expect_text "$err" "--input large: unknown; choose one of citation|graph500|small"

# Mistakes.
expect_exit 2 "$HEDDLE" run matrixMull
expect_text "$err" "did you mean 'matrixMul'"
expect_exit 2 "$HEDDLE" run qqqqqqqq
expect_text "$err" "heddle list workloads"
expect_exit 2 "$HEDDLE" run "$cases/stencil5_512.case" --size tiny
expect_text "$err" "--size applies to workloads"
expect_exit 2 "$HEDDLE" run "$cases/stencil5_512.case" -- --n 3
expect_text "$err" "unexpected argument '--n'"
expect_exit 2 "${runner[@]}" "$HEDDLE" run matrixMul --size huge
expect_text "$err" "tiny, small or paper"
for wrong in "--n 33" "--n 1e3" "--n -32" "--n" "--n 99999999999999999999" "--q 3" "word"; do
  expect_exit 1 "${runner[@]}" "$HEDDLE" run matrixMul -- --size tiny $wrong
  expect_text "$err" "exited with code 2"
done

# A heddle in a place of its own, as installed: programs go where we may write.
mkdir -p installed/bin installed/share/heddle cache
cp "$HEDDLE" installed/bin/heddle
ln -s "$build/cuda" installed/bin/cuda
for library in "$build"/lib*.so*; do ln -s "$library" installed/bin/; done
ln -s "$HEDDLE_SOURCE/workloads" installed/share/heddle/workloads
: >installed/bin/workloads  # no folder can be made here
export XDG_CACHE_HOME=$scratch/cache/of/mine
expect_exit 0 "${runner[@]}" installed/bin/heddle run matrixMul --size tiny --functional
expect_text "$err" "building the workload matrixMul"
[ -x "$XDG_CACHE_HOME/heddle/workloads/matrixMul" ] || fail "the program is not in the cache"
expect_exit 0 "${runner[@]}" installed/bin/heddle run matrixMul --size tiny --functional
[ -z "$(grep building <<<"$err")" ] || fail "it was built again"
touch -d 2001-01-01 "$XDG_CACHE_HOME/heddle/workloads/matrixMul"
expect_exit 0 "${runner[@]}" installed/bin/heddle run matrixMul --size tiny --functional
expect_text "$err" "building the workload matrixMul"
rm -r cache
: >cache
expect_exit 2 installed/bin/heddle run matrixMul --size tiny
expect_text "$err" "XDG_CACHE_HOME"
rm cache
HEDDLE_CLANG=no-such-clang expect_exit 2 installed/bin/heddle run matrixMul --size tiny
expect_text "$err" "the workload matrixMul: "
expect_text "$err" "install the package"
[ -z "$(ls -A "$XDG_CACHE_HOME/heddle/workloads")" ] || fail "something is left of a failed build"
rm installed/share/heddle/workloads
expect_exit 2 installed/bin/heddle run matrixMul --size tiny
expect_text "$err" "workload sources not found in "
