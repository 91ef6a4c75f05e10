#include "cli/syntax/gate_flags.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <utility>

#include "base/text.h"
#include "base/units.h"
#include "show/gate.h"

namespace lowtide::cli {
namespace {

using model::Rule;
using model::RuleKind;

console::Flag<GateFlags> takes_size(const console::FlagText& text,
                                    std::optional<AsGiven<std::uint64_t>> GateFlags::*member,
                                    bool may_be_zero) {
  return console::takes(
      text, member,
      [=](const std::string& given) -> std::optional<AsGiven<std::uint64_t>> {
        const auto size = base::parse_size(given);
        const bool is_allowed_zero = size && size.value() == 0 && may_be_zero;
        if (!size || (size.value() < console::kSmallestLimit && !is_allowed_zero)) return std::nullopt;
        return AsGiven<std::uint64_t>{given, size.value()};
      },
      {fmt::format("it takes a size of at least 1 MB with a unit{}", may_be_zero ? ", or 0" : ""),
       fmt::format("--{0} 500M or --{0} 20G", text.name)});
}

bool has_unit(std::string_view size) {
  return std::any_of(size.begin(), size.end(),
                     [](char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; });
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
                  "fail if the peak of the process tree is higher; shared pages are counted once (PSS)"},
                 &GateFlags::budget, false),
      takes_size({"max-growth", "SIZE", "fail if the floor rises by more"}, &GateFlags::max_growth, true),
      console::turns_on("after-warmup", "with --max-growth: ignore growth during the warm-up",
                        &GateFlags::after_warmup),
      console::takes(
          {"max-rate", "RATE", "fail if the floor rises faster: 1M/step, also per s, min or h"},
          &GateFlags::max_rate, parse_given_rate,
          {"it takes a size with a unit, per step, s, min or h", "--max-rate 1M/step or --max-rate 50M/h"}),
      console::turns_on("no-oom", "fail if a process was killed for lack of memory", &GateFlags::no_oom),
      console::takes({"expect",
                      "KIND",
                      "fail if the verdict is not this one: leak, warmup, spikes or stable",
                      {"leak", "warmup", "spikes", "stable"}},
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
  if (!size || (size.value() > 0 && !has_unit(text.substr(0, slash)))) return error;
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
    return console::UserError{"--after-warmup needs --max-growth", "it selects which growth counts",
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
    out += fmt::format("{}: {}: {}\n", show::to_string(show::rule_passed(result.outcome)),
                       base::printable(result.rule.words, 200), base::printable(result.why, 600));
  }
  return out;
}

std::string gate_summary(const model::Gate& gate, const model::Verdict& verdict) {
  const auto count = [&](model::Outcome outcome) {
    return std::count_if(gate.results.begin(), gate.results.end(),
                         [&](const model::RuleResult& result) { return result.outcome == outcome; });
  };
  const std::size_t all = gate.results.size();
  const char* const rules = all == 1 ? "rule" : "rules";
  switch (gate.outcome()) {
    case model::Outcome::Broken:
      return fmt::format("FAIL: {} of {} {} failed", count(model::Outcome::Broken), all, rules);
    case model::Outcome::Undecided:
      return fmt::format("UNDECIDED: {} of {} {} cannot be decided from this run",
                         count(model::Outcome::Undecided), all, rules);
    case model::Outcome::Kept:
      break;
  }
  std::string words = fmt::format("PASS: {} of {} {} passed", all, all, rules);
  const bool expects_leak = std::any_of(gate.results.begin(), gate.results.end(), [](const auto& result) {
    return result.rule.kind == RuleKind::Expect || result.rule.kind == RuleKind::NoLeak;
  });
  if (verdict.kind == model::VerdictKind::Leak && !expects_leak)
    words += ", but the job leaks, which no rule checks; without rules, lowtide check fails on a leak";
  return words;
}

}  // namespace lowtide::cli
