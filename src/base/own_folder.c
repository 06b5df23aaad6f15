// SPDX-License-Identifier: MIT
#include "base/own_folder.h"

#include <string.h>
#include <unistd.h>

Status own_folder(char folder[OWN_FOLDER_BYTES], Error *err) {
  ssize_t length = readlink("/proc/self/exe", folder, OWN_FOLDER_BYTES - 1);
  if (length <= 0 || length == OWN_FOLDER_BYTES - 1)
    return error_set(err, ERR_IO, "cannot determine the location of the heddle executable");
  folder[length] = '\0';
  *strrchr(folder, '/') = '\0';
  return OK;
}
