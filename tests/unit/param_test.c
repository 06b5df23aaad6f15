// SPDX-License-Identifier: MIT
// Parameter tables: defaults, parsing, ranges, suggestions, round trips.
#include "base/param.h"

#include <stdlib.h>
#include <string.h>

#include "base/files/config_file.h"
#include "unit/cmocka_all.h"

typedef enum Colour { RED, GREEN, BLUE } Colour;
static const char *const colours[] = {"red", "green", "blue", NULL};

typedef struct Loom {
  int32_t offset;
  uint32_t warps;
  int64_t depth;
  uint64_t limit;
  double ratio;
  bool dual;
  char name[8];
  Colour colour;
} Loom;

static const Param loom_params[] = {PARAM(Loom, offset, -3, -10, 10, "shift"),
                                    PARAM(Loom, warps, 48, 1, 64, "threads"),
                                    PARAM(Loom, depth, 0, INT64_MIN, INT64_MAX, "how deep"),
                                    PARAM(Loom, limit, 7, 0, UINT64_MAX, "how many"),
                                    PARAM(Loom, ratio, 0.1, 0, 1, "share"),
                                    PARAM(Loom, dual, true, 0, 1, "two at a time"),
                                    PARAM_TEXT(Loom, name, "jac", "maker"),
                                    PARAM_CHOICE(Loom, colour, GREEN, colours, "of the cloth"),
                                    {0}};

typedef struct Fixture {
  Loom loom, other;
  ParamSection sections[3];
  Error err;
} Fixture;

static int setup(void **state) {
  Fixture *f = calloc(1, sizeof *f);
  f->sections[0] = (ParamSection){"loom", "a loom", loom_params, &f->loom};
  f->sections[1] = (ParamSection){"other", "another", loom_params, &f->other};
  param_set_defaults(f->sections);
  *state = f;
  return 0;
}

static int teardown(void **state) {
  free(*state);
  return 0;
}

static void defaults_come_from_the_table(void **state) {
  Fixture *f = *state;
  assert_int_equal(f->loom.offset, -3);
  assert_int_equal(f->loom.warps, 48);
  assert_true(f->loom.ratio == 0.1);
  assert_true(f->loom.dual);
  assert_string_equal(f->loom.name, "jac");
  assert_int_equal(f->loom.colour, GREEN);
  assert_int_equal(f->other.limit, 7);
}

static void every_type_is_read_from_text_exactly(void **state) {
  Fixture *f = *state;
  assert_int_equal(param_assign(f->sections, "loom.offset=-10", &f->err), OK);
  assert_int_equal(param_assign(f->sections, "loom.warps=0x40", &f->err), OK);
  assert_int_equal(param_assign(f->sections, "loom.depth=-9223372036854775808", &f->err), OK);
  assert_int_equal(param_assign(f->sections, "loom.limit=18446744073709551615", &f->err), OK);
  assert_int_equal(param_assign(f->sections, "loom.ratio=.25", &f->err), OK);
  assert_int_equal(param_assign(f->sections, "loom.dual=off", &f->err), OK);
  assert_int_equal(param_assign(f->sections, "loom.name=a=b.c", &f->err), OK);
  assert_int_equal(param_assign(f->sections, "loom.colour=blue", &f->err), OK);
  assert_int_equal(f->loom.offset, -10);
  assert_int_equal(f->loom.warps, 64);
  assert_true(f->loom.depth == INT64_MIN);
  assert_true(f->loom.limit == UINT64_MAX);
  assert_true(f->loom.ratio == 0.25);
  assert_false(f->loom.dual);
  assert_string_equal(f->loom.name, "a=b.c");
  assert_int_equal(f->loom.colour, BLUE);
  assert_int_equal(f->other.warps, 48);
}

static void refuses(Fixture *f, const char *assignment, const char *text) {
  Loom before = f->loom;
  assert_int_not_equal(param_assign(f->sections, assignment, &f->err), OK);
  assert_string_equal(f->err.text, text);
  assert_memory_equal(&before, &f->loom, sizeof before);
}

static void wrong_values_are_refused_with_what_is_allowed(void **state) {
  Fixture *f = *state;
  refuses(f, "loom.warps=0", "warps = 0: out of range; allowed: 1..64 (nearest: 1)");
  refuses(f, "loom.warps=-1", "warps = -1: out of range; allowed: 1..64 (nearest: 1)");
  refuses(f, "loom.warps=4x", "warps = 4x: not an integer; allowed: 1..64");
  refuses(f, "loom.warps=1.5", "warps = 1.5: not an integer; allowed: 1..64");
  refuses(f, "loom.warps=", "warps = : not a number; allowed: 1..64");
  refuses(f, "loom.warps= 4", "warps =  4: not a number; allowed: 1..64");
  refuses(f, "loom.limit=18446744073709551616",
          "limit = 18446744073709551616: out of range; allowed: 0..18446744073709551615 (nearest: "
          "18446744073709551615)");
  refuses(f, "loom.ratio=nan", "ratio = nan: not a number; allowed: 0..1");
  refuses(f, "loom.dual=maybe", "dual = maybe: not a boolean; allowed: true or false");
  refuses(f, "loom.name=12345678", "name = 12345678: too long; allowed: up to 7 characters");
  refuses(f, "loom.name=#jac",
          "name = #jac: starts with the sign of a comment; allowed: up to 7 characters");
  refuses(f, "loom.name=;jac",
          "name = ;jac: starts with the sign of a comment; allowed: up to 7 characters");
  refuses(f, "loom.colour=pink", "colour = pink: unknown choice; allowed: red, green, blue");
  refuses(f, "loom.colour=gren",
          "colour = gren: unknown choice; allowed: red, green, blue (nearest: green)");
}

static void misspelt_names_get_a_suggestion(void **state) {
  Fixture *f = *state;
  refuses(f, "loom.wraps=1", "unknown key 'wraps' in [loom]; did you mean 'loom.warps'?");
  refuses(f, "loon.warps=1",
          "unknown section [loon]; did you mean 'loom'? (sections: loom, other)");
  refuses(f, "loom.x=1", "unknown key 'x' in [loom]");
  refuses(f, "warps=1",
          "'warps=1': expected section.key=value; did you mean 'loom.warps' or 'other.warps'?");
  refuses(f, "loom.warps", "'loom.warps': expected section.key=value; allowed values: 1..64");
  // A part of a name is enough, from three letters on.
  refuses(f, "loom.set=1", "unknown key 'set' in [loom]; did you mean 'loom.offset'?");
  refuses(f, "loom.se=1", "unknown key 'se' in [loom]");
}

static void a_printed_configuration_reads_back_the_same(void **state) {
  Fixture *f = *state;
  param_assign(f->sections, "loom.ratio=0.3333333333333333", NULL);
  param_assign(f->sections, "other.limit=18446744073709551614", NULL);
  char *text;
  size_t length;
  FILE *file = open_memstream(&text, &length);
  param_print(f->sections, file);
  fclose(file);
  assert_non_null(strstr(text, "[loom]\noffset = -3\nwarps = 48\n"));
  Loom loom = f->loom, other = f->other;
  memset(&f->loom, 0, sizeof f->loom);
  memset(&f->other, 0, sizeof f->other);
  assert_int_equal(config_text_read(f->sections, "x.cfg", text, length, &f->err), OK);
  assert_memory_equal(&loom, &f->loom, sizeof loom);
  assert_memory_equal(&other, &f->other, sizeof other);
  free(text);
}

static void json_has_every_value_with_its_type(void **state) {
  Fixture *f = *state;
  json_t *json = param_json(f->sections);
  char *text = json_dumps(json_object_get(json, "loom"), JSON_COMPACT | JSON_REAL_PRECISION(6));
  assert_string_equal(text,
                      "{\"offset\":-3,\"warps\":48,\"depth\":0,\"limit\":7,\"ratio\":0.1,"
                      "\"dual\":true,\"name\":\"jac\",\"colour\":\"green\"}");
  free(text);
  json_decref(json);
}

static const char *config_error(Fixture *f, const char *text) {
  assert_int_not_equal(config_text_read(f->sections, "a.cfg", text, strlen(text), &f->err), OK);
  return f->err.text;
}

static void a_file_has_sections_comments_and_indentation(void **state) {
  Fixture *f = *state;
  const char *text =
      "# all of it\n\n[loom] # heading\n  warps = 3   # few\r\n\tname=x y\n"
      "[other]\nwarps=5";
  assert_int_equal(config_text_read(f->sections, "a.cfg", text, strlen(text), &f->err), OK);
  assert_int_equal(f->loom.warps, 3);
  assert_string_equal(f->loom.name, "x y");
  assert_int_equal(f->other.warps, 5);
}

static void a_wrong_file_is_refused_with_its_line(void **state) {
  Fixture *f = *state;
  assert_string_equal(config_error(f, "[loom]\n\nwraps = 4\nwarps = 99\n"),
                      "a.cfg:3: unknown key 'wraps' in [loom]; did you mean 'warps'?");
  assert_string_equal(config_error(f, "[loom]\nwarps = 99"),
                      "a.cfg:2: warps = 99: out of range; allowed: 1..64 (nearest: 64)");
  assert_string_equal(
      config_error(f, "\n[lom]\n"),
      "a.cfg:2: unknown section [lom]; did you mean 'loom'? (sections: loom, other)");
  assert_string_equal(config_error(f, "warps = 4\n"),
                      "a.cfg:1: 'warps' precedes the first [section]");
  assert_string_equal(config_error(f, "[loom]\nwarps\n"),
                      "a.cfg:2: expected [section] or key = value");
  assert_string_equal(config_error(f, "[loom\n"), "a.cfg:1: invalid section; expected [name]");
}

static void hostile_files_are_refused(void **state) {
  Fixture *f = *state;
  char text[5000];
  memset(text, 'a', sizeof text);
  text[sizeof text - 1] = '\0';
  assert_string_equal(config_error(f, text), "a.cfg:1: line too long");
  assert_int_not_equal(config_text_read(f->sections, "a.cfg", "[loom]\0", 7, &f->err), OK);
  assert_int_equal(config_file_read(f->sections, "/", &f->err), ERR_IO);
  assert_string_equal(f->err.text, "cannot read /: is a directory");
  assert_int_equal(config_file_read(f->sections, "/nonexistent.cfg", &f->err), ERR_IO);
}

int main(void) {
  const struct CMUnitTest tests[] = {
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
      T(defaults_come_from_the_table),
      T(every_type_is_read_from_text_exactly),
      T(wrong_values_are_refused_with_what_is_allowed),
      T(misspelt_names_get_a_suggestion),
      T(a_printed_configuration_reads_back_the_same),
      T(json_has_every_value_with_its_type),
      T(a_file_has_sections_comments_and_indentation),
      T(a_wrong_file_is_refused_with_its_line),
      T(hostile_files_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
