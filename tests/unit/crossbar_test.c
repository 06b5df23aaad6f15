// SPDX-License-Identifier: MIT
// A push "before tick n" happens when n - 1 ticks are done. With the default
// configuration a flit is injected in tick n, stands before the switch in tick
// n + 2 (output in the first pass, crossing in the second), is on the wire out
// in n + 3 and in the ejection buffer in n + 5: six ticks.
#include "memory/crossbar.h"

#include <string.h>

#include "base/memory.h"
#include "unit/cmocka_all.h"
#include "unit/crossbar_reference.h"

enum { MAX_TICKS = 100000 };

static CrossbarConfig default_config(void) {
  CrossbarConfig config;
  const ParamSection sections[] = {{"noc", "", crossbar_params, &config}, {0}};
  param_set_defaults(sections);
  return config;
}

static Crossbar *default_crossbar(uint32_t sources, uint32_t destinations) {
  CrossbarConfig config = default_config();
  return crossbar_create(&config, sources, destinations);
}

static MemRequest requests[1 << 16];  // told apart by their addresses

static Packet packet_to(uint32_t destination, uint32_t flits, uint32_t id) {
  return (Packet){.request = &requests[id],
                  .destination = (uint16_t)destination,
                  .flits = (uint8_t)flits,
                  .sector = (uint8_t)id};
}

static void push(Crossbar *crossbar, uint32_t source, uint32_t destination, uint32_t flits,
                 uint32_t id) {
  assert_true(crossbar_can_push(crossbar, source, flits));
  crossbar_push(crossbar, source, packet_to(destination, flits, id), 40 * flits);
}

static uint32_t pop_id(Crossbar *crossbar, uint32_t destination) {
  return (uint32_t)(crossbar_pop(crossbar, destination).request - requests);
}

// Ticks until the destination has a packet.
static uint32_t ticks_until(Crossbar *crossbar, uint32_t destination) {
  for (uint32_t ticks = 0; ticks < MAX_TICKS; ticks++) {
    if (crossbar_front(crossbar, destination)) return ticks;
    crossbar_tick(crossbar);
  }
  return MAX_TICKS;
}

static void defaults_are_those_of_the_gtx480(void **state) {
  (void)state;
  CrossbarConfig config = default_config();
  assert_int_equal(config.flit_bytes, 40);
  assert_int_equal(config.injection_flits, 9);
  assert_int_equal(config.input_buffer_flits, 64);
  assert_int_equal(config.ejection_flits, 16);
  assert_int_equal(config.speedup, 2);
  assert_int_equal(config.latency_cycles, 6);
}

static void packets_are_rounded_up_to_flits(void **state) {
  (void)state;
  CrossbarConfig config = default_config();
  const uint32_t bytes[] = {0, 8, 40, 41, 72, 80, 136}, flits[] = {1, 1, 1, 2, 2, 2, 4};
  for (size_t i = 0; i < sizeof bytes / sizeof *bytes; i++)
    assert_int_equal(crossbar_flits(&config, bytes[i]), flits[i]);
}

static void a_configuration_that_cannot_carry_a_packet_is_refused(void **state) {
  (void)state;
  Error err = {0};
  CrossbarConfig config = default_config();
  assert_int_equal(crossbar_check(&config, 136, &err), OK);
  config.flit_bytes = 8;  // 17 flits
  assert_int_equal(crossbar_check(&config, 136, &err), ERR_CONFIG);
  assert_non_null(strstr(err.text, "136 bytes takes 17 flits of 8 bytes, but injection_flits"));
  config.injection_flits = 17;
  assert_int_equal(crossbar_check(&config, 136, &err), ERR_CONFIG);
  assert_non_null(strstr(err.text, "ejection_flits is 16"));
  config.ejection_flits = 17;
  assert_int_equal(crossbar_check(&config, 136, &err), OK);
  config.flit_bytes = 1, config.injection_flits = config.ejection_flits = 1000;
  assert_int_equal(crossbar_check(&config, 256, &err), ERR_CONFIG);
}

static void one_flit_takes_six_ticks_and_each_further_one_more(void **state) {
  (void)state;
  for (uint32_t flits = 1; flits <= 9; flits++) {
    Crossbar *crossbar = default_crossbar(15, 12);
    for (uint32_t before = 0; before < flits; before++) crossbar_tick(crossbar);
    push(crossbar, 3, 7, flits, 11);
    assert_int_equal(ticks_until(crossbar, 7), 5 + flits);
    assert_int_equal(crossbar_front(crossbar, 7)->flits, flits);
    assert_int_equal(pop_id(crossbar, 7), 11);
    assert_true(crossbar_is_empty(crossbar));
    CrossbarStats stats = crossbar_stats_of(crossbar);
    assert_int_equal(stats.packets, 1);
    assert_int_equal(stats.flits, flits);
    assert_int_equal(stats.bytes, 40 * flits);
    assert_int_equal(stats.latency_cycles, 5 + flits);
    assert_int_equal(stats.ticks, 5 + 2 * flits);
    assert_int_equal(stats.blocked_inputs, 0);
    crossbar_destroy(crossbar);
  }
}

static void the_configured_latency_holds_at_every_speedup(void **state) {
  (void)state;
  CrossbarConfig config = default_config();
  for (config.speedup = 1; config.speedup <= 4; config.speedup++)
    for (config.latency_cycles = 4; config.latency_cycles < 40; config.latency_cycles++) {
      Crossbar *crossbar = crossbar_create(&config, 2, 2);
      push(crossbar, 0, 1, 1, 1);
      assert_int_equal(ticks_until(crossbar, 1), config.latency_cycles);
      pop_id(crossbar, 1);
      push(crossbar, 1, 0, 5, 2);
      assert_int_equal(ticks_until(crossbar, 0), config.latency_cycles + 4);
      crossbar_destroy(crossbar);
    }
}

static void the_injection_queue_holds_nine_flits_and_sends_one_a_tick(void **state) {
  (void)state;
  Crossbar *crossbar = default_crossbar(2, 2);
  push(crossbar, 0, 1, 4, 0);
  push(crossbar, 0, 1, 4, 1);
  assert_true(crossbar_can_push(crossbar, 0, 1));
  assert_false(crossbar_can_push(crossbar, 0, 2));
  assert_true(crossbar_can_push(crossbar, 1, 9));
  assert_false(crossbar_can_push(crossbar, 1, 10));
  push(crossbar, 0, 0, 1, 2);
  assert_false(crossbar_can_push(crossbar, 0, 1));
  for (uint32_t free = 1; free <= 9; free++) {
    crossbar_tick(crossbar);
    assert_true(crossbar_can_push(crossbar, 0, free));
    assert_false(crossbar_can_push(crossbar, 0, free + 1));
  }
  crossbar_destroy(crossbar);
}

static void one_source_fills_one_output(void **state) {
  (void)state;
  Crossbar *crossbar = default_crossbar(4, 4);
  uint32_t sent = 0, received = 0;
  for (uint32_t tick = 1; tick <= 1000; tick++) {
    if (crossbar_can_push(crossbar, 2, 1)) push(crossbar, 2, 1, 1, sent++);
    crossbar_tick(crossbar);
    if (!crossbar_front(crossbar, 1)) continue;
    assert_int_equal(pop_id(crossbar, 1), received++);
    assert_int_equal(tick, received + 5);  // one each tick from the sixth on
  }
  assert_int_equal(received, 995);
  assert_int_equal(crossbar_stats_of(crossbar).blocked_inputs, 0);
  crossbar_destroy(crossbar);
}

static void a_permutation_runs_at_full_speed_on_every_port(void **state) {
  (void)state;
  enum { PORTS = 70 };
  Crossbar *crossbar = default_crossbar(PORTS, PORTS);
  uint32_t received = 0;
  for (uint32_t tick = 1; tick <= 200; tick++) {
    for (uint32_t s = 0; s < PORTS; s++) push(crossbar, s, (s + 33) % PORTS, 1, tick);
    crossbar_tick(crossbar);
    for (uint32_t d = 0; d < PORTS; d++)
      if (crossbar_front(crossbar, d)) {
        assert_int_equal(pop_id(crossbar, d), tick - 5);
        received++;
      }
  }
  assert_int_equal(received, 195 * PORTS);
  crossbar_destroy(crossbar);
}

static void two_inputs_share_an_output_in_turns(void **state) {
  (void)state;
  Crossbar *crossbar = default_crossbar(5, 3);
  uint32_t received[5] = {0};
  int before = -1;
  for (uint32_t tick = 1; tick <= 400; tick++) {
    for (uint32_t s = 1; s <= 4; s += 3)
      if (crossbar_can_push(crossbar, s, 1)) push(crossbar, s, 2, 1, s);
    crossbar_tick(crossbar);
    if (!crossbar_front(crossbar, 2)) continue;
    uint32_t source = pop_id(crossbar, 2);
    assert_int_not_equal((int)source, before);
    before = (int)source;
    received[source]++;
  }
  assert_int_equal(received[1] + received[4], 395);
  assert_in_range(received[1], 197, 198);
  crossbar_destroy(crossbar);
}

// All fifteen clusters send at once to one slice: one flit a tick, the first
// at six ticks, in the order of the inputs; the turn then goes on behind the
// last winner, so a second round after a lone packet from 6 begins with 7.
static void fifteen_inputs_are_served_round_robin(void **state) {
  (void)state;
  Crossbar *crossbar = default_crossbar(15, 12);
  push(crossbar, 6, 0, 1, 6);
  assert_int_equal(ticks_until(crossbar, 0), 6);
  pop_id(crossbar, 0);
  for (uint32_t s = 0; s < 15; s++) push(crossbar, s, 0, 1, s);
  for (uint32_t i = 0; i < 15; i++) {
    assert_int_equal(ticks_until(crossbar, 0), i == 0 ? 6 : 1);
    assert_int_equal(pop_id(crossbar, 0), (7 + i) % 15);
  }
  assert_true(crossbar_is_empty(crossbar));
  // Of k inputs that wait, k - 1 stay behind in the pass that grants and k - 1
  // in the pass in which the winner crosses: 2 (14 + 13 + ... + 1).
  assert_int_equal(crossbar_stats_of(crossbar).blocked_inputs, 14 * 15);
  crossbar_destroy(crossbar);
}

// Source 0 sends to the busy output 0 and then to the idle output 1. The
// second packet stands behind the first, which waits its turn behind source 1's
// long packet.
static void a_blocked_head_blocks_what_is_behind_it(void **state) {
  (void)state;
  Crossbar *crossbar = default_crossbar(2, 2);
  push(crossbar, 1, 0, 9, 10);
  crossbar_tick(crossbar);
  push(crossbar, 0, 0, 1, 20);
  push(crossbar, 0, 1, 1, 21);
  // The long packet owns output 0 from tick 3 until its tail crosses in the
  // first pass of tick 11. 20 gets the output in the second pass and crosses
  // in the first one of tick 12. 21, which alone would have been there at 8,
  // gets output 1 in the second pass of 12, crosses in 13 and arrives in 15.
  uint32_t long_packet = 1 + ticks_until(crossbar, 0);
  assert_int_equal(long_packet, 14);
  assert_null(crossbar_front(crossbar, 1));
  assert_int_equal(ticks_until(crossbar, 1), 1);
  assert_int_equal(pop_id(crossbar, 1), 21);
  assert_int_equal(pop_id(crossbar, 0), 10);
  assert_int_equal(pop_id(crossbar, 0), 20);
  crossbar_destroy(crossbar);
}

static void a_packet_is_never_interleaved_with_another(void **state) {
  (void)state;
  Crossbar *crossbar = default_crossbar(3, 1);
  push(crossbar, 2, 0, 8, 2);
  crossbar_tick(crossbar);
  push(crossbar, 0, 0, 1, 0);
  push(crossbar, 1, 0, 2, 1);
  // One flit a tick: the eight of 2 are complete at 5 + 8, and not before the
  // two that came later; then 0 (its turn is first), then 1.
  assert_int_equal(1 + ticks_until(crossbar, 0), 13);
  assert_int_equal(pop_id(crossbar, 0), 2);
  assert_int_equal(ticks_until(crossbar, 0), 1);
  assert_int_equal(pop_id(crossbar, 0), 0);
  assert_int_equal(ticks_until(crossbar, 0), 2);
  assert_int_equal(pop_id(crossbar, 0), 1);
  crossbar_destroy(crossbar);
}

// Requests 4 * s + i of source s; where they belong together, i is the sector of a line.
static void push_lines(Crossbar *crossbar) {
  for (uint32_t s = 0; s < 2; s++)
    for (uint32_t i = 0; i < 4; i++) {
      requests[4 * s + i] =
          (MemRequest){.address = 4096 + 32 * i, .requester = {.sm = (uint16_t)s}};
      push(crossbar, s, 0, 1, 4 * s + i);
    }
}

static void sectors_of_a_line_travel_together_if_configured(void **state) {
  (void)state;
  static const uint32_t orders[2][8] = {{0, 4, 1, 5, 2, 6, 3, 7}, {0, 1, 2, 3, 4, 5, 6, 7}};
  for (int together = 0; together < 2; together++) {
    CrossbarConfig config = default_config();
    config.line_requests = together;
    Crossbar *crossbar = crossbar_create(&config, 2, 1);
    push_lines(crossbar);
    for (int i = 0; i < 8; i++) {
      assert_true(ticks_until(crossbar, 0) < MAX_TICKS);
      assert_int_equal(pop_id(crossbar, 0), orders[together][i]);
    }
    crossbar_destroy(crossbar);
  }
}

// Another instruction, another line, a write behind a read: round robin in between.
static void other_requests_do_not_join_a_line(void **state) {
  (void)state;
  const MemRequest others[] = {
      {.address = 4128, .order = 1}, {.address = 4224}, {.address = 4128, .kind = REQUEST_WRITE}};
  for (int i = 0; i < 3; i++) {
    CrossbarConfig config = default_config();
    config.line_requests = true;
    Crossbar *crossbar = crossbar_create(&config, 2, 1);
    requests[0] = requests[2] = (MemRequest){.address = 4096};
    requests[1] = others[i];
    push(crossbar, 0, 0, 1, 0);
    push(crossbar, 0, 0, 1, 1);
    push(crossbar, 1, 0, 1, 2);
    static const uint32_t order[] = {0, 2, 1};
    for (int p = 0; p < 3; p++) {
      assert_true(ticks_until(crossbar, 0) < MAX_TICKS);
      assert_int_equal(pop_id(crossbar, 0), order[p]);
    }
    crossbar_destroy(crossbar);
  }
  memset(requests, 0, sizeof *requests * 8);
}

// Nobody pops: 16 flits in the ejection buffer, 64 behind the switch, 64 in
// the input buffer, 9 in the injection queue; then the source has to wait.
static void back_pressure_reaches_the_source_and_loses_nothing(void **state) {
  (void)state;
  Crossbar *crossbar = default_crossbar(2, 2);
  uint32_t sent = 0;
  for (uint32_t tick = 0; tick < 500; tick++) {
    if (crossbar_can_push(crossbar, 1, 1)) push(crossbar, 1, 0, 1, sent++);
    crossbar_tick(crossbar);
  }
  assert_int_equal(sent, 16 + 64 + 64 + 9);
  assert_int_equal(crossbar_stats_of(crossbar).packets, 16);
  // The other pair is not disturbed.
  push(crossbar, 0, 1, 1, 999);
  assert_int_equal(ticks_until(crossbar, 1), 6);
  assert_int_equal(pop_id(crossbar, 1), 999);
  for (uint32_t i = 0; i < sent; i++) {
    assert_non_null(crossbar_front(crossbar, 0));
    assert_int_equal(pop_id(crossbar, 0), i);
    crossbar_tick(crossbar);  // one pop a tick makes room for one flit a tick
  }
  assert_null(crossbar_front(crossbar, 0));
  assert_true(crossbar_is_empty(crossbar));
  crossbar_destroy(crossbar);
}

// 15 of 16 flits are taken: a packet of four has one flit in the buffer and
// three outside, and cannot be popped.
static void a_packet_without_its_tail_is_not_shown(void **state) {
  (void)state;
  Crossbar *crossbar = default_crossbar(2, 1);
  for (uint32_t i = 0; i < 3; i++) {
    push(crossbar, 0, 0, 5, i);
    for (uint32_t tick = 0; tick < 10; tick++) crossbar_tick(crossbar);
  }
  push(crossbar, 1, 0, 4, 3);
  for (uint32_t tick = 0; tick < 50; tick++) crossbar_tick(crossbar);
  assert_int_equal(crossbar_stats_of(crossbar).packets, 3);
  assert_int_equal(pop_id(crossbar, 0), 0);  // five flits of room
  for (uint32_t tick = 1; tick <= 3; tick++) {
    crossbar_tick(crossbar);
    assert_int_equal(crossbar_stats_of(crossbar).packets, tick < 3 ? 3 : 4);
  }
  for (uint32_t i = 1; i <= 3; i++) assert_int_equal(pop_id(crossbar, 0), i);
  assert_true(crossbar_is_empty(crossbar));
  crossbar_destroy(crossbar);
}

static void empty_means_that_nothing_is_anywhere(void **state) {
  (void)state;
  Crossbar *crossbar = default_crossbar(1, 1);
  assert_true(crossbar_is_empty(crossbar));
  push(crossbar, 0, 0, 2, 0);
  for (uint32_t tick = 0; tick < 30; tick++) {
    assert_false(crossbar_is_empty(crossbar));
    crossbar_tick(crossbar);
  }
  pop_id(crossbar, 0);
  assert_true(crossbar_is_empty(crossbar));
  crossbar_destroy(crossbar);
}

static uint32_t next_random(uint32_t *seed) {
  *seed ^= *seed << 13, *seed ^= *seed >> 17, *seed ^= *seed << 5;
  return *seed;
}

static uint32_t between(uint32_t *seed, uint32_t low, uint32_t high) {
  return low + next_random(seed) % (high - low + 1);
}

static CrossbarConfig random_config(uint32_t *seed) {
  CrossbarConfig config = default_config();
  bool tight = next_random(seed) & 1;
  config.injection_flits = between(seed, 1, tight ? 4 : 12);
  config.input_buffer_flits = between(seed, 1, tight ? 4 : 70);
  config.output_buffer_flits = between(seed, 1, tight ? 4 : 70);
  config.ejection_flits = between(seed, 1, tight ? 4 : 20);
  config.speedup = between(seed, 1, 3);
  config.latency_cycles = between(seed, 4, 12);
  if (next_random(seed) % 3 == 0) config = default_config();
  return config;
}

typedef struct Traffic {
  CrossbarConfig config;
  uint32_t sources, destinations, flits_max;
  uint32_t push_percent, pop_percent, hot_percent;
  uint32_t seed;
} Traffic;

static Traffic random_traffic(uint32_t *seed) {
  static const uint32_t sizes[] = {1, 2, 3, 5, 12, 15, 64, 65, 80};
  Traffic traffic = {.config = random_config(seed)};
  traffic.sources = sizes[next_random(seed) % 9];
  traffic.destinations = sizes[next_random(seed) % 9];
  uint32_t fits = traffic.config.injection_flits < traffic.config.ejection_flits
                      ? traffic.config.injection_flits
                      : traffic.config.ejection_flits;
  traffic.flits_max = between(seed, 1, fits);
  traffic.push_percent = between(seed, 1, 100);
  traffic.pop_percent = between(seed, 1, 100);
  traffic.hot_percent = next_random(seed) & 1 ? between(seed, 0, 100) : 0;
  traffic.seed = next_random(seed);
  return traffic;
}

typedef struct Pair {
  Crossbar *crossbar;
  Reference *reference;
  uint32_t sent, received;
  uint32_t *last;  // by source and destination: the id received last, plus 1
} Pair;

static void push_both(Pair *pair, const Traffic *traffic, uint32_t *seed) {
  for (uint32_t s = 0; s < traffic->sources; s++) {
    uint32_t flits = between(seed, 1, traffic->flits_max);
    bool hot = next_random(seed) % 100 < traffic->hot_percent;
    uint32_t destination = hot ? 0 : next_random(seed) % traffic->destinations;
    if (next_random(seed) % 100 >= traffic->push_percent) continue;
    bool fits = crossbar_can_push(pair->crossbar, s, flits);
    assert_int_equal(fits, reference_can_push(pair->reference, s, flits));
    if (!fits || pair->sent == sizeof requests / sizeof *requests) continue;
    requests[pair->sent].requester.sm = (uint16_t)s;
    Packet packet = packet_to(destination, flits, pair->sent++);
    uint32_t bytes = 40 * flits - next_random(seed) % 40;
    crossbar_push(pair->crossbar, s, packet, bytes);
    reference_push(pair->reference, s, packet, bytes);
  }
}

static void pop_both(Pair *pair, const Traffic *traffic, uint32_t *seed, uint32_t percent) {
  for (uint32_t d = 0; d < traffic->destinations; d++) {
    const Packet *expected = reference_front(pair->reference, d);
    const Packet *found = crossbar_front(pair->crossbar, d);
    assert_int_equal(found != NULL, expected != NULL);
    if (!found || next_random(seed) % 100 >= percent) continue;
    assert_ptr_equal(found->request, expected->request);
    assert_int_equal(found->destination, d);
    assert_int_equal(found->flits, expected->flits);
    assert_int_equal(found->sector, expected->sector);
    uint32_t id = pop_id(pair->crossbar, d) + 1;
    reference_pop(pair->reference, d);
    uint32_t *last = &pair->last[requests[id - 1].requester.sm * traffic->destinations + d];
    assert_true(id > *last);  // in order, and none twice
    *last = id;
    pair->received++;
  }
}

static Pair pair_create(const Traffic *traffic) {
  return (Pair){crossbar_create(&traffic->config, traffic->sources, traffic->destinations),
                reference_create(&traffic->config, traffic->sources, traffic->destinations,
                                 sizeof requests / sizeof *requests),
                0, 0, memory_alloc(traffic->sources * traffic->destinations * sizeof(uint32_t))};
}

static void pair_destroy(Pair *pair) {
  crossbar_destroy(pair->crossbar);
  reference_destroy(pair->reference);
  memory_free(pair->last);
}

static void tick_both(Pair *pair) {
  crossbar_tick(pair->crossbar);
  reference_tick(pair->reference);
  CrossbarStats found = crossbar_stats_of(pair->crossbar);
  assert_memory_equal(&found, &pair->reference->stats, sizeof found);
}

// Bursts of pushing and pauses, popping that comes and goes, then draining.
static void run_traffic(const Traffic *traffic, uint32_t ticks) {
  Pair pair = pair_create(traffic);
  uint32_t seed = traffic->seed | 1;
  bool pushing = true, popping = true;
  for (uint32_t tick = 0; tick < ticks; tick++) {
    if (next_random(&seed) % 40 == 0) pushing = !pushing;
    if (next_random(&seed) % 60 == 0) popping = !popping;
    if (pushing) push_both(&pair, traffic, &seed);
    pop_both(&pair, traffic, &seed, popping ? traffic->pop_percent : 0);
    assert_int_equal(crossbar_is_empty(pair.crossbar), reference_is_empty(pair.reference));
    tick_both(&pair);
  }
  for (uint32_t tick = 0; !reference_is_empty(pair.reference); tick++) {
    assert_true(tick < MAX_TICKS);
    tick_both(&pair);
    pop_both(&pair, traffic, &seed, 100);
  }
  assert_true(crossbar_is_empty(pair.crossbar));
  assert_int_equal(pair.received, pair.sent);
  assert_int_equal(crossbar_stats_of(pair.crossbar).packets, pair.sent);
  pair_destroy(&pair);
}

static void random_traffic_arrives_when_the_reference_says(void **state) {
  (void)state;
  uint32_t seed = 20240607;
  for (uint32_t i = 0; i < 150; i++) {
    Traffic traffic = random_traffic(&seed);
    run_traffic(&traffic, 400);
  }
}

static void the_machine_of_the_gtx480_arrives_when_the_reference_says(void **state) {
  (void)state;
  const Traffic requests_of_stores = {default_config(), 15, 12, 4, 60, 90, 30, 77};
  const Traffic replies = {default_config(), 12, 15, 1, 95, 100, 0, 78};
  run_traffic(&requests_of_stores, 3000);
  run_traffic(&replies, 3000);
}

// The same traffic with and without the idle ticks between its bursts.
static void skipping_equals_ticking_while_empty(void **state) {
  (void)state;
  Crossbar *ticked = default_crossbar(15, 12), *skipped = default_crossbar(15, 12);
  uint32_t seed = 5;
  for (uint32_t burst = 0; burst < 50; burst++) {
    for (uint32_t i = 0; i < 20; i++) {
      uint32_t source = next_random(&seed) % 15, to = next_random(&seed) % 3;
      uint32_t flits = between(&seed, 1, 4);
      if (!crossbar_can_push(ticked, source, flits)) continue;
      push(ticked, source, to, flits, i);
      push(skipped, source, to, flits, i);
    }
    while (!crossbar_is_empty(ticked)) {
      crossbar_tick(ticked);
      crossbar_tick(skipped);
      for (uint32_t d = 0; d < 12; d++) {
        assert_int_equal(!crossbar_front(ticked, d), !crossbar_front(skipped, d));
        if (crossbar_front(ticked, d)) assert_int_equal(pop_id(ticked, d), pop_id(skipped, d));
      }
    }
    uint32_t idle = next_random(&seed) % 30;
    for (uint32_t i = 0; i < idle; i++) crossbar_tick(ticked);
    crossbar_skip(skipped, idle);
    CrossbarStats a = crossbar_stats_of(ticked), b = crossbar_stats_of(skipped);
    assert_memory_equal(&a, &b, sizeof a);
  }
  crossbar_destroy(ticked);
  crossbar_destroy(skipped);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(defaults_are_those_of_the_gtx480),
      cmocka_unit_test(packets_are_rounded_up_to_flits),
      cmocka_unit_test(a_configuration_that_cannot_carry_a_packet_is_refused),
      cmocka_unit_test(one_flit_takes_six_ticks_and_each_further_one_more),
      cmocka_unit_test(the_configured_latency_holds_at_every_speedup),
      cmocka_unit_test(the_injection_queue_holds_nine_flits_and_sends_one_a_tick),
      cmocka_unit_test(one_source_fills_one_output),
      cmocka_unit_test(a_permutation_runs_at_full_speed_on_every_port),
      cmocka_unit_test(two_inputs_share_an_output_in_turns),
      cmocka_unit_test(fifteen_inputs_are_served_round_robin),
      cmocka_unit_test(a_blocked_head_blocks_what_is_behind_it),
      cmocka_unit_test(a_packet_is_never_interleaved_with_another),
      cmocka_unit_test(sectors_of_a_line_travel_together_if_configured),
      cmocka_unit_test(other_requests_do_not_join_a_line),
      cmocka_unit_test(back_pressure_reaches_the_source_and_loses_nothing),
      cmocka_unit_test(a_packet_without_its_tail_is_not_shown),
      cmocka_unit_test(empty_means_that_nothing_is_anywhere),
      cmocka_unit_test(random_traffic_arrives_when_the_reference_says),
      cmocka_unit_test(the_machine_of_the_gtx480_arrives_when_the_reference_says),
      cmocka_unit_test(skipping_equals_ticking_while_empty),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
