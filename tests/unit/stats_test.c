// SPDX-License-Identifier: MIT
// Counter tables: sums, differences, ratios, printed columns.
#include "base/stats.h"

#include <stdlib.h>

#include "base/text/text_table.h"
#include "unit/cmocka_all.h"

typedef struct CacheStats {
  uint64_t accesses, hits;
} CacheStats;

static const Stat cache_stats[] = {STAT_COUNT(CacheStats, accesses, "asked for"),
                                   STAT_COUNT(CacheStats, hits, "found"),
                                   STAT_RATIO(CacheStats, hit_rate, hits, accesses, "share found"),
                                   {0}};

static void structs_are_added_and_subtracted_field_by_field(void **state) {
  (void)state;
  CacheStats total = {10, 4}, part = {5, 5};
  stats_sum(&total, &part, sizeof total);
  assert_int_equal(total.accesses, 15);
  assert_int_equal(total.hits, 9);
  stats_subtract(&total, &part, sizeof total);
  assert_int_equal(total.accesses, 10);
  assert_int_equal(total.hits, 4);
}

static void a_tree_has_dotted_names_and_ratios(void **state) {
  (void)state;
  CacheStats one = {4, 1}, none = {0, 0};
  StatsTree tree = {0};
  char prefix[8] = "sm3.l1d";
  stats_tree_add(&tree, prefix, cache_stats, &one);
  prefix[0] = '\0';  // the tree keeps its own copy
  stats_tree_add(&tree, "l2", cache_stats, &none);
  one.hits = 2;  // counters are read when printed
  json_t *json = stats_tree_json(&tree);
  char *text = json_dumps(json, JSON_COMPACT);
  assert_string_equal(text,
                      "{\"sm3.l1d.accesses\":4,\"sm3.l1d.hits\":2,\"sm3.l1d.hit_rate\":0.5,"
                      "\"l2.accesses\":0,\"l2.hits\":0,\"l2.hit_rate\":null}");
  free(text);
  json_decref(json);
  stats_tree_clear(&tree);
}

static void tables_align_their_columns(void **state) {
  (void)state;
  TextTable table;
  text_table_init(&table, (const char *const[]){"kernel", ">count", "note", NULL});
  text_table_add(&table, "%s", "a");
  text_table_add_count(&table, 1234567);
  text_table_add(&table, "first");
  text_table_add(&table, "long_name");
  text_table_add_count(&table, 999);
  text_table_add(&table, "x");
  char *text;
  size_t length;
  FILE *file = open_memstream(&text, &length);
  text_table_print(&table, file, 2);
  fclose(file);
  assert_string_equal(text,
                      "  kernel         count  note\n"
                      "  a          1,234,567  first\n"
                      "  long_name        999  x\n");
  free(text);
  text_table_clear(&table);
}

static void digits_stand_in_groups_of_three(void **state) {
  (void)state;
  char out[GROUPED_BYTES];
  assert_string_equal(text_grouped(out, 0), "0");
  assert_string_equal(text_grouped(out, 999), "999");
  assert_string_equal(text_grouped(out, 1000), "1,000");
  assert_string_equal(text_grouped(out, UINT64_MAX), "18,446,744,073,709,551,615");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(structs_are_added_and_subtracted_field_by_field),
      cmocka_unit_test(a_tree_has_dotted_names_and_ratios),
      cmocka_unit_test(tables_align_their_columns),
      cmocka_unit_test(digits_stand_in_groups_of_three),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
