// SPDX-License-Identifier: MIT
// The page is page/src, bundled by the build. It holds its data in script
// blocks, which browsers do not run: one of everything but details, and one a
// detail, which the page reads when it is looked at.
#include "report/page.h"

#include <errno.h>
#include <string.h>

#include "base/files/embedded.h"

// generated/page.c; both are empty if they were not built.
enum { PAGE, FIGURE_SCRIPT };
extern const EmbeddedFile page_files[];

static const char data_goes_here[] = "<!--DATA-->";

static Status check_written(int failed, Error *err) {
  return failed ? error_set(err, ERR_IO, "cannot write: %s", strerror(errno)) : OK;
}

// A script block ends at any "</script", so every "<" is escaped.
static int write_without_tags(const char *text, size_t size, void *file) {
  const char *end = text + size;
  while (text < end) {
    const char *tag = memchr(text, '<', (size_t)(end - text));
    size_t length = (size_t)((tag ? tag : end) - text);
    if (fwrite(text, 1, length, file) != length) return -1;
    if (tag && fputs("\\u003c", file) < 0) return -1;
    text += length + (tag ? 1 : 0);
  }
  return 0;
}

static Status write_block(const json_t *data, const char *id, FILE *file, Error *err) {
  fprintf(file, "<script type=\"application/json\" id=\"%s\">", id);
  TRY(check_written(json_dump_callback(data, write_without_tags, file,
                                       JSON_COMPACT | JSON_ENSURE_ASCII | JSON_REAL_PRECISION(7)),
                    err));
  return check_written(fputs("</script>\n", file) < 0, err);
}

static Status write_details(const json_t *details, FILE *file, Error *err) {
  size_t i;
  json_t *detail;
  json_array_foreach(details, i, detail) {
    char id[40];
    snprintf(id, sizeof id, "detail-%lld",
             (long long)json_integer_value(json_object_get(detail, "run")));
    TRY(write_block(detail, id, file, err));
  }
  return OK;
}

static Status write_data(const json_t *data, FILE *file, Error *err) {
  json_t *rest = json_copy((json_t *)data);  // shallow; data is not changed
  json_object_del(rest, "details");
  Status status = write_block(rest, "report-data", file, err);
  json_decref(rest);
  return status == OK ? write_details(json_object_get(data, "details"), file, err) : status;
}

Status report_page_write(const json_t *data, FILE *file, Error *err) {
  const char *page = page_files[PAGE].text, *place = strstr(page, data_goes_here);
  if (!place)
    return error_set(err, ERR_UNSUPPORTED,
                     "this Heddle was built without the report page (node or npm missing, or "
                     "PAGE=no); install them and run make again, or give a .json file");
  size_t before = (size_t)(place - page), after = before + strlen(data_goes_here);
  TRY(check_written(fwrite(page, 1, before, file) != before, err));
  TRY(write_data(data, file, err));
  size_t rest = page_files[PAGE].size_bytes - after;
  return check_written(fwrite(page + after, 1, rest, file) != rest, err);
}

const char *report_figure_script(size_t *size_bytes) {
  *size_bytes = page_files[FIGURE_SCRIPT].size_bytes;
  return *size_bytes ? page_files[FIGURE_SCRIPT].text : NULL;
}
