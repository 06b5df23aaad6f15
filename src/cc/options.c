// SPDX-License-Identifier: MIT
// nvcc's options: what each does to the command lines of clang and the linker.
#include "cc/options.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static Status pass(CcRequest *request, const CcOption *option, const char *value, Error *err) {
  (void)err;
  words_add(&request->compile, "%s%s", option->text, value ? value : "");
  return OK;
}

static Status pass_two(CcRequest *request, const CcOption *option, const char *value, Error *err) {
  (void)err;
  words_add(&request->compile, "%s", option->text);
  words_add(&request->compile, "%s", value);
  return OK;
}

// A folder with a CUDA runtime, such as that of an installed toolkit, is searched after
// ours, whose headers clang can compile.
static Status take_folder(CcRequest *request, const CcOption *option, const char *value,
                          Error *err) {
  (void)err;
  Words runtime = {0};
  words_add(&runtime, "%s/cuda_runtime.h", value);
  bool has_runtime = access(runtime.items[0], R_OK) == 0;
  words_clear(&runtime);
  if (!has_runtime) words_add(&request->folders, "%s", value);
  words_add(&request->compile, "%s", has_runtime ? "-idirafter" : option->text);
  words_add(&request->compile, "%s", value);
  return OK;
}

static Status pass_list(CcRequest *request, const CcOption *option, const char *value, Error *err) {
  (void)option, (void)err;
  words_add_list(&request->compile, value);
  words_add_list(&request->link, value);
  return OK;
}

static Status pass_link(CcRequest *request, const CcOption *option, const char *value, Error *err) {
  (void)err;
  words_add(&request->link, "%s%s", option->text, value ? value : "");
  return OK;
}

static Status pass_device(CcRequest *request, const CcOption *option, const char *value,
                          Error *err) {
  (void)value, (void)err;
  words_add_list(&request->compile_device, option->text);
  return OK;
}

static Status pass_cuda(CcRequest *request, const CcOption *option, const char *value, Error *err) {
  (void)value, (void)err;
  words_add_list(&request->compile_cuda, option->text);
  return OK;
}

// Options such as -ftz=true: `number` says which answer has an effect.
static Status pass_answer(CcRequest *request, const CcOption *option, const char *value,
                          Error *err) {
  bool answer = strcmp(value, "true") == 0;
  if (!answer && strcmp(value, "false") != 0)
    return error_set(err, ERR_USAGE, "-%s: expected true or false, not '%s'", option->name, value);
  return answer == (option->number != 0) ? pass_cuda(request, option, value, err) : OK;
}

static Status ignore(CcRequest *request, const CcOption *option, const char *value, Error *err) {
  (void)request, (void)option, (void)value, (void)err;
  return OK;
}

static Status note(CcRequest *request, const CcOption *option, const char *value, Error *err) {
  (void)value, (void)err;
  words_add(&request->notes, "--%s is ignored: %s", option->name, option->text);
  return OK;
}

static Status refuse(CcRequest *request, const CcOption *option, const char *value, Error *err) {
  (void)request, (void)value;
  return error_set(err, ERR_UNSUPPORTED, "--%s is not supported: %s", option->name, option->text);
}

static Status take_stage(CcRequest *request, const CcOption *option, const char *value,
                         Error *err) {
  (void)value, (void)err;
  request->stage = (CcStage)option->number;
  if (option->text) words_add_list(&request->compile, option->text);
  return OK;
}

static Status take_device_c(CcRequest *request, const CcOption *option, const char *value,
                            Error *err) {
  request->relocatable = true;
  return take_stage(request, option, value, err);
}

static Status take_output(CcRequest *request, const CcOption *option, const char *value,
                          Error *err) {
  (void)option, (void)err;
  request->output = value;
  return OK;
}

// The headers require C++11.
static Status take_standard(CcRequest *request, const CcOption *option, const char *value,
                            Error *err) {
  (void)option, (void)err;
  request->standard = strcmp(value, "c++03") == 0 ? "c++11" : value;
  if (request->standard != value) words_add(&request->notes, "C++03 is compiled as C++11");
  return OK;
}

static Status take_language(CcRequest *request, const CcOption *option, const char *value,
                            Error *err) {
  (void)option;
  if (strcmp(value, "cu") != 0 && strcmp(value, "cuda") != 0)
    return error_set(err, ERR_UNSUPPORTED, "-x %s: unsupported language; only -x cu is supported",
                     value);
  request->forced_cuda = true;
  return OK;
}

static Status take_relocatable(CcRequest *request, const CcOption *option, const char *value,
                               Error *err) {
  (void)option;
  request->relocatable = strcmp(value, "true") == 0;
  if (!request->relocatable && strcmp(value, "false") != 0)
    return error_set(err, ERR_USAGE, "-rdc: expected true or false, not '%s'", value);
  return OK;
}

// Parses sm_70, compute_70 and values that contain these, such as those of -gencode; the
// highest applies. Names without a number (native, all) are ignored.
static Status take_arch(CcRequest *request, const CcOption *option, const char *value, Error *err) {
  (void)option, (void)err;
  for (const char *at = value; (at = strchr(at, '_'));) {
    int sm = atoi(++at);
    if (sm < 10 || sm > 999) continue;
    words_add(&request->named_sms, "%d", sm);
    int known = cc_arch_known(sm);
    if (known != sm)
      words_add(&request->notes, "compiling kernels for sm_%d; clang does not support sm_%d", known,
                sm);
    if (known > request->sm) request->sm = known;
  }
  return OK;
}

static Status take_machine(CcRequest *request, const CcOption *option, const char *value,
                           Error *err) {
  (void)request, (void)option;
  if (strcmp(value, "64") == 0) return OK;
  return error_set(err, ERR_UNSUPPORTED, "-m%s: only 64-bit programs are supported", value);
}

// The calls get other names (heddle/per_thread.h).
static Status take_stream(CcRequest *request, const CcOption *option, const char *value,
                          Error *err) {
  (void)option;
  if (strcmp(value, "legacy") == 0 || strcmp(value, "null") == 0) return OK;
  if (strcmp(value, "per-thread") != 0)
    return error_set(err, ERR_USAGE, "--default-stream: expected legacy or per-thread, not %s",
                     value);
  words_add(&request->compile, "-DCUDA_API_PER_THREAD_DEFAULT_STREAM=1");
  return OK;
}

// -G turns the optimiser off for kernels, and -dopt=on turns it on again.
static Status take_device_debug(CcRequest *request, const CcOption *option, const char *value,
                                Error *err) {
  request->device_debug = true;
  return pass_device(request, option, value, err);
}

static Status take_device_optimization(CcRequest *request, const CcOption *option,
                                       const char *value, Error *err) {
  (void)option;
  if (strcmp(value, "on") != 0)
    return error_set(err, ERR_USAGE, "-dopt=%s: the only value is 'on'", value);
  request->device_optimized = true;
  return OK;
}

// Bytes of the name of one of CUDA's libraries without "_static": ours are all shared.
static size_t shared_name_length(const char *library) {
  static const char suffix[] = "_static";
  static const char *const names[] = {"cublas",   "cublasLt", "cufft", "curand",
                                      "cusparse", "cusolver", "nvrtc", "nvJitLink"};
  size_t length = strlen(library), end = length - (sizeof suffix - 1);
  if (length < sizeof suffix || strcmp(library + end, suffix) != 0) return length;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strlen(names[i]) == end && strncmp(library, names[i], end) == 0) return end;
  return length;
}

// NVIDIA's static and device runtimes, what its static libraries share, and NVTX have no
// counterpart and need none.
static Status take_library(CcRequest *request, const CcOption *option, const char *value,
                           Error *err) {
  static const char *const needless[] = {"cudart", "cudart_static", "cudadevrt", "culibos",
                                         "nvToolsExt"};
  for (size_t i = 0; i < sizeof needless / sizeof *needless; i++)
    if (strcmp(value, needless[i]) == 0) return OK;
  (void)err;
  words_add(&request->link, "%s%.*s", option->text, (int)shared_name_length(value), value);
  return OK;
}

static Status take_linker(CcRequest *request, const CcOption *option, const char *value,
                          Error *err) {
  (void)option, (void)err;
  words_add(&request->link, "-Wl,%s", value);
  return OK;
}

static bool has_word(const char *list, const char *word) {
  for (size_t length; *list; list += length + (list[length] != '\0')) {
    length = strcspn(list, ", ");
    if (strlen(word) == length && strncmp(list, word, length) == 0) return true;
  }
  return false;
}

// -Xptxas -v, -res-usage: what kernels use.
static Status take_ptxas(CcRequest *request, const CcOption *option, const char *value,
                         Error *err) {
  (void)option, (void)err;
  bool is_wanted = !value || has_word(value, "-v") || has_word(value, "--verbose");
  request->reports_usage |= is_wanted;
  return OK;
}

static Status take_werror(CcRequest *request, const CcOption *option, const char *value,
                          Error *err) {
  (void)option, (void)err;
  if (strstr(value, "all-warnings")) words_add(&request->compile, "-Werror");
  return OK;
}

static Status take_verbose(CcRequest *request, const CcOption *option, const char *value,
                           Error *err) {
  (void)value, (void)err;
  *(option->number ? &request->dry_run : &request->verbose) = true;
  return OK;
}

static Status take_version(CcRequest *request, const CcOption *option, const char *value,
                           Error *err) {
  (void)option, (void)value, (void)err;
  request->wants_version = true;
  return OK;
}

#define FLUSH "-fcuda-flush-denormals-to-zero"
#define FAST_DIVISION "-mllvm,-nvptx-prec-divf32=1"
#define FAST_ROOT "-mllvm,-nvptx-prec-sqrtf32=0"
#define NO_MACHINE_CODE "the simulator runs PTX, not machine code"

enum { FLAG = false, VALUE = true };

// clang-format off
const CcOption cc_options[] = {
    // what to make
    {"output-file", "o", VALUE, take_output, NULL, 0},
    {"compile", "c", FLAG, take_stage, NULL, CC_COMPILE},
    {"device-c", "dc", FLAG, take_device_c, NULL, CC_COMPILE},
    {"device-w", "dw", FLAG, take_stage, NULL, CC_COMPILE},
    {"ptx", NULL, FLAG, take_stage, NULL, CC_PTX},
    {"preprocess", "E", FLAG, take_stage, "-E", CC_PREPROCESS},
    {"generate-dependencies", "M", FLAG, take_stage, "-M", CC_DEPENDENCIES},
    {"generate-nonsystem-dependencies", "MM", FLAG, take_stage, "-MM", CC_DEPENDENCIES},
    {"generate-dependencies-with-compile", "MD", FLAG, pass, "-MD", 0},
    {"generate-nonsystem-dependencies-with-compile", "MMD", FLAG, pass, "-MMD", 0},
    {"generate-dependency-targets", "MP", FLAG, pass, "-MP", 0},
    {"dependency-output", "MF", VALUE, pass_two, "-MF", 0},
    {"dependency-target-name", "MT", VALUE, pass_two, "-MT", 0},
    {"link", NULL, FLAG, take_stage, NULL, CC_LINK},
    {"shared", NULL, FLAG, pass_link, "-shared", 0},
    {"cubin", NULL, FLAG, refuse, NO_MACHINE_CODE, 0},
    {"cuda", NULL, FLAG, refuse, "clang cannot translate kernels to C++; compile with -c", 0},
    {"fatbin", NULL, FLAG, take_stage, NULL, CC_FATBIN},
    {"device-link", "dlink", FLAG, take_stage, NULL, CC_DEVICE_LINK},
    {"lib", NULL, FLAG, take_stage, NULL, CC_LIBRARY},
    {"run", NULL, FLAG, refuse, "build, then `heddle run -- ./program`", 0},
    // the preprocessor and the languages
    {"include-path", "I", VALUE, take_folder, "-I", 0},
    {"system-include", "isystem", VALUE, take_folder, "-isystem", 0},
    {"pre-include", "include", VALUE, pass_two, "-include", 0},
    {"define-macro", "D", VALUE, pass, "-D", 0},
    {"undefine-macro", "U", VALUE, pass, "-U", 0},
    {"std", NULL, VALUE, take_standard, NULL, 0},
    {"x", NULL, VALUE, take_language, NULL, 0},
    {"machine", "m", VALUE, take_machine, NULL, 0},
    {"expt-relaxed-constexpr", NULL, FLAG, ignore, NULL, 0},
    {"expt-extended-lambda", "extended-lambda", FLAG, ignore, NULL, 0},
    {"restrict", NULL, FLAG, ignore, NULL, 0},
    {"default-stream", NULL, VALUE, take_stream, NULL, 0},
    // code
    {"optimize", "O", VALUE, pass, "-O", 0},
    {"dopt", NULL, VALUE, take_device_optimization, NULL, 0},
    {"debug", "g", FLAG, pass_cuda, "-Xarch_host,-g", 0},
    {"device-debug", "G", FLAG, take_device_debug, "-g", 0},
    {"generate-line-info", "lineinfo", FLAG, pass_device, "-gline-tables-only", 0},
    {"profile", "pg", FLAG, note, "measure with heddle", 0},
    {"use_fast_math", NULL, FLAG, pass_cuda,
     "-fcuda-approx-transcendentals," FLUSH "," FAST_DIVISION "," FAST_ROOT, 0},
    {"ftz", NULL, VALUE, pass_answer, FLUSH, true},
    {"prec-div", NULL, VALUE, pass_answer, FAST_DIVISION, false},
    {"prec-sqrt", NULL, VALUE, pass_answer, FAST_ROOT, false},
    {"fmad", NULL, VALUE, pass_answer, "-Xclang,-ffp-contract=off", false},
    {"maxrregcount", NULL, VALUE, note, "registers are counted in the PTX as compiled", 0},
    {"gpu-architecture", "arch", VALUE, take_arch, NULL, 0},
    {"gpu-code", "code", VALUE, ignore, NULL, 0},
    {"generate-code", "gencode", VALUE, take_arch, NULL, 0},
    {"relocatable-device-code", "rdc", VALUE, take_relocatable, NULL, 0},
    {"disable-warnings", "w", FLAG, pass, "-w", 0},
    {"Werror", NULL, VALUE, take_werror, NULL, 0},
    // other tools
    {"compiler-options", "Xcompiler", VALUE, pass_list, NULL, 0},
    {"linker-options", "Xlinker", VALUE, take_linker, NULL, 0},
    {"library", "l", VALUE, take_library, "-l", 0},
    {"library-path", "L", VALUE, pass_link, "-L", 0},
    {"cudart", NULL, VALUE, ignore, NULL, 0},
    {"cudadevrt", NULL, VALUE, ignore, NULL, 0},
    {"compiler-bindir", "ccbin", VALUE, note, "clang compiles for the host too", 0},
    {"ptxas-options", "Xptxas", VALUE, take_ptxas, NULL, 0},
    {"resource-usage", "res-usage", FLAG, take_ptxas, NULL, 0},
    {"nvlink-options", "Xnvlink", VALUE, ignore, NULL, 0},
    {"cudafe-options", "Xcudafe", VALUE, ignore, NULL, 0},
    {"fatbin-options", "Xfatbin", VALUE, ignore, NULL, 0},
    {"verbose", "v", FLAG, take_verbose, NULL, 0},
    {"dryrun", NULL, FLAG, take_verbose, NULL, 1},
    {"version", "V", FLAG, take_version, NULL, 0},
    // what makes no difference here
    {"keep", "save-temps", FLAG, ignore, NULL, 0},
    {"keep-dir", NULL, VALUE, ignore, NULL, 0},
    {"threads", "t", VALUE, ignore, NULL, 0},
    {"split-compile", NULL, VALUE, ignore, NULL, 0},
    {"extensible-whole-program", "ewp", FLAG, ignore, NULL, 0},
    {"source-in-ptx", "src-in-ptx", FLAG, ignore, NULL, 0},
    {"extra-device-vectorization", NULL, FLAG, ignore, NULL, 0},
    {"dlink-time-opt", "dlto", FLAG, ignore, NULL, 0},
    {"compress-mode", NULL, VALUE, ignore, NULL, 0},
    {"no-compress", NULL, FLAG, ignore, NULL, 0},
    {"diag-suppress", NULL, VALUE, ignore, NULL, 0},
    {"Wno-deprecated-gpu-targets", NULL, FLAG, ignore, NULL, 0},
    {"allow-unsupported-compiler", NULL, FLAG, ignore, NULL, 0},
    {"forward-unknown-to-host-compiler", NULL, FLAG, ignore, NULL, 0},
    {0}};
// clang-format on

static bool is_named(const char *word, size_t length, const char *name) {
  return name && strlen(name) == length && strncmp(word, name, length) == 0;
}

const CcOption *cc_option_find(const char *word, const char **value) {
  bool two_dashes = word[1] == '-';
  word += two_dashes ? 2 : 1;
  size_t length = strcspn(word, "=");
  *value = word[length] == '=' ? word + length + 1 : NULL;
  for (const CcOption *option = cc_options; option->name; option++)
    if (is_named(word, length, option->name) || is_named(word, length, option->short_name))
      return option;
  // -Ifolder, -DNAME=1, -lm, -O3
  for (const CcOption *option = cc_options; option->name && !two_dashes; option++) {
    if (!option->takes_value || !option->short_name || !is_named(word, 1, option->short_name))
      continue;
    *value = word + 1;
    return option;
  }
  return NULL;
}
