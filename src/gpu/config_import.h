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
// as in the gtx480, whose quirks are GPGPU-Sim's. An option that is not carried
// over as it is becomes a note that says why, never a guess. docs/import.md has
// all of it.
#ifndef GPU_CONFIG_IMPORT_H
#define GPU_CONFIG_IMPORT_H

#include "base/arena.h"
#include "base/param.h"

// What became of an option that was not carried over as it is.
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
  uint32_t given;                // options in the files, each once
} ConfigImport;

void config_import_init(ConfigImport *import, const ParamSection *sections);
void config_import_clear(ConfigImport *import);

Status config_import_read(ConfigImport *import, const char *path, Error *err);
// The same from memory; messages use name in place of the path.
Status config_import_text(ConfigImport *import, const char *name, const char *text, size_t length,
                          Error *err);

// An error is a value that GPGPU-Sim itself could not read. A network file
// that the options name is read from beside the file that names it.
Status config_import_apply(ConfigImport *import, Error *err);

void config_import_print(const ConfigImport *import, FILE *file);
// "118 options: 12 changed, 3 not modelled, ..."
void config_import_print_summary(const ConfigImport *import, FILE *file);
// Below a heading for each of the kinds (a bit mask of 1 << ImportNoteKind), one line a
// note: `file:line: -option value: text`; every line behind prefix.
void config_import_print_notes(const ConfigImport *import, uint32_t kinds, const char *prefix,
                               FILE *file);

#endif
