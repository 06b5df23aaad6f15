// SPDX-License-Identifier: MIT
// Executes a case.
#include "frontends/casefile/case_run.h"

#include <string.h>

#include "base/files/file.h"
#include "base/memory.h"

enum { CHUNK_BYTES = 1 << 16 };

typedef struct Runner {
  const Case *parsed;
  const CaseHost *host;
  const CaseOptions *options;
  uint64_t *addresses;  // of the buffers
  uint64_t loops;       // iterations so far
  uint32_t next;        // command
  Error *err;
} Runner;

static Status check_stop(const Runner *runner) {
  if (!runner->options->stop || !*runner->options->stop) return OK;
  return error_set(runner->err, ERR_INTERRUPTED, "stopped");
}

static uint64_t size_of(const Runner *runner, const CaseCommand *command) {
  return runner->parsed->buffers[command->buffer].size_bytes;
}

static uint64_t address_of(const Runner *runner, const CaseCommand *command) {
  return runner->addresses[command->buffer];
}

// ---- fill ----

static uint32_t float_bits(float number) {
  uint32_t bits;
  memcpy(&bits, &number, sizeof bits);
  return bits;
}

// Encoding of element i. *random is the state of the generator, so elements must be
// generated in order.
static uint32_t element_bits(const CaseCommand *command, uint64_t i, uint32_t *random) {
  bool is_float = command->element == CASE_F32;
  uint64_t whole = i;
  if (command->pattern == CASE_CONST) return (uint32_t)command->value;
  if (command->pattern == CASE_RAND) {
    *random = *random * 1664525u + 1013904223u;
    if (is_float) return float_bits((float)(*random >> 8) / 16777216.0f);
    return (*random >> 8) & 0xffff;
  }
  if (command->pattern == CASE_RING) {
    bool member = i % command->stride == 0 && i / command->stride < command->value;
    whole = member ? (i / command->stride + 1) % command->value * command->stride : 0;
  }
  return is_float ? float_bits((float)whole) : (uint32_t)whole;
}

// Apart from the other patterns, since large arrays have it.
static void fill_random(uint32_t *chunk, uint64_t count, bool is_float, uint32_t *random) {
  uint32_t state = *random;
  for (uint64_t i = 0; i < count; i++) {
    state = state * 1664525u + 1013904223u;
    chunk[i] = is_float ? float_bits((float)(state >> 8) / 16777216.0f) : (state >> 8) & 0xffff;
  }
  *random = state;
}

static Status fill_pattern(const Runner *runner, const CaseCommand *command) {
  uint32_t chunk[CHUNK_BYTES / 4];
  uint8_t *bytes = (uint8_t *)chunk;
  uint32_t width = case_element_bytes(command->element), random = (uint32_t)command->value;
  uint64_t count = size_of(runner, command) / width, per_chunk = CHUNK_BYTES / width;
  for (uint64_t done = 0; done < count;) {
    uint64_t n = count - done < per_chunk ? count - done : per_chunk;
    bool is_random = command->pattern == CASE_RAND && width == 4;
    if (is_random) fill_random(chunk, n, command->element == CASE_F32, &random);
    for (uint64_t i = 0; i < n && !is_random; i++) {
      uint32_t bits = element_bits(command, done + i, &random);
      if (width == 1)
        bytes[i] = (uint8_t)bits;
      else
        chunk[i] = bits;
    }
    TRY(check_stop(runner));
    TRY(runner->host->write(runner->host->self, address_of(runner, command) + done * width, chunk,
                            n * width, runner->err));
    done += n;
  }
  return OK;
}

static Status fill_from_file(const Runner *runner, const CaseCommand *command) {
  uint64_t size = size_of(runner, command);
  void *bytes = memory_map(size);
  if (!bytes)
    return error_set(runner->err, ERR_LIMIT, "out of device memory for %s", command->path);
  size_t got;
  Status status = file_read_prefix(command->path, bytes, size, &got, runner->err);
  if (status == OK)
    status = runner->host->write(runner->host->self, address_of(runner, command), bytes, size,
                                 runner->err);
  memory_unmap(bytes, size);
  return status;
}

// ---- the other commands ----

static Status run_poke(const Runner *runner, const CaseCommand *command) {
  uint8_t bytes[4];
  for (uint32_t i = 0; i < 4; i++) bytes[i] = (uint8_t)(command->value >> (8 * i));
  return runner->host->write(runner->host->self, address_of(runner, command) + command->offset,
                             bytes, command->value_bytes, runner->err);
}

static Status run_launch(const Runner *runner, const CaseCommand *command) {
  CaseValue *values = memory_alloc(sizeof *values * (command->arg_count + 1));
  for (uint32_t i = 0; i < command->arg_count; i++) {
    const CaseArgument *arg = &command->args[i];
    uint64_t integer = arg->kind == CASE_ADDRESS ? runner->addresses[arg->buffer] : arg->integer;
    values[i] = (CaseValue){arg->kind, arg->text, integer, arg->negative, arg->number};
  }
  CaseLaunch launch = {.kernel = command->kernel, .args = values, .arg_count = command->arg_count};
  memcpy(launch.grid, command->grid, sizeof launch.grid);
  memcpy(launch.block, command->block, sizeof launch.block);
  Status status = runner->host->launch(runner->host->self, &launch, runner->err);
  memory_free(values);
  return status;
}

static Status run_while(Runner *runner, const CaseCommand *command) {
  uint8_t byte = 0;
  TRY(runner->host->read(runner->host->self, address_of(runner, command), &byte, 1, runner->err));
  if (!byte) return OK;
  if (runner->loops++ == runner->options->max_loops)
    return error_set(runner->err, ERR_LIMIT,
                     "loop limit reached after %llu iterations (run.max_loops)",
                     (unsigned long long)runner->options->max_loops);
  runner->next = command->target;
  return OK;
}

static Status run_sum(const Runner *runner, const CaseCommand *command) {
  uint32_t chunk[CHUNK_BYTES / 4];
  uint64_t count = size_of(runner, command) / 4, per_chunk = CHUNK_BYTES / 4;
  double sum = 0;
  for (uint64_t done = 0; done < count;) {
    uint64_t n = count - done < per_chunk ? count - done : per_chunk;
    TRY(check_stop(runner));
    TRY(runner->host->read(runner->host->self, address_of(runner, command) + done * 4, chunk, n * 4,
                           runner->err));
    for (uint64_t i = 0; i < n; i++) {
      float number;
      memcpy(&number, &chunk[i], sizeof number);
      sum += command->element == CASE_F32 ? (double)number : (double)(int32_t)chunk[i];
    }
    done += n;
  }
  return runner->host->sum(runner->host->self, runner->parsed->buffers[command->buffer].name,
                           command->element, sum, runner->err);
}

static Status run_command(Runner *runner, const CaseCommand *command) {
  const CaseHost *host = runner->host;
  const CaseBuffer *buffer;
  switch (command->kind) {
    case CASE_PTX: return OK;  // loaded before the first command
    case CASE_REGS:
      return host->set_registers(host->self, command->kernel, (uint32_t)command->value,
                                 runner->err);
    case CASE_ALLOC:
      buffer = &runner->parsed->buffers[command->buffer];
      return host->alloc(host->self, buffer->name, buffer->size_bytes,
                         &runner->addresses[command->buffer], runner->err);
    case CASE_FILL:
      return command->pattern == CASE_FILE ? fill_from_file(runner, command)
                                           : fill_pattern(runner, command);
    case CASE_POKE: return run_poke(runner, command);
    case CASE_LAUNCH: return run_launch(runner, command);
    case CASE_LOOP: return OK;
    case CASE_WHILE: return run_while(runner, command);
    case CASE_SUM: return run_sum(runner, command);
  }
  return error_set(runner->err, ERR_INTERNAL, "unknown case command");
}

static Status load_modules(const Runner *runner) {
  const Case *parsed = runner->parsed;
  const char **paths = memory_alloc(sizeof *paths * (parsed->command_count + 1));
  size_t count = 0;
  for (uint32_t i = 0; i < parsed->command_count; i++)
    if (parsed->commands[i].kind == CASE_PTX) paths[count++] = parsed->commands[i].path;
  Status status = runner->host->load(runner->host->self, paths, count, runner->err);
  memory_free(paths);
  return status;
}

static Status run_commands(Runner *runner) {
  const Case *parsed = runner->parsed;
  while (runner->next < parsed->command_count) {
    const CaseCommand *command = &parsed->commands[runner->next++];
    Status status = check_stop(runner);
    if (status == OK) status = run_command(runner, command);
    if (status != OK) {
      error_prefix(runner->err, "%s:%u", parsed->source.path, command->line);
      return status;
    }
  }
  return OK;
}

Status case_run(const Case *parsed, const CaseHost *host, const CaseOptions *options, Error *err) {
  Error unwanted;
  Runner runner = {
      .parsed = parsed, .host = host, .options = options, .err = err ? err : &unwanted};
  TRY(load_modules(&runner));
  runner.addresses = memory_alloc(sizeof *runner.addresses * (parsed->buffer_count + 1));
  Status status = run_commands(&runner);
  memory_free(runner.addresses);
  return status;
}
