# SPDX-License-Identifier: MIT
# Programs built with `heddle cc` pass their own checks on the simulated GPU, at
# several settings; options, inputs of several languages and mistakes are dealt
# with; the PTX of every program loads.
. "$HEDDLE_SOURCE/tests/cli/common"

need_cc
build=$(dirname "$HEDDLE")
export LD_LIBRARY_PATH=$build${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}

find_runner
programs=$HEDDLE_SOURCE/tests/cc
cd "$scratch"
mkdir tmp
export TMPDIR=$scratch/tmp

# loads PTX: a case with a kernel that is not there is refused by that name, and
# only after the whole module has been read and linked.
loads() {
  cat >loads.case <<END
ptx $1
launch heddle_no_such_kernel 1 1 1 1 1 1
END
  expect_exit 2 "$HEDDLE" run loads.case --functional
  expect_text "$err" heddle_no_such_kernel
}

# check NAME OPTION...: builds and runs it.
check() {
  local name=$1
  shift
  expect_exit 0 "$HEDDLE" cc "$@" "$programs/$name.cu" -o "$name"
  expect_exit 0 "${runner[@]}" "./$name"
  expect_text "$out" PASSED
}

names="vecadd undefined_members loop_indices hints matmul reduce barriers known_powers histogram constants structs textures groups shuffles min_max half bfloat16 fp8 streams intrinsics float_overloads"
for name in $names; do
  check "$name" -O2
  expect_exit 0 "$HEDDLE" cc -ptx "$programs/$name.cu"
  [ -s "$name.ptx" ] || fail "there is no $name.ptx"
  loads "$name.ptx"
done
check math -O3
# expf and tanhf are short from Volta on, and libclc's before.
echo '__global__ void k(float *p) { p[0] = expf(p[1]) + tanhf(p[2]); }' >short.cu
expect_exit 0 "$HEDDLE" cc -ptx -arch=sm_70 short.cu
[ "$(grep -c -E 'ex2\.|rcp\.|div\.|selp\.' short.ptx)" -le 7 ] && ! grep -q 'div\.' short.ptx || fail "expf and tanhf for sm_70: $(cat short.ptx)"
expect_exit 0 "$HEDDLE" cc -ptx -arch=sm_35 short.cu
grep -q 'div\.' short.ptx || fail "expf and tanhf for sm_35 are not libclc's"
# The only logarithm left is of a value known at run time.
count=$(grep -c 'lg2\.approx' known_powers.ptx)
[ "$count" = 1 ] || fail "$count logarithms in known_powers.ptx"
case $(cat known_powers.ptx) in *ex2.approx*ex2.approx*) fail "a power of constants is computed" ;; esac
# As nvcc's, a remainder by a power stays one.
count=$(grep -c 'rem\.s32' known_powers.ptx)
[ "$count" = 4 ] || fail "$count remainders in known_powers.ptx"
# Eight fetches of an unrolled loop between uses of a shared value.
count=$(grep -c 'ld\.shared' textures.ptx)
[ "$count" = 1 ] || fail "$count loads of shared memory in textures.ptx"

# What is written anew in headers: errors and dependencies name the original.
check headers
expect_exit 0 "$HEDDLE" cc -c "$programs/headers.cu" -MD -MF headers.d
expect_text "$(cat headers.d)" "$programs/headers/deeper.h"
case $(cat headers.d) in *"$TMPDIR"*) fail "dependencies on temporary files: $(cat headers.d)" ;; esac
mkdir include
echo 'inline void f(int *p) { k << <1, 1 >> >(p, undeclared); }' >include/wrong.h
printf '__global__ void k(int *p, int n);\n#include <wrong.h>\n' >wrong_header.cu
expect_exit 2 "$HEDDLE" cc -c -I include wrong_header.cu
expect_text "$err" "include/wrong.h:1:"

# People read a name, programs get the one that PTX has.
expect_exit 0 "${runner[@]}" "$HEDDLE" run --functional --json names.json -- ./vecadd
expect_text "$out" "  add "
expect_text "$(cat names.json)" _Z3add

# instructions OPTION...: how many warp instructions the kernels take. Kernels are
# optimised unless -G says otherwise; -O is for the host, as with nvcc.
instructions() {
  expect_exit 0 "$HEDDLE" cc "$@" "$programs/matmul.cu" -o counted
  expect_exit 0 "${runner[@]}" "$HEDDLE" run --functional -- ./counted
  awk '/all 2 launches/ { gsub(",", ""); print $4 }' <<<"$out"
}
optimised=$(instructions -O3)
for options in "" "-O0 -G -dopt=on"; do
  count=$(instructions $options)
  [ "$count" = "$optimised" ] || fail "'$options': $count warp instructions, with -O3 $optimised"
done
count=$(instructions -G)
[ "$count" -gt $((optimised * 3 / 2)) ] || fail "-G: $count warp instructions, with -O3 $optimised"
expect_exit 2 "$HEDDLE" cc -dopt=off "$programs/matmul.cu"
expect_text "$err" "the only value is 'on'"

check vecadd -G -g
check matmul -O3 -use_fast_math -arch=sm_80 -lineinfo -std=c++17
check reduce -O0 -gencode arch=compute_70,code=sm_70 -gencode arch=compute_75,code=compute_75
check streams --default-stream per-thread
check structs --expt-extended-lambda --expt-relaxed-constexpr -Xptxas -v -Xcompiler -Wall,-O1

# Several files and languages in one go, and one by one.
units="$programs/units/main.cu $programs/units/device.cu $programs/units/host.cpp
  $programs/units/plain.c"
expect_exit 0 "$HEDDLE" cc -std=c++14 $units -lm -o units
expect_exit 0 "${runner[@]}" ./units
expect_exit 0 "$HEDDLE" cc -c -O1 $units
expect_exit 0 "$HEDDLE" cc main.o device.o host.o plain.o -o units_apart
expect_exit 0 "${runner[@]}" ./units_apart

# Relocatable device code: in one go, and from objects and a library.
expect_exit 0 "$HEDDLE" cc -rdc=true -DRELOCATABLE $units -o linked
expect_exit 0 "${runner[@]}" ./linked
expect_text "$out" PASSED
expect_exit 0 "$HEDDLE" cc -dc -DRELOCATABLE $units
expect_exit 0 "$HEDDLE" cc -lib device.o plain.o -o libparts.a
for options in "-L. -lparts" "libparts.a"; do
  rm -f linked_apart
  expect_exit 0 "$HEDDLE" cc main.o host.o $options -o linked_apart
  expect_exit 0 "${runner[@]}" ./linked_apart
  expect_text "$out" PASSED
done

# The same with the host's compiler as the linker, as makefiles have it; and
# with nvcc's name and folders for those that ask for these.
cuda=$build/cuda
objects="main.o device.o host.o plain.o"
expect_exit 0 "$HEDDLE" cc -dlink $objects -o device_link.o
expect_exit 0 "$(command -v g++ || command -v clang++)" $objects device_link.o -o linked_by_host -L"$cuda/lib64" -lcudart
LD_LIBRARY_PATH=$cuda/lib64 expect_exit 0 "${runner[@]}" ./linked_by_host
expect_text "$out" PASSED
expect_exit 0 "$HEDDLE" cc $objects device_link.o -o linked_again
expect_exit 0 "${runner[@]}" ./linked_again
expect_text "$out" PASSED
expect_exit 0 "$cuda/bin/nvcc" -I "$cuda/include" "$programs/vecadd.cu" -o by_nvcc -L"$cuda/lib64" -lcudart
expect_exit 0 "${runner[@]}" ./by_nvcc
expect_text "$out" PASSED
NVCC_PREPEND_FLAGS='-DA=1 -DB=2' NVCC_APPEND_FLAGS=-UA expect_exit 0 "$cuda/bin/nvcc" -DC -dryrun -c "$programs/vecadd.cu"
expect_text "$out$err" "-DA=1 -DB=2 -DC -UA"
expect_exit 0 "$cuda/bin/nvcc" --version
expect_text "$out" "release 11.5"
# The headers of a toolkit in -I are found behind ours, and its libraries in -L.
mkdir -p toolkit/include toolkit/lib64
echo '#error the wrong header' >toolkit/include/cuda_runtime.h
echo '#define FROM_TOOLKIT 1' >toolkit/include/of_toolkit.h
echo 'INPUT(no_such_library)' >toolkit/lib64/libcudart.so
printf '#include <cuda_runtime.h>\n#include <of_toolkit.h>\nint main() { return !FROM_TOOLKIT; }\n' >toolkit.cu
expect_exit 0 "$HEDDLE" cc -Itoolkit/include -Ltoolkit/lib64 -lcudart toolkit.cu -o toolkit_program
expect_exit 0 "${runner[@]}" ./toolkit_program

# What is embedded says what it was compiled for.
expect_exit 0 "$HEDDLE" cc -arch sm_52 -ptx "$programs/vecadd.cu" -o -
expect_text "$out" ".target sm_52"
# A vector is copied by one load and one store, as by nvcc.
printf '__global__ void k(float4 *to, const float4 *from) { to[threadIdx.x] = from[threadIdx.x]; }\n' >copy.cu
expect_exit 0 "$HEDDLE" cc -ptx copy.cu -o -
[ "$(grep -cE '(ld|st)\.global\.' <<<"$out")" = 2 ] && [ "$(grep -c 'global.v4' <<<"$out")" = 2 ] || fail "copy: $out"
expect_exit 0 "$HEDDLE" cc -arch=sm_20 -ptx "$programs/vecadd.cu" -o -
expect_text "$err" "sm_35"
expect_exit 0 "$HEDDLE" cc -maxrregcount=32 -dryrun "$programs/vecadd.cu" -o never
expect_text "$err" "maxrregcount is ignored"
[ ! -e never ] || fail "a dry run built something"

# Mistakes.
expect_exit 2 "$HEDDLE" cc
expect_exit 2 "$HEDDLE" cc -o prog
expect_text "$err" "no input file"
expect_exit 2 "$HEDDLE" cc --relocatable-device-cod=true "$programs/vecadd.cu"
expect_text "$err" "relocatable-device-code"
expect_exit 2 "$HEDDLE" cc -cubin "$programs/vecadd.cu"
expect_text "$err" "not machine code"
expect_exit 2 "$HEDDLE" cc -fatbin host.o
expect_text "$err" "host.o: unsupported input file type"
expect_exit 2 "$HEDDLE" cc -c "$programs/vecadd.cu" "$programs/matmul.cu" -o both.o
expect_text "$err" "-o: one output file given"
echo '__global__ void __cluster_dims__(2, 1, 1) k() {}' >dims.cu
expect_exit 2 "$HEDDLE" cc -c dims.cu
expect_text "$err" "dims.cu:1:17: error: thread block clusters (__cluster_dims__) are not supported"
expect_exit 2 "$HEDDLE" cc nowhere.cu
expect_text "$err" nowhere.cu
echo '__global__ void k(int *p) { *p = undeclared; }' >wrong.cu
expect_exit 2 "$HEDDLE" cc -c wrong.cu
expect_text "$err" "undeclared"
# A clang without its OpenMP library.
cat >no-openmp <<'END'
#!/bin/sh
case "$*" in
  -print-file-name=include/omp.h) echo include/omp.h ;;
  *-fopenmp*-lcudart*) echo "cannot find -lomp" >&2; exit 1 ;;
  *) exec clang "$@" ;;
esac
END
chmod +x no-openmp
HEDDLE_CLANG=$scratch/no-openmp expect_exit 2 "$HEDDLE" cc -Xcompiler -fopenmp "$programs/vecadd.cu" -o openmp
expect_text "$err" "cannot find -lomp"
expect_text "$err" "-fopenmp needs clang's OpenMP library (libomp), which is missing; install libomp-dev"
HEDDLE_CLANG=no-such-clang expect_exit 2 "$HEDDLE" cc "$programs/vecadd.cu"
expect_text "$err" "no-such-clang"
expect_text "$err" "install"
expect_exit 2 env -u HEDDLE_CLANG PATH=/nowhere "$HEDDLE" cc "$programs/vecadd.cu"
expect_text "$err" "install the package"
printf '#include <vector>\n # include <cusolverMg.h>\n' >foreign.cu
expect_exit 2 "$HEDDLE" cc -c foreign.cu
expect_text "$err" "cuSOLVERMg, a library of NVIDIA's that heddle cc does not provide"

# Sources are rewritten in a folder that was reached through a symbolic link, too.
mkdir elsewhere && ln -s elsewhere folder_link
echo '__global__ void child() {} __global__ void parent() { child<<<1, 1>>>(); } int main() {}' >elsewhere/launch.cu
(cd folder_link && "$HEDDLE" cc -c launch.cu) || fail "not rewritten behind a symbolic link"

# Nothing is left where temporary files go.
left=$(ls tmp)
[ -z "$left" ] || fail "left behind: $left"
