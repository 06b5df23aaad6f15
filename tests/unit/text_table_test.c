// SPDX-License-Identifier: MIT
// Tables in unlimited, wide and narrow terminals, and their colours. A memory stream is shaped as
// HEDDLE_TERMINAL says, so that no terminal is needed.
#include <stdlib.h>
#include <string.h>

#include "base/text/text_table.h"
#include "unit/cmocka_all.h"

// Prints into memory for a terminal of this description; the caller frees the text.
static char *printed(const TextTable *table, const char *terminal, int indent) {
  char *text;
  size_t length;
  setenv("HEDDLE_TERMINAL", terminal, 1);
  FILE *file = open_memstream(&text, &length);
  text_table_print(table, file, indent);
  fclose(file);
  unsetenv("HEDDLE_TERMINAL");
  return text;
}

static void prints(const TextTable *table, const char *terminal, int indent, const char *expected) {
  char *text = printed(table, terminal, indent);
  assert_string_equal(text, expected);
  free(text);
}

static int longest_line(const char *text) {
  int longest = 0;
  for (; *text; text += strcspn(text, "\n"), text += *text == '\n') {
    char line[512];
    snprintf(line, sizeof line, "%.*s", (int)strcspn(text, "\n"), text);
    if (text_width(line) > longest) longest = text_width(line);
  }
  return longest;
}

static void fill_words(TextTable *table) {
  text_table_init(table, (const char *const[]){"name", ">value", "meaning", NULL});
  const char *const cells[] = {"alpha", "1",  "the first letter of the alphabet",
                               "beta",  "20", "second"};
  for (size_t i = 0; i < sizeof cells / sizeof *cells; i++) text_table_add(table, "%s", cells[i]);
}

static void unlimited_lines_are_not_folded(void **state) {
  (void)state;
  TextTable table;
  fill_words(&table);
  const char *text =
      "  name   value  meaning\n"
      "  alpha      1  the first letter of the alphabet\n"
      "  beta      20  second\n";
  prints(&table, "", 2, text);
  prints(&table, "0 plain", 2, text);
  prints(&table, "48 plain", 2, text);
  text_table_clear(&table);
}

static void text_of_the_last_column_continues_below_itself(void **state) {
  (void)state;
  TextTable table;
  fill_words(&table);
  prints(&table, "40 plain", 0,
         "name   value  meaning\n"
         "alpha      1  the first letter of the\n"
         "              alphabet\n"
         "beta      20  second\n");
  text_table_clear(&table);
}

static void two_columns_without_room_are_stacked(void **state) {
  (void)state;
  TextTable table;
  text_table_init(&table, (const char *const[]){"", "", NULL});
  text_table_add(&table, "--baseline NAME|DIMENSION=VALUE,...");
  text_table_add(&table, "baseline of speed-ups and ratios in all of the figures");
  text_table_add(&table, "--csv");
  text_table_add(&table, "as CSV");
  prints(&table, "40 plain", 2,
         "  --baseline NAME|DIMENSION=VALUE,...\n"
         "      baseline of speed-ups and ratios\n"
         "      in all of the figures\n"
         "  --csv\n"
         "      as CSV\n");
  text_table_clear(&table);
}

static void texts_without_room_go_below_their_row(void **state) {
  (void)state;
  TextTable table;
  text_table_init(&table, (const char *const[]){"parameter", "value", "allowed", "meaning", NULL});
  text_table_add(&table, "policy.cta_dispatch_of_the_machine");
  text_table_add(&table, "round_robin:something");
  text_table_add(&table, "up to 63 characters");
  text_table_add(&table, "the order in which CTAs go to SMs");
  prints(&table, "70 plain", 0,
         "parameter                           value             allowed\n"
         "policy.cta_dispatch_of_the_machine  round_robin:some  up to 63\n"
         "                                    thing             characters\n"
         "    the order in which CTAs go to SMs\n");
  prints(&table, "40 plain", 0,
         "policy.cta_dispatch_of_the_machine\n"
         "    value: round_robin:something\n"
         "    allowed: up to 63 characters\n"
         "    meaning: the order in which CTAs go\n"
         "    to SMs\n");
  text_table_clear(&table);
}

static void columns_go_to_blocks_that_repeat_the_keys(void **state) {
  (void)state;
  TextTable table;
  text_table_init(&table, (const char *const[]){"program", "scheme", ">cycles", ">speed-up",
                                                ">requests", NULL});
  table.key_columns = 2;
  const char *const cells[] = {"vecadd", "lrr", "26,905", "1.000", "5,642",
                               "vecadd", "gto", "26,362", "1.021", "5,642"};
  for (size_t i = 0; i < sizeof cells / sizeof *cells; i++) text_table_add(&table, "%s", cells[i]);
  prints(&table, "40 plain", 0,
         "program  scheme  cycles  speed-up\n"
         "vecadd   lrr     26,905     1.000\n"
         "vecadd   gto     26,362     1.021\n"
         "\n"
         "program  scheme  requests\n"
         "vecadd   lrr        5,642\n"
         "vecadd   gto        5,642\n");
  text_table_clear(&table);
}

static void long_keys_are_folded_as_far_as_needed(void **state) {
  (void)state;
  TextTable table;
  text_table_init(&table, (const char *const[]){"kernel", ">cycles", ">instructions", NULL});
  text_table_add(&table, "void reduce<float, 256>(float const*, float*)");
  text_table_add(&table, "1,000");
  text_table_add(&table, "2,000");
  prints(&table, "40 plain", 0,
         "kernel                      cycles\n"
         "void reduce<float,           1,000\n"
         "256>(float const*, float*)\n"
         "\n"
         "kernel                      instructions\n"
         "void reduce<float,                 2,000\n"
         "256>(float const*, float*)\n");
  text_table_clear(&table);
}

static void no_line_is_wider_than_the_terminal(void **state) {
  (void)state;
  TextTable table;
  text_table_init(&table, (const char *const[]){"a", ">b", "c", ">d", ">e", "f", NULL});
  for (int i = 0; i < 60; i++)
    text_table_add(&table, "%.*s", i % 17 + (i % 6 == 5 ? 40 : 1),
                   "text \xc3\xa4nd more text, one two three four five six seven eight nine ten");
  for (int width = 40; width <= 120; width++) {
    char terminal[32];
    snprintf(terminal, sizeof terminal, "%d plain", width);
    char *text = printed(&table, terminal, 2);
    assert_true(longest_line(text) <= width);
    free(text);
  }
  text_table_clear(&table);
}

static void colours_are_around_cells_and_do_not_move_them(void **state) {
  (void)state;
  TextTable table;
  text_table_init(&table, (const char *const[]){"name", ">speed-up", NULL});
  text_table_add(&table, "gto");
  text_table_add(&table, "1.02");
  text_table_style(&table, STYLE_BETTER);
  prints(&table, "80 plain", 0, "name  speed-up\ngto       1.02\n");
  prints(&table, "80 color", 0,
         "\033[1mname\033[0m  \033[1mspeed-up\033[0m\n"
         "gto       \033[32m1.02\033[0m\n");
  text_table_clear(&table);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(unlimited_lines_are_not_folded),
      cmocka_unit_test(text_of_the_last_column_continues_below_itself),
      cmocka_unit_test(two_columns_without_room_are_stacked),
      cmocka_unit_test(texts_without_room_go_below_their_row),
      cmocka_unit_test(columns_go_to_blocks_that_repeat_the_keys),
      cmocka_unit_test(long_keys_are_folded_as_far_as_needed),
      cmocka_unit_test(no_line_is_wider_than_the_terminal),
      cmocka_unit_test(colours_are_around_cells_and_do_not_move_them),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
