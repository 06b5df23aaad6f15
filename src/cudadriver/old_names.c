// SPDX-License-Identifier: MIT
// Names from before a function got its _v2, where both mean the same. Those
// that had 32-bit addresses are in unsupported.def.
#include "cudadriver/api.h"

#undef cuCtxCreate
#undef cuCtxDestroy
#undef cuCtxPushCurrent
#undef cuCtxPopCurrent
#undef cuDevicePrimaryCtxRelease
#undef cuDevicePrimaryCtxReset
#undef cuDevicePrimaryCtxSetFlags
#undef cuStreamDestroy
#undef cuEventDestroy
#undef cuEventElapsedTime
#undef cuLinkCreate
#undef cuLinkAddData
#undef cuLinkAddFile
#undef cuMemHostRegister

#define SAME(old, new, PARAMETERS, ARGUMENTS) \
  EXPORT CUresult old(PARAMETERS) {           \
    return new (ARGUMENTS);                   \
  }

SAME(cuCtxCreate, cuCtxCreate_v2, LIST(CUcontext *context, unsigned flags, CUdevice device),
     LIST(context, flags, device))
SAME(cuCtxDestroy, cuCtxDestroy_v2, CUcontext context, context)
SAME(cuCtxPushCurrent, cuCtxPushCurrent_v2, CUcontext context, context)
SAME(cuCtxPopCurrent, cuCtxPopCurrent_v2, CUcontext *context, context)
SAME(cuDevicePrimaryCtxRelease, cuDevicePrimaryCtxRelease_v2, CUdevice device, device)
SAME(cuDevicePrimaryCtxReset, cuDevicePrimaryCtxReset_v2, CUdevice device, device)
SAME(cuDevicePrimaryCtxSetFlags, cuDevicePrimaryCtxSetFlags_v2,
     LIST(CUdevice device, unsigned flags), LIST(device, flags))
SAME(cuStreamDestroy, cuStreamDestroy_v2, CUstream stream, stream)
SAME(cuEventDestroy, cuEventDestroy_v2, CUevent event, event)
SAME(cuEventElapsedTime_v2, cuEventElapsedTime,
     LIST(float *milliseconds, CUevent start, CUevent end), LIST(milliseconds, start, end))
SAME(cuLinkCreate, cuLinkCreate_v2,
     LIST(unsigned count, CUjit_option *options, void **values, CUlinkState *state),
     LIST(count, options, values, state))
SAME(cuLinkAddData, cuLinkAddData_v2,
     LIST(CUlinkState state, CUjitInputType type, void *data, size_t bytes, const char *name,
          unsigned count, CUjit_option *options, void **values),
     LIST(state, type, data, bytes, name, count, options, values))
SAME(cuLinkAddFile, cuLinkAddFile_v2,
     LIST(CUlinkState state, CUjitInputType type, const char *path, unsigned count,
          CUjit_option *options, void **values),
     LIST(state, type, path, count, options, values))
SAME(cuMemHostRegister, cuMemHostRegister_v2, LIST(void *pointer, size_t bytes, unsigned flags),
     LIST(pointer, bytes, flags))
