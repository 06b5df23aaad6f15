// SPDX-License-Identifier: MIT
// Parameter tables: defaults, parsing, ranges and printing of typed fields.
#include "base/param.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/closest.h"
#include "base/text/json_text.h"
#include "base/text/param_suggestion.h"

static void *field_of(const Param *param, const void *values) {
  return (unsigned char *)(uintptr_t)values + param->offset;
}

static void store_number(const Param *param, void *field, long double number) {
  switch (param->type) {
    case PARAM_INT32: *(int32_t *)field = (int32_t)number; break;
    case PARAM_UINT32: *(uint32_t *)field = (uint32_t)number; break;
    case PARAM_INT64: *(int64_t *)field = (int64_t)number; break;
    case PARAM_UINT64: *(uint64_t *)field = (uint64_t)number; break;
    case PARAM_DOUBLE: *(double *)field = (double)number; break;
    case PARAM_BOOL: *(bool *)field = number != 0; break;
    case PARAM_CHOSEN: *(uint32_t *)field = (uint32_t)number; break;
    default: assert(0 && "numeric value for a non-numeric parameter");
  }
}

static long double load_number(const Param *param, const void *field) {
  switch (param->type) {
    case PARAM_INT32: return *(const int32_t *)field;
    case PARAM_UINT32: return *(const uint32_t *)field;
    case PARAM_INT64: return *(const int64_t *)field;
    case PARAM_UINT64: return *(const uint64_t *)field;
    case PARAM_DOUBLE: return *(const double *)field;
    case PARAM_BOOL: return *(const bool *)field;
    case PARAM_CHOSEN: return *(const uint32_t *)field;
    default: assert(0 && "numeric value of a non-numeric parameter"); return 0;
  }
}

static void store_text(const Param *param, void *field, const char *text) {
  memset(field, 0, param->size_bytes);
  memcpy(field, text, strnlen(text, param->size_bytes - 1));
}

void param_set_defaults(const ParamSection *sections) {
  for (const ParamSection *section = sections; section->name; section++)
    for (const Param *param = section->params; param->name; param++) {
      void *field = field_of(param, section->values);
      if (param->type == PARAM_STRING)
        store_text(param, field, param->initial_text);
      else
        store_number(param, field, param->initial);
    }
}

const char *param_range_text(const Param *param, char out[PARAM_VALUE_BYTES]) {
  out[0] = '\0';
  if (param->type == PARAM_STRING) {
    snprintf(out, PARAM_VALUE_BYTES, "up to %zu characters", param->size_bytes - 1);
  } else if (param->type == PARAM_BOOL) {
    snprintf(out, PARAM_VALUE_BYTES, "true or false");
  } else if (param->type == PARAM_CHOSEN) {
    for (const char *const *choice = param->choices; *choice; choice++) {
      size_t used = strlen(out);
      snprintf(out + used, PARAM_VALUE_BYTES - used, "%s%s", used ? ", " : "", *choice);
    }
  } else {
    // Integers of 64 bits need all 20 digits; fractions need few.
    int digits = param->type == PARAM_DOUBLE ? 6 : 20;
    snprintf(out, PARAM_VALUE_BYTES, "%.*Lg..%.*Lg", digits, param->minimum, digits,
             param->maximum);
  }
  return out;
}

const char *param_value_text(const Param *param, const void *values, char out[PARAM_VALUE_BYTES]) {
  const void *field = field_of(param, values);
  switch (param->type) {
    case PARAM_STRING: snprintf(out, PARAM_VALUE_BYTES, "%s", (const char *)field); break;
    case PARAM_BOOL: strcpy(out, *(const bool *)field ? "true" : "false"); break;
    case PARAM_CHOSEN:
      snprintf(out, PARAM_VALUE_BYTES, "%s", param->choices[*(const uint32_t *)field]);
      break;
    case PARAM_DOUBLE: {
      // The shortest text that reads back as the same number.
      double value = *(const double *)field;
      for (int digits = 6; digits <= 17; digits++) {
        snprintf(out, PARAM_VALUE_BYTES, "%.*g", digits, value);
        if (strtod(out, NULL) == value) break;
      }
      break;
    }
    default: snprintf(out, PARAM_VALUE_BYTES, "%.20Lg", load_number(param, field));
  }
  return out;
}

// nearest: an allowed value that may have been meant, or "".
static Status refuse_for(const Param *param, const char *value, const char *what,
                         const char *nearest, Error *err) {
  char range[PARAM_VALUE_BYTES];
  return error_set(err, ERR_CONFIG, "%s = %.80s: %s; allowed: %s%s%s%s", param->name, value, what,
                   param_range_text(param, range), *nearest ? " (nearest: " : "", nearest,
                   *nearest ? ")" : "");
}

static Status refuse(const Param *param, const char *value, const char *what, Error *err) {
  return refuse_for(param, value, what, "", err);
}

static Status refuse_range(const Param *param, const char *text, long double number, Error *err) {
  char nearest[64];
  snprintf(nearest, sizeof nearest, "%.*Lg", param->type == PARAM_DOUBLE ? 6 : 20,
           number < param->minimum ? param->minimum : param->maximum);
  return refuse_for(param, text, "out of range", isnan(number) ? "" : nearest, err);
}

// Decimal or 0x hexadecimal integers, any C number for a double.
static Status parse_number(const Param *param, const char *text, long double *number, Error *err) {
  bool whole = param->type != PARAM_DOUBLE;
  const char *digits = text + (*text == '-' || *text == '+');
  if (!isdigit((unsigned char)*digits) && !(*digits == '.' && !whole))
    return refuse(param, text, "not a number", err);
  char *end;
  errno = 0;
  if (!whole) {
    *number = strtod(text, &end);
  } else {
    unsigned long long magnitude =
        strtoull(digits, &end, digits[0] == '0' && tolower(digits[1]) == 'x' ? 16 : 10);
    *number = *text == '-' ? -(long double)magnitude : (long double)magnitude;
  }
  if (*end) return refuse(param, text, whole ? "not an integer" : "not a number", err);
  if (errno == ERANGE || isnan(*number) || *number < param->minimum || *number > param->maximum)
    return refuse_range(param, text, *number, err);
  return OK;
}

static Status parse_bool(const Param *param, const char *text, bool *value, Error *err) {
  static const char *const words[] = {"false", "true", "no", "yes", "off", "on", "0", "1"};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (strcmp(text, words[i]) == 0) {
      *value = i % 2;
      return OK;
    }
  return refuse(param, text, "not a boolean", err);
}

static Status parse_choice(const Param *param, const char *text, uint32_t *value, Error *err) {
  Closest closest = closest_start(text);
  for (uint32_t i = 0; param->choices[i]; i++) {
    closest_offer(&closest, param->choices[i]);
    if (strcmp(text, param->choices[i]) != 0) continue;
    *value = i;
    return OK;
  }
  return refuse_for(param, text, "unknown choice", closest.best, err);
}

static Status set_value(const Param *param, void *values, const char *text, Error *err) {
  void *field = field_of(param, values);
  long double number = 0;
  switch (param->type) {
    case PARAM_BOOL: return parse_bool(param, text, field, err);
    case PARAM_CHOSEN: return parse_choice(param, text, field, err);
    case PARAM_STRING:
      if (strlen(text) >= param->size_bytes) return refuse(param, text, "too long", err);
      // Written as `key = value`, it would be read as a comment.
      if (*text == '#' || *text == ';')
        return refuse(param, text, "starts with the sign of a comment", err);
      store_text(param, field, text);
      return OK;
    default:
      TRY(parse_number(param, text, &number, err));
      store_number(param, field, number);
      return OK;
  }
}

static const ParamSection *find_section(const ParamSection *sections, const char *name) {
  for (; sections->name; sections++)
    if (strcmp(sections->name, name) == 0) return sections;
  return NULL;
}

Status param_check_section(const ParamSection *sections, const char *section, Error *err) {
  if (find_section(sections, section)) return OK;
  Closest closest = closest_start(section);
  char names[256] = "";
  size_t at = 0;
  for (; sections->name; sections++) {
    closest_offer(&closest, sections->name);
    if (at < sizeof names)
      at += (size_t)snprintf(names + at, sizeof names - at, "%s%s", at ? ", " : "", sections->name);
  }
  return error_set(err, ERR_CONFIG, "unknown section [%.80s]%s%s%s (sections: %s)", section,
                   CLOSEST_HINT(closest), names);
}

static const Param *find_param(const ParamSection *section, const char *key) {
  for (const Param *param = section ? section->params : NULL; param && param->name; param++)
    if (strcmp(param->name, key) == 0) return param;
  return NULL;
}

static Status set_named(const ParamSection *sections, const char *section, const char *key,
                        const char *value, bool with_sections, Error *err) {
  char hint[PARAM_SUGGESTION_BYTES];
  TRY(param_check_section(sections, section, err));
  const ParamSection *found = find_section(sections, section);
  const Param *param = find_param(found, key);
  if (param) return set_value(param, found->values, value, err);
  return error_set(err, ERR_CONFIG, "unknown key '%.80s' in [%s]%s", key, section,
                   param_suggestion(sections, section, key, with_sections, hint));
}

Status param_set(const ParamSection *sections, const char *section, const char *key,
                 const char *value, Error *err) {
  return set_named(sections, section, key, value, false, err);
}

// A name without a value, or without a section. section may be NULL.
static Status refuse_assignment(const ParamSection *sections, const char *section, const char *key,
                                const char *assignment, Error *err) {
  char hint[PARAM_SUGGESTION_BYTES], range[PARAM_VALUE_BYTES];
  const Param *param = find_param(section ? find_section(sections, section) : NULL, key);
  if (param)
    return error_set(err, ERR_USAGE, "'%.80s': expected section.key=value; allowed values: %s",
                     assignment, param_range_text(param, range));
  return error_set(err, ERR_USAGE, "'%.80s': expected section.key=value%s", assignment,
                   param_suggestion(sections, section, key, true, hint));
}

Status param_assign(const ParamSection *sections, const char *assignment, Error *err) {
  size_t length = strcspn(assignment, "=");
  bool has_value = assignment[length] == '=';
  char names[PARAM_VALUE_BYTES];
  if (length >= sizeof names)
    return error_set(err, ERR_USAGE, "'%.80s': expected section.key=value", assignment);
  memcpy(names, assignment, length);
  names[length] = '\0';
  char *dot = strchr(names, '.');
  if (dot) *dot = '\0';
  const char *section = dot ? names : NULL, *key = dot ? dot + 1 : names;
  if (!section || !has_value) return refuse_assignment(sections, section, key, assignment, err);
  return set_named(sections, section, key, assignment + length + 1, true, err);
}

void param_print(const ParamSection *sections, FILE *file) {
  char text[PARAM_VALUE_BYTES];
  for (const ParamSection *section = sections; section->name; section++) {
    fprintf(file, "%s[%s]\n", section == sections ? "" : "\n", section->name);
    for (const Param *param = section->params; param->name; param++)
      fprintf(file, "%s = %s\n", param->name, param_value_text(param, section->values, text));
  }
}

static json_t *value_json(const Param *param, const void *values) {
  const void *field = field_of(param, values);
  char text[PARAM_VALUE_BYTES];
  switch (param->type) {
    case PARAM_BOOL: return json_boolean(*(const bool *)field);
    case PARAM_DOUBLE: return json_real(*(const double *)field);
    case PARAM_STRING: return json_text(field);  // of any length
    case PARAM_CHOSEN: return json_text(param_value_text(param, values, text));
    default: return json_integer((json_int_t)load_number(param, field));
  }
}

json_t *param_json(const ParamSection *sections) {
  json_t *all = json_object();
  for (const ParamSection *section = sections; section->name; section++) {
    json_t *object = json_object();
    for (const Param *param = section->params; param->name; param++)
      json_object_set_new(object, param->name, value_json(param, section->values));
    json_object_set_new(all, section->name, object);
  }
  return all;
}

// ---- hand-over

static json_t *exact_json(const Param *param, const void *values) {
  char text[PARAM_VALUE_BYTES];
  if (param->type == PARAM_STRING) return json_text(field_of(param, values));
  return json_string(param_value_text(param, values, text));
}

json_t *param_texts(const ParamSection *sections) {
  json_t *all = json_object();
  for (const ParamSection *section = sections; section->name; section++) {
    json_t *object = json_object();
    for (const Param *param = section->params; param->name; param++)
      json_object_set_new(object, param->name, exact_json(param, section->values));
    json_object_set_new(all, section->name, object);
  }
  return all;
}

static Status set_section(const ParamSection *sections, const char *name, json_t *object,
                          Error *err) {
  const char *key;
  json_t *value;
  json_object_foreach(object, key, value) {
    if (!json_is_string(value))
      return error_set(err, ERR_SYNTAX, "%.80s.%.80s: expected a text", name, key);
    TRY(param_set(sections, name, key, json_string_value(value), err));
  }
  return OK;
}

Status param_from_texts(const ParamSection *sections, const json_t *json, Error *err) {
  const char *name;
  json_t *object;
  param_set_defaults(sections);
  json_object_foreach((json_t *)(uintptr_t)json, name, object)
      TRY(set_section(sections, name, object, err));
  return OK;
}
