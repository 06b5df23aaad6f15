// SPDX-License-Identifier: MIT
// The observers of a run: a semicolon-separated list, evaluated from left to right, starting from
// the default ones (OBSERVERS_DEFAULT).
#include "observers/attach/observer_list.h"

#include <string.h>

#include "base/arena.h"
#include "observers/observers.h"

enum { MOST_OBSERVERS = 64 };

typedef struct ObserverList {
  const PolicySet *more;
  struct {
    const ObserverType *type;
    const char *spec;
  } items[MOST_OBSERVERS];
  uint32_t count;
  Arena arena;
} ObserverList;

static Status add(ObserverList *list, const ObserverType *type, const char *spec, bool replaces,
                  Error *err) {
  uint32_t place = 0;
  while (place < list->count && list->items[place].type != type) place++;
  if (place == MOST_OBSERVERS) return error_set(err, ERR_USAGE, "too many observers");
  bool is_new = place == list->count;
  list->count += is_new;
  if (!is_new && !replaces) return OK;
  list->items[place].type = type;
  list->items[place].spec = spec;
  return OK;
}

static Status add_all(ObserverList *list, Error *err) {
  for (const PolicyType *const *each = observer_family.types; *each; each++)
    TRY(add(list, (const ObserverType *)*each, (*each)->name, false, err));
  return OK;
}

static Status add_spec(ObserverList *list, const char *spec, Error *err) {
  const ObserverType *type;
  if (strcmp(spec, "all") == 0) return add_all(list, err);
  if (strcmp(spec, "none") == 0) {
    list->count = 0;
    return OK;
  }
  TRY(observer_find(spec, list->more, &type, err));
  return add(list, type, spec, true, err);
}

static Status read_list(ObserverList *list, const char *text, Error *err) {
  while (text && *text) {
    size_t length = strcspn(text, ";");
    const char *spec = arena_strndup(&list->arena, text, length);
    if (*spec && add_spec(list, spec, err) != OK) return error_prefix(err, "--observe %.80s", spec);
    text += length + (text[length] == ';');
  }
  return OK;
}

static Status read_all(ObserverList *list, const char *text, Error *err) {
  TRY(read_list(list, OBSERVERS_DEFAULT, err));
  return read_list(list, text, err);
}

Status observer_list_attach(const char *text, const PolicySet *more, ObserverFn attach, void *self,
                            Error *err) {
  ObserverList list = {.more = more};
  Status status = read_all(&list, text, err);
  for (uint32_t i = 0; i < list.count && status == OK; i++)
    status = attach(self, list.items[i].type, list.items[i].spec, err);
  arena_clear(&list.arena);
  return status;
}

static Status check_untimed(const ObserverType *type, Error *err) {
  return type->works_untimed ? OK : error_set(err, ERR_USAGE, "requires a timing run");
}

Status observer_list_attach_untimed(const char *text, const PolicySet *more, Observers *to,
                                    Error *err) {
  ObserverList list = {.more = more};
  Status status = read_list(&list, text, err);
  for (uint32_t i = 0; i < list.count && status == OK; i++) {
    status = check_untimed(list.items[i].type, err);
    if (status == OK) status = observers_add(to, list.items[i].type, list.items[i].spec, 1, err);
    if (status != OK) error_prefix(err, "--observe %.80s", list.items[i].spec);
  }
  arena_clear(&list.arena);
  return status;
}

static Status try_all(const char *text, const PolicySet *more, Error *err) {
  ObserverList list = {.more = more};
  Observers tried = {0};
  Status status = read_all(&list, text, err);
  for (uint32_t i = 0; i < list.count && status == OK; i++)
    if (observers_add(&tried, list.items[i].type, list.items[i].spec, 1, err) != OK)
      status = error_prefix(err, "--observe %.80s", list.items[i].spec);
  observers_clear(&tried);
  arena_clear(&list.arena);
  return status;
}

Status observer_list_check(const char *text, const PolicySet *more, bool is_functional,
                           Error *err) {
  Observers tried = {0};
  if (!is_functional) return try_all(text, more, err);
  Status status = observer_list_attach_untimed(text, more, &tried, err);
  observers_clear(&tried);
  return status;
}
