// SPDX-License-Identifier: MIT
// An input file read word by word. Whatever is wrong ends the program with
// file, line and what was expected.
#ifndef WORKLOADS_TEXT_FILE_H
#define WORKLOADS_TEXT_FILE_H

#include <cctype>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>

#include "common/fail.h"

class TextFile {
 public:
  explicit TextFile(const char *path) : path_(path) {
    FILE *file = fopen(path, "rb");
    if (!file) fail(EXIT_INPUT, "cannot open %s: %s", path, strerror(errno));
    char piece[1 << 16];
    size_t length;
    while ((length = fread(piece, 1, sizeof piece, file)) > 0) {
      text_.append(piece, length);
      if (text_.size() > MAX_BYTES) fail(EXIT_INPUT, "%s: larger than 4 GB", path);
    }
    if (ferror(file)) fail(EXIT_INPUT, "cannot read %s: %s", path, strerror(errno));
    fclose(file);
  }

  [[noreturn]] void wrong(const char *what) const {
    fail(EXIT_INPUT, "%s:%zu: %s", path_, line_, what);
  }

  // Comments go from this character, 0 for none, to the end of a line.
  void set_comment(char character) { comment_ = character; }

  bool at_end() {
    skip_blanks();
    return at_ == text_.size();
  }
  // Whether the line has no further word; comments count as none.
  bool at_line_end() {
    while (at_ < text_.size() && text_[at_] != '\n' && isspace((unsigned char)text_[at_])) at_++;
    return at_ == text_.size() || text_[at_] == '\n' || (comment_ && text_[at_] == comment_);
  }
  // Goes on to the line below, past those that are comments from their first character;
  // behind the last line there are only empty ones.
  void next_line() {
    do rest_of_line();
    while (comment_ && at_ < text_.size() && text_[at_] == comment_);
  }
  // The rest of this line, without its end.
  std::string rest_of_line() {
    size_t end = text_.find('\n', at_);
    if (end == std::string::npos) end = text_.size();
    std::string rest = text_.substr(at_, end - at_);
    if (!rest.empty() && rest.back() == '\r') rest.pop_back();
    at_ = end;
    if (at_ < text_.size()) at_++, line_++;
    return rest;
  }
  std::string word(const char *what) {
    skip_blanks();
    size_t begin = at_;
    while (at_ < text_.size() && !isspace((unsigned char)text_[at_])) at_++;
    if (begin == at_) missing(what);
    return text_.substr(begin, at_ - begin);
  }
  long long integer(const char *what, long long minimum, long long maximum) {
    std::string text = word(what);
    char *end;
    errno = 0;
    long long value = strtoll(text.c_str(), &end, 10);
    if (end == text.c_str() || *end || errno || value < minimum || value > maximum)
      fail(EXIT_INPUT, "%s:%zu: '%.40s' is no %s (%lld to %lld)", path_, line_, text.c_str(), what,
           minimum, maximum);
    return value;
  }
  double real(const char *what) {
    std::string text = word(what);
    char *end;
    double value = strtod(text.c_str(), &end);
    if (end == text.c_str() || *end || !(value - value == 0))
      fail(EXIT_INPUT, "%s:%zu: '%.40s' is no %s", path_, line_, text.c_str(), what);
    return value;
  }
  // `count` bytes as they are, behind a single blank.
  const unsigned char *bytes(size_t count, const char *what) {
    if (at_ < text_.size()) at_++;
    if (text_.size() - at_ < count) missing(what);
    at_ += count;
    return (const unsigned char *)text_.data() + at_ - count;
  }
  // So that a size in a header cannot ask for more memory than the file can fill.
  void expect_at_least(size_t bytes, const char *what) const {
    if (text_.size() < bytes) missing(what);
  }

 private:
  static const size_t MAX_BYTES = (size_t)4 << 30;

  [[noreturn]] void missing(const char *what) const {
    fail(EXIT_INPUT, "%s:%zu: the file ends where %s should be", path_, line_, what);
  }
  void skip_blanks() {
    while (at_ < text_.size()) {
      if (comment_ && text_[at_] == comment_)
        rest_of_line();
      else if (!isspace((unsigned char)text_[at_]))
        return;
      else if (text_[at_++] == '\n')
        line_++;
    }
  }

  const char *path_;
  std::string text_;
  size_t at_ = 0, line_ = 1;
  char comment_ = 0;
};

#endif
