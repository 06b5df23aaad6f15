// SPDX-License-Identifier: MIT
// Processes by a text that no two of them share: the boot of the machine, the
// process id, and the moment of its start.
#ifndef STORE_PROCESS_H
#define STORE_PROCESS_H

#include <stdbool.h>

enum { PROCESS_TEXT_BYTES = 128, HOST_BYTES = 256 };

const char *process_text(char out[PROCESS_TEXT_BYTES]);  // of this process; returns out
// Whether a process of this host has exited.
bool process_is_gone(const char *text);
const char *host_name(char out[HOST_BYTES]);  // returns out

#endif
