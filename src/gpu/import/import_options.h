// SPDX-License-Identifier: MIT
// The table of another simulator's options, and what its converters may use.
// Only config_import.c and the tables include this.
//
// To carry one more option over, add a row to import_options.c: its name, its
// default there, a converter and the parameter of ours that it sets. A
// parameter that does not exist (yet) is reported, so rows may come first.
#ifndef GPU_IMPORT_IMPORT_OPTIONS_H
#define GPU_IMPORT_IMPORT_OPTIONS_H

#include "gpu/import/config_import.h"

typedef struct ImportRow ImportRow;
typedef Status (*ImportConverter)(ConfigImport *import, const ImportRow *row, const char *value,
                                  Error *err);

struct ImportRow {
  const char *option;       // without its dash
  const char *also;         // an older spelling, or NULL
  const char *initial;      // the default there; NULL: nothing is done without the option
  ImportConverter convert;  // NULL: without effect on the machine; text says why
  const char *target;       // "section.key", or an argument of the converter
  const char *text;         // of its note
};

extern const ImportRow import_rows[];  // ends with a NULL option

// What an option was given, or its default.
const char *import_value(const ConfigImport *import, const char *option);
bool import_is_given(const ConfigImport *import, const char *option);

// Whole numbers, decimal or 0x hexadecimal, of 32 bits.
Status import_number(const char *text, uint32_t *number, Error *err);
Status import_number_of(const ConfigImport *import, const char *option, uint32_t *number,
                        Error *err);

// Sets "section.key" from text; failures become notes. A number out of range is clamped,
// with a note.
void import_set(ConfigImport *import, const char *target, const char *text);
void import_set_number(ConfigImport *import, const char *target, uint32_t number);
// The parameter that a target names, and the struct of a section.
const Param *import_param(const ConfigImport *import, const char *target);
void *import_section(const ConfigImport *import, const char *section);

// Says what became of the option that is being converted, which is one that
// was given: otherwise nothing is said.
void import_note(ConfigImport *import, ImportNoteKind kind, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
#define import_changed(import, ...) import_note(import, IMPORT_CHANGED, __VA_ARGS__)
#define import_lost(import, ...) import_note(import, IMPORT_LOST, __VA_ARGS__)
// Notes of what follows are about this option.
void import_about(ConfigImport *import, const char *option);

// What only all options together show to be impossible; import_settle.c.
void import_settle(ConfigImport *import);

// Splits "a:b:c" into at most `limit` parts, allocated in the arena; returns the total
// number, which may be larger.
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
IMPORT_CONVERTER(convert_by_other);
IMPORT_CONVERTER(convert_parts);
IMPORT_CONVERTER(convert_clocks);
IMPORT_CONVERTER(convert_clusters);
IMPORT_CONVERTER(convert_capability);
IMPORT_CONVERTER(convert_order);
IMPORT_CONVERTER(convert_instructions);
IMPORT_CONVERTER(convert_device_launches);
IMPORT_CONVERTER(convert_threads);
IMPORT_CONVERTER(convert_scheduler);
IMPORT_CONVERTER(convert_double_units);
IMPORT_CONVERTER(convert_int_units);
IMPORT_CONVERTER(convert_units);
IMPORT_CONVERTER(convert_ports);
IMPORT_CONVERTER(convert_collectors);
IMPORT_CONVERTER(convert_widths);
IMPORT_CONVERTER(convert_latencies);
IMPORT_CONVERTER(convert_tensor);
IMPORT_CONVERTER(convert_coalescing);
IMPORT_CONVERTER(convert_perfect_caches);
IMPORT_CONVERTER(convert_variant);
IMPORT_CONVERTER(convert_carve_outs);
IMPORT_CONVERTER(convert_unified);
IMPORT_CONVERTER(convert_cache);
IMPORT_CONVERTER(convert_texture_only);
IMPORT_CONVERTER(convert_dram_scheduler);
IMPORT_CONVERTER(convert_burst);
IMPORT_CONVERTER(convert_dram_timing);
IMPORT_CONVERTER(convert_bank_groups);
IMPORT_CONVERTER(convert_write_queue);
IMPORT_CONVERTER(convert_return_queue);
IMPORT_CONVERTER(convert_address_map);
IMPORT_CONVERTER(convert_indexing);
IMPORT_CONVERTER(convert_bank_hash);
IMPORT_CONVERTER(convert_network_mode);
IMPORT_CONVERTER(convert_network_file);

#endif
