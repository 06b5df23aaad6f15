// SPDX-License-Identifier: MIT
// What a kernel may ask of its runtime: printf, assert, malloc, new, clocks,
// memset and memcpy.
//
// alloc: out s32 128
//
// run: printf
// launch: prints 1 1 1 2 1 1
// expect-print: 0 of 2: 3.1416 x -5 ffffffff 12345678901 str
// expect-print: 1 of 2: 4.1416 y -4 ffffffff 12345678902 str
//
// run: assert
// launch: asserts 1 1 1 32 1 1 i:20
// expect-error: assertion failed
// expect-error: thread (20,0,0)
// expect-error: i < limit
//
// run: an assertion that holds
// launch: asserts 1 1 1 32 1 1 i:32
// expect: total.ctas == 1
//
// run: lists on the heap
// launch: lists 1 1 1 32 1 1 $out
// expect: out[0..31] == i * (i + 1) / 2
//
// run: memory moved in bulk
// launch: bulk 1 1 1 32 1 1 $out
// expect: out[0..31] == i == 7 ? 0x01010101 : i
//
// run: time goes on
// launch: clocks 1 1 1 32 1 1 $out
// expect: out[0..31] == 7
//
// run: inline assembly
// launch: assembly 1 1 1 32 1 1 $out
// expect: out[0..31] == i * 2 + 1 + i
#include <assert.h>
#include <stdio.h>
#include <string.h>

extern "C" __global__ void prints() {
  printf("%d of %u: %.4f %c %d %x %lld %s\n", threadIdx.x, blockDim.x, 3.14159 + threadIdx.x,
         'x' + threadIdx.x, -5 + (int)threadIdx.x, ~0u, 12345678901ll + threadIdx.x, "str");
}

extern "C" __global__ void asserts(int limit) {
  int i = threadIdx.x;
  assert(i < limit);
}

struct Node {
  int value;
  Node *next;
};

extern "C" __global__ void lists(int *out) {
  Node *head = NULL;
  int i = threadIdx.x, sum = 0;
  for (int k = 0; k <= i; k++) {
    Node *node = k % 2 ? new Node : (Node *)malloc(sizeof(Node));
    node->value = k;
    node->next = head;
    head = node;
  }
  while (head) {
    Node *next = head->next;
    sum += head->value;
    if (head->value % 2)
      delete head;
    else
      free(head);
    head = next;
  }
  out[i] = sum;
}

extern "C" __global__ void bulk(int *out) {
  int i = threadIdx.x, local[64];
  for (int k = 0; k < 64; k++) local[k] = k;
  int copy[64];
  memcpy(copy, local, sizeof copy);
  memset(&copy[(i + 7) % 64 * 0 + 7], 1, sizeof(int));
  memcpy(out + i, copy + i, sizeof(int));
}

extern "C" __global__ void clocks(int *out) {
  long long start = clock64();
  unsigned long long timer;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(timer));
  clock_t small = clock();
  __nanosleep(100);
  unsigned long long later;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(later));
  out[threadIdx.x] = (clock64() > start) + 2 * (clock() != small) + 4 * (later > timer);
}

extern "C" __global__ void assembly(int *out) {
  int i = threadIdx.x, y;
  asm("{\n .reg .u32 t;\n shl.b32 t, %1, 1;\n add.u32 %0, t, 1;\n}" : "=r"(y) : "r"(i));
  asm("{ .reg .pred p; setp.ge.s32 p, %1, 0; @p add.s32 %0, %0, %1; }" : "+r"(y) : "r"(i));
  out[i] = y;
}
