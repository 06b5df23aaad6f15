// SPDX-License-Identifier: MIT
// Where this program itself is: what ships with it is found from there.
#ifndef BASE_FILES_OWN_FOLDER_H
#define BASE_FILES_OWN_FOLDER_H

#include "base/error.h"

enum { OWN_FOLDER_BYTES = 4096 - 64 };  // leaves space in a path for a file name

Status own_folder(char folder[OWN_FOLDER_BYTES], Error *err);
// Path of the program itself.
Status own_program(char path[OWN_FOLDER_BYTES], Error *err);

#endif
