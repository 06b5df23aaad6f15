// SPDX-License-Identifier: MIT
// A DRAM channel written for plainness: every gap a counter that runs down,
// every bank looked at in every tick, the data path a line of places that all
// move on by one. What the real one is compared with.
#ifndef UNIT_DRAM_REFERENCE_H
#define UNIT_DRAM_REFERENCE_H

#include <stdlib.h>
#include <string.h>

#include "memory/dram/dram.h"

enum { PLAIN_BANKS = 64, PLAIN_QUEUE = 256, PLAIN_PLACES = 64 };

typedef struct PlainBank {
  bool busy, open;
  DramRequest request;
  uint32_t left, row;
  uint32_t rcd, rcd_write, ras, rc, rp, write_precharge, read_precharge;
} PlainBank;

typedef struct PlainPlace {
  bool taken, last;
  DramRequest request;
} PlainPlace;

typedef struct PlainDram {
  DramConfig config;
  bool fifo, draining;
  PlainBank banks[PLAIN_BANKS];
  uint32_t group_column[PLAIN_BANKS], group_precharge[PLAIN_BANKS];
  uint32_t ccd, rrd, read_to_write, write_to_read, start;
  DramRequest queue[PLAIN_QUEUE], answers[PLAIN_QUEUE];  // oldest first
  uint32_t queued, answered;
  PlainPlace places[PLAIN_PLACES];  // places[0] leaves next
  uint32_t length, shortest;
  DramStats stats;
} PlainDram;

static inline void plain_remove(DramRequest *list, uint32_t *count, uint32_t i) {
  memmove(list + i, list + i + 1, (--*count - i) * sizeof *list);
}

static inline void plain_shorten(PlainDram *plain, uint32_t shortest) {
  plain->shortest = shortest;
  while (plain->length < shortest) plain->places[plain->length++].taken = false;
  while (plain->length > shortest && !plain->places[plain->length - 1].taken) plain->length--;
}

static inline void plain_init(PlainDram *plain, const DramConfig *config) {
  *plain = (PlainDram){.config = *config, .fifo = strcmp(config->scheduler, "fifo") == 0};
  plain_shorten(plain, config->cl);
}

static inline void plain_arrive(PlainDram *plain) {
  if (plain->answered == plain->config.return_entries) return;
  PlainPlace first = plain->places[0];
  memmove(plain->places, plain->places + 1, --plain->length * sizeof first);
  if (plain->length < plain->shortest) plain->places[plain->length++].taken = false;
  if (first.taken && first.last) plain->answers[plain->answered++] = first.request;
}

// Requests that wait with those of the same kind: all, or reads and writes apart.
static inline uint32_t plain_count(const PlainDram *plain, bool write) {
  uint32_t count = 0;
  if (!plain->config.write_queue_entries) return plain->queued;
  for (uint32_t i = 0; i < plain->queued; i++) count += plain->queue[i].write == write;
  return count;
}

static inline bool plain_has_room(const PlainDram *plain, bool write) {
  uint32_t own = write ? plain->config.write_queue_entries : 0;
  return plain_count(plain, write) < (own ? own : plain->config.queue_entries);
}

static inline void plain_note(PlainDram *plain) {
  uint32_t writes = plain_count(plain, true);
  if (!plain->config.write_queue_entries) return;
  if (writes < plain->config.write_low || writes == 0) plain->draining = false;
  if (writes >= plain->config.write_high) plain->draining = true;
}

static inline bool plain_serves(const PlainDram *plain, bool write) {
  if (!plain->config.write_queue_entries) return true;
  return write == (plain->draining || plain_count(plain, false) == 0);
}

static inline bool plain_choose(const PlainDram *plain, uint32_t bank, uint32_t *choice) {
  bool found = false, first = true;
  for (uint32_t i = 0; i < plain->queued; i++) {
    if (!plain_serves(plain, plain->queue[i].write)) continue;
    bool oldest = first;
    first = false;
    if (plain->queue[i].bank != bank) continue;
    const PlainBank *of = &plain->banks[bank];
    if (of->open && plain->queue[i].row == of->row && !plain->fifo) {
      *choice = i;
      return true;
    }
    if (!found && (!plain->fifo || oldest)) *choice = i, found = true;
  }
  return found;
}

static inline uint32_t plain_group(const DramConfig *config, uint32_t bank) {
  return config->bank_group_bits == GROUP_BITS_LOW
             ? bank % config->bank_groups
             : bank * config->bank_groups / config->banks;
}

static inline void plain_schedule(PlainDram *plain) {
  for (uint32_t i = 0, choice = 0; i < plain->config.banks; i++) {
    uint32_t index = (plain->start + i) % plain->config.banks;
    PlainBank *bank = &plain->banks[index];
    if (bank->busy || !plain_choose(plain, index, &choice)) continue;
    bank->busy = true;
    bank->request = plain->queue[choice];
    bank->left =
        (bank->request.bytes + plain->config.command_bytes - 1) / plain->config.command_bytes;
    if (bank->open && bank->row == bank->request.row)
      plain->stats.row_hits++;
    else
      plain->stats.row_misses++;
    plain_remove(plain->queue, &plain->queued, choice);
    plain_note(plain);
    plain->start = (plain->start + 1) % plain->config.banks;
    return;
  }
}

static inline bool plain_column(PlainDram *plain, uint32_t index) {
  const DramConfig *config = &plain->config;
  PlainBank *bank = &plain->banks[index];
  uint32_t group = plain_group(config, index);
  bool write = bank->request.write;
  if (!bank->busy || !bank->open || bank->row != bank->request.row) return false;
  if (plain->ccd || plain->group_column[group]) return false;
  if (write ? bank->rcd_write || plain->read_to_write : bank->rcd || plain->write_to_read)
    return false;
  if (plain->length >= config->cl + 1) return false;
  plain_shorten(plain, write ? config->wl : config->cl);
  if (plain->places[plain->length - 1].taken) plain->length++;
  bool last = --bank->left == 0;
  plain->places[plain->length - 1] = (PlainPlace){true, last, bank->request};
  plain->ccd = config->ccd;
  plain->group_column[group] = config->ccdl;
  if (write) {
    plain->write_to_read = config->wl + config->burst_ticks + config->cdlr;
    bank->write_precharge = config->wl + config->burst_ticks + config->wr;
    plain->stats.writes++;
  } else {
    plain->read_to_write = config->cl + config->burst_ticks + 2 - config->wl;
    bank->read_precharge = config->burst_ticks;
    plain->group_precharge[group] = config->rtpl;
    plain->stats.read_commands++;
    if (last) plain->stats.reads++;
  }
  bank->busy = !last;
  return true;
}

static inline bool plain_row(PlainDram *plain, uint32_t index) {
  const DramConfig *config = &plain->config;
  PlainBank *bank = &plain->banks[index];
  if (!bank->busy) return false;
  if (!bank->open) {
    if (plain->rrd || bank->rp || bank->rc) return false;
    bank->open = true;
    bank->row = bank->request.row;
    bank->rcd = config->rcd;
    bank->rcd_write = config->rcd_write;
    bank->ras = config->ras;
    bank->rc = config->rc;
    plain->rrd = config->rrd;
    plain->stats.activates++;
  } else {
    if (bank->row == bank->request.row || bank->ras || bank->write_precharge) return false;
    if (bank->read_precharge || plain->group_precharge[plain_group(config, index)]) return false;
    bank->open = false;
    bank->rp = config->rp;
    plain->stats.precharges++;
  }
  plain->start = (index + 1) % config->banks;
  return true;
}

static inline void plain_command(PlainDram *plain) {
  uint32_t banks = plain->config.banks, start = plain->start;
  bool column = false, row = false;
  for (uint32_t i = 0; i < banks; i++) {
    // That the start has been moved by a row command is what makes the scan jump.
    uint32_t index = ((plain->config.scan_jumps ? plain->start : start) + i) % banks;
    if (!column) column = plain_column(plain, index);
    if (!column && !row && !plain->config.dual_bus) row = plain_row(plain, index);
  }
  for (uint32_t i = 0; i < banks && !row && plain->config.dual_bus; i++)
    row = plain_row(plain, (start + i) % banks);
}

static inline void plain_run_down(uint32_t *counter) {
  if (*counter) --*counter;
}

static inline void plain_tick(PlainDram *plain) {
  plain->stats.ticks++;
  plain->stats.queue_full += !plain_has_room(plain, false);
  plain_arrive(plain);
  plain_schedule(plain);
  plain_command(plain);
  uint32_t *channel[] = {&plain->ccd, &plain->rrd, &plain->read_to_write, &plain->write_to_read};
  for (int i = 0; i < 4; i++) plain_run_down(channel[i]);
  for (uint32_t i = 0; i < plain->config.banks; i++) {
    PlainBank *bank = &plain->banks[i];
    uint32_t *of_bank[] = {&bank->rcd, &bank->rcd_write,       &bank->ras,           &bank->rc,
                           &bank->rp,  &bank->write_precharge, &bank->read_precharge};
    for (int j = 0; j < 7; j++) plain_run_down(of_bank[j]);
    plain_run_down(&plain->group_column[i]);
    plain_run_down(&plain->group_precharge[i]);
  }
}

#endif
