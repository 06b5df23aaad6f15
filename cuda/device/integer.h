// SPDX-License-Identifier: MIT
// Functions of whole numbers.

EXPORT int __nv_abs(int a) {
  return a < 0 ? (int)-(uint)a : a;
}
EXPORT long long __nv_llabs(long long a) {
  return a < 0 ? (long long)-(ull)a : a;
}
EXPORT int __nv_min(int a, int b) {
  return a < b ? a : b;
}
EXPORT int __nv_max(int a, int b) {
  return a > b ? a : b;
}
EXPORT uint __nv_umin(uint a, uint b) {
  return a < b ? a : b;
}
EXPORT uint __nv_umax(uint a, uint b) {
  return a > b ? a : b;
}
EXPORT long long __nv_llmin(long long a, long long b) {
  return a < b ? a : b;
}
EXPORT long long __nv_llmax(long long a, long long b) {
  return a > b ? a : b;
}
EXPORT ull __nv_ullmin(ull a, ull b) {
  return a < b ? a : b;
}
EXPORT ull __nv_ullmax(ull a, ull b) {
  return a > b ? a : b;
}

EXPORT int __nv_brev(int a) {
  return (int)__builtin_bitreverse32((uint)a);
}
EXPORT long long __nv_brevll(long long a) {
  return (long long)__builtin_bitreverse64((ull)a);
}
EXPORT int __nv_clz(int a) {
  return a ? __builtin_clz((uint)a) : 32;
}
EXPORT int __nv_clzll(long long a) {
  return a ? __builtin_clzll((ull)a) : 64;
}
EXPORT int __nv_ffs(int a) {
  return a ? __builtin_ctz((uint)a) + 1 : 0;
}
EXPORT int __nv_ffsll(long long a) {
  return a ? __builtin_ctzll((ull)a) + 1 : 0;
}
EXPORT int __nv_popc(int a) {
  return __builtin_popcount((uint)a);
}
EXPORT int __nv_popcll(long long a) {
  return __builtin_popcountll((ull)a);
}
EXPORT int __nv_byte_perm(int a, int b, int selector) {
  return __nvvm_prmt(a, b, selector);
}

EXPORT int __nv_mul24(int a, int b) {
  return __nvvm_mul24_i(a, b);
}
EXPORT uint __nv_umul24(uint a, uint b) {
  return __nvvm_mul24_ui(a, b);
}
EXPORT int __nv_mulhi(int a, int b) {
  return __nvvm_mulhi_i(a, b);
}
EXPORT uint __nv_umulhi(uint a, uint b) {
  return __nvvm_mulhi_ui(a, b);
}
EXPORT long long __nv_mul64hi(long long a, long long b) {
  return __nvvm_mulhi_ll(a, b);
}
EXPORT ull __nv_umul64hi(ull a, ull b) {
  return __nvvm_mulhi_ull(a, b);
}
EXPORT int __nv_sad(int a, int b, int c) {
  return __nvvm_sad_i(a, b, c);
}
EXPORT uint __nv_usad(uint a, uint b, uint c) {
  return __nvvm_sad_ui(a, b, c);
}

// Averages without overflow, rounded down and up.
EXPORT int __nv_hadd(int a, int b) {
  return (a & b) + ((a ^ b) >> 1);
}
EXPORT int __nv_rhadd(int a, int b) {
  return (a | b) - ((a ^ b) >> 1);
}
EXPORT uint __nv_uhadd(uint a, uint b) {
  return (a & b) + ((a ^ b) >> 1);
}
EXPORT uint __nv_urhadd(uint a, uint b) {
  return (a | b) - ((a ^ b) >> 1);
}
