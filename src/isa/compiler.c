// SPDX-License-Identifier: MIT
#include "isa/compiler.h"

const Param compiler_params[] = {
    PARAM(CompilerConfig, optimise, false, 0, 1,
          "optimise PTX as an assembler does; false = run it as written, as GPGPU-Sim does"),
    {0}};
