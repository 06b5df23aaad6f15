// SPDX-License-Identifier: MIT
// Unpacks device code (PTX text, fat binaries, their wrappers, linked images) to PTX texts.
#include "device/memory/images.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/files/file.h"
#include "base/memory.h"
#include "device/device_library.h"
#include "frontends/fatbin/cubin.h"

#define MAX_IMAGE_BYTES (UINT64_C(1) << 32)  // more than any compiler makes

// ---- lists of texts

TextList *text_list_create(void) {
  return memory_alloc(sizeof(TextList));
}

void text_list_destroy(TextList *list) {
  for (uint32_t i = 0; i < list->count; i++)
    if (list->is_own[i]) memory_free((char *)(uintptr_t)list->texts[i].text);
  memory_free(list);
}

static Status add_text(TextList *list, PtxText text, bool is_own, Error *err) {
  if (list->count == MAX_LINKED)
    return error_set(err, ERR_LIMIT, "more than %d modules in one image", MAX_LINKED);
  list->is_own[list->count] = is_own;
  list->texts[list->count++] = text;
  return OK;
}

// Text may have any address; binary images are aligned.
static bool begins_with(const void *bytes, uint32_t magic) {
  return memcmp(bytes, &magic, sizeof magic) == 0;
}

// ---- fat binaries

// Some tools pass wrappers, others the wrapped image.
static const void *unwrap(const void *bytes) {
  const FatbinWrapper *wrapper = bytes;
  return bytes && begins_with(bytes, FATBIN_WRAPPER_MAGIC) ? wrapper->data : bytes;
}

// The fat binary at an index, or NULL past the last.
static const void *fatbin_at(const FatbinWrapper *wrapper, uint32_t index) {
  const void *const *list = wrapper->version >= 2 ? wrapper->extra : NULL;
  if (!list || !list[0]) return index == 0 ? wrapper->data : NULL;
  if (index >= MAX_LINKED) return NULL;
  return unwrap(list[index]);
}

static uint32_t wrapper_architecture(const FatbinWrapper *wrapper, uint32_t capability) {
  uint32_t oldest = 0, elf;
  const void *bytes;
  for (uint32_t i = 0; (bytes = fatbin_at(wrapper, i)); i++) {
    FatbinEntry entry;
    bool found;
    Error err;
    if (fatbin_choose_ptx(bytes, fatbin_length(bytes), capability, &entry, &found, &elf, &err) !=
            OK ||
        !found)
      continue;
    if (!oldest || entry.architecture < oldest) oldest = entry.architecture;
  }
  return oldest;
}

static Status only_machine_code(uint32_t architecture, Error *err) {
  return error_set(err, ERR_UNSUPPORTED,
                   "the program contains only machine code (SASS, sm_%u), which is not simulated; "
                   "embed PTX: nvcc -gencode arch=compute_%u,code=compute_%u",
                   architecture, architecture, architecture);
}

// nvcc links NVIDIA's device runtime to relocatable code. It talks to a driver
// by calls that only it makes; ours is built in instead.
static bool is_device_runtime(const char *text) {
  return strstr(text, "__cuda_syscall_cnpv2") != NULL;
}

static Status take_fatbin(const void *bytes, uint32_t capability, TextList *list, Error *err) {
  FatbinEntry entry;
  bool found;
  uint32_t elf;
  char *text;
  size_t length;
  TRY(fatbin_choose_ptx(bytes, fatbin_length(bytes), capability, &entry, &found, &elf, err));
  if (!found) return elf ? only_machine_code(elf, err) : OK;
  TRY(fatbin_unpack(&entry, &text, &length, err));
  Status status = is_device_runtime(text)
                      ? OK
                      : add_text(list, (PtxText){"program.ptx", text, length}, true, err);
  if (status != OK || is_device_runtime(text)) memory_free(text);
  return status;
}

// ---- registers of machine code

// ptxas takes registers freely while the SM can hold all of its threads: up to 64 for 7.5, 40 for
// 8.6, 32 for 8.0 and 9.0, which hold 1,024, 1,536 and 2,048. Of a count for a GPU that holds
// fewer, what is beyond `enough` may be such: not more than the estimate.
static uint32_t count_for(uint32_t count, uint32_t estimate, uint32_t enough) {
  uint32_t most = estimate > enough ? estimate : enough;
  return count > most ? most : count;
}

// Kernels whose warps pass registers on keep what their directives say: ptxas counts fewer where it
// ignores setmaxnreg, which is executed here.
static void take_counts(Program *program, const char *bytes, size_t length, uint32_t enough) {
  Cubin cubin;
  CubinCount count;
  if (!cubin_open(&cubin, bytes, length)) return;
  while (cubin_next(&cubin, &count)) {
    const Function *kernel = program_find_kernel(program, count.function);
    if (kernel && !kernel->moves_registers)
      program->functions[kernel->index].registers =
          count_for(count.registers, kernel->registers, enough);
  }
}

// GPUs of one major number have the same registers and, but for a few, the same instructions.
// docs/model.md has how far the counts for one are off those for another.
static void take_fatbin_counts(Program *program, const void *bytes, uint32_t capability,
                               uint32_t enough) {
  uint32_t architecture = fatbin_code_architecture(bytes, fatbin_length(bytes), capability);
  Fatbin fatbin;
  FatbinEntry entry;
  bool more = true;
  Error err;
  if (fatbin_open(&fatbin, bytes, fatbin_length(bytes), &err) != OK) return;
  while (fatbin_next(&fatbin, &entry, &more, &err) == OK && more) {
    char *code;
    size_t length;
    if (entry.kind != FATBIN_ELF || entry.architecture != architecture) continue;
    if (fatbin_unpack_bytes(&entry, &code, &length, &err) != OK) continue;
    take_counts(program, code, length, architecture > capability ? enough : UINT32_MAX);
    memory_free(code);
  }
}

void image_take_registers(const DeviceModule *module, uint32_t capability, uint32_t enough) {
  // Of several fat binaries to be linked, nvlink's code is in the wrapper's own.
  if (module->wrapper && module->wrapper->data)
    take_fatbin_counts(module->program, module->wrapper->data, capability, enough);
}

// ---- linked images

static Status take_linked(const LinkedImage *image, TextList *list, Error *err) {
  const uint8_t *at = (const uint8_t *)(image + 1);
  uint64_t left = image->bytes - sizeof *image;
  for (uint32_t i = 0; i < image->count; i++) {
    uint64_t length, padded;
    if (left < sizeof length) return error_set(err, ERR_SYNTAX, "truncated linked image");
    memcpy(&length, at, sizeof length);
    at += sizeof length, left -= sizeof length;
    padded = length < left ? (length + 8) / 8 * 8 : UINT64_MAX;
    if (padded > left || at[length])
      return error_set(err, ERR_SYNTAX, "PTX text %u of a linked image extends past its end", i);
    TRY(add_text(list, (PtxText){"linked.ptx", (const char *)at, length}, false, err));
    at += padded, left -= padded;
  }
  return OK;
}

// ---- any of them

static Status take_all(const DeviceModule *module, uint32_t capability, TextList *list,
                       Error *err) {
  const void *bytes;
  if (module->linked) return take_linked(module->linked, list, err);
  if (module->text)
    return add_text(list, (PtxText){"module.ptx", module->text, module->text_bytes}, false, err);
  for (uint32_t i = 0; (bytes = fatbin_at(module->wrapper, i)); i++)
    TRY(take_fatbin(bytes, capability, list, err));
  return OK;
}

static PtxText library_text(const char *text) {
  return (PtxText){"device_library.ptx", text, strlen(text)};
}

Status image_texts(const DeviceModule *module, uint32_t capability, TextList *list, Error *err) {
  bool is_wanted = false;
  TRY(take_all(module, capability, list, err));
  for (uint32_t i = 0; i < list->count; i++)
    is_wanted |= device_library_is_wanted(list->texts[i].text);
  if (!is_wanted) return OK;
  TRY(add_text(list, library_text(device_library_copies), false, err));
  return add_text(list, library_text(device_library_fills), false, err);
}

uint32_t ptx_text_architecture(const char *text) {
  const char *target = strstr(text, ".target"), *number = target ? strstr(target, "sm_") : NULL;
  return number ? (uint32_t)strtoul(number + 3, NULL, 10) : 0;
}

static uint32_t linked_architecture(const LinkedImage *image) {
  TextList *list = text_list_create();
  Error err;
  uint32_t architecture = take_linked(image, list, &err) == OK && list->count
                              ? ptx_text_architecture(list->texts[0].text)
                              : 0;
  text_list_destroy(list);
  return architecture;
}

uint32_t image_architecture(const DeviceModule *module, uint32_t capability) {
  if (module->wrapper) return wrapper_architecture(module->wrapper, capability);
  if (module->text) return ptx_text_architecture(module->text);
  return module->linked ? linked_architecture(module->linked) : 0;
}

// PTX begins with a directive or a comment; everything else is binary.
static bool is_text(const char *image) {
  image = text_behind_mark(image);
  image += strspn(image, " \t\r\n");
  return *image == '.' || *image == '/';
}

static bool is_elf(const void *image) {
  return memcmp(image, "\177ELF", 4) == 0;
}

static void take_wrapped(DeviceModule *module, const void *bytes, uint64_t length) {
  // One block: the wrapper, followed by its content.
  FatbinWrapper *wrapper = memory_alloc(sizeof *wrapper + length);
  *wrapper = (FatbinWrapper){.magic = FATBIN_WRAPPER_MAGIC, .version = 1, .data = wrapper + 1};
  memcpy(wrapper + 1, bytes, length);
  module->wrapper = wrapper;
  module->owns_wrapper = true;
}

static void take_text(DeviceModule *module, const char *text) {
  module->text_bytes = strlen(text);
  module->text = memcpy(memory_alloc(module->text_bytes + 1), text, module->text_bytes + 1);
}

// Nobody says how long an image is but the image, which may be damaged.
static DeviceError take_binary(DeviceModule *module, const void *bytes, Error *err) {
  bool is_linked = begins_with(bytes, LINKED_IMAGE_MAGIC);
  uint64_t length = device_image_bytes(bytes), least = is_linked ? sizeof(LinkedImage) : 1;
  if (length < least || length > MAX_IMAGE_BYTES || !memory_is_readable(bytes, length)) {
    error_set(err, ERR_SYNTAX,
              "corrupt image: its header claims %" PRIu64 " bytes, more than are readable", length);
    return DEVICE_INVALID_IMAGE;
  }
  if (is_linked)
    module->linked = memcpy(memory_alloc(length), bytes, length);
  else
    take_wrapped(module, bytes, length);
  return DEVICE_OK;
}

DeviceError image_take(DeviceModule *module, const void *image, Error *err) {
  const char *bytes = is_text(image) ? image : unwrap(image);
  if (is_text(bytes)) {
    take_text(module, bytes);
  } else if (fatbin_length(bytes) || begins_with(bytes, LINKED_IMAGE_MAGIC)) {
    return take_binary(module, bytes, err);
  } else if (is_elf(bytes)) {
    error_set(err, ERR_UNSUPPORTED,
              "the image is machine code (a cubin), which is not simulated; load PTX or a fat "
              "binary that contains PTX");
    return DEVICE_NO_KERNEL_IMAGE;
  } else {
    error_set(err, ERR_SYNTAX, "the image is neither PTX nor a fat binary");
    return DEVICE_INVALID_IMAGE;
  }
  return DEVICE_OK;
}

void image_clear(DeviceModule *module) {
  if (module->owns_wrapper) memory_free((void *)(uintptr_t)module->wrapper);
  memory_free(module->text);
  memory_free(module->linked);
  module->wrapper = NULL;
  module->text = NULL;
  module->linked = NULL;
}

DeviceError image_error(Status status) {
  return status == OK                ? DEVICE_OK
         : status == ERR_UNSUPPORTED ? DEVICE_NO_KERNEL_IMAGE
         : status == ERR_LIMIT       ? DEVICE_OUT_OF_MEMORY
                                     : DEVICE_INVALID_PTX;
}

DeviceError text_error(Status status) {
  return status == ERR_UNSUPPORTED ? DEVICE_INVALID_PTX : image_error(status);
}

size_t device_image_bytes(const void *image) {
  const LinkedImage *linked = image;
  return begins_with(image, LINKED_IMAGE_MAGIC) ? linked->bytes : fatbin_length(image);
}
