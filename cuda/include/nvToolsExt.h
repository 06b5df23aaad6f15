// SPDX-License-Identifier: MIT
// NVTX: marks that a program leaves for a profiler. Nobody listens here, so
// the calls do nothing, as in a program that runs without a profiler.
#ifndef HEDDLE_NVTOOLSEXT_H
#define HEDDLE_NVTOOLSEXT_H

#include <stddef.h>
#include <stdint.h>
#include <wchar.h>

#define NVTX_VERSION 3
#define NVTX_EVENT_ATTRIB_STRUCT_SIZE ((uint16_t)sizeof(nvtxEventAttributes_t))
#define NVTX_NO_PUSH_POP_TRACKING (-2)

typedef uint64_t nvtxRangeId_t;
typedef struct nvtxDomainRegistration_st *nvtxDomainHandle_t;
typedef struct nvtxStringRegistration_st *nvtxStringHandle_t;
typedef enum nvtxColorType_t { NVTX_COLOR_UNKNOWN = 0, NVTX_COLOR_ARGB = 1 } nvtxColorType_t;
typedef enum nvtxMessageType_t {
  NVTX_MESSAGE_UNKNOWN = 0,
  NVTX_MESSAGE_TYPE_ASCII = 1,
  NVTX_MESSAGE_TYPE_UNICODE = 2,
  NVTX_MESSAGE_TYPE_REGISTERED = 3
} nvtxMessageType_t;
typedef enum nvtxPayloadType_t {
  NVTX_PAYLOAD_UNKNOWN = 0,
  NVTX_PAYLOAD_TYPE_UNSIGNED_INT64 = 1,
  NVTX_PAYLOAD_TYPE_INT64 = 2,
  NVTX_PAYLOAD_TYPE_DOUBLE = 3,
  NVTX_PAYLOAD_TYPE_UNSIGNED_INT32 = 4,
  NVTX_PAYLOAD_TYPE_INT32 = 5,
  NVTX_PAYLOAD_TYPE_FLOAT = 6
} nvtxPayloadType_t;
typedef union nvtxMessageValue_t {
  const char *ascii;
  const wchar_t *unicode;
  nvtxStringHandle_t registered;
} nvtxMessageValue_t;
typedef struct nvtxEventAttributes_v2 {
  uint16_t version, size;
  uint32_t category;
  int32_t colorType;
  uint32_t color;
  int32_t payloadType, reserved0;
  union payload_t {
    uint64_t ullValue;
    int64_t llValue;
    double dValue;
    uint32_t uiValue;
    int32_t iValue;
    float fValue;
  } payload;
  int32_t messageType;
  nvtxMessageValue_t message;
} nvtxEventAttributes_t;

#define HEDDLE_CALL(type, name, parameters, result)                \
  static __inline__ __attribute__((unused)) type name parameters { \
    return result;                                                 \
  }
#define HEDDLE_TOLD(name, parameters) \
  static __inline__ __attribute__((unused)) void name parameters {}

HEDDLE_TOLD(nvtxMarkA, (const char *message))
HEDDLE_TOLD(nvtxMarkW, (const wchar_t *message))
HEDDLE_TOLD(nvtxMarkEx, (const nvtxEventAttributes_t *event))
HEDDLE_CALL(nvtxRangeId_t, nvtxRangeStartA, (const char *message), 0)
HEDDLE_CALL(nvtxRangeId_t, nvtxRangeStartW, (const wchar_t *message), 0)
HEDDLE_CALL(nvtxRangeId_t, nvtxRangeStartEx, (const nvtxEventAttributes_t *event), 0)
HEDDLE_TOLD(nvtxRangeEnd, (nvtxRangeId_t range))
HEDDLE_CALL(int, nvtxRangePushA, (const char *message), NVTX_NO_PUSH_POP_TRACKING)
HEDDLE_CALL(int, nvtxRangePushW, (const wchar_t *message), NVTX_NO_PUSH_POP_TRACKING)
HEDDLE_CALL(int, nvtxRangePushEx, (const nvtxEventAttributes_t *event), NVTX_NO_PUSH_POP_TRACKING)
HEDDLE_CALL(int, nvtxRangePop, (void), NVTX_NO_PUSH_POP_TRACKING)
HEDDLE_TOLD(nvtxNameOsThreadA, (uint32_t thread, const char *name))
HEDDLE_TOLD(nvtxNameOsThreadW, (uint32_t thread, const wchar_t *name))
HEDDLE_TOLD(nvtxNameCategoryA, (uint32_t category, const char *name))
HEDDLE_TOLD(nvtxNameCategoryW, (uint32_t category, const wchar_t *name))
HEDDLE_CALL(nvtxDomainHandle_t, nvtxDomainCreateA, (const char *name), NULL)
HEDDLE_CALL(nvtxDomainHandle_t, nvtxDomainCreateW, (const wchar_t *name), NULL)
HEDDLE_TOLD(nvtxDomainDestroy, (nvtxDomainHandle_t domain))
HEDDLE_CALL(nvtxStringHandle_t, nvtxDomainRegisterStringA,
            (nvtxDomainHandle_t domain, const char *text), NULL)
HEDDLE_TOLD(nvtxDomainMarkEx, (nvtxDomainHandle_t domain, const nvtxEventAttributes_t *event))
HEDDLE_CALL(nvtxRangeId_t, nvtxDomainRangeStartEx,
            (nvtxDomainHandle_t domain, const nvtxEventAttributes_t *event), 0)
HEDDLE_TOLD(nvtxDomainRangeEnd, (nvtxDomainHandle_t domain, nvtxRangeId_t range))
HEDDLE_CALL(int, nvtxDomainRangePushEx,
            (nvtxDomainHandle_t domain, const nvtxEventAttributes_t *event),
            NVTX_NO_PUSH_POP_TRACKING)
HEDDLE_CALL(int, nvtxDomainRangePop, (nvtxDomainHandle_t domain), NVTX_NO_PUSH_POP_TRACKING)
#undef HEDDLE_CALL
#undef HEDDLE_TOLD

#define nvtxMark nvtxMarkA
#define nvtxRangeStart nvtxRangeStartA
#define nvtxRangePush nvtxRangePushA
#define nvtxNameOsThread nvtxNameOsThreadA
#define nvtxNameCategory nvtxNameCategoryA

#endif
