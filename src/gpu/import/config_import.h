// SPDX-License-Identifier: MIT
// Imports the configuration of another simulator: GPGPU-Sim's option files.
//
//   config_import_init(&import, sections);            initialised to the gtx480
//   config_import_read(&import, "gpgpusim.config");   repeatable; later files override
//   config_import_apply(&import);                     sets the parameters
//   config_import_print(&import, stdout);             writes a .cfg file, notes first
//
// The result is the machine that GPGPU-Sim would have simulated: missing options have
// GPGPU-Sim's defaults, not ours, and parameters without an option are those of the
// gtx480, whose quirks are GPGPU-Sim's. An option that is not converted exactly becomes a
// note with the reason, never a guess.
#ifndef GPU_IMPORT_CONFIG_IMPORT_H
#define GPU_IMPORT_CONFIG_IMPORT_H

#include "base/arena.h"
#include "base/param.h"

// Kinds of notes on options that are not converted exactly.
#define IMPORT_NOTE_LIST(X)                                              \
  X(CHANGED, "changed", "Changed: nearest supported value")              \
  X(LOST, "not modelled", "Not modelled")                                \
  X(UNUSED, "without effect", "Without effect on the simulated machine") \
  X(UNKNOWN, "unknown", "Unknown")

typedef enum ImportNoteKind {
#define X(name, word, heading) IMPORT_##name,
  IMPORT_NOTE_LIST(X)
#undef X
      IMPORT_NOTE_KINDS
} ImportNoteKind;

typedef struct ImportNote {
  ImportNoteKind kind;
  const char *file;  // file and line of the option
  uint32_t line;
  const char *option, *value, *text;
} ImportNote;

typedef struct ImportedValue {
  const char *text;    // NULL: not given
  const char *option;  // as spelt in the file
  const char *file;
  uint32_t line;
} ImportedValue;

typedef struct ConfigImport {
  const ParamSection *sections;
  Arena arena;
  ImportedValue *values;         // by row of the table of options
  const ImportedValue *current;  // being converted; NULL for a default
  ImportNote *notes;
  size_t note_count, note_capacity;
  uint32_t given;                // options in the files, each once
} ConfigImport;

void config_import_init(ConfigImport *import, const ParamSection *sections);
void config_import_clear(ConfigImport *import);

Status config_import_read(ConfigImport *import, const char *path, Error *err);
// The same from memory; messages use name in place of the path.
Status config_import_text(ConfigImport *import, const char *name, const char *text, size_t length,
                          Error *err);

// Fails on values that GPGPU-Sim itself could not read. A network file is read from the
// folder of the file that names it.
Status config_import_apply(ConfigImport *import, Error *err);

void config_import_print(const ConfigImport *import, FILE *file);
// "118 options: 12 changed, 3 not modelled, ..."
void config_import_print_summary(const ConfigImport *import, FILE *file);
// Below a heading for each of the kinds (a bit mask of 1 << ImportNoteKind), one line a
// note: `file:line: -option value: text`; every line behind prefix.
void config_import_print_notes(const ConfigImport *import, uint32_t kinds, const char *prefix,
                               FILE *file);

#endif
