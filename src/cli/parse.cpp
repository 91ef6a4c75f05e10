#include "cli/parse.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>

#include "cli/nearest.h"

namespace lowtide::cli {
namespace {

std::string joined(const std::vector<std::string_view>& words) {
  std::string out;
  for (std::size_t at = 0; at < words.size(); ++at) {
    out += at == 0 ? "" : at + 1 == words.size() ? " or " : ", ";
    out += words[at];
  }
  return out;
}

std::string help_hint(const Command& command) {
  return fmt::format("lowtide {} --help", command.name);
}

console::UserError unknown_word(const Command& command, const std::string& word) {
  if (word.size() > 1 && word.front() == '-') {
    const std::string name = word.substr(0, word.find('='));
    std::vector<std::string> known{"--help"};
    for (const Flag& flag : command.flags) known.push_back("--" + std::string(flag.name));
    const auto nearest = find_nearest(name, known);
    return {fmt::format("{} does not know {}", command.name, name),
            nearest ? fmt::format("the nearest option is {}", *nearest)
                    : fmt::format("a file of that name is given as ./{}", word),
            help_hint(command)};
  }
  const bool takes_none = command.positional.name.empty();
  return {fmt::format("{} does not take '{}'", command.name, word),
          takes_none ? "it takes no further words" : fmt::format("it takes one {}", command.positional.name),
          help_hint(command)};
}

bool is_choice(const std::vector<std::string_view>& choices, const std::string& value) {
  return choices.empty() || std::find(choices.begin(), choices.end(), value) != choices.end();
}

console::UserError not_a_choice(const Command& command, std::string_view what, const std::string& value,
                                const std::vector<std::string_view>& choices) {
  return {fmt::format("{} cannot be '{}'", what, value), fmt::format("it is one of {}", joined(choices)),
          help_hint(command)};
}

bool takes_value(const Command& command, const std::string& word) {
  return std::any_of(command.flags.begin(), command.flags.end(), [&](const Flag& flag) {
    return !flag.value.empty() && word == "--" + std::string(flag.name);
  });
}

// How many of the words are ours; what follows is the job's.
std::size_t count_own(const Command& command, std::span<const std::string> words) {
  if (command.job_words == JobWords::None) return words.size();
  for (std::size_t at = 0; at < words.size(); ++at) {
    if (words[at] == "--") return at;
    if (takes_value(command, words[at])) {
      ++at;
    } else if (command.job_words == JobWords::FromFirst && (words[at].empty() || words[at].front() != '-')) {
      return at;
    }
  }
  return words.size();
}

}  // namespace

std::variant<Arguments, HelpWanted, console::UserError> parse_arguments(
    const Command& command, std::span<const std::string> all_words) {
  const std::span<const std::string> words = all_words.first(count_own(command, all_words));
  std::span<const std::string> job = all_words.subspan(words.size());
  if (!job.empty() && job.front() == "--") job = job.subspan(1);
  CLI::App app;
  app.set_help_flag();  // the help is ours
  app.allow_extras();   // and so are the words for what is too much
  bool help = false;
  app.add_flag("-h,--help", help);
  // std::map keeps the addresses that CLI11 writes to.
  std::map<std::string, std::string> values;
  std::map<std::string, bool> switches;
  std::vector<std::string> positionals;
  for (const Flag& flag : command.flags) {
    const std::string name(flag.name);
    if (flag.value.empty()) {
      app.add_flag("--" + name, switches[name]);
    } else {
      app.add_option("--" + name, values[name]);
    }
  }
  if (!command.positional.name.empty()) {
    app.add_option(std::string(command.positional.name), positionals);
  }

  // What follows "--" is no option, whatever it looks like.
  const auto stop = std::find(words.begin(), words.end(), "--");
  const std::vector<std::string> options(words.begin(), stop);
  try {  // CLI11 speaks in exceptions; here is where they end
    app.parse(std::vector<std::string>(options.rbegin(), options.rend()));
  } catch (const CLI::ParseError& error) {
    return console::UserError{fmt::format("{}: {}", command.name, error.what()),
                              "an option is given in a way it does not take", help_hint(command)};
  }
  if (help) return HelpWanted{};
  if (const auto extra = app.remaining(); !extra.empty()) return unknown_word(command, extra.front());

  if (stop != words.end()) positionals.insert(positionals.end(), stop + 1, words.end());

  std::map<std::string, std::string> given;
  for (const Flag& flag : command.flags) {
    const std::string name(flag.name);
    if (app.count("--" + name) == 0) continue;
    if (!is_choice(flag.choices, values[name])) {
      return not_a_choice(command, "--" + name, values[name], flag.choices);
    }
    given[name] = flag.value.empty() ? "" : values[name];
  }
  if (!command.positional.several && positionals.size() > 1) return unknown_word(command, positionals[1]);
  for (const std::string& word : positionals) {
    if (!is_choice(command.positional.choices, word)) {
      return not_a_choice(command, command.positional.name, word, command.positional.choices);
    }
  }
  return Arguments(std::move(given), std::move(positionals), {job.begin(), job.end()});
}

std::optional<pid_t> parse_pid(const std::string& text) {
  pid_t pid = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), pid);
  if (error != std::errc{} || end != text.data() + text.size() || pid <= 0) return std::nullopt;
  return pid;
}

}  // namespace lowtide::cli
