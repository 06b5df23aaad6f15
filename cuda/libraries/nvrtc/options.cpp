// SPDX-License-Identifier: MIT
// NVRTC's options: most are nvcc's and go to `heddle cc` under the same name.
#include <ctype.h>
#include <string.h>

#include "program.h"

enum Kind {
  PASSED,        // a flag
  PASSED_VALUE,  // with its value
  IGNORED,       // does not change what the simulator runs
  IGNORED_VALUE,
  ARCHITECTURE,
  STANDARD,
  DEVICE_DEFAULT,
  NO_SOURCE_FOLDER,
  FIRST_HEADER,
  LINK_TIME,
};

struct Row {
  const char *name, *short_name;
  Kind kind;
};

static const Row rows[] = {
    {"gpu-architecture", "arch", ARCHITECTURE},
    {"std", "std", STANDARD},
    {"define-macro", "D", PASSED_VALUE},
    {"undefine-macro", "U", PASSED_VALUE},
    {"include-path", "I", PASSED_VALUE},
    {"pre-include", "include", FIRST_HEADER},
    {"no-source-include", "no-source-include", NO_SOURCE_FOLDER},
    {"device-as-default-execution-space", "default-device", DEVICE_DEFAULT},
    {"device-c", "dc", LINK_TIME},
    {"dlink-time-opt", "dlto", LINK_TIME},
    {"relocatable-device-code", "rdc", PASSED_VALUE},
    {"device-w", "dw", IGNORED},
    {"use_fast_math", "use_fast_math", PASSED},
    {"ftz", "ftz", PASSED_VALUE},
    {"prec-sqrt", "prec-sqrt", PASSED_VALUE},
    {"prec-div", "prec-div", PASSED_VALUE},
    {"fmad", "fmad", PASSED_VALUE},
    {"device-debug", "G", PASSED},
    {"generate-line-info", "lineinfo", PASSED},
    {"dopt", "dopt", PASSED_VALUE},
    {"disable-warnings", "w", PASSED},
    {"maxrregcount", "maxrregcount", IGNORED_VALUE},
    {"ptxas-options", "Xptxas", IGNORED_VALUE},
    {"modify-stack-limit", "modify-stack-limit", IGNORED_VALUE},
    {"builtin-move-forward", "builtin-move-forward", IGNORED_VALUE},
    {"builtin-initializer-list", "builtin-initializer-list", IGNORED_VALUE},
    {"extra-device-vectorization", "extra-device-vectorization", IGNORED},
    {"Ofast-compile", "Ofc", IGNORED_VALUE},
    {"restrict", "restrict", IGNORED},
    {"device-int128", "device-int128", IGNORED},
    {"device-float128", "device-float128", IGNORED},
    {"optimization-info", "opt-info", IGNORED_VALUE},
    {"display-error-number", "err-no", IGNORED},
    {"no-display-error-number", "no-err-no", IGNORED},
    {"diag-error", "diag-error", IGNORED_VALUE},
    {"diag-suppress", "diag-suppress", IGNORED_VALUE},
    {"diag-warn", "diag-warn", IGNORED_VALUE},
    {"brief-diagnostics", "brief-diag", IGNORED_VALUE},
    {"time", "time", IGNORED_VALUE},
    {"split-compile", "split-compile", IGNORED_VALUE},
    {"fdevice-syntax-only", "fdevice-syntax-only", IGNORED},
    {"fdevice-time-trace", "fdevice-time-trace", IGNORED_VALUE},
    {"minimal", "minimal", IGNORED},
    {"version-ident", "version-ident", IGNORED_VALUE},
    {"no-cache", "no-cache", IGNORED},
    {"pch", "pch", IGNORED},
    {"pch-dir", "pch-dir", IGNORED_VALUE},
    {"pch-verbose", "pch-verbose", IGNORED_VALUE},
    {"pch-messages", "pch-messages", IGNORED_VALUE},
    {"instantiate-templates-in-pch", "instantiate-templates-in-pch", IGNORED_VALUE},
};

static bool takes_value(Kind kind) {
  return kind == PASSED_VALUE || kind == IGNORED_VALUE || kind == ARCHITECTURE ||
         kind == STANDARD || kind == FIRST_HEADER;
}

// -DNAME, -Ifolder: the value follows without a sign.
static const Row *find_joined(const std::string &word, std::string *value) {
  for (const Row &row : rows) {
    bool is_letter = strlen(row.short_name) == 1 && takes_value(row.kind);
    if (!is_letter || word.size() < 3 || word[0] != '-' || word[1] != *row.short_name) continue;
    size_t first = word.find_first_not_of(' ', 2);
    *value = first == std::string::npos ? "" : word.substr(first);
    return &row;
  }
  return nullptr;
}

// has_value: after a sign or a space within the word.
static const Row *find(const std::string &word, std::string *value, bool *has_value) {
  size_t dashes = word.find_first_not_of('-');
  if (dashes == std::string::npos || dashes < 1 || dashes > 2) return nullptr;
  size_t end = word.find_first_of("= ", dashes);
  std::string name = word.substr(dashes, end == std::string::npos ? end : end - dashes);
  *has_value = end != std::string::npos;
  if (*has_value) *value = word.substr(end + 1);
  for (const Row &row : rows)
    if (name == row.name || name == row.short_name) return &row;
  *has_value = true;
  return find_joined(word, value);
}

// sm_90a, compute_75: the number; `heddle cc` takes the nearest that clang knows.
static bool take_architecture(Options *options, const std::string &value) {
  size_t first = value.find('_');
  if (first == std::string::npos ||
      (value.compare(0, first, "sm") && value.compare(0, first, "compute")))
    return false;
  int number = atoi(value.c_str() + first + 1);
  if (number <= 0) return false;
  options->words.push_back("-arch=sm_" + std::to_string(number));
  return true;
}

static bool take(Options *options, const Row &row, const std::string &value) {
  switch (row.kind) {
    case PASSED: options->words.push_back("--" + std::string(row.name)); return true;
    case PASSED_VALUE:
      options->words.push_back("-" + std::string(row.short_name));
      options->words.push_back(value);
      return !value.empty();
    case ARCHITECTURE: return take_architecture(options, value);
    case STANDARD: options->standard = value; return value.compare(0, 3, "c++") == 0;
    case DEVICE_DEFAULT: options->is_device_default = true; return true;
    case NO_SOURCE_FOLDER: options->has_source_folder = false; return true;
    case FIRST_HEADER: options->first_headers.push_back(value); return !value.empty();
    case LINK_TIME: options->words.push_back("-rdc=true"); return true;
    case IGNORED:
    case IGNORED_VALUE: return true;
  }
  return false;
}

nvrtcResult options_read(Options *options, int count, const char *const *words, std::string *log) {
  for (int i = 0; i < count; i++) {
    if (!words[i]) return NVRTC_ERROR_INVALID_INPUT;
    std::string word = words[i], value;
    while (!word.empty() && isspace((unsigned char)word.back())) word.pop_back();
    if (word.empty()) continue;
    bool has_value = false;
    const Row *row = find(word, &value, &has_value);
    // Lists of warnings and the like may come without a value.
    bool needs_value = row && takes_value(row->kind) && !has_value && row->kind != IGNORED_VALUE;
    if (needs_value && i + 1 < count) value = words[++i] ? words[i] : "";
    if (row && take(options, *row, value)) continue;
    *log =
        (row ? "nvrtc: error: invalid value of option: " : "nvrtc: error: unrecognized option: ") +
        word + "\n";
    return NVRTC_ERROR_INVALID_OPTION;
  }
  return NVRTC_SUCCESS;
}
