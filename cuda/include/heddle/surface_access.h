// SPDX-License-Identifier: MIT
// Reading and writing surfaces by object. x counts bytes. A value travels as
// bytes, halfwords or words, whatever its type is.
#ifndef HEDDLE_SURFACE_ACCESS_H
#define HEDDLE_SURFACE_ACCESS_H

// Loads and stores of one shape and one way to treat what lies beside it; `at`
// and the inputs behind it name the coordinates.
#define HEDDLE_SULD(shape, mode, at, ...)                                                          \
  switch (sizeof(T)) {                                                                             \
    case 1:                                                                                        \
      asm volatile("suld.b." shape ".b8." mode " {%[h]}, [%[s], {" at "}];"                        \
                   : [h] "=h"(half)                                                                \
                   : [s] "l"(surface), __VA_ARGS__                                                 \
                   : "memory");                                                                    \
      break;                                                                                       \
    case 2:                                                                                        \
      asm volatile("suld.b." shape ".b16." mode " {%[h]}, [%[s], {" at "}];"                       \
                   : [h] "=h"(half)                                                                \
                   : [s] "l"(surface), __VA_ARGS__                                                 \
                   : "memory");                                                                    \
      break;                                                                                       \
    case 4:                                                                                        \
      asm volatile("suld.b." shape ".b32." mode " {%[a]}, [%[s], {" at "}];"                       \
                   : [a] "=r"(word[0])                                                             \
                   : [s] "l"(surface), __VA_ARGS__                                                 \
                   : "memory");                                                                    \
      break;                                                                                       \
    case 8:                                                                                        \
      asm volatile("suld.b." shape ".v2.b32." mode " {%[a], %[b]}, [%[s], {" at "}];"              \
                   : [a] "=r"(word[0]), [b] "=r"(word[1])                                          \
                   : [s] "l"(surface), __VA_ARGS__                                                 \
                   : "memory");                                                                    \
      break;                                                                                       \
    default:                                                                                       \
      asm volatile("suld.b." shape ".v4.b32." mode " {%[a], %[b], %[c], %[d]}, [%[s], {" at "}];"  \
                   : [a] "=r"(word[0]), [b] "=r"(word[1]), [c] "=r"(word[2]), [d] "=r"(word[3])    \
                   : [s] "l"(surface), __VA_ARGS__                                                 \
                   : "memory");                                                                    \
  }
#define HEDDLE_SUST(shape, mode, at, ...)                                                         \
  switch (sizeof(T)) {                                                                            \
    case 1:                                                                                       \
      asm volatile("sust.b." shape ".b8." mode " [%[s], {" at "}], {%[h]};" ::[h] "h"(half),      \
                   [s] "l"(surface), __VA_ARGS__                                                  \
                   : "memory");                                                                   \
      break;                                                                                      \
    case 2:                                                                                       \
      asm volatile("sust.b." shape ".b16." mode " [%[s], {" at "}], {%[h]};" ::[h] "h"(half),     \
                   [s] "l"(surface), __VA_ARGS__                                                  \
                   : "memory");                                                                   \
      break;                                                                                      \
    case 4:                                                                                       \
      asm volatile("sust.b." shape ".b32." mode " [%[s], {" at "}], {%[a]};" ::[a] "r"(word[0]),  \
                   [s] "l"(surface), __VA_ARGS__                                                  \
                   : "memory");                                                                   \
      break;                                                                                      \
    case 8:                                                                                       \
      asm volatile("sust.b." shape ".v2.b32." mode " [%[s], {" at "}], {%[a], %[b]};" ::[a] "r"(  \
                       word[0]),                                                                  \
                   [b] "r"(word[1]), [s] "l"(surface), __VA_ARGS__                                \
                   : "memory");                                                                   \
      break;                                                                                      \
    default:                                                                                      \
      asm volatile("sust.b." shape ".v4.b32." mode                                                \
                   " [%[s], {" at "}], {%[a], %[b], %[c], %[d]};" ::[a] "r"(word[0]),             \
                   [b] "r"(word[1]), [c] "r"(word[2]), [d] "r"(word[3]), [s] "l"(surface),        \
                   __VA_ARGS__                                                                    \
                   : "memory");                                                                   \
  }

#define HEDDLE_SURFACE_UNWRAP(...) __VA_ARGS__
#define HEDDLE_SURFACE(name, shape, at, parameters, arguments, ...)                              \
  template <class T>                                                                             \
  static __device__ __forceinline__ T name##read(                                                \
      cudaSurfaceObject_t surface, HEDDLE_SURFACE_UNWRAP parameters,                             \
      cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {                                     \
    static_assert(sizeof(T) <= 16 && !(sizeof(T) & (sizeof(T) - 1)), "a texel has up to 16 bytes"); \
    unsigned short half = 0;                                                                     \
    unsigned int word[4] = {0, 0, 0, 0};                                                         \
    T value;                                                                                     \
    if (mode == cudaBoundaryModeTrap) {                                                          \
      HEDDLE_SULD(shape, "trap", at, __VA_ARGS__)                                                \
    } else if (mode == cudaBoundaryModeClamp) {                                                  \
      HEDDLE_SULD(shape, "clamp", at, __VA_ARGS__)                                               \
    } else {                                                                                     \
      HEDDLE_SULD(shape, "zero", at, __VA_ARGS__)                                                \
    }                                                                                            \
    __builtin_memcpy(&value, sizeof(T) < 4 ? (void *)&half : (void *)word, sizeof(T));           \
    return value;                                                                                \
  }                                                                                              \
  template <class T>                                                                             \
  static __device__ __forceinline__ void name##read(                                             \
      T *value, cudaSurfaceObject_t surface, HEDDLE_SURFACE_UNWRAP parameters,                   \
      cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {                                     \
    *value = name##read<T>(surface, HEDDLE_SURFACE_UNWRAP arguments, mode);                      \
  }                                                                                              \
  template <class T>                                                                             \
  static __device__ __forceinline__ void name##write(                                            \
      T value, cudaSurfaceObject_t surface, HEDDLE_SURFACE_UNWRAP parameters,                    \
      cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {                                     \
    static_assert(sizeof(T) <= 16 && !(sizeof(T) & (sizeof(T) - 1)), "a texel has up to 16 bytes"); \
    unsigned short half = 0;                                                                     \
    unsigned int word[4] = {0, 0, 0, 0};                                                         \
    __builtin_memcpy(sizeof(T) < 4 ? (void *)&half : (void *)word, &value, sizeof(T));           \
    if (mode == cudaBoundaryModeTrap) {                                                          \
      HEDDLE_SUST(shape, "trap", at, __VA_ARGS__)                                                \
    } else if (mode == cudaBoundaryModeClamp) {                                                  \
      HEDDLE_SUST(shape, "clamp", at, __VA_ARGS__)                                               \
    } else {                                                                                     \
      HEDDLE_SUST(shape, "zero", at, __VA_ARGS__)                                                \
    }                                                                                            \
  }

HEDDLE_SURFACE(surf1D, "1d", "%[x]", (int x), (x), [x] "r"(x))
HEDDLE_SURFACE(surf2D, "2d", "%[x], %[y]", (int x, int y), (x, y), [x] "r"(x), [y] "r"(y))
HEDDLE_SURFACE(surf3D, "3d", "%[x], %[y], %[z], %[z]", (int x, int y, int z), (x, y, z),
               [x] "r"(x), [y] "r"(y), [z] "r"(z))
HEDDLE_SURFACE(surf1DLayered, "a1d", "%[l], %[x]", (int x, int layer), (x, layer), [x] "r"(x),
               [l] "r"(layer))
HEDDLE_SURFACE(surf2DLayered, "a2d", "%[l], %[x], %[y], %[y]", (int x, int y, int layer),
               (x, y, layer), [x] "r"(x), [y] "r"(y), [l] "r"(layer))
HEDDLE_SURFACE(surfCubemap, "a2d", "%[l], %[x], %[y], %[y]", (int x, int y, int face),
               (x, y, face), [x] "r"(x), [y] "r"(y), [l] "r"(face))
HEDDLE_SURFACE(surfCubemapLayered, "a2d", "%[l], %[x], %[y], %[y]",
               (int x, int y, int layer_and_face), (x, y, layer_and_face), [x] "r"(x), [y] "r"(y),
               [l] "r"(layer_and_face))
#undef HEDDLE_SURFACE
#undef HEDDLE_SURFACE_UNWRAP
#undef HEDDLE_SUST
#undef HEDDLE_SULD

#endif
