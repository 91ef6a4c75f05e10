#include "cli/syntax/parse.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <iterator>

#include "cli/syntax/nearest.h"

namespace lowtide::cli {
namespace {

std::string joined_with_or(const std::vector<std::string_view>& words) {
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
    for (const console::FlagText& flag : command.flags) known.push_back("--" + std::string(flag.name));
    const auto nearest = find_nearest(name, known);
    return {fmt::format("{} has no option {}", command.name, name),
            nearest
                ? fmt::format("the nearest option is {}", *nearest)
                : fmt::format("a word that starts with - is read as an option; for a file, write ./{}", word),
            help_hint(command)};
  }
  const bool takes_none = command.positional.name.empty();
  return {fmt::format("{} does not take '{}'", command.name, word),
          takes_none ? "it takes no arguments" : fmt::format("it takes one {}", command.positional.name),
          help_hint(command)};
}

bool is_choice(const std::vector<std::string_view>& choices, const std::string& value) {
  return choices.empty() || std::find(choices.begin(), choices.end(), value) != choices.end();
}

console::UserError not_a_choice(const Command& command, std::string_view what, const std::string& value,
                                const std::vector<std::string_view>& choices) {
  return {fmt::format("{} cannot be '{}'", what, value),
          fmt::format("the value must be {}", joined_with_or(choices)), help_hint(command)};
}

std::optional<console::UserError> find_wrong_choice(const Command& command, const Arguments& arguments) {
  for (const console::FlagText& flag : command.flags) {
    const auto given = arguments.flags.find(flag.name);
    if (given != arguments.flags.end() && !is_choice(flag.choices, given->second)) {
      return not_a_choice(command, "--" + std::string(flag.name), given->second, flag.choices);
    }
  }
  for (const std::string& word : arguments.words.positionals) {
    if (!is_choice(command.positional.choices, word)) {
      return not_a_choice(command, command.positional.name, word, command.positional.choices);
    }
  }
  return std::nullopt;
}

const console::FlagText* find_flag(const Command& command, std::string_view word) {
  const std::string_view name = word.substr(0, word.find('='));
  for (const console::FlagText& flag : command.flags) {
    if (name.starts_with("--") && name.substr(2) == flag.name) return &flag;
  }
  return nullptr;
}

bool takes_value(const Command& command, const std::string& word) {
  const console::FlagText* flag = find_flag(command, word);
  return flag != nullptr && !flag->value.empty() && word.find('=') == std::string::npos;
}

// The number of words that are for lowtide. The words after them are the command of the job.
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
  const auto refused = [&](const console::FlagText& flag, std::string_view what, std::string why) {
    return console::UserError{fmt::format("{}: --{} {}", command.name, flag.name, what), std::move(why),
                              help_hint(command)};
  };
  Arguments out{{}, {{}, {job.begin(), job.end()}}};
  std::vector<std::string>& positionals = out.words.positionals;
  bool help = false;
  std::optional<std::string> unknown;
  // The words after "--" are not options, even if they start with a dash.
  const auto stop = std::find(words.begin(), words.end(), "--");
  for (auto word = words.begin(); word != stop; ++word) {
    const bool is_number = word->size() > 1 && std::isdigit(static_cast<unsigned char>((*word)[1])) != 0;
    if (*word == "-h" || *word == "--help") {
      help = true;
    } else if (const console::FlagText* flag = find_flag(command, *word)) {
      const std::size_t sign = word->find('=');
      std::string value = sign == std::string::npos ? "" : word->substr(sign + 1);
      if (flag->value.empty() && sign != std::string::npos) {
        if (value != "true")
          return refused(*flag, "takes no value", fmt::format("write --{} alone", flag->name));
        value.clear();
      }
      if (!flag->value.empty() && value.empty()) {
        if (std::next(word) == stop)
          return refused(*flag, "needs a value", fmt::format("write --{} {}", flag->name, flag->value));
        value = *++word;
      }
      const bool is_new = out.flags.emplace(flag->name, std::move(value)).second;
      if (!is_new && !flag->value.empty())
        return refused(*flag, "was given more than once", "an option with a value can be given only once");
    } else if ((word->size() > 1 && word->front() == '-' && !is_number) || command.positional.name.empty()) {
      if (!unknown) unknown = *word;
    } else {
      positionals.push_back(*word);
    }
  }
  if (help) return HelpWanted{};
  if (unknown) return unknown_word(command, *unknown);
  if (stop != words.end()) positionals.insert(positionals.end(), stop + 1, words.end());

  if (!command.positional.several && positionals.size() > 1) return unknown_word(command, positionals[1]);
  if (auto wrong = find_wrong_choice(command, out)) return *std::move(wrong);
  return out;
}

std::optional<pid_t> parse_pid(const std::string& text) {
  pid_t pid = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), pid);
  if (error != std::errc{} || end != text.data() + text.size() || pid <= 0) return std::nullopt;
  return pid;
}

}  // namespace lowtide::cli
