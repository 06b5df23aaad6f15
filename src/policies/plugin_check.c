// SPDX-License-Identifier: MIT
// Checks the description of a plugin before anything is allocated or called.
#include "policies/plugin_check.h"

// Without overflow: both may be any number.
static bool is_inside(const PolicyType *type, size_t offset, size_t size_bytes) {
  return size_bytes <= type->state_size && offset <= type->state_size - size_bytes;
}

// ---- parameters

static bool has_choices(const Param *param) {
  size_t count = 0;
  if (!param->choices) return false;
  while (count < POLICY_TABLE_ENTRIES && param->choices[count]) count++;
  return count && count < POLICY_TABLE_ENTRIES && param->initial >= 0 &&
         param->initial < (long double)count;
}

static bool has_size_of_type(const Param *param) {
  switch (param->type) {
    case PARAM_INT32:
    case PARAM_UINT32: return param->size_bytes == sizeof(int32_t);
    case PARAM_INT64:
    case PARAM_UINT64: return param->size_bytes == sizeof(int64_t);
    case PARAM_DOUBLE: return param->size_bytes == sizeof(double);
    case PARAM_BOOL: return param->size_bytes == sizeof(bool);
    case PARAM_CHOSEN: return param->size_bytes == sizeof(int) && has_choices(param);
    case PARAM_STRING: return param->size_bytes > 1 && param->initial_text;
    default: return false;
  }
}

// A comparison with NaN is false.
static bool has_range(const Param *param) {
  if (param->type == PARAM_STRING || param->type == PARAM_CHOSEN) return true;
  return param->minimum <= param->initial && param->initial <= param->maximum;
}

static Status check_param(const PolicyType *type, const Param *param, Error *err) {
  if (!param->help || !has_size_of_type(param) || !has_range(param))
    return error_set(
        err, ERR_CONFIG,
        "its policy %s describes the parameter %.80s wrongly: use PARAM, PARAM_TEXT or "
        "PARAM_CHOICE, with a default that is in its range",
        type->name, param->name);
  size_t alignment = param->type == PARAM_STRING ? 1 : param->size_bytes;
  if (is_inside(type, param->offset, param->size_bytes) && param->offset % alignment == 0)
    return OK;
  return error_set(err, ERR_CONFIG,
                   "its policy %s has the parameter %.80s at bytes %zu to %zu of a state of %zu: "
                   "state_size is that of another struct",
                   type->name, param->name, param->offset, param->offset + param->size_bytes,
                   type->state_size);
}

static Status check_params(const PolicyType *type, Error *err) {
  size_t count = 0;
  for (const Param *param = type->params; param && param->name; param++) {
    if (++count > POLICY_TABLE_ENTRIES)
      return error_set(err, ERR_CONFIG,
                       "its policy %s has a table of parameters without {0} at its end",
                       type->name);
    TRY(check_param(type, param, err));
  }
  return OK;
}

// ---- counters

static Status check_stat(const PolicyType *type, const Stat *stat, Error *err) {
  size_t size = sizeof(uint64_t);
  bool is_sound = stat->help && is_inside(type, stat->offset, size) && stat->offset % size == 0;
  if (stat->is_ratio)
    is_sound = is_sound && is_inside(type, stat->denominator_offset, size) &&
               stat->denominator_offset % size == 0;
  if (is_sound) return OK;
  return error_set(err, ERR_CONFIG,
                   "its policy %s has the counter %.80s outside of its state of %zu bytes, or "
                   "without help: use STAT_COUNT or STAT_RATIO with fields of the state",
                   type->name, stat->name, type->state_size);
}

static Status check_stats(const PolicyType *type, Error *err) {
  size_t count = 0;
  for (const Stat *stat = type->stats; stat && stat->name; stat++) {
    if (++count > POLICY_TABLE_ENTRIES)
      return error_set(err, ERR_CONFIG,
                       "its policy %s has a table of counters without {0} at its end", type->name);
    TRY(check_stat(type, stat, err));
  }
  return OK;
}

// ---- tables of results

static Status check_table(const PolicyType *type, const ResultTableType *table, Error *err) {
  if (table->name && table->summary && table->columns && table->row_bytes &&
      table->row_bytes <= POLICY_STATE_BYTES)
    return OK;
  return error_set(err, ERR_CONFIG,
                   "its policy %s lists a table without a name, summary, columns or rows",
                   type->name);
}

static Status check_tables(const PolicyType *type, Error *err) {
  size_t count = 0;
  for (const ResultTableType *const *table = type->tables; table && *table; table++) {
    if (++count > POLICY_TABLE_ENTRIES)
      return error_set(err, ERR_CONFIG,
                       "its policy %s has a list of tables without NULL at its end", type->name);
    TRY(check_table(type, *table, err));
  }
  return OK;
}

Status policy_type_check(const PolicyType *type, Error *err) {
  if (type->state_size > POLICY_STATE_BYTES)
    return error_set(
        err, ERR_CONFIG,
        "its policy %s has a state_size of %zu bytes; the limit is %d: larger tables are "
        "allocated by init, from PolicySetup.arena",
        type->name, type->state_size, POLICY_STATE_BYTES);
  TRY(check_params(type, err));
  TRY(check_stats(type, err));
  return check_tables(type, err);
}
