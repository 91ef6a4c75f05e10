// What a command is: data, from which its parser, its help, the man page and the
// shell completions are made, so that they cannot disagree.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "console/exit_code.h"

namespace lowtide::cli {

struct Flag {
  std::string_view name;   // without the dashes
  std::string_view value;  // what it takes: "SIZE", "FILE"; empty for a switch
  std::string_view help;
  std::vector<std::string_view> choices = {};  // empty: any value
};

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

// What was given on the command line, checked against the command's flags.
class Arguments {
 public:
  Arguments(std::map<std::string, std::string> flags, std::vector<std::string> positionals,
            std::vector<std::string> command = {})
      : flags_(std::move(flags)), positionals_(std::move(positionals)), command_(std::move(command)) {}

  [[nodiscard]] bool has(const std::string& flag) const { return flags_.count(flag) > 0; }
  [[nodiscard]] std::optional<std::string> text(const std::string& flag) const {
    const auto found = flags_.find(flag);
    return found == flags_.end() ? std::nullopt : std::optional(found->second);
  }
  [[nodiscard]] const std::vector<std::string>& positionals() const { return positionals_; }
  // The job to be started, word by word, as it was given.
  [[nodiscard]] const std::vector<std::string>& command() const { return command_; }

 private:
  std::map<std::string, std::string> flags_;
  std::vector<std::string> positionals_;
  std::vector<std::string> command_;
};

// Whether a command line ends in the words of a job, which are not ours to read.
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
  std::vector<Flag> flags;
  std::vector<Example> examples;
  console::ExitCode (*run)(const Arguments& arguments);
  JobWords job_words = JobWords::None;
};

// All of them, in the order of the help. A new verb is a file in commands/ and a line here.
std::span<const Command> commands();

const Command* find_command(std::string_view name);

}  // namespace lowtide::cli
