// SPDX-License-Identifier: MIT
// Texture reads, by object and by reference. A tex instruction always gives four
// components; those that the texel type has are kept.
//
// Left out: levels and gradients but for one and two dimensions, without layers.
#ifndef HEDDLE_TEXTURE_FETCH_H
#define HEDDLE_TEXTURE_FETCH_H

namespace heddle_texture {

// What an instruction returns for a texel's component type.
template <class Component>
struct Quad;
template <>
struct Quad<float> {
  float x, y, z, w;
};
template <>
struct Quad<int> {
  int x, y, z, w;
};
template <>
struct Quad<unsigned int> {
  unsigned int x, y, z, w;
};

// The components of a texel type, and how they are read.
template <class T>
struct Texel;
#define HEDDLE_TEXEL(name, type, register)        \
  template <>                                     \
  struct Texel<name> {                            \
    typedef type Component;                       \
    typedef register Register;                    \
    enum { count = sizeof(name) / sizeof(type) }; \
  };
#define HEDDLE_TEXELS(name, type, register) \
  HEDDLE_TEXEL(type, type, register)        \
  HEDDLE_TEXEL(name##1, type, register)     \
  HEDDLE_TEXEL(name##2, type, register)     \
  HEDDLE_TEXEL(name##4, type, register)
HEDDLE_TEXEL(char, char, int)
HEDDLE_TEXELS(char, signed char, int)
HEDDLE_TEXELS(uchar, unsigned char, unsigned int)
HEDDLE_TEXELS(short, short, int)
HEDDLE_TEXELS(ushort, unsigned short, unsigned int)
HEDDLE_TEXELS(int, int, int)
HEDDLE_TEXELS(uint, unsigned int, unsigned int)
HEDDLE_TEXELS(float, float, float)
#undef HEDDLE_TEXELS
#undef HEDDLE_TEXEL

// The instructions: dimension, coordinates, operands behind the four results. Not volatile: a
// kernel may not change what it fetches, and other loads need not be repeated after a fetch.
#define HEDDLE_TEX(name, Register, result, constraint, shape, coordinate, operands, arguments, \
                   ...)                                                                        \
  static __device__ __forceinline__ Quad<Register> name arguments {                            \
    Quad<Register> q;                                                                          \
    asm("tex." shape ".v4." result "." coordinate " {%0, %1, %2, %3}, " operands ";"           \
        : "=" constraint(q.x), "=" constraint(q.y), "=" constraint(q.z), "=" constraint(q.w)   \
        : "l"(object), __VA_ARGS__);                                                           \
    return q;                                                                                  \
  }
#define HEDDLE_GATHER(channel, letter, Register, result, constraint)                           \
  static __device__ __forceinline__ Quad<Register> gather_##channel(unsigned long long object, \
                                                                    float x, float y) {        \
    Quad<Register> q;                                                                          \
    asm("tld4." letter ".2d.v4." result ".f32 {%0, %1, %2, %3}, [%4, {%5, %6}];"               \
        : "=" constraint(q.x), "=" constraint(q.y), "=" constraint(q.z), "=" constraint(q.w)   \
        : "l"(object), "f"(x), "f"(y));                                                        \
    return q;                                                                                  \
  }
#define HEDDLE_TEX_SET(Register, result, constraint)                                              \
  template <>                                                                                     \
  struct Fetch<Register> {                                                                        \
    HEDDLE_TEX(one_int, Register, result, constraint, "1d", "s32", "[%4, {%5}]",                  \
               (unsigned long long object, int x), "r"(x))                                        \
    HEDDLE_TEX(one, Register, result, constraint, "1d", "f32", "[%4, {%5}]",                      \
               (unsigned long long object, float x), "f"(x))                                      \
    HEDDLE_TEX(two, Register, result, constraint, "2d", "f32", "[%4, {%5, %6}]",                  \
               (unsigned long long object, float x, float y), "f"(x), "f"(y))                     \
    HEDDLE_TEX(three, Register, result, constraint, "3d", "f32", "[%4, {%5, %6, %7, %7}]",        \
               (unsigned long long object, float x, float y, float z), "f"(x), "f"(y), "f"(z))    \
    HEDDLE_TEX(one_layered, Register, result, constraint, "a1d", "f32", "[%4, {%5, %6}]",         \
               (unsigned long long object, float x, int layer), "r"(layer), "f"(x))               \
    HEDDLE_TEX(two_layered, Register, result, constraint, "a2d", "f32", "[%4, {%5, %6, %7, %7}]", \
               (unsigned long long object, float x, float y, int layer), "r"(layer), "f"(x),      \
               "f"(y))                                                                            \
    HEDDLE_TEX(cube, Register, result, constraint, "cube", "f32", "[%4, {%5, %6, %7, %7}]",         \
               (unsigned long long object, float x, float y, float z), "f"(x), "f"(y), "f"(z))    \
    HEDDLE_TEX(cube_layered, Register, result, constraint, "acube", "f32",                        \
               "[%4, {%5, %6, %7, %8}]",                                                           \
               (unsigned long long object, float x, float y, float z, int layer), "r"(layer),     \
               "f"(x), "f"(y), "f"(z))                                                            \
    HEDDLE_GATHER(0, "r", Register, result, constraint)                                           \
    HEDDLE_GATHER(1, "g", Register, result, constraint)                                           \
    HEDDLE_GATHER(2, "b", Register, result, constraint)                                           \
    HEDDLE_GATHER(3, "a", Register, result, constraint)                                           \
    static __device__ __forceinline__ Quad<Register> gather(unsigned long long object, float x,   \
                                                            float y, int channel) {               \
      return channel == 0   ? gather_0(object, x, y)                                              \
             : channel == 1 ? gather_1(object, x, y)                                              \
             : channel == 2 ? gather_2(object, x, y)                                              \
                            : gather_3(object, x, y);                                             \
    }                                                                                             \
    HEDDLE_TEX(one_level, Register, result, constraint, "level.1d", "f32", "[%4, {%5}], %6",      \
               (unsigned long long object, float x, float level), "f"(x), "f"(level))             \
    HEDDLE_TEX(two_level, Register, result, constraint, "level.2d", "f32", "[%4, {%5, %6}], %7",  \
               (unsigned long long object, float x, float y, float level), "f"(x), "f"(y),        \
               "f"(level))                                                                        \
    HEDDLE_TEX(one_gradient, Register, result, constraint, "grad.1d", "f32",                      \
               "[%4, {%5}], {%6}, {%7}",                                                          \
               (unsigned long long object, float x, float dx, float dy), "f"(x), "f"(dx),         \
               "f"(dy))                                                                           \
    HEDDLE_TEX(two_gradient, Register, result, constraint, "grad.2d", "f32",                      \
               "[%4, {%5, %6}], {%7, %8}, {%9, %10}",                                             \
               (unsigned long long object, float x, float y, float2 dx, float2 dy), "f"(x),       \
               "f"(y), "f"(dx.x), "f"(dx.y), "f"(dy.x), "f"(dy.y))                                \
  };
template <class Register>
struct Fetch;
HEDDLE_TEX_SET(float, "f32", "f")
HEDDLE_TEX_SET(int, "s32", "r")
HEDDLE_TEX_SET(unsigned int, "u32", "r")
#undef HEDDLE_TEX_SET
#undef HEDDLE_GATHER
#undef HEDDLE_TEX

template <class T, int count>
struct Keep;
template <class T>
struct Keep<T, 1> {
  template <class Q>
  static __device__ __forceinline__ T from(Q q) {
    T t;
    *(typename Texel<T>::Component *)&t = (typename Texel<T>::Component)q.x;
    return t;
  }
};
template <class T>
struct Keep<T, 2> {
  template <class Q>
  static __device__ __forceinline__ T from(Q q) {
    typedef typename Texel<T>::Component C;
    T t;
    t.x = (C)q.x, t.y = (C)q.y;
    return t;
  }
};
template <class T>
struct Keep<T, 4> {
  template <class Q>
  static __device__ __forceinline__ T from(Q q) {
    typedef typename Texel<T>::Component C;
    T t;
    t.x = (C)q.x, t.y = (C)q.y, t.z = (C)q.z, t.w = (C)q.w;
    return t;
  }
};

// A read of normalised values gives floats whatever the texels are.
template <int count>
struct Floats;
template <>
struct Floats<1> {
  typedef float Type;
};
template <>
struct Floats<2> {
  typedef float2 Type;
};
template <>
struct Floats<4> {
  typedef float4 Type;
};
template <class T, cudaTextureReadMode mode>
struct Read {
  typedef T Type;
};
template <class T>
struct Read<T, cudaReadModeNormalizedFloat> {
  typedef typename Floats<Texel<T>::count>::Type Type;
};

// On the device a texture reference is its handle, though C++ cannot say so.
template <class Reference>
static __device__ __forceinline__ unsigned long long handle(Reference reference) {
  unsigned long long object;
  asm("mov.b64 %0, %1;" : "=l"(object) : "l"(reference));
  return object;
}

}  // namespace heddle_texture

// Each function for a reference, for an object with its type given, and in the
// older form for an object that stores through a pointer.
#define HEDDLE_FETCH(function, dimension, fetch, parameters, ...)                                \
  template <class T, cudaTextureReadMode mode>                                                   \
  static __device__ __forceinline__ typename heddle_texture::Read<T, mode>::Type function(       \
      texture<T, dimension, mode> reference, HEDDLE_UNWRAP parameters) {                         \
    typedef typename heddle_texture::Read<T, mode>::Type R;                                      \
    return heddle_texture::Keep<R, heddle_texture::Texel<R>::count>::from(                       \
        heddle_texture::Fetch<typename heddle_texture::Texel<R>::Register>::fetch(               \
            heddle_texture::handle(reference), __VA_ARGS__));                                    \
  }                                                                                              \
  template <class R>                                                                             \
  static __device__ __forceinline__ R function(cudaTextureObject_t object,                       \
                                               HEDDLE_UNWRAP parameters) {                       \
    return heddle_texture::Keep<R, heddle_texture::Texel<R>::count>::from(                       \
        heddle_texture::Fetch<typename heddle_texture::Texel<R>::Register>::fetch(object,        \
                                                                                  __VA_ARGS__)); \
  }                                                                                              \
  template <class R>                                                                             \
  static __device__ __forceinline__ void function(R *result, cudaTextureObject_t object,         \
                                                  HEDDLE_UNWRAP parameters) {                    \
    *result = function<R>(object, __VA_ARGS__);                                                  \
  }
#define HEDDLE_UNWRAP(...) __VA_ARGS__
HEDDLE_FETCH(tex1Dfetch, cudaTextureType1D, one_int, (int x), x)
HEDDLE_FETCH(tex1D, cudaTextureType1D, one, (float x), x)
HEDDLE_FETCH(tex2D, cudaTextureType2D, two, (float x, float y), x, y)
HEDDLE_FETCH(tex3D, cudaTextureType3D, three, (float x, float y, float z), x, y, z)
HEDDLE_FETCH(tex1DLayered, cudaTextureType1DLayered, one_layered, (float x, int layer), x, layer)
HEDDLE_FETCH(tex2DLayered, cudaTextureType2DLayered, two_layered, (float x, float y, int layer), x,
             y, layer)
HEDDLE_FETCH(texCubemap, cudaTextureTypeCubemap, cube, (float x, float y, float z), x, y, z)
HEDDLE_FETCH(texCubemapLayered, cudaTextureTypeCubemapLayered, cube_layered,
             (float x, float y, float z, int layer), x, y, z, layer)
HEDDLE_FETCH(tex2Dgather, cudaTextureType2D, gather, (float x, float y, int channel = 0), x, y,
             channel)
HEDDLE_FETCH(tex1DLod, cudaTextureType1D, one_level, (float x, float level), x, level)
HEDDLE_FETCH(tex2DLod, cudaTextureType2D, two_level, (float x, float y, float level), x, y, level)
HEDDLE_FETCH(tex1DGrad, cudaTextureType1D, one_gradient, (float x, float dx, float dy), x, dx, dy)
HEDDLE_FETCH(tex2DGrad, cudaTextureType2D, two_gradient, (float x, float y, float2 dx, float2 dy),
             x, y, dx, dy)
#undef HEDDLE_UNWRAP
#undef HEDDLE_FETCH

#endif
