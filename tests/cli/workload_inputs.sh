# SPDX-License-Identifier: MIT
# What the workloads share on the host: generators, comparisons, and readers
# against files that are right, wrong and hostile.
. "$HEDDLE_SOURCE/tests/cli/common"

compiler=$(command -v clang++ || command -v g++) || skip "no C++ compiler here"
cd "$scratch"
"$compiler" -std=c++14 -O1 -g -Wall -Wextra -fsanitize=address,undefined -fno-sanitize-recover=all \
  -I "$HEDDLE_SOURCE/workloads" -o inputs "$HEDDLE_SOURCE/tests/workloads/inputs.cpp"
expect_exit 0 ./inputs

reads() {  # KIND TEXT RESULT [FILE]
  printf "$2" >"${4:-file}"
  expect_exit 0 ./inputs "$1" "${4:-file}"
  expect_text "$out" "$3"
}
refuses() {  # KIND TEXT PART-OF-MESSAGE [FILE]
  printf "$2" >"${4:-file}"
  expect_exit 2 ./inputs "$1" "${4:-file}"
  expect_text "$err" "$3"
}

reads graph '# a comment\n0 2\n2 1 # another\n\n1 0' "3 nodes, 3 edges: 0-2 1-0 2-1"
refuses graph '' "no edge"
refuses graph '0 1\n2' "file:2: the file ends where node should be"
refuses graph '0 -1' "'-1' is no node"
refuses graph '0 99999999999999999999' "is no node"
refuses graph '0 99999999' "is no node"
refuses graph '0 1x' "'1x' is no node"
refuses graph '\000\001\002' "is no node"

metis() { reads graph "$1" "$2" file.graph; }
refuses_metis() { refuses graph "$1" "$2" file.graph; }
metis '%% a comment\n3 2\n2\n%% another\n1 3\n2\n' "3 nodes, 4 edges: 0-1 1-0 1-2 2-1"
metis '3 1\n3\n\n1' "3 nodes, 2 edges: 0-2 2-0"
metis '3 1\r\n3\r\n\r\n1\r\n%% end\r\n\r\n' "3 nodes, 2 edges: 0-2 2-0"
metis '2 1 1\n2 99\n1 99\n' "2 nodes, 2 edges: 0-1 1-0"
metis '2 1 111 2\n5 7 8 2 99\n5 7 8 1 99\n' "2 nodes, 2 edges: 0-1 1-0"
metis '2 0\n' "2 nodes, 0 edges"
refuses_metis '' "the file ends where number of nodes should be"
refuses_metis '3\n' "the file ends where number of edges should be"
refuses_metis '2 1\n3\n1\n' "file.graph:2: '3' is no neighbour (1 to 2)"
refuses_metis '2 1\n2\n1 1\n' "file.graph:3: more edges than the header says"
refuses_metis '2 2\n2\n1\n' "fewer edges than the header says"
refuses_metis '2 1\n2\n1\n1\n' "more lines than nodes"
refuses_metis '2 1 7\n2\n1\n' "digits 0 and 1"
refuses_metis '2 1 1\n2\n1 1\n' "should be"
refuses_metis '2 1 0 0 0\n2\n1\n' "unexpected word"
refuses_metis '60000000 1\n2\n1\n' "a line for each node"
refuses_metis '2 1000000000\n2\n1\n' "the file ends"

header='%%%%MatrixMarket matrix coordinate'
reads matrix "$header real general\n%% a comment\n2 3 3\n1 1 1.5\n2 3 -2\n2 1 4\n" "2 x 3, 3 entries: 1.5 2"
reads matrix "$header integer symmetric\n2 2 2\n1 1 1\n2 1 5\n" "2 x 2, 3 entries: 6 5"
reads matrix "$header pattern general\n1 2 2\n1 1\n1 2\n" "1 x 2, 2 entries: 2"
reads matrix "$header real skew-symmetric\n2 2 1\n2 1 5\n" "2 x 2, 2 entries: -5 5"
refuses matrix '1 2 3' "not a Matrix Market file"
refuses matrix "$header complex general\n1 1 1\n1 1 1 1\n" "real, integer or pattern"
refuses matrix "$header real hermitian\n1 1 1\n" "symmetric"
refuses matrix "$header real general\n2 2 2\n1 1 1\n" "the file ends"
refuses matrix "$header real general\n2 2 1\n1 1 1\n2 2 1\n" "more entries than"
refuses matrix "$header real general\n2 2 1\n3 1 1\n" "'3' is no row (1 to 2)"
refuses matrix "$header real general\n2 2 1\n1 1 nan\n" "'nan' is no value"
refuses matrix "$header real general\n2 2 1\n1 1 1e999\n" "is no value"
refuses matrix "$header real general\n2 2 1000000000\n1 1 1\n" "the file ends"
refuses matrix "$header real general\n60000000 2 1\n1 1 1\n" "the file ends"
reads graph "$header pattern symmetric\n3 3 2\n2 1\n3 2\n" "3 nodes, 4 edges: 0-1 1-0 1-2 2-1" file.mtx
refuses graph "$header pattern general\n3 2 1\n2 1\n" "square" file.mtx
refuses matrix "$header real symmetric\n3 2 1\n3 1 1\n" "square"

reads image 'P2 # a comment\n3 2 255\n1 2 3\n4 5 6\n' "3 x 2, sum 21"
reads image 'P5\n2 2\n255\n\001\002\003\040' "2 x 2, sum 38"
refuses image 'P6 1 1 255 x' "neither P2 nor P5"
refuses image 'P5 30000 30000 255 x' "the file ends"
refuses image 'P5 99999 1 255 x' "is no width"
refuses image 'P5 2 2 65535 x' "is no largest grey value"
refuses image 'P2 2 2 9 1 2 3 10' "'10' is no grey value"
refuses image 'P5 2 2 255\n\001\002' "the file ends"

reads genome '>name of it\nACGT\nacgtN\n>another\nTT\n' "11 bases: 0 1 2 3 0 1 2 3 4 3 3"
refuses genome '' "no sequence"
refuses genome '>only a name' "no sequence"
refuses genome '>a\nACGT\nAC1T\n' "file:3: not a letter"
refuses genome '>a\nAC\000GT\n' "not a letter"

expect_exit 2 ./inputs image nowhere
expect_text "$err" "cannot open nowhere"
expect_exit 2 ./inputs graph .
expect_text "$err" "cannot read ."

# Random files, where there is a fuzzer; always the same ones.
fuzzed=(-std=c++14 -O1 -g -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all -I "$HEDDLE_SOURCE/workloads")
if clang++ "${fuzzed[@]}" -o fuzz "$HEDDLE_SOURCE/tests/workloads/inputs_fuzz.cpp" 2>log; then
  mkdir found
  expect_exit 0 ./fuzz -runs=3000 -seed=1 -max_len=300 -rss_limit_mb=4096 -verbosity=0 found \
    "$HEDDLE_SOURCE/tests/fuzz/seeds/inputs"
else
  echo "no libFuzzer here: $(tail -n 1 log)"
fi
