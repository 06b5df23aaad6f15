// SPDX-License-Identifier: MIT
// Finds the folder of this executable through /proc/self/exe.
#include "base/files/own_folder.h"

#include <string.h>
#include <unistd.h>

Status own_program(char path[OWN_FOLDER_BYTES], Error *err) {
  ssize_t length = readlink("/proc/self/exe", path, OWN_FOLDER_BYTES - 1);
  if (length <= 0 || length == OWN_FOLDER_BYTES - 1)
    return error_set(err, ERR_IO, "cannot determine the location of the heddle executable");
  path[length] = '\0';
  return OK;
}

Status own_folder(char folder[OWN_FOLDER_BYTES], Error *err) {
  TRY(own_program(folder, err));
  *strrchr(folder, '/') = '\0';
  return OK;
}
