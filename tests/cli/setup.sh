# SPDX-License-Identifier: MIT
# What a fresh machine meets before heddle runs: packages that cannot be had, a
# page that npm cannot build, and continuous integration that hides nothing.
. "$HEDDLE_SOURCE/tests/cli/common"
cd "$scratch"

# A PATH with the named commands alone, and whatever a test puts there.
mkdir bin
for name in bash sh awk cat cksum dirname env grep id ln ls mkdir mktemp rm sed cmake ctest ninja cc clang make true; do
  path=$(command -v "$name") && ln -s "$path" "bin/$name"
done
bare() { env PATH="$scratch/bin" "$@"; }
fake() {  # NAME: a command in bin, its body on standard input
  rm -f "bin/$1"  # never through a link to the real one
  (echo '#!/bin/bash' && cat) >"bin/$1" && chmod +x "bin/$1"
}

# tools/setup: without apt-get, what is optional is named, what is needed is an error.
expect_exit 0 bare "$HEDDLE_SOURCE/tools/setup" --if-possible page
expect_text "$err" "cannot be installed here (no apt-get): nodejs npm"
expect_text "$err" "will not work: reports as .html"
expect_exit 1 bare "$HEDDLE_SOURCE/tools/setup" page
expect_text "$err" "could not be installed (no apt-get)"
expect_exit 2 bare "$HEDDLE_SOURCE/tools/setup" --if-possible pages
# An apt-get that fails is an error, optional or not.
echo 'echo 0' | fake id
echo 'echo "no network" >&2; exit 100' | fake apt-get
expect_exit 1 bare "$HEDDLE_SOURCE/tools/setup" --if-possible page
expect_text "$err" "apt-get update failed"
expect_text "$err" "no network"

# tools/page: no node, no page; with node, what npm says is an error.
expect_exit 0 bare "$HEDDLE_SOURCE/tools/page" build "$scratch/page"
expect_text "$err" "without its report page (node or npm not found)"
[ -e page/report.html ] && [ ! -s page/report.html ] || fail "no empty report.html"
rm page/report.html
echo 'exit 0' | fake node
echo '[ "$1" = config ] && echo http://registry.example/ || { echo "npm error ENOTFOUND"; exit 1; }' | fake npm
expect_exit 1 bare "$HEDDLE_SOURCE/tools/page" build "$scratch/page"
expect_text "$err" "    npm error ENOTFOUND"
expect_text "$err" "It fetches from http://registry.example/"
expect_text "$err" "make PAGE=no"
[ ! -e page/report.html ] || fail "a report.html, although npm failed"
expect_exit 1 bare "$HEDDLE_SOURCE/tools/page" tests "$scratch/page"
expect_exit 0 bare PAGE=no "$HEDDLE_SOURCE/tools/page" build "$scratch/page"

# tools/skips, on what ctest itself writes.
mkdir suite
cat >suite/CTestTestfile.cmake <<'END'
add_test(fine true)
add_test(partly bash -c "echo SKIPPED: no groff >&2")
add_test(absent bash -c "echo SKIPPED: nothing to try it with >&2; exit 77")
set_tests_properties(absent PROPERTIES SKIP_RETURN_CODE 77)
END
expect_exit 2 "$HEDDLE_SOURCE/tools/skips" suite
(cd suite && ctest -O ctest.log >/dev/null)
expect_exit 0 "$HEDDLE_SOURCE/tools/skips" suite
[ "$out" = "skipped: partly: no groff"$'\n'"skipped: absent: nothing to try it with" ] ||
  fail "the list of skipped tests: $out"
printf 'partly\tbecause\nabsent\t\n' >list
expect_exit 1 "$HEDDLE_SOURCE/tools/skips" suite list
expect_text "$err" "absent must not skip anything"
printf 'absent\tbecause\n' >list
expect_exit 1 "$HEDDLE_SOURCE/tools/skips" suite list
expect_text "$err" "partly must not skip anything"
printf 'partly\tbecause\n' >>list
expect_exit 0 "$HEDDLE_SOURCE/tools/skips" suite list
awk -F '\t' 'NF != 2 || $2 == ""' "$HEDDLE_SOURCE/tests/skips.tsv" | grep . && fail "tests/skips.tsv: no reason"

# .ci/run, with a make that leaves these logs: an empty HOME, empty caches, and a
# skipped test that the list does not name is a failure.
mkdir -p clone/tools clone/tests
cp -R "$HEDDLE_SOURCE/.ci" clone
cp "$HEDDLE_SOURCE/tools/skips" clone/tools
cp -R suite clone/build
fake make <<'END'
echo "make $*" >>log
ls -A "$HOME" "$npm_config_cache" "$XDG_CACHE_HOME" >>log 2>/dev/null
echo "$HOME" >home
echo "HEDDLE_RUN=$HEDDLE_RUN" >>log
grep ' tests passed' build/ctest.log
END
touch clone/tests/skips.tsv
expect_exit 1 env PATH="$scratch/bin:$PATH" HEDDLE_RUN=elsewhere bash clone/.ci/run
expect_text "$out" "100% tests passed"
expect_text "$err" "absent must not skip anything"
grep -q '^make test$' clone/log || fail "make test was not run: $(cat clone/log)"
grep -q '^make demo$' clone/log || fail "make demo was not run: $(cat clone/log)"
grep -v -e '^make ' -e ':$' -e '^$' -e '^HEDDLE_RUN=$' clone/log && fail "caches or settings from outside"
[ "$(cat clone/home)" != "$HOME" ] && [ ! -e "$(cat clone/home)" ] || fail "HOME is not of its own"
cp list clone/tests/skips.tsv
expect_exit 0 env PATH="$scratch/bin:$PATH" bash clone/.ci/run </dev/null
echo 'exit 2' | fake make
expect_exit 2 env PATH="$scratch/bin:$PATH" bash clone/.ci/run

# tools/build: eleven lines at most for a log, what a command prints, all of one
# that fails, and everything with VERBOSE.
mkdir project
cat >project/CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.18)
project(steps NONE)
foreach(i RANGE 1 100)
  add_custom_command(OUTPUT step${i} COMMAND ${CMAKE_COMMAND} -E touch step${i})
  list(APPEND steps step${i})
endforeach()
add_custom_command(OUTPUT loud COMMAND ${CMAKE_COMMAND} -E echo "warning: a command speaks")
add_custom_target(steps DEPENDS ${steps} loud)
add_custom_target(broken COMMAND ${CMAKE_COMMAND} -E echo "this is why" COMMAND false)
END
cmake -S project -B project/out -G Ninja >/dev/null
expect_exit 0 "$HEDDLE_SOURCE/tools/build" project/out 2 steps
expect_text "$out" "built 50 %"
expect_text "$out" "warning: a command speaks"
[ "$(wc -l <<<"$out")" -le 12 ] || fail "more than twelve lines: $out"
expect_exit 0 "$HEDDLE_SOURCE/tools/build" project/out 2 steps
[ "$(grep -vc 'a command speaks' <<<"$out")" -le 1 ] || fail "something was printed for nothing: $out"
expect_exit 1 "$HEDDLE_SOURCE/tools/build" project/out 2 broken
expect_text "$out" "this is why"
rm project/out/step*
expect_exit 0 env VERBOSE=1 "$HEDDLE_SOURCE/tools/build" project/out 2 steps
[ "$(grep -c 'touch step' <<<"$out")" = 100 ] || fail "VERBOSE=1 does not show every command"
