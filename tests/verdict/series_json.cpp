#include "verdict/series_json.h"

#include <array>
#include <cmath>
#include <istream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace lowtide::bench {
namespace {

using model::VerdictKind;
using Json = nlohmann::json;

constexpr std::array kKinds = {VerdictKind::Leak, VerdictKind::Warmup, VerdictKind::Spikes,
                               VerdictKind::Stable, VerdictKind::Inconclusive};

std::optional<VerdictKind> find_kind(std::string_view name) {
  if (name == "warmup_plateau") return VerdictKind::Warmup;
  for (const VerdictKind kind : kKinds) {
    if (name == to_string(kind)) return kind;
  }
  return std::nullopt;
}

std::string number_or_null(std::optional<double> value) {
  return value ? fmt::format("{:.9g}", *value) : std::string("null");
}

std::string number_or_null(std::optional<std::size_t> value) {
  return value ? fmt::format("{}", *value) : std::string("null");
}

void append_numbers(std::string& line, std::string_view name, const std::vector<double>& values) {
  line += fmt::format(", \"{}\": [", name);
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i > 0) line += ", ";
    if (std::isnan(values[i])) {
      line += "null";
    } else {
      fmt::format_to(std::back_inserter(line), "{:.9g}", values[i]);
    }
  }
  line += ']';
}

template <typename T>
std::optional<T> find_number(const Json& object, const char* name) {
  const auto found = object.find(name);
  if (found == object.end() || !found->is_number()) return std::nullopt;
  return found->get<T>();
}

// False when the field is there and is not a list of numbers and nulls.
bool take_numbers(const Json& object, const char* name, std::vector<double>& into) {
  const auto found = object.find(name);
  if (found == object.end()) return true;
  if (!found->is_array()) return false;
  into.reserve(found->size());
  for (const Json& value : *found) {
    if (!value.is_number() && !value.is_null()) return false;
    into.push_back(value.is_null() ? model::kUnknown : value.get<double>());
  }
  return true;
}

base::Error malformed(std::string_view what) {
  return {base::ErrorCode::Malformed, std::string(what)};
}

base::Result<Truth> parse_truth(const Json& object) {
  const auto label = find_kind(object.value("label", std::string()));
  if (!label) return malformed("`label` is not one of the five kinds");

  Truth truth;
  truth.kind = *label;
  if (const auto accept = object.find("accept"); accept != object.end() && accept->is_array()) {
    for (const Json& name : *accept) {
      const auto kind = name.is_string() ? find_kind(name.get<std::string>()) : std::nullopt;
      if (!kind) return malformed("`accept` holds something that is not a kind");
      truth.accept.push_back(*kind);
    }
  }
  if (!accepts(truth, truth.kind)) truth.accept.push_back(truth.kind);
  truth.leak_mb_per_step = find_number<double>(object, "leak_rate_mb_per_step");
  truth.leak_mb_per_s = find_number<double>(object, "leak_rate_mb_per_s");
  truth.leak_start_idx = find_number<std::size_t>(object, "leak_start_idx");
  truth.leak_start_step = find_number<double>(object, "leak_start_step");
  truth.warmup_end_idx = find_number<std::size_t>(object, "warmup_end_idx");
  truth.warmup_end_step = find_number<double>(object, "warmup_end_step");
  truth.plateau_mb = find_number<double>(object, "plateau_mb");
  truth.restarts = find_number<int>(object, "n_restarts").value_or(0);
  return truth;
}

}  // namespace

std::string to_json_line(const Series& series) {
  const Truth& truth = series.truth;
  std::string accept;
  for (const VerdictKind kind : truth.accept) {
    accept += fmt::format("{}\"{}\"", accept.empty() ? "" : ", ", to_string(kind));
  }
  std::string line = fmt::format(
      R"({{"id": "{}", "family": "{}", "label": "{}", "accept": [{}], "leak_rate_mb_per_step": {}, )"
      R"("leak_rate_mb_per_s": {}, "leak_start_step": {}, "leak_start_idx": {}, "warmup_end_step": {}, )"
      R"("warmup_end_idx": {}, "plateau_mb": {}, "n_restarts": {})",
      series.id, series.family, to_string(truth.kind), accept, number_or_null(truth.leak_mb_per_step),
      number_or_null(truth.leak_mb_per_s), number_or_null(truth.leak_start_step),
      number_or_null(truth.leak_start_idx), number_or_null(truth.warmup_end_step),
      number_or_null(truth.warmup_end_idx), number_or_null(truth.plateau_mb), truth.restarts);
  append_numbers(line, "t", series.at_s);
  append_numbers(line, "step", series.step);
  append_numbers(line, "rss_mb", series.rss_mb);
  line += '}';
  return line;
}

base::Result<Series> parse_json_line(std::string_view line) {
  const Json object = Json::parse(line, nullptr, /*allow_exceptions=*/false);
  if (!object.is_object()) return malformed("not a JSON object");
  for (const char* name : {"id", "family", "label"}) {
    if (object.contains(name) && !object[name].is_string()) return malformed("a name is not a string");
  }

  Series series;
  series.id = object.value("id", std::string());
  series.family = object.value("family", std::string());
  auto truth = parse_truth(object);
  if (!truth) return std::move(truth).error();
  series.truth = std::move(truth).value();
  if (!take_numbers(object, "t", series.at_s) || !take_numbers(object, "step", series.step) ||
      !take_numbers(object, "rss_mb", series.rss_mb)) {
    return malformed("`t`, `step` and `rss_mb` must be lists of numbers");
  }
  const std::size_t samples = series.size();
  if (series.step.empty()) series.step.assign(samples, model::kUnknown);
  if (series.at_s.size() != samples || series.step.size() != samples) {
    return malformed("`t`, `step` and `rss_mb` differ in length");
  }
  return series;
}

base::Result<std::vector<Series>> read_corpus(std::istream& in) {
  std::vector<Series> corpus;
  std::string line;
  for (std::size_t number = 1; std::getline(in, line); ++number) {
    if (line.empty()) continue;
    auto series = parse_json_line(line);
    if (!series) return std::move(series).error().within(fmt::format("line {}", number));
    corpus.push_back(std::move(series).value());
  }
  if (corpus.empty()) return malformed("no series in it");
  return corpus;
}

}  // namespace lowtide::bench
