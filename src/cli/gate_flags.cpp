#include "cli/gate_flags.h"

#include <fmt/format.h>

#include <array>
#include <optional>
#include <utility>

#include "base/text.h"
#include "base/units.h"

namespace lowtide::cli {
namespace {

using model::Rule;
using model::RuleKind;

console::UserError wrong_size(std::string_view flag, const std::string& text) {
  return {fmt::format("--{} cannot be '{}'", flag, text), "it is a size with its unit",
          fmt::format("--{} 500M, or 20G", flag)};
}

std::optional<model::VerdictKind> parse_kind(std::string_view text) {
  for (const model::VerdictKind kind : {model::VerdictKind::Leak, model::VerdictKind::Warmup,
                                        model::VerdictKind::Spikes, model::VerdictKind::Stable}) {
    if (model::to_string(kind) == text) return kind;
  }
  return std::nullopt;
}

}  // namespace

std::vector<Flag> gate_flags() {
  return {
      {"budget", "SIZE", "the peak of the process tree, shared pages counted once, may not be above this"},
      {"max-growth", "SIZE", "the floor may not rise by more than this"},
      {"after-warmup", "", "with --max-growth: what the warm-up took does not count"},
      {"max-rate", "RATE", "the floor may not rise faster than this: 1M/step, also /s, /min, /h"},
      {"no-oom", "", "no process may be killed for lack of memory"},
      {"expect", "KIND", "the verdict must be this", {"leak", "warmup", "spikes", "stable"}},
  };
}

base::Result<GivenRate> parse_rate(std::string_view text) {
  static constexpr std::array<std::pair<std::string_view, double>, 8> kUnits{{{"step", 0},
                                                                              {"s", 1},
                                                                              {"sec", 1},
                                                                              {"second", 1},
                                                                              {"min", 60},
                                                                              {"minute", 60},
                                                                              {"h", 3600},
                                                                              {"hour", 3600}}};
  const base::Error error{base::ErrorCode::Malformed, "not a rate"};
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) return error;
  const auto size = base::parse_size(text.substr(0, slash));
  if (!size) return error;
  for (const auto& [name, seconds] : kUnits) {
    if (text.substr(slash + 1) != name) continue;
    const auto bytes = static_cast<double>(size.value());
    if (seconds == 0) return GivenRate{bytes, model::RatePer::Step};
    return GivenRate{bytes / seconds, model::RatePer::Second};
  }
  return error;
}

std::variant<std::vector<Rule>, console::UserError> parse_rules(const Arguments& arguments) {
  std::vector<Rule> rules;
  if (const auto text = arguments.text("budget")) {
    const auto size = base::parse_size(*text);
    if (!size || size.value() == 0) return wrong_size("budget", *text);
    Rule rule;
    rule.kind = RuleKind::Budget;
    rule.words = "--budget " + *text;
    rule.bytes = size.value();
    rules.push_back(std::move(rule));
  }
  const bool after_warmup = arguments.has("after-warmup");
  if (const auto text = arguments.text("max-growth")) {
    const auto size = base::parse_size(*text);
    if (!size) return wrong_size("max-growth", *text);
    Rule rule;
    rule.kind = RuleKind::MaxGrowth;
    rule.words = "--max-growth " + *text + (after_warmup ? " --after-warmup" : "");
    rule.bytes = size.value();
    rule.after_warmup = after_warmup;
    rules.push_back(std::move(rule));
  } else if (after_warmup) {
    return console::UserError{"--after-warmup goes with --max-growth only", "it says which growth counts",
                              "--max-growth 500M --after-warmup"};
  }
  if (const auto text = arguments.text("max-rate")) {
    const auto rate = parse_rate(*text);
    if (!rate) {
      return console::UserError{fmt::format("--max-rate cannot be '{}'", *text),
                                "it is a size per step, s, min or h", "--max-rate 1M/step, or 50M/h"};
    }
    Rule rule;
    rule.kind = RuleKind::MaxRate;
    rule.words = "--max-rate " + *text;
    rule.rate_bytes = rate.value().bytes;
    rule.per = rate.value().per;
    rules.push_back(std::move(rule));
  }
  if (arguments.has("no-oom")) {
    Rule rule;
    rule.kind = RuleKind::NoOom;
    rule.words = "--no-oom";
    rules.push_back(std::move(rule));
  }
  if (const auto text = arguments.text("expect")) {
    const auto kind = parse_kind(*text);
    if (!kind) {
      return console::UserError{fmt::format("--expect cannot be '{}'", *text),
                                "it is one of leak, warmup, spikes or stable", "--expect warmup"};
    }
    Rule rule;
    rule.kind = RuleKind::Expect;
    rule.words = "--expect " + *text;
    rule.expected = *kind;
    rules.push_back(std::move(rule));
  }
  return rules;
}

std::string gate_text(const model::Gate& gate) {
  std::string out;
  for (const model::RuleResult& result : gate.results) {
    out += fmt::format("{}: {}: {}\n", model::to_string(result.outcome),
                       base::printable(result.rule.words, 200), base::printable(result.why, 600));
  }
  return out;
}

}  // namespace lowtide::cli
