#include <fmt/format.h>

#include <csignal>
#include <cstdio>
#include <exception>
#include <new>
#include <string>
#include <variant>
#include <vector>

#include "cli/output/output.h"
#include "cli/syntax/command.h"
#include "cli/syntax/help.h"
#include "cli/syntax/nearest.h"
#include "cli/syntax/parse.h"
#include "console/user_error.h"
#include "watch/job/job.h"

namespace lowtide::cli {
namespace {

console::ExitCode print(const std::string& text) {
  Output output;
  output.write(text);
  return output.finish() ? console::ExitCode::NoLeak : console::ExitCode::Unreadable;
}

console::ExitCode unknown_verb(const std::string& word) {
  std::vector<std::string> names{"--help", "--version"};
  for (const Command& command : commands()) names.emplace_back(command.name);
  const auto nearest = find_nearest(word, names);
  console::print_error(
      {fmt::format("unknown command '{}'", word),
       nearest ? fmt::format("the nearest command is '{}'", *nearest) : "lowtide has no command of this name",
       nearest ? fmt::format("lowtide {}", *nearest) : "lowtide --help"});
  return console::ExitCode::Usage;
}

// Options about lowtide itself, such as --version, take no arguments.
console::ExitCode alone(const std::vector<std::string>& words, const std::string& text) {
  if (words.size() == 1) return print(text);
  console::print_error({fmt::format("{} does not take '{}'", words[0], words[1]), "it takes no arguments",
                        "lowtide " + words[0]});
  return console::ExitCode::Usage;
}

console::ExitCode run(const std::vector<std::string>& words) {
  if (words.empty()) {
    console::print_error({"no command given", "lowtide needs a command, such as run, report or analyze",
                          "lowtide run -- python train.py, or lowtide --help"});
    return console::ExitCode::Usage;
  }
  const std::string& verb = words.front();
  if (verb == "--version" || verb == "-V") return alone(words, fmt::format("lowtide {}\n", LOWTIDE_VERSION));
  if (verb == "--help-man") return alone(words, man_page());
  if (verb == "help" && words.size() == 2) {
    const Command* command = find_command(words[1]);
    return command == nullptr ? unknown_verb(words[1]) : print(help_of(*command));
  }
  if (verb == "--help" || verb == "-h" || verb == "help") return alone(words, overview());

  const Command* command = find_command(verb);
  if (command == nullptr) return unknown_verb(verb);
  const auto parsed = parse_arguments(*command, std::span(words).subspan(1));
  if (std::holds_alternative<HelpWanted>(parsed)) return print(help_of(*command));
  if (const auto* user_error = std::get_if<console::UserError>(&parsed)) {
    console::print_error(*user_error);
    return console::ExitCode::Usage;
  }
  return command->run(std::get<Arguments>(parsed));
}

}  // namespace
}  // namespace lowtide::cli

int main(int argc, char** argv) {
  using lowtide::console::ExitCode;
  // The job that `run` starts gets the original signal settings back.
  lowtide::watch::remember_signals();
  // If a reader closes its pipe, write() returns EPIPE, which is handled there.
  std::signal(SIGPIPE, SIG_IGN);
  // A recording that reaches `ulimit -f` is treated like a full disk (EFBIG); lowtide must not die of it.
  std::signal(SIGXFSZ, SIG_IGN);
  // A parent may have ignored SIGCHLD, and exec keeps that. The kernel would then reap the job, and its exit
  // status would be lost.
  std::signal(SIGCHLD, SIG_DFL);
  // lowtide does not throw, but the standard library does. Its exceptions end here, without allocating.
  try {
    return static_cast<int>(lowtide::cli::run(std::vector<std::string>(argv + 1, argv + argc)));
  } catch (const std::bad_alloc&) {
    std::fputs(
        "lowtide: out of memory\n  why:  the system did not give lowtide more memory\n"
        "  try:  free -m and ulimit -v show how much is available\n",
        stderr);
  } catch (const std::exception& error) {
    std::fprintf(stderr,
                 "lowtide: internal error: %s\n  why:  unexpected exception; this is a bug in lowtide\n"
                 "  try:  please report it, with the command and its input\n",
                 error.what());
  } catch (...) {
    std::fputs(
        "lowtide: internal error\n  why:  unexpected exception; this is a bug in lowtide\n"
        "  try:  please report it, with the command and its input\n",
        stderr);
  }
  return static_cast<int>(lowtide::console::ExitCode::Bug);
}
