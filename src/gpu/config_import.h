// SPDX-License-Identifier: MIT
// Brings the configuration of another simulator: GPGPU-Sim's option files.
//
//   config_import_init(&import, sections);            which hold the gtx480
//   config_import_read(&import, "gpgpusim.config");   as many as there are; later ones win
//   config_import_apply(&import);                     sets what can be set
//   config_import_print(&import, stdout);             a file of ours, notes on top
//
// The aim is the machine that GPGPU-Sim would have simulated: options that a
// file leaves out get its defaults, not ours, and what it has no option for is
// as in the gtx480, whose quirks are GPGPU-Sim's. What has no counterpart here
// becomes a note, never a guess.
#ifndef GPU_CONFIG_IMPORT_H
#define GPU_CONFIG_IMPORT_H

#include "base/arena.h"
#include "base/param.h"

// What could not be carried over as it was.
typedef struct ImportNote {
  const char *file;  // and line: where the option stands
  uint32_t line;
  const char *option, *value, *text;
} ImportNote;

typedef struct ImportedValue {
  const char *text;    // NULL: not given
  const char *option;  // as it is spelt there
  const char *file;
  uint32_t line;
} ImportedValue;

typedef struct ConfigImport {
  const ParamSection *sections;
  Arena arena;
  ImportedValue *values;         // by row of the table of options
  const ImportedValue *current;  // what is being converted; NULL: a default
  ImportNote *notes;
  size_t note_count, note_capacity;
  uint32_t given;    // options in the files
  uint32_t without;  // of them: of no meaning for the machine (statistics, power, tracing)
} ConfigImport;

void config_import_init(ConfigImport *import, const ParamSection *sections);
void config_import_clear(ConfigImport *import);

Status config_import_read(ConfigImport *import, const char *path, Error *err);
// The same from memory; name stands in messages where the path would.
Status config_import_text(ConfigImport *import, const char *name, const char *text, size_t length,
                          Error *err);

// An error is a value that GPGPU-Sim itself could not read. A network file
// that the options name is read from beside the file that names it.
Status config_import_apply(ConfigImport *import, Error *err);

void config_import_print(const ConfigImport *import, FILE *file);
// One line a note: `file:line: -option value: text`, each behind prefix.
void config_import_print_notes(const ConfigImport *import, const char *prefix, FILE *file);

#endif
