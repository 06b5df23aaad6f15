// SPDX-License-Identifier: MIT
// The command line of a workload. A call declares an option and gives its value:
//
//   Arguments arguments(argc, argv, "C = A B, by tiles in shared memory");
//   int n = (int)arguments.number("n", {64, 256, 1024}, 32, 8192, "rows and columns");
//   const char *path = arguments.file("graph", "edge list, in place of a generated graph");
//   arguments.done();
//
// Every workload takes --size tiny|small|paper, which picks one of the three
// numbers, --seed N, and --help. What nobody declared is a mistake.
#ifndef WORKLOADS_ARGUMENTS_H
#define WORKLOADS_ARGUMENTS_H

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "common/fail.h"

// What an option is at each of the three sizes.
struct BySize {
  long long tiny, small, paper;
};

class Arguments {
 public:
  Arguments(int argc, char **argv, const char *summary)
      : words_(argv + 1, argv + argc), taken_(words_.size()), summary_(summary) {
    const char *name = strrchr(argv[0], '/');
    program_ = name ? name + 1 : argv[0];
    wants_help_ = flag("help", "this text");
    const char *size = value("size", "tiny|small|paper", "how large; default small");
    size_ = size_index(size ? size : "small");
    const char *seed = value("seed", "N", "seed of the generated input; default 1");
    seed_ = seed ? (uint64_t)integer("seed", seed, 0, INT64_MAX) : 1;
  }

  // A number from minimum to maximum.
  long long number(const char *name, BySize by_size, long long minimum, long long maximum,
                   const char *help) {
    std::string text = help;
    text += "; default " + std::to_string(by_size.tiny) + ", " + std::to_string(by_size.small) +
            ", " + std::to_string(by_size.paper);
    const char *given = value(name, "N", text);
    return given ? integer(name, given, minimum, maximum) : sized(by_size);
  }
  // The same, always of use to tiles: what is not a multiple of `unit` is a mistake.
  long long multiple(const char *name, long long unit, BySize by_size, long long minimum,
                     long long maximum, const char *help) {
    long long n = number(name, by_size, minimum, maximum, help);
    if (n % unit && !wants_help_)
      fail(EXIT_INPUT, "--%s %lld: a multiple of %lld is wanted", name, n, unit);
    return n;
  }
  // One of several names: its index. The first is the default.
  int choice(const char *name, const std::vector<const char *> &names, const char *help) {
    std::string list;
    for (const char *one : names) list += (list.empty() ? "" : "|") + std::string(one);
    const char *given = value(name, list.c_str(), std::string(help) + "; default " + names[0]);
    if (!given) return 0;
    for (size_t i = 0; i < names.size(); i++)
      if (strcmp(given, names[i]) == 0) return (int)i;
    fail(EXIT_INPUT, "--%s %s: unknown; choose one of %s", name, given, list.c_str());
  }
  // NULL if it is not given.
  const char *file(const char *name, const char *help) { return value(name, "FILE", help); }
  bool flag(const char *name, const char *help) {
    help_ += line(name, "", help);
    bool is_given = false;
    for (size_t i = 0; i < words_.size(); i++)
      if (words_[i] == std::string("--") + name) is_given = taken_[i] = true;
    return is_given;
  }

  uint64_t seed() const { return seed_; }
  // The value of the chosen size, for what is no option of its own.
  long long sized(BySize by_size) const {
    long long values[] = {by_size.tiny, by_size.small, by_size.paper};
    return values[size_];
  }

  // Behind the last declaration: shows the help or complains about what is left.
  void done() const {
    if (wants_help_) {
      printf("%s: %s\n\nusage: %s [options]\n%s", program_, summary_, program_, help_.c_str());
      exit(0);
    }
    for (size_t i = 0; i < words_.size(); i++)
      if (!taken_[i])
        fail(EXIT_INPUT, "'%s' is not an option of %s (--help lists them)", words_[i].c_str(),
             program_);
  }

 private:
  static std::string line(const char *name, const char *argument, const std::string &help) {
    std::string option = std::string("  --") + name + (*argument ? " " : "") + argument;
    if (option.size() < 26) option.resize(26, ' ');
    return option + "  " + help + "\n";
  }

  // Of --name VALUE or --name=VALUE the last one.
  const char *value(const char *name, const char *argument, const std::string &help) {
    const std::string option = std::string("--") + name;
    const char *found = NULL;
    help_ += line(name, argument, help);
    for (size_t i = 0; i < words_.size(); i++) {
      if (words_[i].compare(0, option.size() + 1, option + "=") == 0) {
        found = words_[i].c_str() + option.size() + 1;
        taken_[i] = true;
      } else if (words_[i] == option && !taken_[i]) {
        if (i + 1 == words_.size()) fail(EXIT_INPUT, "--%s needs a value: %s", name, argument);
        found = words_[i + 1].c_str();
        taken_[i] = taken_[i + 1] = true;
        i++;
      }
    }
    return found;
  }

  static long long integer(const char *name, const char *text, long long minimum,
                           long long maximum) {
    char *end;
    errno = 0;
    long long value = strtoll(text, &end, 10);
    if (!*text || *end || errno || value < minimum || value > maximum)
      fail(EXIT_INPUT, "--%s %s: a number from %lld to %lld is wanted", name, text, minimum,
           maximum);
    return value;
  }

  static int size_index(const char *text) {
    static const char *const names[] = {"tiny", "small", "paper"};
    for (int i = 0; i < 3; i++)
      if (strcmp(text, names[i]) == 0) return i;
    fail(EXIT_INPUT, "--size %s: expected tiny, small or paper", text);
  }

  std::vector<std::string> words_;
  std::vector<bool> taken_;
  const char *program_, *summary_;
  std::string help_;
  bool wants_help_;
  int size_;
  uint64_t seed_;
};

#endif
