// SPDX-License-Identifier: MIT
// The table of another simulator's options, and what its converters may use.
// Only config_import.c and the tables include this.
//
// To carry one more option over, add a row to import_options.c: its name, its
// default there, a converter and the parameter of ours that it sets. A
// parameter that does not exist (yet) is reported, so rows may come first.
#ifndef GPU_IMPORT_OPTIONS_H
#define GPU_IMPORT_OPTIONS_H

#include "gpu/config_import.h"

typedef struct ImportRow ImportRow;
typedef Status (*ImportConverter)(ConfigImport *import, const ImportRow *row, const char *value,
                                  Error *err);

struct ImportRow {
  const char *option;       // without its dash
  const char *also;         // an older spelling, or NULL
  const char *initial;      // the default there; NULL: nothing is done without the option
  ImportConverter convert;  // NULL: of no meaning for the machine
  const char *target;       // "section.key", or what the converter wants
  const char *text;         // of its note
};

extern const ImportRow import_rows[];  // ends with a NULL option

// What an option was given, or its default.
const char *import_value(const ConfigImport *import, const char *option);

// Whole numbers, decimal or 0x hexadecimal, of 32 bits.
Status import_number(const char *text, uint32_t *number, Error *err);
Status import_number_of(const ConfigImport *import, const char *option, uint32_t *number,
                        Error *err);

// Sets "section.key" from text; what does not work becomes a note.
void import_set(ConfigImport *import, const char *target, const char *text);
void import_set_number(ConfigImport *import, const char *target, uint32_t number);
// The parameter that a target names, or NULL.
const Param *import_param(const ConfigImport *import, const char *target);

// Says that the option that is being converted was lost or changed; nothing if
// it was not given.
void import_note(ConfigImport *import, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

// "a:b:c" into at most `limit` parts; returns how many there are, which may be
// more. The parts stand in the arena.
size_t import_split(ConfigImport *import, const char *text, char separator, const char **parts,
                    size_t limit);

// The converters; a comment at each says what value it takes.
#define IMPORT_CONVERTER(name) \
  Status name(ConfigImport *import, const ImportRow *row, const char *value, Error *err)
IMPORT_CONVERTER(convert_number);
IMPORT_CONVERTER(convert_limit);
IMPORT_CONVERTER(convert_kilobytes);
IMPORT_CONVERTER(convert_inverse);
IMPORT_CONVERTER(convert_lost);
IMPORT_CONVERTER(convert_parts);
IMPORT_CONVERTER(convert_widths);
IMPORT_CONVERTER(convert_clocks);
IMPORT_CONVERTER(convert_clusters);
IMPORT_CONVERTER(convert_threads);
IMPORT_CONVERTER(convert_scheduler);
IMPORT_CONVERTER(convert_coalescing);
IMPORT_CONVERTER(convert_double_units);
IMPORT_CONVERTER(convert_units);
IMPORT_CONVERTER(convert_ports);
IMPORT_CONVERTER(convert_by_other);
IMPORT_CONVERTER(convert_dram_scheduler);
IMPORT_CONVERTER(convert_burst);
IMPORT_CONVERTER(convert_dram_timing);
IMPORT_CONVERTER(convert_return_queue);
IMPORT_CONVERTER(convert_address_map);
IMPORT_CONVERTER(convert_indexing);
IMPORT_CONVERTER(convert_network_mode);
IMPORT_CONVERTER(convert_cache);
IMPORT_CONVERTER(convert_network_file);

#endif
