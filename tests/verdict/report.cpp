#include "verdict/report.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace lowtide::bench {
namespace {

using model::VerdictKind;
using Json = nlohmann::ordered_json;

constexpr std::array kAllKinds = {VerdictKind::Leak, VerdictKind::Warmup, VerdictKind::Spikes,
                                  VerdictKind::Stable, VerdictKind::Inconclusive};

std::string cell(double value, int digits = 1) {
  return std::isnan(value) ? std::string("-") : fmt::format("{:.{}f}", value, digits);
}

std::string cell(const Tally& tally) {
  return cell(tally.percent());
}

std::string cell(const ErrorSpread& error) {
  return fmt::format("{} / {}", cell(error.median), cell(error.p90));
}

std::string row(std::span<const std::string> cells) {
  std::string line = "|";
  for (const std::string& text : cells) line += fmt::format(" {} |", text);
  return line + "\n";
}

std::string header(const std::vector<std::string>& names) {
  std::string line = row(names) + "|";
  for (std::size_t i = 0; i < names.size(); ++i) line += i == 0 ? "---|" : "---:|";
  return line + "\n";
}

Json number(double value) {
  return std::isnan(value) ? Json(nullptr) : Json(value);
}

Json to_json(const Tally& tally) {
  return {{"percent", number(tally.percent())}, {"hits", tally.hits}, {"of", tally.of}};
}

Json to_json(const ErrorSpread& error) {
  return {{"mean", number(error.mean)},
          {"median", number(error.median)},
          {"p90", number(error.p90)},
          {"of", error.of}};
}

Json to_json(const FinalScore& score) {
  return {{"precision", to_json(score.precision)},
          {"recall", to_json(score.recall)},
          {"false_alarms", to_json(score.false_alarms)},
          {"leak_on_inconclusive", to_json(score.leak_on_inconclusive)},
          {"clear_on_inconclusive", to_json(score.clear_on_inconclusive)},
          {"missed_as_clear", to_json(score.missed_as_clear)},
          {"inconclusive_on_innocent", to_json(score.inconclusive_on_innocent)},
          {"strict", to_json(score.strict)},
          {"lenient", to_json(score.lenient)},
          {"rate_error_percent", to_json(score.rate_error)},
          {"warmup_end_error_percent", to_json(score.warmup_end_error)},
          {"plateau_error_percent", to_json(score.plateau_error)}};
}

Json to_json(const LiveScore& score) {
  return {{"ever_leak", to_json(score.ever_leak)},
          {"ever_leak_after_ramp", to_json(score.ever_leak_after_ramp)},
          {"ever_leak_on_inconclusive", to_json(score.ever_leak_on_inconclusive)},
          {"leak_before_onset", to_json(score.leak_before_onset)},
          {"delay_samples", to_json(score.delay_samples)},
          {"delay_percent_of_span", to_json(score.delay_share)},
          {"changes_median", number(score.changes_median)},
          {"changes_mean", number(score.changes_mean)}};
}

Json to_json(const std::vector<CalibrationBin>& bins) {
  Json list = Json::array();
  for (const CalibrationBin& bin : bins) {
    list.push_back({{"low", bin.low},
                    {"high", bin.high},
                    {"mean_confidence_percent", number(bin.mean_confidence)},
                    {"right", to_json(bin.right)},
                    {"right_strict", to_json(bin.right_strict)}});
  }
  return list;
}

}  // namespace

std::string last_table(std::span<const NamedScore> scores) {
  std::string text = header({"method", "precision", "recall", "false alarms", "strict", "lenient",
                             "leak on inc.", "clear on inc.", "missed as clear", "rate error med / p90",
                             "warm-up end med / p90", "plateau med / p90"});
  for (const auto& [method, score] : scores) {
    const FinalScore& last = score.last;
    const std::vector<std::string> cells = {method,
                                            cell(last.precision),
                                            cell(last.recall),
                                            cell(last.false_alarms),
                                            cell(last.strict),
                                            cell(last.lenient),
                                            cell(last.leak_on_inconclusive),
                                            cell(last.clear_on_inconclusive),
                                            cell(last.missed_as_clear),
                                            cell(last.rate_error),
                                            cell(last.warmup_end_error),
                                            cell(last.plateau_error)};
    text += row(cells);
  }
  return text;
}

std::string live_table(std::span<const NamedScore> scores) {
  std::string text = header({"method", "ever leak on innocent", "the same, ramp over", "ever leak on inc.",
                             "leak before onset", "delay, samples med / p90", "delay, % of leak mean",
                             "med / p90", "changes of kind median", "mean"});
  for (const auto& [method, score] : scores) {
    const LiveScore& live = score.live;
    const std::vector<std::string> cells = {method,
                                            cell(live.ever_leak),
                                            cell(live.ever_leak_after_ramp),
                                            cell(live.ever_leak_on_inconclusive),
                                            cell(live.leak_before_onset),
                                            cell(live.delay_samples),
                                            cell(live.delay_share.mean),
                                            cell(live.delay_share),
                                            cell(live.changes_median, 0),
                                            cell(live.changes_mean)};
    text += row(cells);
  }
  return text;
}

std::string calibration_table(const Score& score) {
  std::string text = header({"confidence", "verdicts", "mean confidence", "right", "right, strict"});
  for (const CalibrationBin& bin : score.calibration) {
    const std::vector<std::string> cells = {fmt::format("{:.2f} to {:.2f}", bin.low, bin.high),
                                            fmt::format("{}", bin.verdicts), cell(bin.mean_confidence),
                                            cell(bin.right), cell(bin.right_strict)};
    text += row(cells);
  }
  return text + fmt::format("\nOf {} verdicts given at 95% or more, {}% are right.\n", score.right_at_95.of,
                            cell(score.right_at_95));
}

std::string family_table(const Score& score) {
  std::vector<std::string> names = {"family", "truth"};
  for (const VerdictKind kind : kAllKinds) names.emplace_back(to_string(kind));
  names.emplace_back("accepted");
  names.emplace_back("rate error med / p90");
  std::string text = header(names);
  for (const VerdictKind truth : kAllKinds) {
    for (const auto& [name, family] : score.families) {
      if (family.truth != truth) continue;
      std::vector<std::string> cells = {name, std::string(to_string(truth))};
      for (const std::size_t count : family.said) cells.push_back(count > 0 ? fmt::format("{}", count) : ".");
      cells.push_back(cell(family.accepted.percent(), 0));
      cells.push_back(family.rate_error.of > 0 ? cell(family.rate_error) : ".");
      text += row(cells);
    }
  }
  return text;
}

std::string confusion_table(const Score& score) {
  std::vector<std::string> names = {"truth \\ said"};
  for (const VerdictKind kind : kAllKinds) names.emplace_back(to_string(kind));
  std::string text = header(names);
  for (const VerdictKind truth : kAllKinds) {
    std::vector<std::string> cells = {std::string(to_string(truth))};
    for (const std::size_t count : score.confusion[static_cast<std::size_t>(truth)]) {
      cells.push_back(fmt::format("{}", count));
    }
    text += row(cells);
  }
  return text;
}

std::string to_json(const std::string& corpus, std::size_t series, std::span<const NamedScore> scores) {
  Json methods = Json::array();
  for (const auto& [method, score] : scores) {
    methods.push_back({{"method", method},
                       {"last", to_json(score.last)},
                       {"live", to_json(score.live)},
                       {"calibration", to_json(score.calibration)},
                       {"right_at_95", to_json(score.right_at_95)},
                       {"seconds", score.seconds}});
  }
  const Json object = {{"corpus", corpus}, {"series", series}, {"methods", methods}};
  return object.dump();
}

}  // namespace lowtide::bench
