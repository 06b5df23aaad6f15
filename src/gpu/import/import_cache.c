// SPDX-License-Identifier: MIT
// A cache in one string:
//
//   [type:]sets:line:ways,replacement:write:allocate:write_allocate[:index],mshr:entries:merges,
//   miss_queue[:fifo][,port]
//
// GPGPU-Sim 3 has neither type nor, in its oldest files, index.
#include <string.h>

#include "gpu/import/import_options.h"
#include "memory/cache/cache.h"

// One letter of the string and our word for it.
typedef struct Letter {
  char letter;
  const char *word;
} Letter;

static const Letter types[] = {{'N', "false"}, {'S', "true"}, {0, NULL}};
static const Letter replacements[] = {{'L', "lru"}, {'F', "fifo"}, {0, NULL}};
static const Letter writes[] = {{'R', "read_only"},
                                {'B', "back"},
                                {'T', "through"},
                                {'E', "evict"},
                                {'L', "local_back_global_through"},
                                {0, NULL}};
static const Letter allocates[] = {
    {'m', "on_miss"}, {'f', "on_fill"}, {'s', "streaming"}, {0, NULL}};
static const Letter write_allocates[] = {
    {'N', "no"}, {'W', "fetch"}, {'F', "fetch"}, {'L', "lazy"}, {0, NULL}};
static const Letter indices[] = {{'L', "linear"}, {'H', "fermi"}, {'P', "ipoly"},
                                 {'X', "xor"},    {'C', NULL},    {0, NULL}};
static const Letter mshrs[] = {{'A', ""}, {'S', ""}, {'F', ""}, {'T', ""}, {0, NULL}};

typedef struct CacheText {
  const char *type, *sets, *line, *ways;
  const char *replacement, *write, *allocate, *write_allocate, *index;
  const char *mshr, *entries, *merges;
  const char *miss_queue, *port;
} CacheText;

static void set_key(ConfigImport *import, const ImportRow *row, const char *key,
                    const char *value) {
  char target[64];
  snprintf(target, sizeof target, "%s.%s", row->target, key);
  import_set(import, target, value);
}

static Status set_letter(ConfigImport *import, const ImportRow *row, const char *key,
                         const Letter *letters, const char *text, Error *err) {
  for (const Letter *each = letters; each->letter; each++) {
    if (text[0] != each->letter || text[1]) continue;
    if (!each->word)
      import_lost(import, "unsupported %s '%c'; %s.%s keeps its default", key, text[0], row->target,
                  key);
    else if (each->word[0])
      set_key(import, row, key, each->word);
    return OK;
  }
  return error_set(err, ERR_SYNTAX, "'%.40s' is not a valid %s", text, key);
}

static Status set_count(ConfigImport *import, const ImportRow *row, const char *key,
                        const char *text, Error *err) {
  uint32_t number;
  TRY(import_number(text, &number, err));
  set_key(import, row, key, text);
  return OK;
}

// The string's fields in order; `first` of them may be left out at the front,
// `last` at the end.
static Status split_group(ConfigImport *import, const char *group, const char ***fields,
                          size_t count, size_t first, size_t last, Error *err) {
  const char *parts[8] = {0};
  size_t found = import_split(import, group, ':', parts, 8);
  if (found > count || found + first + last < count)
    return error_set(err, ERR_SYNTAX, "'%.80s' has %zu fields, expected %zu", group, found, count);
  size_t skipped = first && found < count ? first : 0;
  for (size_t i = 0; i < found; i++) *fields[i + skipped] = parts[i];
  return OK;
}

static Status split_cache(ConfigImport *import, const char *value, CacheText *text, Error *err) {
  const char *groups[5] = {0}, *fifo = NULL;
  size_t count = import_split(import, value, ',', groups, 5);
  if (count < 4 || count > 5)
    return error_set(err, ERR_SYNTAX, "'%.80s' is not a cache: %zu groups, expected 4 or 5", value,
                     count);
  TRY(split_group(import, groups[0],
                  (const char **[]){&text->type, &text->sets, &text->line, &text->ways}, 4, 1, 0,
                  err));
  TRY(split_group(import, groups[1],
                  (const char **[]){&text->replacement, &text->write, &text->allocate,
                                    &text->write_allocate, &text->index},
                  5, 0, 1, err));
  TRY(split_group(import, groups[2], (const char **[]){&text->mshr, &text->entries, &text->merges},
                  3, 0, 0, err));
  TRY(split_group(import, groups[3], (const char **[]){&text->miss_queue, &fifo}, 2, 0, 1, err));
  text->port = groups[4];
  return OK;
}

// More ways than our sets can have become more sets.
static Status set_geometry(ConfigImport *import, const ImportRow *row, const CacheText *text,
                           Error *err) {
  char target[64], number[16];
  uint32_t sets, ways;
  TRY(import_number(text->sets, &sets, err));
  TRY(import_number(text->ways, &ways, err));
  snprintf(target, sizeof target, "%s.ways", row->target);
  const Param *param = import_param(import, target);
  uint32_t most = param ? (uint32_t)param->maximum : UINT32_MAX, given = ways;
  while (ways > most && ways % 2 == 0 && sets < UINT32_MAX / 2) ways /= 2, sets *= 2;
  if (ways != given)
    import_changed(import, "%s: at most %u ways are supported; %u sets of %u instead", row->target,
                   most, sets, ways);
  snprintf(number, sizeof number, "%u", sets);
  set_key(import, row, "sets", number);
  snprintf(number, sizeof number, "%u", ways);
  set_key(import, row, "ways", number);
  set_key(import, row, "size_kb", "0");
  return set_count(import, row, "line_bytes", text->line, err);
}

static Status set_policies(ConfigImport *import, const ImportRow *row, const CacheText *text,
                           Error *err) {
  TRY(set_letter(import, row, "sectored", types, text->type ? text->type : "N", err));
  TRY(set_letter(import, row, "replacement", replacements, text->replacement, err));
  TRY(set_letter(import, row, "write_policy", writes, text->write, err));
  TRY(set_letter(import, row, "allocate", allocates, text->allocate, err));
  TRY(set_letter(import, row, "write_allocate", write_allocates, text->write_allocate, err));
  TRY(set_letter(import, row, "index_hash", indices, text->index ? text->index : "L", err));
  return set_letter(import, row, "mshrs", mshrs, text->mshr, err);
}

// Entries and merges each have their range, and their product has one.
static Status set_mshrs(ConfigImport *import, const ImportRow *row, const CacheText *text,
                        Error *err) {
  char target[64];
  uint32_t entries, merges;
  TRY(import_number(text->entries, &entries, err));
  TRY(import_number(text->merges, &merges, err));
  uint32_t most = entries && entries < CACHE_MAX_WAITERS ? CACHE_MAX_WAITERS / entries : 1;
  if (merges > most)
    import_changed(import, "%s: an MSHR merges %u requests, not %u", row->target, most, merges);
  snprintf(target, sizeof target, "%s.mshrs", row->target);
  import_set_number(import, target, entries);
  snprintf(target, sizeof target, "%s.mshr_merges", row->target);
  import_set_number(import, target, merges < most ? merges : most);
  return OK;
}

Status convert_cache(ConfigImport *import, const ImportRow *row, const char *value, Error *err) {
  CacheText text = {0};
  set_key(import, row, "enabled", strcmp(value, "none") == 0 ? "false" : "true");
  if (strcmp(value, "none") == 0) return OK;
  TRY(split_cache(import, value, &text, err));
  TRY(set_geometry(import, row, &text, err));
  TRY(set_policies(import, row, &text, err));
  TRY(set_mshrs(import, row, &text, err));
  TRY(set_count(import, row, "miss_queue", text.miss_queue, err));
  uint32_t port = 0;
  if (text.port) TRY(import_number(text.port, &port, err));
  if (strcmp(row->target, "l2") == 0)
    import_set(import, "partition.l2_port_bytes", port ? text.port : text.line);
  return OK;
}
