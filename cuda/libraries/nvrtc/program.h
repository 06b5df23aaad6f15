// SPDX-License-Identifier: MIT
// A program of NVRTC: its source and headers, and what the compiler made of them.
#ifndef NVRTC_PROGRAM_H
#define NVRTC_PROGRAM_H

#include <nvrtc.h>

#include <string>
#include <vector>

#define EXPORT extern "C" __attribute__((visibility("default")))

struct Header {
  std::string name, text;
};

struct NameExpression {
  std::string expression, lowered;
};

struct _nvrtcProgram {
  std::string source, name;
  std::vector<Header> headers;
  std::vector<NameExpression> expressions;
  std::string log, ptx;
  bool was_compiled = false;  // whether or not it succeeded
};

// What options ask for.
struct Options {
  std::vector<std::string> words;          // for `heddle cc`
  std::vector<std::string> first_headers;  // to be included before the source
  std::string standard = "c++17";
  bool is_device_default = false;  // functions without attributes are for the device, too
  bool has_source_folder = true;   // headers beside the source are found
};

// Reads NVRTC's options. An unknown one is named in the log.
nvrtcResult options_read(Options *options, int count, const char *const *words, std::string *log);

// Fills in log, ptx and lowered names.
nvrtcResult program_compile(nvrtcProgram program, const Options &options);

#endif
