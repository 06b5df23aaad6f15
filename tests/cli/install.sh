# SPDX-License-Identifier: MIT
# make install: what is installed works from where it was put, finds all it
# needs, and lets others build policies and programs; the manual page and
# completions know every verb.
. "$HEDDLE_SOURCE/tests/cli/common"
build=$(dirname "$HEDDLE")
[ -e "$build/cmake_install.cmake" ] || fail "$build is not a build tree"
prefix=$scratch/root/opt/it
DESTDIR=$scratch/root cmake --install "$build" --prefix /opt/it >/dev/null
installed=$prefix/bin/heddle
find_runner
cd "$scratch"
export XDG_CACHE_HOME=$scratch/cache

expect_exit 0 "$installed" run "$cases/vecadd_20k.case" --functional
expect_text "$out" "sum C = 209848320"
expect_exit 0 "$installed" --version
find "$prefix" -type l ! -exec test -e {} \; -print | grep . && fail "links that lead nowhere"

# Programs and workloads.
if can_compile; then
  expect_exit 0 "${runner[@]}" "$installed" cc "$HEDDLE_SOURCE/tests/cc/vecadd.cu" -o vecadd
  expect_exit 0 "${runner[@]}" "$installed" run -- ./vecadd
  expect_text "$out" "CTAs, "
  expect_exit 0 "${runner[@]}" "$installed" run matrixMul --size tiny --functional
  expect_text "$out" PASSED
  [ -x "$XDG_CACHE_HOME/heddle/workloads/matrixMul" ] || fail "the workload is not in the cache"
  [ ! -e "$prefix/bin/workloads" ] || fail "something was put beside the program"
else
  skip_part "clang or libclc not found"
fi

# A policy, with what pkg-config says.
if command -v pkg-config >/dev/null; then
  export PKG_CONFIG_PATH=$prefix/lib/pkgconfig
  cc $(pkg-config --cflags heddle) -D_DEFAULT_SOURCE -shared -fPIC -std=c11 \
    "$HEDDLE_SOURCE/examples/plugin/youngest.c" -o youngest.so
  expect_exit 0 "$installed" list policies --plugin ./youngest.so
  expect_text "$out" "youngest"

  # One of each family, from the installed headers only, in C and in C++: it runs,
  # and the program's result is the same.
  vecadd=$HEDDLE_SOURCE/tests/reference/cases/vecadd_20k.case
  for source in "$HEDDLE_SOURCE"/examples/plugin/*.c; do
    cc $(pkg-config --cflags heddle) -D_DEFAULT_SOURCE -Wall -Wextra -Werror -shared -fPIC -std=c11 \
      "$source" -o "$(basename "$source" .c).so"
  done
  while read -r policy plugins; do
    options=()
    for plugin in $plugins; do options+=(--plugin "./$plugin.so"); done
    expect_exit 0 "$installed" run "$vecadd" "${options[@]}" --scheme "$policy" --json -
    expect_text "$out" '"C": 209848320'
  done <<'POLICIES'
youngest youngest
oldest_loads:limit=1 oldest_loads
last_sm_first last_sm_first
children_first children_first
half half
second_line second_line
first_warps:warps=1 first_warps
replacement=srrip srrip
last_read last_read
reads_first reads_first
pages pages
miss_counter miss_counter miss_tally
POLICIES
  expect_text "$out" '"shared.miss_tally.total": 1280'
  expect_exit 0 "$installed" run "$vecadd" --plugin ./stores.so --observe stores --json -
  expect_text "$out" '"bytes": 81920'
  expect_exit 0 "$installed" list observers --plugin ./stores.so
  expect_text "$out" "stores of each kernel"
  cxx=$(command -v c++ || command -v g++ || command -v clang++)
  "$cxx" $(pkg-config --cflags heddle) -Wall -shared -fPIC -std=c++20 \
    "$HEDDLE_SOURCE/examples/plugin/round_and_round.cpp" -o round_and_round.so
  expect_exit 0 "$installed" run "$vecadd" --plugin ./round_and_round.so --scheme round_and_round:step=3 --json -
  expect_text "$out" '"warp_scheduler.round_and_round.issues": 12160'
else
  skip_part "pkg-config not found"
fi

# The same with CMake.
mkdir project && cd project
cp "$HEDDLE_SOURCE/examples/plugin/youngest.c" .
cat >CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.18)
project(mine C)
find_package(heddle REQUIRED)
add_library(youngest MODULE youngest.c)
target_link_libraries(youngest PRIVATE heddle::plugin)
get_target_property(program heddle::heddle LOCATION)
get_target_property(cudart heddle::cudart LOCATION)
foreach(file ${program} ${cudart})
  if(NOT EXISTS ${file})
    message(FATAL_ERROR "there is no ${file}")
  endif()
endforeach()
END
cmake -S . -B out -DCMAKE_PREFIX_PATH="$prefix" >cmake.log 2>&1 || fail "$(cat cmake.log)"
cmake --build out >cmake.log 2>&1 || fail "$(cat cmake.log)"
[ -e out/libyoungest.so ] || fail "no plugin"
cd ..

# The manual page and completions have every verb.
page=$prefix/share/man/man1/heddle.1
verbs=$("$installed" --help | sed -n 's/^  \([a-z-]*\) .*/\1/p' | grep -v -- --)
[ "$(wc -w <<<"$verbs")" -ge 11 ] || fail "verbs: $verbs"
for verb in $verbs; do grep -q "^\.SS heddle ${verb//-/.*} " "$page" || fail "$verb is not in the page"; done
if command -v man >/dev/null && command -v groff >/dev/null; then
  [ -z "$(man -l --warnings "$page" 2>&1 >/dev/null)" ] || fail "$(man -l --warnings "$page" 2>&1 >/dev/null)"
else
  skip_part "man or groff not found"
fi

# The documents, where help and the manual page say they are.
expect_exit 0 "$installed" --help
expect_text "$out" "Documents (docs/NAME.md) are in $prefix/share/doc/heddle/docs."
cmp "$HEDDLE_SOURCE/docs/cuda.md" "$prefix/share/doc/heddle/docs/cuda.md"
for document in $(sed -n 's|^/opt/it/\(share/doc/.*\.md\)$|\1|p' "$page" | sed 's/\\//g'); do
  [ -s "$prefix/$document" ] || fail "the manual page names $document, which is not there"
done
for document in "$HEDDLE_SOURCE"/docs/*.md; do
  grep -qF "/docs/$(basename "$document" | sed 's/-/\\-/g')" "$page" || fail "$document is not in the manual page"
done
[ -s "$prefix/share/doc/heddle/README.md" ] || fail "no README"

# Completions stand where shells look; tests/cli/completion.sh tries them.
for file in bash-completion/completions/heddle zsh/site-functions/_heddle fish/vendor_completions.d/heddle.fish; do
  grep -q "completion words" "$prefix/share/$file" || fail "no completion in share/$file"
done
