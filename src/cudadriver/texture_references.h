// SPDX-License-Identifier: MIT
// Texture references: settings that a program makes one by one, and which are
// bound to the module's variable whenever they say where the texels are.
#ifndef CUDADRIVER_TEXTURE_REFERENCES_H
#define CUDADRIVER_TEXTURE_REFERENCES_H

#include "cudadriver/api.h"

// The reference of that name; asking again gives the same.
CUresult texture_reference_in_module(CUtexref *reference, DeviceModule *module, const char *name);
// The module is about to be unloaded: its references are gone.
void texture_references_forget(const DeviceModule *module);

#endif
