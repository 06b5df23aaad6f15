# SPDX-License-Identifier: MIT
# Programs and libraries that contain NVIDIA's CUDA runtime, as nvcc links by default, use the
# simulated GPU: its functions are redirected. Damaged files run as they are, stripped ones
# are refused. The runtime is made by hand: the names count.
. "$HEDDLE_SOURCE/tests/cli/common"
find_runner
cd "$scratch"

# Functions as large as real ones, which must not run.
cat >runtime.c <<'END'
#include <stdio.h>
#include <stdlib.h>
#define THEIRS(name) __attribute__((visibility("hidden"), noinline)) int name(void *a, size_t b) \
  { fprintf(stderr, "NVIDIA's own " #name " %p %zu\n", a, b); return 99; }
THEIRS(cudaMalloc) THEIRS(cudaFree) THEIRS(cudaGetDeviceCount) THEIRS(cudaNoSuchFunction)
THEIRS(cudaMemset_of_the_program)
__attribute__((visibility("hidden"), noinline)) void **__cudaRegisterFatBinary(void *a) { printf("their registration %p\n", a); return 0; }
END
cat >program.c <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
int cudaMalloc(void *, size_t), cudaFree(void *), cudaGetDeviceCount(int *), cudaNoSuchFunction(void *, size_t);
int main(int argc, char **argv) {
  void *p = 0;
  int count = 0, error = cudaGetDeviceCount(&count);
  error |= cudaMalloc(&p, 64);
  error |= cudaFree(p);
  printf("%d devices, error %d\n", count, error);
  if (argc > 1) printf("%d\n", cudaNoSuchFunction(p, 1));
  if (argc > 2) fflush(stdout), _exit(0);
  return error;
}
END
"${CC:-cc}" -O1 -fPIC -c runtime.c -o runtime.o 2>log || skip "no C compiler here: $(cat log)"
for options in "-fPIE -pie" "-fno-pie -no-pie" "-fPIE -pie -Wl,-z,relro,-z,now"; do
  "${CC:-cc}" -O1 $options program.c runtime.o -o program || fail "cc $options"
  expect_exit 0 "${runner[@]}" "$HEDDLE" run --functional --json out.json -- ./program
  expect_text "$out" "1 devices, error 0"
  [ "$(jq -r .complete out.json)" = true ] || fail "$options: $(cat out.json)"
done
# What we do not have stays; _exit writes results, too.
expect_exit 0 "${runner[@]}" "$HEDDLE" run --functional --json out.json -- ./program x y
expect_text "$err" "NVIDIA's own cudaNoSuchFunction"
[ "$(jq -r .complete out.json)" = true ] || fail "_exit: $(cat out.json)"
# By itself the program is unchanged; heddle redirects in memory only.
expect_exit 99 "${runner[@]}" ./program
expect_text "$err" "NVIDIA's own cudaMalloc"

# In a library, and behind a script.
"${CC:-cc}" -shared -fPIC -Dmain=library_main program.c runtime.o -o libinside.so || fail "no library"
printf 'int library_main(int, char **);\nint main() { return library_main(1, 0); }\n' >user.c
"${CC:-cc}" user.c -L. -linside -Wl,-rpath,"$PWD" -o user || fail "no user of the library"
printf '#!/bin/sh\nls >/dev/null && exec ./user\n' >script
chmod +x script
for program in ./user ./script; do
  expect_exit 0 "${runner[@]}" "$HEDDLE" run --functional -- $program
  expect_text "$out" "1 devices, error 0"
done

# Without symbols nothing can be redirected.
cp program stripped
strip stripped
expect_exit 1 "${runner[@]}" "$HEDDLE" run --functional -- ./stripped
expect_text "$err" "NVIDIA's own cudaMalloc"

# Damage to the symbol table: the program runs, whatever is in there.
size=$(stat -c %s program)
symbols=$(readelf -SW program | sed -n 's/.*\] \.symtab *SYMTAB *[0-9a-f]* *\([0-9a-f]*\) .*/\1/p')
for damage in 40:8 58:6 $((16#$symbols + 24)):40 $((16#$symbols + 480)):400 $((size - 1600)):400 $((size - 500)):200 $((size - 60)):60; do
  cp program damaged
  offset=${damage%:*}
  head -c "${damage#*:}" /dev/zero | tr '\0' '\377' | dd of=damaged bs=1 seek="$offset" conv=notrunc 2>/dev/null
  "${runner[@]}" "$HEDDLE" run --functional -- ./damaged >damaged.out 2>&1 || true
  grep -q -e "error 0" -e "error 99" damaged.out || fail "damage at $offset: $(cat damaged.out)"
done

find_nvcc || exit 0
cat >static.cu <<'END'
#include <cstdio>
__constant__ float c;
__device__ int d;
__managed__ int m;
__global__ void k(float *p) { *p = c + 1, d = 7, m = 5; }
int main() {
  float one = 1, *p, h = 0;
  int got = 0;
  cudaMalloc(&p, 4);
  cudaMemcpyToSymbol(c, &one, 4);
  k<<<1, 1>>>(p);
  cudaMemcpy(&h, p, 4, cudaMemcpyDeviceToHost);
  cudaMemcpyFromSymbol(&got, d, 4);
  cudaDeviceProp properties;
  cudaGetDeviceProperties(&properties, 0);
  printf("%g %d %d %s\n", h, got, m, properties.name);
  return cudaDeviceSynchronize();
}
END
"$nvcc" static.cu -o static >log 2>&1 || fail "$(cat log)"
expect_exit 0 "${runner[@]}" "$HEDDLE" run --gpu tiny -- ./static
expect_text "$out" "2 7 5 Heddle tiny"
strip static
expect_exit 2 "${runner[@]}" "$HEDDLE" run -- ./static
expect_text "$err" "do not strip it"
