// SPDX-License-Identifier: MIT
// Demangled names, and hostile input.
#include "base/text/readable_name.h"

#include <stdlib.h>
#include <string.h>

#include "unit/cmocka_all.h"

static void reads(const char *name, const char *expected) {
  Arena arena = {0};
  assert_string_equal(readable_name(&arena, name), expected);
  arena_clear(&arena);
}

static void functions_lose_their_parameters(void **state) {
  (void)state;
  reads("_Z9vectorAddPKfS0_Pfi", "vectorAdd");
  reads("_ZL6hiddenPf", "hidden");
  reads("_ZN1a1b6nestedENS0_1SEPi", "a::b::nested");
  reads("_ZN12_GLOBAL__N_14anonEPi", "anon");
  reads("_ZN37_GLOBAL__N__f93beb28_5_st_cu_ef09e2c92tkIjLi7EEEvPT_", "tk<unsigned, 7>");
}

static void template_arguments_are_told(void **state) {
  (void)state;
  reads("_Z6reduceIfLi256EEvPKT_PS0_j", "reduce<float, 256>");
  reads("_ZN1a1b3genIdLb1EEEvNS0_1VIT_EEPi", "a::b::gen<double, true>");
  reads("_Z1fILin3ELj4EEvv", "f<-3, 4>");
  reads("_Z13FFT512_deviceI6float2fEvPT_", "FFT512_device<float2, float>");
  reads("_Z1fIPKfRiEvv", "f<float const*, int&>");
  reads("_Z1fIJidcEEvv", "f<int, double, char>");
  reads("_Z1fI1VI1WIiEEEvv", "f<V<W<int>>>");
  reads("_Z1fIN2ns1VIiEEEvv", "f<ns::V<int>>");
}

static void what_is_repeated_is_told_again(void **state) {
  (void)state;
  reads("_Z1fI6float2S0_PS0_S1_Evv", "f<float2, float2, float2*, float2*>");
  reads("_ZN1a1b1fINS0_1SEEEvv", "a::b::f<a::b::S>");
  reads("_Z1fIL4Kind3ES0_Evv", "f<...>");  // the enumeration's name was not written
}

static void long_and_hard_arguments_are_left_out(void **state) {
  (void)state;
  reads("_Z4callIZ4mainEUliE_EvT_Pi", "call<...>");
  reads("_ZN3cub4goesIXadL_Z1fiEEEEvv", "cub::goes<...>");
  char name[2000] = "_Z1fI";
  for (int i = 0; i < 60; i++) strcat(name, "9longishly");
  strcat(name, "Evv");
  reads(name, "f<...>");
}

static void nothing_hostile_takes_long(void **state) {
  (void)state;
  size_t length = 1 << 20;
  char *name = malloc(length + 1);
  memset(name, 'P', length);
  name[length] = 0;
  memcpy(name, "_Z1fI", 5);
  reads(name, "f<...>");
  for (size_t i = 5; i + 3 < length; i += 3) memcpy(name + i, "1aI", 3);
  reads(name, "f<...>");
  strcpy(name, "_Z1fI1aIiE");
  for (int i = 0; i < 40; i++) strcat(name, "S0_IS1_S1_S1_E");
  reads(name, "f<...>");
  free(name);
}

static void other_names_stay(void **state) {
  (void)state;
  reads("stencil5", "stencil5");
  reads("", "");
  reads("_Z", "_Z");
  reads("_Z99f", "_Z99f");
  reads("_Z99999999999999999999999999f", "_Z99999999999999999999999999f");
  reads("_ZN1a", "_ZN1a");
  reads("_ZNE", "_ZNE");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(functions_lose_their_parameters),
      cmocka_unit_test(template_arguments_are_told),
      cmocka_unit_test(what_is_repeated_is_told_again),
      cmocka_unit_test(long_and_hard_arguments_are_left_out),
      cmocka_unit_test(nothing_hostile_takes_long),
      cmocka_unit_test(other_names_stay),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
