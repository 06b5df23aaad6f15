// SPDX-License-Identifier: MIT
// Parameters: a table next to a struct defines each field's name, default, range and
// help in one place.
//
//   typedef struct SmConfig { uint32_t max_warps; bool dual_issue; } SmConfig;
//   const Param sm_params[] = {
//       PARAM(SmConfig, max_warps, 48, 1, 64, "maximum resident warps per SM"),
//       PARAM(SmConfig, dual_issue, false, 0, 1, "two instructions per cycle"),
//       {0}};
//
// The same table parses the configuration file and --set, prints the listing
// and writes the resolved configuration into every result. Fields may be
// int32_t, uint32_t, int64_t, uint64_t, double or bool (PARAM), a char array
// (PARAM_TEXT) or an enum (PARAM_CHOICE); any other type does not compile.
// Units are part of the names: size_kb, latency_cycles.
#ifndef BASE_PARAM_H
#define BASE_PARAM_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"

typedef enum ParamType {
  PARAM_END,
  PARAM_INT32,
  PARAM_UINT32,
  PARAM_INT64,
  PARAM_UINT64,
  PARAM_DOUBLE,
  PARAM_BOOL,
  PARAM_STRING,  // a char array inside the struct
  PARAM_CHOSEN,  // an enum: the index of one of `choices`
} ParamType;

typedef struct Param {
  const char *name, *help;
  ParamType type;
  size_t offset, size_bytes;
  long double initial, minimum, maximum;  // wide enough for every 64-bit integer
  const char *initial_text;               // PARAM_STRING
  const char *const *choices;             // PARAM_CHOSEN; NULL-terminated
} Param;

// clang-format off
#define PARAM_FIELD_(Struct, field) (((Struct *)0)->field)
#ifdef __cplusplus
// The same check: a field of another type has no value here.
template <typename Field> struct ParamTypeOf;
template <> struct ParamTypeOf<int32_t> { static constexpr ParamType value = PARAM_INT32; };
template <> struct ParamTypeOf<uint32_t> { static constexpr ParamType value = PARAM_UINT32; };
template <> struct ParamTypeOf<int64_t> { static constexpr ParamType value = PARAM_INT64; };
template <> struct ParamTypeOf<uint64_t> { static constexpr ParamType value = PARAM_UINT64; };
template <> struct ParamTypeOf<double> { static constexpr ParamType value = PARAM_DOUBLE; };
template <> struct ParamTypeOf<bool> { static constexpr ParamType value = PARAM_BOOL; };
#define PARAM_TYPE_(Struct, field) ParamTypeOf<decltype(Struct::field)>::value
#define PARAM_TEXT_TYPE_(Struct, field) PARAM_STRING
#define PARAM_CHOICE_TYPE_(Struct, field) PARAM_CHOSEN
#else
#define PARAM_TEXT_TYPE_(Struct, field) \
  _Generic(&PARAM_FIELD_(Struct, field)[0], char *: PARAM_STRING)
#define PARAM_CHOICE_TYPE_(Struct, field) \
  _Generic(PARAM_FIELD_(Struct, field), unsigned: PARAM_CHOSEN, int: PARAM_CHOSEN)
#define PARAM_TYPE_(Struct, field)                                                  \
  _Generic(PARAM_FIELD_(Struct, field), int32_t: PARAM_INT32, uint32_t: PARAM_UINT32, \
           int64_t: PARAM_INT64, uint64_t: PARAM_UINT64, double: PARAM_DOUBLE, bool: PARAM_BOOL)
#endif
#define PARAM(Struct, field, default_, min, max, help_)                              \
  {.name = #field, .help = (help_), .type = PARAM_TYPE_(Struct, field),               \
   .offset = offsetof(Struct, field), .size_bytes = sizeof PARAM_FIELD_(Struct, field), \
   .initial = (default_), .minimum = (min), .maximum = (max)}
#define PARAM_TEXT(Struct, field, default_, help_)                                   \
  {.name = #field, .help = (help_),                                                   \
   .type = PARAM_TEXT_TYPE_(Struct, field),                                           \
   .offset = offsetof(Struct, field), .size_bytes = sizeof PARAM_FIELD_(Struct, field), \
   .initial_text = (default_)}
#define PARAM_CHOICE(Struct, field, default_, choices_, help_)                       \
  {.name = #field, .help = (help_),                                                   \
   .type = PARAM_CHOICE_TYPE_(Struct, field),                                         \
   .offset = offsetof(Struct, field), .size_bytes = sizeof PARAM_FIELD_(Struct, field), \
   .initial = (default_), .choices = (choices_)}
// clang-format on

// A table together with the struct it describes: `[name]` in a file. Lists of
// sections end with {0}.
typedef struct ParamSection {
  const char *name, *summary;
  const Param *params;
  void *values;
} ParamSection;

void param_set_defaults(const ParamSection *sections);

// Sets one value from text. An error suggests the closest keys, or states the valid
// values; the caller prefixes file and line.
Status param_set(const ParamSection *sections, const char *section, const char *key,
                 const char *value, Error *err);
// The same from "section.key=value", as on the command line.
Status param_assign(const ParamSection *sections, const char *assignment, Error *err);
// Only whether the section exists.
Status param_check_section(const ParamSection *sections, const char *section, Error *err);

enum { PARAM_VALUE_BYTES = 256 };
// The value as text that param_set understands; returns out.
const char *param_value_text(const Param *param, const void *values, char out[PARAM_VALUE_BYTES]);
// Valid values: "1..64", "true or false", "lrr, gto".
const char *param_range_text(const Param *param, char out[PARAM_VALUE_BYTES]);

// A configuration file with every parameter in it.
void param_print(const ParamSection *sections, FILE *file);
// {"section": {"key": value}}
json_t *param_json(const ParamSection *sections);

// For another process: the same with every value as text, which reads back exactly, and the
// reverse. What the texts lack is set to its default.
json_t *param_texts(const ParamSection *sections);
Status param_from_texts(const ParamSection *sections, const json_t *json, Error *err);

#endif
