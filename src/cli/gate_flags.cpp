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

console::Flag<GateFlags> takes_size(const console::FlagText& text,
                                    std::optional<AsGiven<std::uint64_t>> GateFlags::*member,
                                    std::uint64_t least) {
  return console::takes(text, member,
                        [=](const std::string& given) -> std::optional<AsGiven<std::uint64_t>> {
                          const auto size = base::parse_size(given);
                          if (!size || size.value() < least) return std::nullopt;
                          return AsGiven<std::uint64_t>{given, size.value()};
                        },
                        {"it is a size with its unit", fmt::format("--{} 500M, or 20G", text.name)});
}

std::optional<AsGiven<GivenRate>> parse_given_rate(const std::string& given) {
  const auto rate = parse_rate(given);
  return rate ? std::optional(AsGiven<GivenRate>{given, rate.value()}) : std::nullopt;
}

std::optional<model::VerdictKind> parse_kind(std::string_view text) {
  for (const model::VerdictKind kind : {model::VerdictKind::Leak, model::VerdictKind::Warmup,
                                        model::VerdictKind::Spikes, model::VerdictKind::Stable}) {
    if (model::to_string(kind) == text) return kind;
  }
  return std::nullopt;
}

Rule make_rule(RuleKind kind, std::string words) {
  Rule rule;
  rule.kind = kind;
  rule.words = std::move(words);
  return rule;
}

}  // namespace

console::Flags<GateFlags> gate_flags() {
  return {
      takes_size({"budget", "SIZE",
                  "the peak of the process tree, shared pages counted once, may not be above this"},
                 &GateFlags::budget, 1),
      takes_size({"max-growth", "SIZE", "the floor may not rise by more than this"}, &GateFlags::max_growth,
                 0),
      console::turns_on("after-warmup", "with --max-growth: what the warm-up took does not count",
                        &GateFlags::after_warmup),
      console::takes(
          {"max-rate", "RATE", "the floor may not rise faster than this: 1M/step, also /s, /min, /h"},
          &GateFlags::max_rate, parse_given_rate,
          {"it is a size per step, s, min or h", "--max-rate 1M/step, or 50M/h"}),
      console::turns_on("no-oom", "no process may be killed for lack of memory", &GateFlags::no_oom),
      console::takes({"expect", "KIND", "the verdict must be this", {"leak", "warmup", "spikes", "stable"}},
                     &GateFlags::expect, parse_kind,
                     {"it is one of leak, warmup, spikes or stable", "--expect warmup"}),
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

std::variant<std::vector<Rule>, console::UserError> parse_rules(const GateFlags& flags) {
  if (flags.after_warmup && !flags.max_growth) {
    return console::UserError{"--after-warmup goes with --max-growth only", "it says which growth counts",
                              "--max-growth 500M --after-warmup"};
  }
  std::vector<Rule> rules;
  if (flags.budget) {
    rules.push_back(make_rule(RuleKind::Budget, "--budget " + flags.budget->text));
    rules.back().bytes = flags.budget->value;
  }
  if (flags.max_growth) {
    rules.push_back(make_rule(RuleKind::MaxGrowth, "--max-growth " + flags.max_growth->text +
                                                       (flags.after_warmup ? " --after-warmup" : "")));
    rules.back().bytes = flags.max_growth->value;
    rules.back().after_warmup = flags.after_warmup;
  }
  if (flags.max_rate) {
    rules.push_back(make_rule(RuleKind::MaxRate, "--max-rate " + flags.max_rate->text));
    rules.back().rate_bytes = flags.max_rate->value.bytes;
    rules.back().per = flags.max_rate->value.per;
  }
  if (flags.no_oom) rules.push_back(make_rule(RuleKind::NoOom, "--no-oom"));
  if (flags.expect) {
    rules.push_back(make_rule(RuleKind::Expect, "--expect " + std::string(model::to_string(*flags.expect))));
    rules.back().expected = *flags.expect;
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
