// SPDX-License-Identifier: MIT
// Modules, their kernels and their variables. A program registers all of its modules before
// main, most of which may never be used: only pointers are kept, and PTX is decompressed
// and parsed at the first use of a kernel or variable.
#include <string.h>

#include "base/memory.h"
#include "device/memory/images.h"
#include "exec/program_image.h"
#include "gpu/config/default_gpu.h"

static char *text_copy(const char *text) {
  size_t bytes = strlen(text) + 1;
  return memcpy(memory_alloc(bytes), text, bytes);
}

static DeviceModule *add_module(Device *device) {
  DeviceModule *module = memory_alloc(sizeof *module);
  GROW(device->modules, device->module_count, device->module_capacity);
  return device->modules[device->module_count++] = module;
}

DeviceModule *device_module_register(Device *device, const FatbinWrapper *wrapper) {
  device_lock(device);
  DeviceModule *module = add_module(device);
  module->wrapper = wrapper;
  device_unlock(device);
  return module;
}

uint32_t modules_architecture(const Device *device, uint32_t capability) {
  uint32_t newest = 0;
  for (uint32_t m = 0; m < device->module_count; m++) {
    const DeviceModule *module = device->modules[m];
    if (module->is_unloaded) continue;
    uint32_t architecture = image_architecture(module, capability);
    if (architecture > newest) newest = architecture;
  }
  return newest;
}

static Status load(Device *device, DeviceModule *module, const TextList *list, Error *err) {
  CompilerConfig compiler = gpu_compiler(&device->machine.config);
  TRY(ptx_compile_texts(&module->program, list->texts, list->count, device->next_address, &compiler,
                        err));
  const SmConfig *sm = &device->machine.config.sm;
  image_take_registers(module, compiler.architecture, sm->registers / (sm->max_warps * WARP_LANES));
  if (device->engine.options.recorder)
    recorder_module(device->engine.options.recorder, module->program, list->texts, list->count,
                    device->next_address, &compiler);
  TRY(program_place_variables(module->program, device->engine.memory, err));
  device->next_address = module->program->end_address;
  device_forget_allocations(device);
  return OK;
}

// Only for heddle run, which has --gpu; once per process.
static void note_default_gpu(Device *device, uint32_t architecture) {
  const RunSpec *spec = &device->run.spec;
  char text[DEFAULT_GPU_NOTE_BYTES];
  if (device->has_noted_gpu || spec->gpu || !spec->report || spec->functional) return;
  if (!default_gpu_note(&device->machine.config, architecture, text)) return;
  device->has_noted_gpu = true;
  device_print(device, "%s", text);
}

static DeviceError load_module(Device *device, DeviceModule *module, Error *err) {
  TextList *list = text_list_create();
  uint32_t capability = device->machine.config.gpu.compute_capability;
  module->failure = image_error(image_texts(module, capability, list, err));
  if (!module->failure) module->failure = text_error(load(device, module, list, err));
  text_list_destroy(list);
  if (!module->failure) note_default_gpu(device, image_architecture(module, capability));
  return module->failure;
}

// ---- managed variables

// The host sees the variable's own bytes, and kernels reach them at the
// host's address too.
static DeviceError prepare_managed(Device *device, DeviceSymbol *symbol) {
  const Variable *variable = program_find_variable(symbol->module->program, symbol->name);
  const Allocation *it =
      variable ? device_memory_find(device->engine.memory, variable->address) : NULL;
  if (!it) return DEVICE_INVALID_SYMBOL;
  uint8_t *host = it->host;
  *symbol->managed = host;
  if (symbol->alias == (uint64_t)(uintptr_t)host) return DEVICE_OK;
  Error err;
  if (device_memory_alloc_at(device->engine.memory, (uint64_t)(uintptr_t)host, variable->size_bytes,
                             ALLOCATION_HOST, symbol->name, host, &err) != OK)
    return DEVICE_OUT_OF_MEMORY;
  symbol->alias = (uint64_t)(uintptr_t)host;
  device_forget_allocations(device);
  return DEVICE_OK;
}

// The variable shares host memory, at the variable's address and at the host's. Its initial
// value is that of the PTX.
static DeviceError share_storage(Device *device, DeviceSymbol *symbol) {
  const Variable *variable = program_find_variable(symbol->module->program, symbol->name);
  const Allocation *it =
      variable ? device_memory_find(device->engine.memory, variable->address) : NULL;
  uint8_t *host = (uint8_t *)(uintptr_t)symbol->host;
  Error err;
  if (!variable) return DEVICE_OK;  // no kernel uses it
  if (!it || it->address != variable->address) return DEVICE_INVALID_SYMBOL;
  memcpy(host, it->host, variable->size_bytes);
  if (device_memory_free(device->engine.memory, variable->address, &err) != OK ||
      device_memory_alloc_at(device->engine.memory, variable->address, variable->size_bytes,
                             ALLOCATION_HOST, symbol->name, host, &err) != OK ||
      device_memory_alloc_at(device->engine.memory, (uint64_t)(uintptr_t)host, variable->size_bytes,
                             ALLOCATION_HOST, symbol->name, host, &err) != OK)
    return DEVICE_OUT_OF_MEMORY;
  device_forget_allocations(device);
  return DEVICE_OK;
}

static DeviceError prepare_all_managed(Device *device, const DeviceModule *module) {
  for (DeviceSymbol *symbol = device->symbols; symbol; symbol = symbol->hh.next) {
    bool is_managed = symbol->managed || symbol->is_storage;
    if (symbol->module != module || !is_managed) continue;
    DeviceError error =
        symbol->is_storage ? share_storage(device, symbol) : prepare_managed(device, symbol);
    if (error) return error;
  }
  return DEVICE_OK;
}

DeviceError module_ready(Device *device, DeviceModule *module) {
  DeviceError error = device_ready(device);
  if (error) return error;
  if (module->program) return DEVICE_OK;
  if (module->failure) return module->failure;
  Error err = {0};
  error = load_module(device, module, &err);
  if (error) {
    device_fail(device, &err);
    return error;
  }
  return prepare_all_managed(device, module);
}

DeviceError device_module_prepare(Device *device, DeviceModule *module) {
  bool has_managed = false;
  device_lock(device);
  for (DeviceSymbol *symbol = device->symbols; symbol; symbol = symbol->hh.next)
    has_managed |= symbol->module == module && (symbol->managed || symbol->is_storage);
  DeviceError error = has_managed ? module_ready(device, module) : DEVICE_OK;
  device_unlock(device);
  return error;
}

// ---- immediate loading

DeviceError device_module_load(Device *device, const void *image, DeviceModule **out, Error *log) {
  Error err = {0};
  device_lock(device);
  DeviceError error = device_ready(device);
  if (!error) {
    DeviceModule *module = *out = add_module(device);
    error = image_take(module, image, &err);
    if (!error) error = load_module(device, module, &err);
    if (error) module->is_unloaded = true;
  }
  device_unlock(device);
  if (log) *log = err;
  return error;
}

static void kernel_free(Device *device, DeviceKernel *kernel) {
  if (kernel->host) HASH_DEL(device->kernels, kernel);
  HASH_DELETE(by_self, device->kernels_by_self, kernel);
  memory_free(kernel->name);
  memory_free(kernel);
}

static void forget_names(Device *device, DeviceModule *module) {
  DeviceSymbol *symbol, *next_symbol;
  TextureReference *reference, *next_reference;
  for (uint32_t k = 0; k < module->kernel_count; k++) kernel_free(device, module->kernels[k]);
  memory_free(module->kernels);
  module->kernels = NULL;
  module->kernel_count = module->kernel_capacity = 0;
  HASH_ITER(hh, device->symbols, symbol, next_symbol) {
    if (symbol->module != module) continue;
    HASH_DEL(device->symbols, symbol);
    memory_free(symbol->name);
    memory_free(symbol);
  }
  HASH_ITER(hh, device->texture_references, reference, next_reference) {
    if (reference->module != module) continue;
    HASH_DEL(device->texture_references, reference);
    memory_free(reference->name);
    memory_free(reference);
  }
}

void device_module_unload(Device *device, DeviceModule *module) {
  device_lock(device);
  if (device->engine.memory && !device->sticky) device_execute(device);
  forget_names(device, module);
  module->is_unloaded = true;
  device_unlock(device);
}

bool device_module_exists(Device *device, const DeviceModule *module) {
  bool exists = false;
  device_lock(device);
  for (uint32_t m = 0; m < device->module_count && !exists; m++)
    exists = device->modules[m] == module && !module->is_unloaded;
  device_unlock(device);
  return exists;
}

void modules_forget_programs(Device *device) {
  for (uint32_t m = 0; m < device->module_count; m++) {
    DeviceModule *module = device->modules[m];
    program_destroy(module->program);
    module->program = NULL;
    module->failure = DEVICE_OK;
    for (uint32_t k = 0; k < module->kernel_count; k++) module->kernels[k]->function = NULL;
  }
  for (DeviceSymbol *symbol = device->symbols; symbol; symbol = symbol->hh.next) symbol->alias = 0;
}

void modules_clear(Device *device) {
  for (uint32_t m = 0; m < device->module_count; m++) {
    DeviceModule *module = device->modules[m];
    forget_names(device, module);
    image_clear(module);
    memory_free(module);
  }
  memory_free(device->modules);
  memory_free(device->managed_storage);
}

// ---- kernels

static DeviceKernel *add_kernel(Device *device, DeviceModule *module, const void *host,
                                const char *name) {
  DeviceKernel *kernel = memory_alloc(sizeof *kernel);
  kernel->host = host;
  kernel->self = kernel;
  kernel->name = text_copy(name);
  kernel->module = module;
  if (host) HASH_ADD_PTR(device->kernels, host, kernel);
  HASH_ADD(by_self, device->kernels_by_self, self, sizeof kernel->self, kernel);
  GROW(module->kernels, module->kernel_count, module->kernel_capacity);
  return module->kernels[module->kernel_count++] = kernel;
}

void device_kernel_register(Device *device, DeviceModule *module, const void *host,
                            const char *name) {
  DeviceKernel *known;
  device_lock(device);
  HASH_FIND_PTR(device->kernels, &host, known);
  if (!known) add_kernel(device, module, host, name);
  device_unlock(device);
}

DeviceKernel *device_kernel_find(Device *device, const void *host) {
  DeviceKernel *kernel;
  device_lock(device);
  HASH_FIND_PTR(device->kernels, &host, kernel);
  if (!kernel) HASH_FIND(by_self, device->kernels_by_self, &host, sizeof host, kernel);
  device_unlock(device);
  return kernel;
}

const char *device_kernel_name(const DeviceKernel *kernel) {
  return kernel->name;
}

const void *device_kernel_host(const DeviceKernel *kernel) {
  return kernel->host ? kernel->host : kernel;
}

DeviceModule *device_kernel_module(const DeviceKernel *kernel) {
  return kernel->module;
}

DeviceError kernel_ready(Device *device, DeviceKernel *kernel) {
  DeviceError error = module_ready(device, kernel->module);
  if (error || kernel->function) return error;
  kernel->function = program_find_kernel(kernel->module->program, kernel->name);
  if (kernel->function) return DEVICE_OK;
  device_print(device, "the program's PTX has no kernel %s", kernel->name);
  return DEVICE_INVALID_FUNCTION;
}

static DeviceError find_kernel(Device *device, DeviceModule *module, const char *name,
                               DeviceKernel **out) {
  *out = NULL;
  for (uint32_t k = 0; k < module->kernel_count; k++)
    if (strcmp(module->kernels[k]->name, name) == 0) *out = module->kernels[k];
  if (!*out && !program_find_kernel(module->program, name)) return DEVICE_NOT_FOUND;
  if (!*out) *out = add_kernel(device, module, NULL, name);
  return kernel_ready(device, *out);
}

DeviceError device_kernel_in_module(Device *device, DeviceModule *module, const char *name,
                                    DeviceKernel **out) {
  device_lock(device);
  DeviceError error = module_ready(device, module);
  if (!error) error = find_kernel(device, module, name, out);
  device_unlock(device);
  return error;
}

DeviceError device_module_kernel_count(Device *device, DeviceModule *module, uint32_t *count) {
  device_lock(device);
  DeviceError error = module_ready(device, module);
  *count = 0;
  for (uint32_t f = 0; !error && f < module->program->function_count; f++)
    *count += module->program->functions[f].is_kernel;
  device_unlock(device);
  return error;
}

DeviceError device_module_kernel_at(Device *device, DeviceModule *module, uint32_t index,
                                    DeviceKernel **kernel) {
  device_lock(device);
  DeviceError error = module_ready(device, module);
  const Function *found = NULL;
  for (uint32_t f = 0; !error && !found && f < module->program->function_count; f++)
    if (module->program->functions[f].is_kernel && index-- == 0)
      found = &module->program->functions[f];
  if (!error) error = found ? find_kernel(device, module, found->name, kernel) : DEVICE_NOT_FOUND;
  device_unlock(device);
  return error;
}

DeviceError device_kernel_function(Device *device, DeviceKernel *kernel,
                                   const Function **function) {
  device_lock(device);
  DeviceError error = kernel_ready(device, kernel);
  *function = kernel->function;
  device_unlock(device);
  return error;
}

// ---- variables

static DeviceSymbol *add_symbol(Device *device, DeviceModule *module, const void *host,
                                const char *name, uint64_t size_bytes) {
  DeviceSymbol *symbol;
  HASH_FIND_PTR(device->symbols, &host, symbol);
  if (symbol) return symbol;
  symbol = memory_alloc(sizeof *symbol);
  symbol->host = host;
  symbol->name = text_copy(name);
  symbol->module = module;
  symbol->size_bytes = size_bytes;
  HASH_ADD_PTR(device->symbols, host, symbol);
  return symbol;
}

void device_managed_storage(Device *device, const void *first, const void *end) {
  device_lock(device);
  GROW(device->managed_storage, device->managed_storage_count, device->managed_storage_capacity);
  device->managed_storage[device->managed_storage_count].first = first;
  device->managed_storage[device->managed_storage_count++].end = end;
  device_unlock(device);
}

static bool is_managed_storage(const Device *device, const uint8_t *host) {
  for (uint32_t i = 0; i < device->managed_storage_count; i++)
    if (host >= device->managed_storage[i].first && host < device->managed_storage[i].end)
      return true;
  return false;
}

void device_symbol_register(Device *device, DeviceModule *module, const void *host,
                            const char *name, uint64_t size_bytes) {
  device_lock(device);
  DeviceSymbol *symbol = add_symbol(device, module, host, name, size_bytes);
  symbol->is_storage = is_managed_storage(device, host);
  device_unlock(device);
}

void device_managed_register(Device *device, DeviceModule *module, void **host, const char *name,
                             uint64_t size_bytes) {
  device_lock(device);
  add_symbol(device, module, host, name, size_bytes)->managed = host;
  device_unlock(device);
}

static DeviceError find_variable(const DeviceModule *module, const char *name, uint64_t *address,
                                 uint64_t *size_bytes) {
  const Variable *variable = program_find_variable(module->program, name);
  if (!variable) return DEVICE_INVALID_SYMBOL;
  *address = variable->address;
  *size_bytes = variable->size_bytes;
  return DEVICE_OK;
}

DeviceError device_symbol_find(Device *device, const void *host, uint64_t *address,
                               uint64_t *size_bytes) {
  DeviceSymbol *symbol;
  device_lock(device);
  HASH_FIND_PTR(device->symbols, &host, symbol);
  // A managed variable is identified by its pointer's address and by the pointer's value.
  for (DeviceSymbol *it = device->symbols; it && !symbol; it = it->hh.next)
    if (it->managed && *it->managed == host) symbol = it;
  DeviceError error = symbol ? module_ready(device, symbol->module) : DEVICE_INVALID_SYMBOL;
  if (!error) error = find_variable(symbol->module, symbol->name, address, size_bytes);
  device_unlock(device);
  return error;
}

// A static variable: programs ask for it by its name in the source, which NVRTC keeps, whereas
// clang has _ZL3all for `all`.
static DeviceError find_static(const DeviceModule *module, const char *name, uint64_t *address,
                               uint64_t *size_bytes) {
  size_t length = strlen(name), room = length + 32;
  char *mangled = memory_alloc(room);
  snprintf(mangled, room, "_ZL%zu%s", length, name);
  DeviceError error = find_variable(module, mangled, address, size_bytes);
  memory_free(mangled);
  return error;
}

DeviceError device_symbol_in_module(Device *device, DeviceModule *module, const char *name,
                                    uint64_t *address, uint64_t *size_bytes) {
  device_lock(device);
  DeviceError error = module_ready(device, module);
  if (!error && find_variable(module, name, address, size_bytes) &&
      find_static(module, name, address, size_bytes))
    error = DEVICE_NOT_FOUND;
  device_unlock(device);
  return error;
}
