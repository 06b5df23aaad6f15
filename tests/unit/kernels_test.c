// SPDX-License-Identifier: MIT
// Runs every file of tests/kernels, as written and optimised, and holds it to its own expectations
// (kernel_file.h says how they are written). KERNELS=part of a name picks some;
// folders on the command line stand in for tests/kernels.
#include <dirent.h>
#include <unistd.h>

#include "base/files/file.h"
#include "base/memory.h"
#include "runner/case/case_arguments.h"
#include "frontends/ptx/link/load.h"
#include "exec/program_image.h"
#include "functional/functional.h"
#include "exec/memory/device_memory.h"
#include "unit/cmocka_all.h"
#include "unit/kernel_file.h"
#include "report/run_result.h"

enum { MAX_BUFFERS = 32, MAX_ARGUMENTS = 32, MAX_MODULES = 8, PRINT_BYTES = 1 << 16 };

typedef struct Buffer {
  char name[32];
  const ElementType *type;
  uint64_t count, address;
} Buffer;

typedef struct KernelRun {
  const KernelFile *file;
  int index;
  CompilerConfig compiler;
  Program *program;
  DeviceMemory *memory;
  ExecContext context;
  FunctionalOptions options;
  RunCounts stats;
  uint32_t stack_bytes;
  Buffer buffers[MAX_BUFFERS];
  int buffer_count;
  char printed[PRINT_BYTES];
  size_t printed_length;
  Error err;
} KernelRun;

static void complain(const KernelRun *run, const Directive *directive, const char *format, ...)
    __attribute__((format(printf, 3, 4), noreturn));

static void complain(const KernelRun *run, const Directive *directive, const char *format, ...) {
  char text[ERROR_TEXT_BYTES];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  fail_msg("%s:%d: %s: %s\n  %s", run->file->path, directive->line, directive->word,
           directive->text, text);
  abort();
}

static const Directive *next_directive(const KernelRun *run, const char *word, int *at) {
  for (; *at < run->file->directive_count; (*at)++) {
    const Directive *directive = &run->file->directives[*at];
    bool is_ours = directive->run == 0 || directive->run == run->index;
    if (is_ours && strcmp(directive->word, word) == 0) return (*at)++, directive;
  }
  return NULL;
}

#define FOR_EACH(run, word, directive)           \
  for (int at_ = 0, once_ = 1; once_; once_ = 0) \
    for (const Directive *directive; (directive = next_directive(run, word, &at_)) != NULL;)

static Buffer *find_buffer(KernelRun *run, const Directive *directive, const char *name,
                           size_t length) {
  for (int k = 0; k < run->buffer_count; k++)
    if (strlen(run->buffers[k].name) == length && strncmp(run->buffers[k].name, name, length) == 0)
      return &run->buffers[k];
  complain(run, directive, "there is no buffer %.*s", (int)length, name);
}

// ---- before the run

static void print_to_run(void *sink, const char *text, size_t length) {
  KernelRun *run = sink;
  size_t room = sizeof run->printed - 1 - run->printed_length;
  if (length > room) length = room;
  memcpy(run->printed + run->printed_length, text, length);
  run->printed_length += length;
}

static void allocate(KernelRun *run, const Directive *directive) {
  Buffer *buffer = &run->buffers[run->buffer_count++];
  char type[8];
  unsigned long long count;
  int used = 0;
  if (sscanf(directive->text, "%31[a-z0-9_] %7s %llu%n", buffer->name, type, &count, &used) != 3)
    complain(run, directive, "want NAME TYPE COUNT");
  buffer->type = element_type_find(type);
  if (!buffer->type || run->buffer_count == MAX_BUFFERS) complain(run, directive, "bad type");
  buffer->count = count;
  if (device_memory_alloc(run->memory, count * buffer->type->bytes, ALLOCATION_HEAP, buffer->name,
                          &buffer->address, &run->err) != OK)
    complain(run, directive, "%s", run->err.text);
  Expression fill = {.at = directive->text + used};
  if (!take_text(&fill, "=")) return;
  const char *start = fill.at;
  for (uint64_t i = 0; i < count; i++) {
    uint64_t bytes = 0;
    fill = (Expression){.at = start, .i = (int64_t)i};
    element_write(buffer->type, expression_read(&fill), &bytes);
    if (fill.is_bad || !expression_is_at_end(&fill)) complain(run, directive, "bad expression");
    device_memory_write(run->memory, buffer->address + i * buffer->type->bytes, &bytes,
                        buffer->type->bytes, NULL);
  }
}

static Status load(KernelRun *run) {
  PtxText texts[MAX_MODULES] = {{run->file->path, run->file->text, run->file->length}};
  char *linked[MAX_MODULES] = {NULL};
  size_t count = 1;
  Arena names = {0};
  Status status = OK;
  FOR_EACH(run, "link", directive) {
    PtxText *text = &texts[count];
    text->path = path_beside(&names, run->file->path, directive->text);
    if (status == OK)
      status = file_read(text->path, 1 << 24, &linked[count], &text->length, &run->err);
    text->text = linked[count++];
  }
  if (status == OK)
    status =
        ptx_compile_texts(&run->program, texts, count, PROGRAM_BASE, &run->compiler, &run->err);
  if (status == OK) status = program_place_variables(run->program, run->memory, &run->err);
  for (size_t k = 1; k < count; k++) memory_free(linked[k]);
  arena_clear(&names);
  return status;
}

// ---- launches

static CaseValue read_argument(KernelRun *run, const Directive *directive, const char *word) {
  CaseValue value = {.kind = CASE_INTEGER, .text = word};
  Expression number = {.at = word + 2};
  if (word[0] == '$') {
    const char *plus = strchr(word, '+');
    size_t length = plus ? (size_t)(plus - word - 1) : strlen(word + 1);
    value.kind = CASE_ADDRESS;
    value.integer = find_buffer(run, directive, word + 1, length)->address;
    if (plus) value.integer += strtoull(plus + 1, NULL, 0);
    return value;
  }
  Number read = expression_read(&number);
  if (word[1] != ':' || number.is_bad || !expression_is_at_end(&number))
    complain(run, directive, "bad argument %s", word);
  value.kind = word[0] == 'f' ? CASE_FLOAT : CASE_INTEGER;
  value.integer = (uint64_t)read.integer;
  value.negative = word[2] == '-';
  value.number = read.real;
  return value;
}

static Status run_launch(KernelRun *run, const CaseLaunch *wanted, uint32_t shared_bytes) {
  const Function *kernel = program_find_kernel(run->program, wanted->kernel);
  if (!kernel) return error_set(&run->err, ERR_LINK, "there is no kernel %s", wanted->kernel);
  uint8_t *params = memory_alloc(kernel->param_bytes + 1u);
  Launch launch;
  Status status = case_arguments_pack(kernel, wanted, params, &run->err);
  if (status == OK)
    status = launch_init(&launch, run->program, kernel, wanted->grid, wanted->block, params,
                         shared_bytes, run->stack_bytes, &run->err);
  if (status == OK) {
    launch.grid_id = run->stats.launches + 1;
    status = functional_run(&run->context, &launch, &run->options, &run->err);
    RunCounts counts = {launch.warp_instructions, launch.thread_instructions, launch.ctas, 1};
    stats_sum(&run->stats, &counts, sizeof counts);
  }
  memory_free(params);
  return status;
}

static Status launch(KernelRun *run, const Directive *directive) {
  char text[DIRECTIVE_BYTES], *rest = text, *word;
  CaseValue args[MAX_ARGUMENTS];
  CaseLaunch wanted = {.args = args};
  uint32_t shared_bytes = 0;
  memcpy(text, directive->text, sizeof text);
  wanted.kernel = strtok_r(text, " ", &rest);
  for (int k = 0; k < 6; k++) {
    word = strtok_r(NULL, " ", &rest);
    if (!word) complain(run, directive, "want KERNEL GX GY GZ BX BY BZ");
    (k < 3 ? wanted.grid : wanted.block)[k % 3] = (uint32_t)strtoul(word, NULL, 0);
  }
  while ((word = strtok_r(NULL, " ", &rest)) != NULL) {
    if (strncmp(word, "shared:", 7) == 0)
      shared_bytes = (uint32_t)strtoul(word + 7, NULL, 0);
    else if (wanted.arg_count < MAX_ARGUMENTS)
      args[wanted.arg_count++] = read_argument(run, directive, word);
  }
  return run_launch(run, &wanted, shared_bytes);
}

// ---- after the run

static void expect_element(KernelRun *run, const Directive *directive, const Buffer *buffer,
                           const ElementType *type, uint64_t index, Number want, bool nearly) {
  uint64_t bits = 0, address = buffer->address + index * type->bytes;
  if (device_memory_read(run->memory, address, &bits, type->bytes, &run->err) != OK)
    complain(run, directive, "%s", run->err.text);
  Number have = element_read(type, &bits);
  if (element_equals(type, have, want, nearly)) return;
  if (type->kind == 'f')
    complain(run, directive, "element %llu is %.9g (0x%llx), not %.9g", (unsigned long long)index,
             have.real, (unsigned long long)bits, want.real);
  complain(run, directive, "element %llu is %lld (0x%llx), not %lld (0x%llx)",
           (unsigned long long)index, (long long)have.integer, (unsigned long long)bits,
           (long long)want.integer, (unsigned long long)want.integer);
}

// NAME[.TYPE] '[' FIRST [.. [LAST]] ']' OP VALUES
static void expect_buffer(KernelRun *run, const Directive *directive) {
  Expression text = {.at = directive->text};
  size_t length = strcspn(text.at, ".[");
  const Buffer *buffer = find_buffer(run, directive, text.at, length);
  const ElementType *type = buffer->type;
  char name[8] = "";
  text.at += length;
  if (sscanf(text.at, ".%7[a-z0-9]", name) == 1) type = element_type_find(name);
  if (!type) complain(run, directive, "bad type");
  text.at = strchr(text.at, '[') + 1;
  uint64_t first = strtoull(text.at, (char **)&text.at, 0), last = first;
  bool is_list = false;
  if (take_text(&text, "..")) {
    is_list = *text.at == ']';
    if (!is_list) last = strtoull(text.at, (char **)&text.at, 0);
  }
  bool is_closed = take_text(&text, "]"), nearly = take_text(&text, "~=");
  if (!is_closed || (!nearly && !take_text(&text, "==")))
    complain(run, directive, "want NAME[INDEX] == VALUE");
  const char *start = text.at;
  for (uint64_t i = first; i <= last; i++) {
    if (!is_list) text.at = start;
    text.i = (int64_t)i;
    Number want = expression_read(&text);
    if (text.is_bad) complain(run, directive, "bad expression");
    if (!is_list && !expression_is_at_end(&text))
      complain(run, directive, "one value is wanted here; a list stands behind NAME[FIRST..]");
    expect_element(run, directive, buffer, type, i, want, nearly);
    if (is_list && take_text(&text, ",")) last++;
  }
  if (!expression_is_at_end(&text)) complain(run, directive, "bad end");
}

static bool counter_value(const KernelRun *run, const char *name, uint64_t *value) {
  const RunCounts *stats = &run->stats;
  const struct {
    const char *name;
    uint64_t value;
  } counters[] = {{"total.warp_instructions", stats->warp_instructions},
                  {"total.thread_instructions", stats->thread_instructions},
                  {"total.ctas", stats->ctas},
                  {"total.launches", stats->launches}};
  for (size_t k = 0; k < sizeof counters / sizeof *counters; k++)
    if (strcmp(counters[k].name, name) == 0) return *value = counters[k].value, true;
  return false;
}

static void expect_counter(KernelRun *run, const Directive *directive) {
  char name[64];
  int used = 0;
  uint64_t have;
  if (sscanf(directive->text, "%63[a-z0-9_.]%n", name, &used) != 1 ||
      !counter_value(run, name, &have))
    complain(run, directive, "there is no such counter");
  // Optimised code has other instructions, not other results.
  if (run->compiler.optimise && strstr(name, "_instructions")) return;
  char comparison[DIRECTIVE_BYTES + 32];
  snprintf(comparison, sizeof comparison, "%llu %s", (unsigned long long)have,
           directive->text + used);
  Expression text = {.at = comparison};
  Number verdict = expression_read(&text);
  if (text.is_bad || !expression_is_at_end(&text) || !verdict.integer)
    complain(run, directive, "it is %llu", (unsigned long long)have);
}

static int check_values(KernelRun *run) {
  int checked = 0;
  FOR_EACH(run, "expect", directive) {
    if (strchr(directive->text, '['))
      expect_buffer(run, directive);
    else
      expect_counter(run, directive);
    checked++;
  }
  return checked;
}

static int check_print(KernelRun *run) {
  const char *left = run->printed;
  const Directive *last = NULL;
  int checked = 0;
  FOR_EACH(run, "expect-print", directive) {
    size_t length = strcspn(left, "\n");
    if (strlen(directive->text) != length || strncmp(left, directive->text, length) != 0)
      complain(run, directive, "printed '%.*s'", (int)length, left);
    left += length + (left[length] == '\n');
    last = directive;
    checked++;
  }
  if (last && *left) complain(run, last, "also printed '%s'", left);
  return checked;
}

static int check_errors(KernelRun *run, Status status) {
  int checked = 0;
  FOR_EACH(run, "expect-error", directive) {
    if (status == OK) complain(run, directive, "nothing failed");
    if (!strstr(run->err.text, directive->text))
      complain(run, directive, "the message is: %s", run->err.text);
    checked++;
  }
  if (status != OK && !checked) fail_msg("%s: %s", run->file->path, run->err.text);
  return checked;
}

// ---- all of a run, of a file, of the folder

static uint32_t setting(const KernelRun *run, const char *word, uint32_t otherwise) {
  FOR_EACH(run, word, directive) otherwise = (uint32_t)strtoul(directive->text, NULL, 0);
  return otherwise;
}

static Status execute(KernelRun *run) {
  TRY(load(run));
  FOR_EACH(run, "alloc", directive) allocate(run, directive);
  FOR_EACH(run, "launch", directive) TRY(launch(run, directive));
  return OK;
}

// Architecture 0: without the optimising pass.
static void run_one(const KernelFile *file, int index, uint32_t architecture) {
  KernelRun *run = memory_alloc(sizeof *run);
  run->file = file;
  run->compiler = (CompilerConfig){.optimise = architecture != 0, .architecture = architecture};
  run->index = index;
  run->memory = device_memory_create(UINT64_C(1) << 30);
  run->context = (ExecContext){.memory = run->memory, .print = print_to_run, .print_sink = run};
  run->stack_bytes = setting(run, "stack", 1024);
  run->options = (FunctionalOptions){
      .sm_count = setting(run, "sms", 2), .ctas_per_sm = 2, .max_instructions = 10000000};
  Status status = execute(run);
  int checked = check_errors(run, status) + check_values(run) + check_print(run);
  if (!checked) fail_msg("%s: run %d expects nothing", file->path, index);
  program_destroy(run->program);
  device_memory_destroy(run->memory);
  memory_free(run);
}

static void kernel_file_meets_its_expectations(void **state) {
  KernelFile *file = memory_alloc(sizeof *file);
  Error err;
  snprintf(file->path, sizeof file->path, "%s", (const char *)*state);
  if (file_read(file->path, 1 << 24, &file->text, &file->length, &err) != OK)
    fail_msg("%s", err.text);
  int bad_line = kernel_file_read_directives(file);
  if (bad_line) fail_msg("%s:%d: unknown word, or too many", file->path, bad_line);
  for (int index = file->run_count ? 1 : 0; index <= file->run_count; index++) {
    static const uint32_t architectures[] = {0, 20, 35, 52, 70};
    for (size_t k = 0; k < sizeof architectures / sizeof architectures[0]; k++)
      run_one(file, index, architectures[k]);
  }
  memory_free(file->text);
  memory_free(file);
}

static int by_name(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

static size_t list_files(const char *folder, char **paths, size_t capacity) {
  DIR *directory = opendir(folder);
  const char *wanted = getenv("KERNELS");
  size_t count = 0;
  for (struct dirent *entry; directory && (entry = readdir(directory)) && count < capacity;) {
    size_t length = strlen(entry->d_name);
    if (length < 4 || strcmp(entry->d_name + length - 4, ".ptx") != 0) continue;
    if (wanted && !strstr(entry->d_name, wanted)) continue;
    paths[count] = memory_alloc(strlen(folder) + length + 2);
    sprintf(paths[count++], "%s/%s", folder, entry->d_name);
  }
  if (directory) closedir(directory);
  qsort(paths, count, sizeof *paths, by_name);
  return count;
}

int main(int argc, char **argv) {
  enum { MAX_FILES = 500 };
  static char *paths[MAX_FILES];
  static struct CMUnitTest tests[MAX_FILES];
  const char *source = getenv("HEDDLE_SOURCE");
  if (argc < 2 && source && chdir(source) != 0) return 1;
  static const char *const own[] = {"", "tests/kernels", "tests/kernels/cu"};
  const char *const *folders = argc < 2 ? own : (const char *const *)argv;
  int folder_count = argc < 2 ? 3 : argc;
  size_t count = 0;
  for (int k = 1; k < folder_count; k++)
    count += list_files(folders[k], paths + count, MAX_FILES - count);
  for (size_t i = 0; i < count; i++)
    tests[i] = (struct CMUnitTest){.name = paths[i],
                                   .test_func = kernel_file_meets_its_expectations,
                                   .initial_state = paths[i]};
  int failed = _cmocka_run_group_tests("kernels", tests, count, NULL, NULL);
  for (size_t i = 0; i < count; i++) memory_free(paths[i]);
  return failed || count < 1;
}
