// SPDX-License-Identifier: MIT
// The compiler's own atomic functions of CUDA 12.8 and later (__nv_atomic_…), for types of 4 and
// 8 bytes. Every scope is the system's, and every order but the relaxed one has fences around
// the access: as strong as asked for, or stronger.
#ifndef HEDDLE_ATOMIC_BUILTINS_H
#define HEDDLE_ATOMIC_BUILTINS_H

#define __NV_ATOMIC_RELAXED 0
#define __NV_ATOMIC_CONSUME 1
#define __NV_ATOMIC_ACQUIRE 2
#define __NV_ATOMIC_RELEASE 3
#define __NV_ATOMIC_ACQ_REL 4
#define __NV_ATOMIC_SEQ_CST 5

#define __NV_THREAD_SCOPE_THREAD 1
#define __NV_THREAD_SCOPE_BLOCK 2
#define __NV_THREAD_SCOPE_CLUSTER 3
#define __NV_THREAD_SCOPE_DEVICE 4
#define __NV_THREAD_SCOPE_SYSTEM 5

namespace heddle_atomic {

// The unsigned integer of a type's size.
template <unsigned bytes>
struct Bits;
template <>
struct Bits<4> {
  typedef unsigned int type;
};
template <>
struct Bits<8> {
  typedef unsigned long long type;
};

// The type that atomic functions take for an integer: long is one of the others.
template <class T>
struct Plain {
  typedef T type;
};
template <>
struct Plain<long> {
  typedef long long type;
};
template <>
struct Plain<unsigned long> {
  typedef unsigned long long type;
};

template <class To, class From>
HEDDLE_ATOMIC To cast(From from) {
  To to;
  static_assert(sizeof to == sizeof from, "atomic functions take types of 4 and 8 bytes");
  memcpy(&to, &from, sizeof to);
  return to;
}

HEDDLE_ATOMIC void before(int order) {
  if (order != __NV_ATOMIC_RELAXED && order != __NV_ATOMIC_ACQUIRE) __threadfence_system();
}

HEDDLE_ATOMIC void after(int order) {
  if (order != __NV_ATOMIC_RELAXED && order != __NV_ATOMIC_RELEASE) __threadfence_system();
}

HEDDLE_ATOMIC long long add(long long *to, long long value) {
  return (long long)atomicAdd((unsigned long long *)to, (unsigned long long)value);
}
template <class T>
HEDDLE_ATOMIC T add(T *to, T value) {
  return atomicAdd(to, value);
}

// Floats, for which there is no instruction.
template <class T, class Operation>
HEDDLE_ATOMIC T update(T *to, T value, Operation operation) {
  typedef typename Bits<sizeof(T)>::type Word;
  Word *word = (Word *)to, old = *(volatile Word *)word, seen;
  do {
    seen = old;
    old = atomicCAS(word, seen, cast<Word>(operation(cast<T>(seen), value)));
  } while (old != seen);
  return cast<T>(old);
}
HEDDLE_ATOMIC float least(float *to, float value) {
  return update(to, value, [](float a, float b) { return b < a ? b : a; });
}
HEDDLE_ATOMIC double least(double *to, double value) {
  return update(to, value, [](double a, double b) { return b < a ? b : a; });
}
template <class T>
HEDDLE_ATOMIC T least(T *to, T value) {
  return atomicMin(to, value);
}
HEDDLE_ATOMIC float greatest(float *to, float value) {
  return update(to, value, [](float a, float b) { return a < b ? b : a; });
}
HEDDLE_ATOMIC double greatest(double *to, double value) {
  return update(to, value, [](double a, double b) { return a < b ? b : a; });
}
template <class T>
HEDDLE_ATOMIC T greatest(T *to, T value) {
  return atomicMax(to, value);
}

}  // namespace heddle_atomic

HEDDLE_ATOMIC void __nv_atomic_thread_fence(int order, int = __NV_THREAD_SCOPE_SYSTEM) {
  if (order != __NV_ATOMIC_RELAXED) __threadfence_system();
}

template <class T>
HEDDLE_ATOMIC T __nv_atomic_load_n(const T *from, int order, int = __NV_THREAD_SCOPE_SYSTEM) {
  typedef typename heddle_atomic::Bits<sizeof(T)>::type Word;
  heddle_atomic::before(order == __NV_ATOMIC_SEQ_CST ? order : __NV_ATOMIC_RELAXED);
  Word word = *(const volatile Word *)from;
  heddle_atomic::after(order);
  return heddle_atomic::cast<T>(word);
}

template <class T>
HEDDLE_ATOMIC void __nv_atomic_load(const T *from, T *to, int order,
                                    int = __NV_THREAD_SCOPE_SYSTEM) {
  *to = __nv_atomic_load_n(from, order);
}

template <class T, class Value>
HEDDLE_ATOMIC void __nv_atomic_store_n(T *to, Value value, int order,
                                       int = __NV_THREAD_SCOPE_SYSTEM) {
  typedef typename heddle_atomic::Bits<sizeof(T)>::type Word;
  heddle_atomic::before(order);
  *(volatile Word *)to = heddle_atomic::cast<Word>((T)value);
  heddle_atomic::after(order == __NV_ATOMIC_SEQ_CST ? order : __NV_ATOMIC_RELAXED);
}

template <class T>
HEDDLE_ATOMIC void __nv_atomic_store(T *to, T *value, int order, int = __NV_THREAD_SCOPE_SYSTEM) {
  __nv_atomic_store_n(to, *value, order);
}

template <class T, class Value>
HEDDLE_ATOMIC T __nv_atomic_exchange_n(T *to, Value value, int order,
                                       int = __NV_THREAD_SCOPE_SYSTEM) {
  typedef typename heddle_atomic::Bits<sizeof(T)>::type Word;
  heddle_atomic::before(order);
  Word old = atomicExch((Word *)to, heddle_atomic::cast<Word>((T)value));
  heddle_atomic::after(order);
  return heddle_atomic::cast<T>(old);
}

template <class T>
HEDDLE_ATOMIC void __nv_atomic_exchange(T *to, T *value, T *old, int order,
                                        int = __NV_THREAD_SCOPE_SYSTEM) {
  *old = __nv_atomic_exchange_n(to, *value, order);
}

template <class T, class Value>
HEDDLE_ATOMIC bool __nv_atomic_compare_exchange_n(T *to, T *expected, Value value, bool, int order,
                                                  int, int = __NV_THREAD_SCOPE_SYSTEM) {
  typedef typename heddle_atomic::Bits<sizeof(T)>::type Word;
  Word wanted = heddle_atomic::cast<Word>(*expected);
  heddle_atomic::before(order);
  Word old = atomicCAS((Word *)to, wanted, heddle_atomic::cast<Word>((T)value));
  heddle_atomic::after(order);
  if (old != wanted) *expected = heddle_atomic::cast<T>(old);
  return old == wanted;
}

template <class T>
HEDDLE_ATOMIC bool __nv_atomic_compare_exchange(T *to, T *expected, T *value, bool weak, int order,
                                                int failure, int = __NV_THREAD_SCOPE_SYSTEM) {
  return __nv_atomic_compare_exchange_n(to, expected, *value, weak, order, failure);
}

// Each with its old value, and without.
#define HEDDLE_FETCH(name, old)                                              \
  template <class T, class Value>                                            \
  HEDDLE_ATOMIC T __nv_atomic_fetch_##name(T *to, Value given, int order,    \
                                           int = __NV_THREAD_SCOPE_SYSTEM) { \
    typedef typename heddle_atomic::Plain<T>::type Plain;                    \
    typedef typename heddle_atomic::Bits<sizeof(T)>::type Word;              \
    Plain value = (Plain)(T)given, *at = (Plain *)to;                        \
    heddle_atomic::before(order);                                            \
    Plain result = (Plain)(old);                                             \
    heddle_atomic::after(order);                                             \
    return (T)result;                                                        \
  }                                                                          \
  template <class T, class Value>                                            \
  HEDDLE_ATOMIC void __nv_atomic_##name(T *to, Value value, int order,       \
                                        int = __NV_THREAD_SCOPE_SYSTEM) {    \
    __nv_atomic_fetch_##name(to, value, order);                              \
  }
HEDDLE_FETCH(add, heddle_atomic::add(at, value))
HEDDLE_FETCH(sub, heddle_atomic::add(at, (Plain)-value))
HEDDLE_FETCH(and, atomicAnd((Word *)at, (Word)value))
HEDDLE_FETCH(or, atomicOr((Word *)at, (Word)value))
HEDDLE_FETCH(xor, atomicXor((Word *)at, (Word)value))
HEDDLE_FETCH(min, heddle_atomic::least(at, value))
HEDDLE_FETCH(max, heddle_atomic::greatest(at, value))
#undef HEDDLE_FETCH

#endif
