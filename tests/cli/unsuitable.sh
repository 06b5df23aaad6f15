# SPDX-License-Identifier: MIT
# Programs that cannot be simulated say why and what to do: NVIDIA's runtime
# inside, machine code only, no GPU at all. Exit code 2, and no empty table.
. "$HEDDLE_SOURCE/tests/cli/common"
find_runner
cd "$scratch"

refused() {  # TEXT PROGRAM: also where the program itself sees nothing wrong
  expect_exit 2 "${runner[@]}" "$HEDDLE" run --json out.json -- "./$2"
  expect_text "$err" "$2: $1"
  [ "$(grep -c . <<<"$err")" = 1 ] || fail "more than one line: $err"
  case $out in *" on gtx480"*) fail "an empty table: $out" ;; esac
  expect_text "$(cat out.json)" '"complete": false'
  expect_text "$(cat out.json)" "\"error\": \"$1"
}

# What NVIDIA's runtime does, wherever it is linked to: it opens the driver and asks
# for tables of functions that have no names.
cat >inside.c <<'END_OF_PROGRAM'
#include <dlfcn.h>
#include <stdio.h>
int main(void) {
  static const char id[16] = {0x6b, (char)0xd5, (char)0xfb, 0x6c, 0x5b, (char)0xf4, (char)0xe7, 0x4a};
  void *driver = dlopen("libcuda.so.1", RTLD_NOW);
  if (!driver) return puts(dlerror()), 9;
  int (*init)(unsigned) = (int (*)(unsigned))dlsym(driver, "cuInit");
  int (*get)(const void **, const void *) = (int (*)(const void **, const void *))dlsym(driver, "cuGetExportTable");
  const void *table;
  init(0);
  printf("error %d\n", get(&table, id));
  return 0;
}
END_OF_PROGRAM
cc inside.c -o inside -ldl 2>log || skip "no C compiler here: $(cat log)"
refused "the program links NVIDIA's CUDA runtime statically" inside
expect_text "$err" "nvcc -cudart shared"

# The same in a library, which is named; a warning if the program's own kernels ran.
cc -shared -fPIC -Dmain=foreign inside.c -o libforeign.so -ldl || fail "no library"
printf 'int foreign(void);\nint main(void) { return foreign(); }\n' >user.c
cc user.c -o user -L. -lforeign -Wl,-rpath,"$PWD" || fail "no user of the library"
expect_exit 2 "${runner[@]}" "$HEDDLE" run -- ./user
expect_text "$err" "libforeign.so contains NVIDIA's CUDA runtime without symbols, which cannot use"
expect_text "$err" "build it with nvcc -cudart shared"

expect_exit 2 "${runner[@]}" "$HEDDLE" run -- true
expect_text "$err" "true does not use the simulated GPU"

if find_nvcc; then
  printf '__global__ void k() {}\nint main() { k<<<1, 1>>>(); cudaDeviceSynchronize(); return 0; }\n' >k.cu
  "$nvcc" k.cu -o static >log 2>&1 || fail "$(cat log)"
  strip static
  refused "the program links NVIDIA's CUDA runtime statically" static
  "$nvcc" -cudart shared -gencode arch=compute_80,code=sm_80 k.cu -o sass >log 2>&1 || fail "$(cat log)"
  refused "the program contains only machine code (SASS, sm_80)" sass
  # The driver API goes past a runtime that is there and not used.
  "$nvcc" "$HEDDLE_SOURCE/tests/cuda/driver/virtual_memory.cpp" -lcuda -L"$(dirname "$HEDDLE")" -o driver >log 2>&1 || fail "$(cat log)"
  "$HEDDLE" cc -ptx "$HEDDLE_SOURCE/tests/cuda/driver/kernels.cu" -o kernels.ptx >log 2>&1 || fail "$(cat log)"
  expect_exit 0 "${runner[@]}" "$HEDDLE" run --functional -- ./driver kernels.ptx
fi

printf 'extern "C" int foreign(void);\n__global__ void k() {}\nint main() { k<<<1, 1>>>(); cudaDeviceSynchronize(); return foreign(); }\n' >both.cu
if "$HEDDLE" cc both.cu -o both -L. -lforeign -Wl,-rpath,"$PWD" >log 2>&1; then
  expect_exit 0 "${runner[@]}" "$HEDDLE" run -- ./both
  expect_text "$err" "libforeign.so contains NVIDIA's CUDA runtime without symbols: its kernels did not run"
fi

# Machine code only: the PTX of a program is called machine code. It ignores errors.
printf '__global__ void k() {}\nint main() { k<<<1, 1>>>(); cudaDeviceSynchronize(); return 0; }\n' >k.cu
"$HEDDLE" cc k.cu -o k >log 2>&1 || skip "heddle cc does not work here: $(cat log)"
place=$(LC_ALL=C grep -obaP '\x50\xed\x55\xba' k | tail -n 1 | cut -d: -f1)
printf '\002' | dd of=k bs=1 seek=$((place + 16)) conv=notrunc 2>/dev/null
refused "the program contains only machine code (SASS, sm_" k
expect_text "$err" "nvcc -gencode arch=compute_"
