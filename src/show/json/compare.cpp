#include <utility>

#include "show/compare.h"
#include "show/json/values.h"
#include "show/json/watched.h"

namespace lowtide::show {
namespace {

std::string_view unit_of(model::Measure measure) {
  switch (measure) {
    case model::Measure::Bytes:
      return "bytes";
    case model::Measure::BytesPerStep:
      return "bytes per step";
    case model::Measure::BytesPerSecond:
      return "bytes per second";
    case model::Measure::Seconds:
      return "seconds";
  }
  return "bytes";
}

Json values(const std::vector<model::Compared>& all) {
  Json list = Json::array();
  const auto value_of = [](const std::optional<double>& value) {
    return value ? number(*value) : Json(nullptr);
  };
  for (const model::Compared& value : all) {
    list.push_back({{"name", value.name},
                    {"unit", unit_of(value.measure)},
                    {"before", value_of(value.before)},
                    {"after", value_of(value.after)},
                    {"differs", or_null(value.differs)}});
  }
  return list;
}

Json side(const model::Report& report) {
  return {{"path", report.source.path}, {"verdict", to_json(report.verdict)}};
}

}  // namespace

std::string to_json(const model::Comparison& comparison) {
  Json list = Json::array();
  for (const model::ComparedFinding& each : comparison.findings) {
    Json finding = to_json(each.finding);
    finding["fate"] = to_string(each.fate);
    list.push_back(std::move(finding));
  }
  const Json json = {
      {"lowtide", LOWTIDE_VERSION},
      {"schema", 1},
      {"outcome", to_string(comparison.outcome)},
      {"reason", comparison.reason},
      {"aligned_step", comparison.aligned_step ? step_number(*comparison.aligned_step) : Json(nullptr)},
      {"before", side(comparison.before)},
      {"after", side(comparison.after)},
      {"values", values(comparison.values)},
      {"parts", values(comparison.parts)},
      {"findings", std::move(list)}};
  return json.dump(2, ' ', false, kReplaceInvalid) + "\n";
}

}  // namespace lowtide::show
