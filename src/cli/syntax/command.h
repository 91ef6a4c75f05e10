// A command as data. Its parser, its help, the man page and the shell completions are made from this data, so
// they cannot disagree.
#pragma once

#include <fmt/format.h>

#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "cli/syntax/refuse.h"
#include "console/exit_code.h"
#include "console/flag.h"

namespace lowtide::cli {

struct Example {
  std::string_view command;
  std::string_view what;
};

struct Positional {
  std::string_view name;  // "FILE"; empty when the command takes none
  std::string_view help;
  bool several = false;
  std::vector<std::string_view> choices = {};
};

// The arguments of a command, without its flags.
struct Words {
  std::vector<std::string> positionals;
  std::vector<std::string> command;  // the job to start, word by word
};

// A command line, checked against the command's flags. The text of a switch is empty.
struct Arguments {
  std::map<std::string, std::string, std::less<>> flags;
  Words words;
};

// Whether a command line ends in the command of a job, which lowtide does not parse.
enum class JobWords {
  None,
  AfterDashes,  // check REC, or check -- python train.py
  FromFirst,    // run -- python train.py, and run python train.py alike
};

struct Command {
  std::string_view name;
  std::string_view summary;      // one line, imperative
  std::string_view description;  // a paragraph or two
  Positional positional;
  std::vector<Example> examples;
  JobWords job_words = JobWords::None;
  // From with_flags():
  std::vector<console::FlagText> flags = {};
  std::function<console::ExitCode(const Arguments&)> run = {};
};

// Turns the flags into settings. Returns the error of the first flag that has a bad value.
template <typename Settings>
std::variant<Settings, console::UserError> read_settings(const console::Flags<Settings>& flags,
                                                         const Arguments& arguments, std::string_view verb) {
  Settings settings;
  for (const console::Flag<Settings>& flag : flags) {
    const auto given = arguments.flags.find(flag.name);
    if (given == arguments.flags.end()) continue;
    if (auto user_error = flag.set(settings, given->second)) {
      if (user_error->hint.empty()) user_error->hint = fmt::format("lowtide {} --help", verb);
      return *std::move(user_error);
    }
  }
  return settings;
}

// Adds the flags to a command, and the function that runs with the settings.
template <typename Settings>
Command with_flags(Command command, const console::Flags<Settings>& flags,
                   console::ExitCode (*run)(const Settings&, const Words&)) {
  command.flags.assign(flags.begin(), flags.end());
  command.run = [flags, run, verb = command.name](const Arguments& arguments) {
    const auto settings = read_settings(flags, arguments, verb);
    if (const auto* user_error = std::get_if<console::UserError>(&settings)) return refuse(*user_error);
    return run(std::get<Settings>(settings), arguments.words);
  };
  return command;
}

// All commands, in the order of the help. A new command is a file in commands/ and a line here.
std::span<const Command> commands();

const Command* find_command(std::string_view name);

}  // namespace lowtide::cli
