// SPDX-License-Identifier: MIT
// The type of the kernel that a launch in device code means: kernel_of<count>(&name, 0), where
// `count` is how many arguments the launch has. A name that stands for one kernel is that
// kernel; of overloads, the one with as many parameters. Overloads with equally many parameters
// are not told apart: clang reports them as ambiguous.
#ifndef HEDDLE_KERNEL_CHOICE_H
#define HEDDLE_KERNEL_CHOICE_H

#include <type_traits>

namespace heddle {

// For overloads `P` cannot be deduced and is empty, which must not choose one without parameters.
template <int count, typename... P>
__host__ __device__ auto kernel_of(void (*kernel)(P...), int) ->
    typename std::enable_if<sizeof...(P) != 0 || count == 0, void (*)(P...)>::type;

#define HEDDLE_TYPES_1(word) word P1
#define HEDDLE_TYPES_2(word) HEDDLE_TYPES_1(word), word P2
#define HEDDLE_TYPES_3(word) HEDDLE_TYPES_2(word), word P3
#define HEDDLE_TYPES_4(word) HEDDLE_TYPES_3(word), word P4
#define HEDDLE_TYPES_5(word) HEDDLE_TYPES_4(word), word P5
#define HEDDLE_TYPES_6(word) HEDDLE_TYPES_5(word), word P6
#define HEDDLE_TYPES_7(word) HEDDLE_TYPES_6(word), word P7
#define HEDDLE_TYPES_8(word) HEDDLE_TYPES_7(word), word P8
#define HEDDLE_TYPES_9(word) HEDDLE_TYPES_8(word), word P9
#define HEDDLE_TYPES_10(word) HEDDLE_TYPES_9(word), word P10
#define HEDDLE_TYPES_11(word) HEDDLE_TYPES_10(word), word P11
#define HEDDLE_TYPES_12(word) HEDDLE_TYPES_11(word), word P12

// `long` makes it the second choice.
#define HEDDLE_KERNEL_OF(number)                                                         \
  template <int count, HEDDLE_TYPES_##number(typename)>                                  \
  __host__ __device__ auto kernel_of(void (*kernel)(HEDDLE_TYPES_##number()), long) ->   \
      typename std::enable_if<count == number, void (*)(HEDDLE_TYPES_##number())>::type;

HEDDLE_KERNEL_OF(1)
HEDDLE_KERNEL_OF(2)
HEDDLE_KERNEL_OF(3)
HEDDLE_KERNEL_OF(4)
HEDDLE_KERNEL_OF(5)
HEDDLE_KERNEL_OF(6)
HEDDLE_KERNEL_OF(7)
HEDDLE_KERNEL_OF(8)
HEDDLE_KERNEL_OF(9)
HEDDLE_KERNEL_OF(10)
HEDDLE_KERNEL_OF(11)
HEDDLE_KERNEL_OF(12)

#undef HEDDLE_KERNEL_OF
#undef HEDDLE_TYPES_1
#undef HEDDLE_TYPES_2
#undef HEDDLE_TYPES_3
#undef HEDDLE_TYPES_4
#undef HEDDLE_TYPES_5
#undef HEDDLE_TYPES_6
#undef HEDDLE_TYPES_7
#undef HEDDLE_TYPES_8
#undef HEDDLE_TYPES_9
#undef HEDDLE_TYPES_10
#undef HEDDLE_TYPES_11
#undef HEDDLE_TYPES_12

}  // namespace heddle

#endif
