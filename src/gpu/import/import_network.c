// SPDX-License-Identifier: MIT
// GPGPU-Sim's networks: the file of intersim2 (Booksim's `key = value;`), of
// whose topologies one is a crossbar, a fly of one stage; and its own crossbar.
#include <stdlib.h>
#include <string.h>

#include "base/files/file.h"
#include "base/memory.h"
#include "gpu/import/import_options.h"

enum { FILE_LIMIT_BYTES = 1 << 20, MAX_KEY_BYTES = 64 };

typedef struct NetworkKey {
  const char *name, *initial;
  const char *target;    // a parameter that takes the number unchanged, or NULL
  const char *harmless;  // without a target: the value that means the same here
} NetworkKey;

// Booksim has many more keys; the others have no meaning for a single-stage crossbar, or
// none under GPGPU-Sim's traffic.
enum { KEY_FLIT, KEY_BUFFER, KEY_INJECTION, KEY_BOUNDARY, KEY_SPEEDUP, KEY_OTHERS };
static const NetworkKey keys[] = {
    [KEY_FLIT] = {"flit_size", "32", "noc.flit_bytes", NULL},
    [KEY_BUFFER] = {"vc_buf_size", "8", "noc.input_buffer_flits", NULL},
    [KEY_INJECTION] = {"input_buffer_size", "0", NULL, NULL},
    [KEY_BOUNDARY] = {"boundary_buffer_size", "16", "noc.ejection_flits", NULL},
    [KEY_SPEEDUP] = {"internal_speedup", "1.0", NULL, NULL},
    {"topology", "torus", NULL, "fly"},
    {"n", "2", NULL, "1"},
    {"num_vcs", "16", NULL, "1"},
    {"subnets", "1", NULL, "2"},
    {"vc_allocator", "islip", NULL, "islip"},
    {"sw_allocator", "islip", NULL, "islip"},
    {"alloc_iters", "1", NULL, "1"},
    {"routing_delay", "1", NULL, "0"},
    {"vc_alloc_delay", "1", NULL, "1"},
    {"sw_alloc_delay", "1", NULL, "1"},
    {"credit_delay", "0", NULL, "0"},
    {"input_speedup", "1", NULL, "1"},
    {"output_speedup", "1", NULL, "1"},
    {"ejection_buffer_size", "0", NULL, "0"},
    {"wait_for_tail_credit", "0", NULL, "0"},
    {"hold_switch_for_packet", "0", NULL, "0"},
    {"speculative", "0", NULL, "0"},
    {"output_buffer_size", "-1", NULL, "-1"},
};
enum { KEY_COUNT = sizeof keys / sizeof *keys };

typedef struct NetworkFile {
  const char *name, *at, *end;
  uint32_t line;
  ImportedValue values[KEY_COUNT];
} NetworkFile;

// The next character outside comments, or 0 at the end.
static char next_char(NetworkFile *file) {
  if (file->end - file->at >= 2 && file->at[0] == '/' && file->at[1] == '/')
    while (file->at < file->end && *file->at != '\n') file->at++;
  if (file->at == file->end) return 0;
  if (*file->at == '\n') file->line++;
  return *file->at++;
}

// Reads up to the end character, without blanks; truncates text that is too long for any
// key or number. Returns false at the end of the file.
static bool read_until(NetworkFile *file, char end, char out[MAX_KEY_BYTES], uint32_t *line) {
  size_t length = 0;
  for (char c; (c = next_char(file));) {
    if (c == end) {
      out[length] = '\0';
      return true;
    }
    if (strchr(" \t\r\n\f\v", c)) continue;
    if (length == 0) *line = file->line;
    if (length < MAX_KEY_BYTES - 1) out[length++] = c;
  }
  out[length] = '\0';
  return false;
}

static Status read_keys(ConfigImport *import, NetworkFile *file, Error *err) {
  char key[MAX_KEY_BYTES], value[MAX_KEY_BYTES];
  uint32_t line = 1, value_line;
  while (read_until(file, '=', key, &line)) {
    if (!read_until(file, ';', value, &value_line))
      return error_set(err, ERR_SYNTAX, "%s:%u: %.63s = ...: missing ';'", file->name, line, key);
    for (size_t i = 0; i < KEY_COUNT; i++)
      if (strcmp(keys[i].name, key) == 0)
        file->values[i] =
            (ImportedValue){arena_strdup(&import->arena, value), keys[i].name, file->name, line};
  }
  if (key[0])
    return error_set(err, ERR_SYNTAX, "%s:%u: expected key = value;, not '%.40s'", file->name, line,
                     key);
  return OK;
}

static Status fail_at(const NetworkFile *file, size_t i, Status status, Error *err) {
  if (status != OK && file->values[i].text)
    error_prefix(err, "%s:%u: %s", file->values[i].file, file->values[i].line, keys[i].name);
  return status;
}

static const char *value_of(const NetworkFile *file, size_t i) {
  return file->values[i].text ? file->values[i].text : keys[i].initial;
}

// A flit is two cycles on the wire in and two on the wire out; the output
// takes a pass and so does the flit.
static Status set_speedup(ConfigImport *import, const char *value, Error *err) {
  char *end;
  double speedup = strtod(value, &end);
  if (*end || !value[0] || !(speedup >= 1 && speedup <= 1000))
    return error_set(err, ERR_SYNTAX, "'%.40s' is not a valid speedup", value);
  uint32_t passes = (uint32_t)speedup;
  if (passes != speedup) import_changed(import, "rounded down to whole passes per cycle");
  import_set_number(import, "noc.speedup", passes);
  import_set_number(import, "noc.latency_cycles", 5 + 2 / passes);
  return OK;
}

static Status set_key(ConfigImport *import, const NetworkFile *file, size_t i, Error *err) {
  const char *value = value_of(file, i);
  uint32_t number;
  if (i == KEY_SPEEDUP) return set_speedup(import, value, err);
  if (keys[i].harmless) {
    if (strcmp(value, keys[i].harmless) != 0)
      import_lost(import, "Heddle's crossbar has %s = %s", keys[i].name, keys[i].harmless);
    return OK;
  }
  TRY(import_number(value, &number, err));
  if (i == KEY_INJECTION) import_set_number(import, "noc.injection_flits", number ? number : 9);
  if (i == KEY_BUFFER) import_set_number(import, "noc.output_buffer_flits", number);
  if (keys[i].target) import_set_number(import, keys[i].target, number);
  return OK;
}

static Status apply_file(ConfigImport *import, NetworkFile *file, Error *err) {
  const ImportedValue *outer = import->current;
  TRY(read_keys(import, file, err));
  for (size_t i = 0; i < KEY_COUNT; i++) {
    // A missing key of the table's second half is reported like an explicit one if its
    // default differs from ours.
    ImportedValue left_out = {keys[i].initial, keys[i].name, outer->file, outer->line};
    import->current = file->values[i].text ? &file->values[i] : &left_out;
    TRY(fail_at(file, i, set_key(import, file, i, err), err));
  }
  import->current = outer;
  return OK;
}

// The file is in the folder of the one that names it. Without it the network is the
// default GPU's.
Status convert_network_file(ConfigImport *import, const ImportRow *row, const char *value,
                            Error *err) {
  char *text;
  size_t length;
  Error unread = {0};
  (void)row;
  if (strcmp(import_value(import, "network_mode"), "1") != 0 || !import->current) return OK;
  const char *path = path_beside(&import->arena, import->current->file, value);
  if (file_read(path, FILE_LIMIT_BYTES, &text, &length, &unread) != OK) {
    import_lost(import, "%.300s; [noc] keeps its defaults", unread.text);
    return OK;
  }
  NetworkFile *file = memory_alloc(sizeof *file);
  *file = (NetworkFile){.name = path, .at = text, .end = text + length, .line = 1};
  Status status = memchr(text, '\0', length)
                      ? error_set(err, ERR_SYNTAX, "%s: not a text file", path)
                      : apply_file(import, file, err);
  memory_free(file);
  memory_free(text);
  return status;
}

// The built-in crossbar transfers a packet of any size in one cycle, so flits have the
// size of the largest packet. It has buffers for this many packets before and after the
// switch and no pipeline; ours takes at least four cycles.
Status convert_network_mode(ConfigImport *import, const ImportRow *row, const char *value,
                            Error *err) {
  enum { LARGEST_PACKET_BYTES = 8 + 128, LEAST_CYCLES = 4, MOST_QUEUED = 255 };
  uint32_t in, out;
  (void)row;
  if (strcmp(value, "1") == 0) return OK;
  if (strcmp(value, "2") != 0) {
    import_lost(import, "unsupported network; [noc] keeps its defaults");
    return OK;
  }
  TRY(import_number_of(import, "icnt_in_buffer_limit", &in, err));
  TRY(import_number_of(import, "icnt_out_buffer_limit", &out, err));
  import_changed(import, "a packet takes %d cycles through an idle network, 1 in GPGPU-Sim",
                 LEAST_CYCLES);
  import_set_number(import, "noc.flit_bytes", LARGEST_PACKET_BYTES);
  import_set_number(import, "noc.injection_flits", in < MOST_QUEUED ? in : MOST_QUEUED);
  import_set_number(import, "noc.input_buffer_flits", in);
  import_set_number(import, "noc.output_buffer_flits", out);
  import_set_number(import, "noc.ejection_flits", out < MOST_QUEUED ? out : MOST_QUEUED);
  import_set_number(import, "noc.speedup", 2);
  import_set_number(import, "noc.latency_cycles", LEAST_CYCLES);
  return OK;
}
