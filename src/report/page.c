// SPDX-License-Identifier: MIT
#include "report/page.h"

Status report_page_write(const json_t *data, FILE *file, Error *err) {
  (void)data, (void)file;
  return error_set(err, ERR_UNSUPPORTED, "there is no page yet; name a .json file for its data");
}
