// SPDX-License-Identifier: MIT
// Compiles a program: its texts become files in a temporary folder, on which `heddle cc -ptx`
// runs. What that prints is the log.
//
// A name expression becomes a variable that has its address:
//
//   extern "C" __device__ const void *heddle_nvrtc_name_0 = (const void *)(&kernel<int>);
//
// which instantiates it. The variable's line in the PTX has the lowered name, and is deleted.
#include <ctype.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <sstream>

#include "program.h"

extern char **environ;

static const char variable[] = "heddle_nvrtc_name_";

// ---- files

static int remove_file(const char *path, const struct stat *, int, struct FTW *) {
  return remove(path);
}

// A temporary folder, removed at the end of its scope.
struct Folder {
  std::string path;
  Folder() {
    const char *parent = getenv("TMPDIR");
    path = std::string(parent && *parent ? parent : "/tmp") + "/heddle-nvrtc-XXXXXX";
    if (!mkdtemp(&path[0])) path.clear();
  }
  ~Folder() {
    if (!path.empty()) nftw(path.c_str(), remove_file, 16, FTW_DEPTH | FTW_PHYS);
  }
};

static bool write_file(const std::string &path, const std::string &text) {
  for (size_t at = 1; (at = path.find('/', at)) != std::string::npos; at++)
    mkdir(path.substr(0, at).c_str(), 0700);
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  return file.good();
}

static std::string read_file(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

// Beside this library in a build tree, in ../../bin once installed.
static std::string find_heddle() {
  Dl_info info;
  char path[PATH_MAX];
  if (!dladdr((void *)find_heddle, &info) || !realpath(info.dli_fname, path)) return "";
  std::string folder = path;
  folder.erase(folder.rfind('/'));
  for (const char *place : {"/heddle", "/../../bin/heddle"})
    if (access((folder + place).c_str(), X_OK) == 0) return folder + place;
  return "";
}

// ---- the source

static std::string quoted(const std::string &text) {
  std::string out = "\"";
  for (char letter : text) {
    if (letter == '"' || letter == '\\') out += '\\';
    out += letter == '\n' ? ' ' : letter;
  }
  return out + "\"";
}

// Functions that NVRTC declares by itself come from the first two headers.
static std::string source_text(const _nvrtcProgram &program, const Options &options) {
  std::string text = "#include <cassert>\n#include <cstdio>\n";
  for (const std::string &header : options.first_headers)
    text += "#include " + quoted(header) + "\n";
  if (options.is_device_default) text += "#pragma clang force_cuda_host_device begin\n";
  text += "#line 1 " + quoted(program.name) + "\n" + program.source + "\n";
  if (options.is_device_default) text += "#pragma clang force_cuda_host_device end\n";
  for (size_t i = 0; i < program.expressions.size(); i++)
    text += "#line 1 \"name expression\"\nextern \"C\" __device__ const void *" +
            (variable + std::to_string(i)) + " = (const void *)(" +
            program.expressions[i].expression + ");\n";
  return text;
}

// Headers of the system and of CUDA are ours, whatever the program gives under their names:
// the compiler's own include them. So such go to a folder that is searched last.
static bool is_searched_last(const std::string &name, const std::string &heddle) {
  std::string folder = heddle.substr(0, heddle.rfind('/'));
  if (name.find('.') == std::string::npos) return true;
  for (const std::string &place : {std::string("/usr/include/"), folder + "/cuda/include/",
                                   folder + "/../lib/heddle/cuda/include/"})
    if (access((place + name).c_str(), R_OK) == 0) return true;
  return false;
}

static bool write_program(const _nvrtcProgram &program, const Options &options,
                          const std::string &folder, const std::string &heddle) {
  bool is_written = write_file(folder + "/program.cu", source_text(program, options));
  mkdir((folder + "/first").c_str(), 0700), mkdir((folder + "/last").c_str(), 0700);
  for (const Header &header : program.headers) {
    const char *place = is_searched_last(header.name, heddle) ? "/last/" : "/first/";
    is_written = is_written && write_file(folder + place + header.name, header.text);
  }
  return is_written;
}

// ---- the compiler

static std::vector<std::string> command(const _nvrtcProgram &program, const Options &options,
                                        const std::string &folder, const std::string &heddle) {
  std::vector<std::string> words = {
      heddle,           "cc", "-ptx", "-std=" + options.standard, "-D__CUDACC_RTC__=1", "-I",
      folder + "/first"};
  words.insert(words.end(), options.words.begin(), options.words.end());
  size_t slash = program.name.rfind('/');
  if (options.has_source_folder) {
    words.push_back("-I");
    words.push_back(slash == std::string::npos ? "." : program.name.substr(0, slash + 1));
  }
  for (const std::string &word :
       {std::string("-Xcompiler"), "-idirafter," + folder + "/last", folder + "/program.cu",
        std::string("-o"), folder + "/program.ptx"})
    words.push_back(word);
  return words;
}

static std::vector<char *> pointers(std::vector<std::string> &words) {
  std::vector<char *> list;
  for (std::string &word : words) list.push_back(&word[0]);
  list.push_back(nullptr);
  return list;
}

// The compiler is no part of the run: nothing is preloaded into it.
static std::vector<std::string> environment() {
  std::vector<std::string> variables;
  for (char **it = environ; *it; it++)
    if (strncmp(*it, "LD_PRELOAD=", 11) && strncmp(*it, "HEDDLE_RUN=", 11))
      variables.push_back(*it);
  return variables;
}

// Whether it ran and exited with 0.
static bool run(std::vector<std::string> words, const std::string &log) {
  pid_t pid;
  int state = -1;
  std::vector<std::string> variables = environment();
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, log.c_str(),
                                   O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
  int failure = posix_spawn(&pid, words[0].c_str(), &actions, nullptr, pointers(words).data(),
                            pointers(variables).data());
  posix_spawn_file_actions_destroy(&actions);
  if (failure) return false;
  while (waitpid(pid, &state, 0) < 0)
    if (errno != EINTR) return errno == ECHILD;  // the program ignores SIGCHLD
  return WIFEXITED(state) && WEXITSTATUS(state) == 0;
}

// ---- names

// clang marks static functions and variables outside of namespaces with an L, NVRTC does not:
// _ZL5tablePi is _Z5tablePi, and the variable _ZL5table is table.
static void drop_marks(std::string *ptx) {
  std::string out;
  size_t from = 0, at;
  for (; (at = ptx->find("_ZL", from)) != std::string::npos;) {
    out.append(*ptx, from, at - from);
    size_t first = at + 3, end = first;
    while (end < ptx->size() && (isalnum((unsigned char)(*ptx)[end]) || strchr("_$", (*ptx)[end])))
      end++;
    std::string rest = ptx->substr(first, end - first);
    size_t digits = rest.find_first_not_of("0123456789");
    bool is_variable =
        digits && digits != std::string::npos && rest.size() - digits == (size_t)atoi(rest.c_str());
    bool is_whole = at == 0 || !(isalnum((unsigned char)(*ptx)[at - 1]) || (*ptx)[at - 1] == '_');
    out += !is_whole || digits == 0 ? "_ZL" + rest
           : is_variable            ? rest.substr(digits)
                                    : "_Z" + rest;
    from = end;
  }
  *ptx = out + ptx->substr(from);
}

// .visible .global .align 8 .u64 heddle_nvrtc_name_0 = _Z3addIfEvPT_;  or generic(...)
static bool take_name(_nvrtcProgram *program, size_t i) {
  size_t at = program->ptx.find(variable + std::to_string(i) + " = ");
  if (at == std::string::npos) return false;
  size_t start = program->ptx.rfind('\n', at) + 1, end = program->ptx.find(';', at);
  std::string name = program->ptx.substr(at, end - at);
  name.erase(0, name.find(" = ") + 3);
  if (name.compare(0, 8, "generic(") == 0) name = name.substr(8, name.find(')') - 8);
  program->expressions[i].lowered = name;
  program->ptx.erase(start, end + 1 - start);
  return true;
}

nvrtcResult program_compile(nvrtcProgram program, const Options &options) {
  Folder folder;
  std::string heddle = find_heddle();
  if (heddle.empty()) {
    program->log = "nvrtc: error: heddle not found next to libnvrtc\n";
    return NVRTC_ERROR_INTERNAL_ERROR;
  }
  if (folder.path.empty() || !write_program(*program, options, folder.path, heddle)) {
    program->log = "nvrtc: error: cannot write the program to a temporary folder; set TMPDIR\n";
    return NVRTC_ERROR_INTERNAL_ERROR;
  }
  bool is_done = run(command(*program, options, folder.path, heddle), folder.path + "/log");
  program->log = read_file(folder.path + "/log");
  if (is_done) program->ptx = read_file(folder.path + "/program.ptx");
  if (program->ptx.empty()) return NVRTC_ERROR_COMPILATION;
  drop_marks(&program->ptx);
  for (size_t i = 0; i < program->expressions.size(); i++)
    if (!take_name(program, i)) return NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID;
  return NVRTC_SUCCESS;
}
