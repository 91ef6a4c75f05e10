// A flag as data: its name, its value, its help, and the member of a settings struct that it sets. The
// parser, the help, the man page and the shell completions of a command are made from a table of flags, and
// so is the command line that gives the same settings to another lowtide.
#pragma once

#include <fmt/format.h>

#include <concepts>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"
#include "base/units.h"
#include "console/user_error.h"

namespace lowtide::console {

struct FlagText {
  std::string_view name;   // without the dashes
  std::string_view value;  // the name of its value: "SIZE", "FILE"; empty for a switch
  std::string_view help;
  std::vector<std::string_view> choices = {};  // empty: any value
};

template <typename Settings>
struct Flag : FlagText {
  using Set = std::function<std::optional<UserError>(Settings&, const std::string&)>;
  using Text = std::function<std::optional<std::string>(const Settings&)>;

  Flag(FlagText text, Set set_member, Text text_of_member)
      : FlagText(std::move(text)), set(std::move(set_member)), text_of(std::move(text_of_member)) {}
  // A flag of a base class of the settings.
  template <typename Part>
  requires(std::derived_from<Settings, Part> && !std::same_as<Settings, Part>)
      // NOLINTNEXTLINE(google-explicit-constructor, hicpp-explicit-conversions): tables mix both
      Flag(Flag<Part> flag)
      : FlagText(static_cast<const FlagText&>(flag)),
        set(std::move(flag.set)),
        text_of(std::move(flag.text_of)) {}

  Set set;       // returns an error for a bad value; an empty hint stands for the help of the command
  Text text_of;  // the value that sets the member to what it is; absent if it has its default
};

template <typename Settings>
using Flags = std::vector<Flag<Settings>>;

// A switch that sets its member to `value`.
template <typename Settings>
Flag<Settings> switch_to(bool value, std::string_view name, std::string_view help, bool Settings::*member) {
  return {{name, "", help},
          [=](Settings& settings, const std::string&) -> std::optional<UserError> {
            settings.*member = value;
            return std::nullopt;
          },
          [=](const Settings& settings) {
            return settings.*member == value ? std::optional<std::string>("") : std::nullopt;
          }};
}

template <typename Settings>
Flag<Settings> turns_on(std::string_view name, std::string_view help, bool Settings::*member) {
  return switch_to(true, name, help, member);
}

template <typename Settings>
Flag<Settings> turns_off(std::string_view name, std::string_view help, bool Settings::*member) {
  return switch_to(false, name, help, member);
}

// The error for a bad value.
struct Refusal {
  std::string why = {};
  std::string hint = {};                          // empty: the help of the command
  std::string_view what = "--{} cannot be '{}'";  // the flag and the given value
};

struct NoText {
  template <typename Value>
  std::optional<std::string> operator()(const Value& /*value*/) const {
    return std::nullopt;
  }
};

// `parse` turns the text into the member's value, or returns nothing for a bad value. `format` does the
// reverse.
template <typename Settings, typename Value, typename Parse, typename Format = NoText>
Flag<Settings> takes(FlagText text, Value Settings::*member, Parse parse, const Refusal& refusal = {},
                     Format format = {}) {
  const std::string_view name = text.name;
  return {std::move(text),
          [=](Settings& settings, const std::string& given) -> std::optional<UserError> {
            if (auto value = parse(given)) {
              settings.*member = *std::move(value);
              return std::nullopt;
            }
            return UserError{fmt::format(fmt::runtime(refusal.what), name, base::printable(given)),
                             refusal.why, refusal.hint};
          },
          [=](const Settings& settings) -> std::optional<std::string> { return format(settings.*member); }};
}

template <typename Settings>
Flag<Settings> takes_text(FlagText text, std::optional<std::string> Settings::*member,
                          const Refusal& empty = {}) {
  const bool may_be_empty = empty.why.empty();
  return takes(
      std::move(text), member,
      [=](const std::string& given) {
        return given.empty() && !may_be_empty ? std::nullopt : std::optional(given);
      },
      empty, [](const std::optional<std::string>& value) { return value; });
}

template <typename Settings>
Flag<Settings> takes_seconds(FlagText text, std::optional<double> Settings::*member, double least,
                             double most, Refusal refusal) {
  return takes(
      std::move(text), member,
      [=](const std::string& given) {
        const auto seconds = base::parse_seconds(given);
        const bool fits = seconds && seconds.value() >= least && seconds.value() <= most;
        return fits ? std::optional(seconds.value()) : std::nullopt;
      },
      refusal,
      [](const std::optional<double>& seconds) {
        return seconds ? std::optional(fmt::format("{:.0f}ms", *seconds * 1e3)) : std::nullopt;
      });
}

template <typename Settings>
Flag<Settings> takes_bytes(FlagText text, std::optional<std::uint64_t> Settings::*member, std::uint64_t least,
                           const Refusal& refusal) {
  return takes(
      std::move(text), member,
      [=](const std::string& given) {
        const auto bytes = base::parse_size(given);
        return bytes && bytes.value() >= least ? std::optional(bytes.value()) : std::nullopt;
      },
      refusal,
      [](const std::optional<std::uint64_t>& bytes) {
        return bytes ? std::optional(fmt::format("{}B", *bytes)) : std::nullopt;
      });
}

inline constexpr std::uint64_t kSmallestLimit = 1'000'000;  // bytes; below this the unit was forgotten

// --limit, for all commands that forecast.
template <typename Settings>
Flag<Settings> limit_flag(std::string_view help, std::optional<std::uint64_t> Settings::*member,
                          std::string hint = "--limit 32G, --limit 80GiB or --limit 500M") {
  return takes_bytes({"limit", "SIZE", help}, member, kSmallestLimit,
                     {"the value must be a size with a unit, at least 1 MB", std::move(hint)});
}

// The command line that gives these settings: "--interval 500ms --no-gpu".
template <typename Settings>
std::vector<std::string> words_of(const Flags<Settings>& flags, const Settings& settings) {
  std::vector<std::string> words;
  for (const Flag<Settings>& flag : flags) {
    const auto text = flag.text_of(settings);
    if (!text) continue;
    words.push_back("--" + std::string(flag.name));
    if (!flag.value.empty()) words.push_back(*text);
  }
  return words;
}

}  // namespace lowtide::console
