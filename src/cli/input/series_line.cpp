#include "cli/input/series_line.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/text.h"

namespace lowtide::cli {
namespace {

using Json = nlohmann::json;

base::Error malformed(std::string message) {
  return {base::ErrorCode::Malformed, std::move(message)};
}

// Receives the line piece by piece, so that a series of ten million readings becomes three lists of doubles
// instead of a tree of JSON values.
class Receiver : public nlohmann::json_sax<Json> {
 public:
  std::string id_json = "null";
  std::optional<std::vector<double>> at_s;
  std::optional<std::vector<double>> steps;
  std::optional<std::vector<double>> megabytes;
  std::string problem;

  bool null() override { return into_ != nullptr ? push(model::kUnknown) : single(model::kUnknown, "null"); }
  bool boolean(bool value) override { return other(value ? "true" : "false"); }
  bool number_integer(number_integer_t value) override {
    const auto number = static_cast<double>(value);
    return into_ != nullptr ? push(number) : single(number, std::to_string(value));
  }
  bool number_unsigned(number_unsigned_t value) override {
    const auto number = static_cast<double>(value);
    return into_ != nullptr ? push(number) : single(number, std::to_string(value));
  }
  bool number_float(number_float_t value, const string_t& text) override {
    return into_ != nullptr ? push(value) : single(value, text);
  }
  bool string(string_t& value) override {
    if (depth_ == 1 && key_ == "id") {
      id_json = base::escape_invisible(Json(value).dump(-1, ' ', false, Json::error_handler_t::replace));
      return true;
    }
    return other("a string");
  }
  bool binary(binary_t& /*value*/) override { return other("bytes"); }

  bool start_object(std::size_t /*elements*/) override {
    if (depth_ == 0) return enter();
    if (into_ != nullptr || is_ours(key_)) return fail("an object");
    return enter();
  }
  bool key(string_t& name) override {
    if (depth_ == 1) key_ = name;
    return true;
  }
  bool end_object() override {
    --depth_;
    return true;
  }
  bool start_array(std::size_t /*elements*/) override {
    if (depth_ == 0) {
      problem = "it is a list, not an object";
      return false;
    }
    if (into_ != nullptr || (depth_ == 1 && key_ == "id")) return fail("a list");
    if (depth_ == 1) into_ = list_named(key_);
    if (into_ != nullptr) into_->clear();  // if a key comes twice, the last one counts, as in Python
    return enter();
  }
  bool end_array() override {
    --depth_;
    if (depth_ == 1) into_ = nullptr;
    return true;
  }
  bool parse_error(std::size_t position, const std::string& /*token*/,
                   const Json::exception& /*error*/) override {
    problem = fmt::format("it is not JSON at byte {}", position);
    return false;
  }

 private:
  static constexpr int kDeepest = 64;

  static bool is_ours(const std::string& name) {
    return name == "id" || name == "t" || name == "step" || name == "rss_mb";
  }

  std::vector<double>* list_named(const std::string& name) {
    std::optional<std::vector<double>>* list = name == "t"        ? &at_s
                                               : name == "step"   ? &steps
                                               : name == "rss_mb" ? &megabytes
                                                                  : nullptr;
    if (list == nullptr) return nullptr;
    if (!*list) list->emplace();
    return &**list;
  }

  bool enter() {
    if (++depth_ <= kDeepest) return true;
    problem = "it is nested too deeply";
    return false;
  }

  bool push(double value) {
    into_->push_back(value);
    return true;
  }

  // A number outside the lists.
  bool single(double value, const std::string& as_written) {
    if (depth_ == 0) return fail("no object");
    if (depth_ == 1 && key_ == "id") {
      id_json = as_written;
      return true;
    }
    if (depth_ == 1 && key_ == "step" && std::isnan(value)) return true;  // "step": null means no steps
    return depth_ == 1 && is_ours(key_) ? fail("not a list") : true;
  }

  bool other(std::string_view what) {
    if (depth_ == 0) return fail("no object");
    if (into_ != nullptr) {
      problem = fmt::format("\"{}\" contains {}, not a number", base::printable(key_, 20), what);
      return false;
    }
    return depth_ == 1 && is_ours(key_) ? fail(what) : true;
  }

  bool fail(std::string_view what) {
    problem =
        depth_ == 0 ? "it is not an object" : fmt::format("\"{}\" is {}", base::printable(key_, 20), what);
    return false;
  }

  int depth_ = 0;
  std::string key_;
  std::vector<double>* into_ = nullptr;
};

// Replaces NaN, Infinity and -Infinity by null, except inside strings.
std::string with_null_for_nan(std::string_view line) {
  std::string out;
  bool in_text = false;
  while (!line.empty()) {
    if (in_text && line.front() == '\\' && line.size() > 1) {
      out += line.substr(0, 2);
      line.remove_prefix(2);
      continue;
    }
    if (line.front() == '"') in_text = !in_text;
    std::size_t length = 0;
    if (!in_text) {
      for (const std::string_view word : {"NaN", "-Infinity", "Infinity", "-NaN", "nan", "-inf", "inf"}) {
        if (line.substr(0, word.size()) == word) {
          length = word.size();
          break;
        }
      }
    }
    out += length > 0 ? std::string_view("null") : line.substr(0, 1);
    line.remove_prefix(length > 0 ? length : 1);
  }
  return out;
}

bool receive(std::string_view line, Receiver& receiver) {
  return Json::sax_parse(line.begin(), line.end(), &receiver);
}

}  // namespace

base::Result<SeriesLine> parse_series_line(std::string_view line) {
  Receiver first;
  bool read = receive(line, first);
  Receiver second;
  Receiver* receiver = &first;
  if (!read && (line.find("aN") != std::string_view::npos || line.find("nf") != std::string_view::npos ||
                line.find("nan") != std::string_view::npos)) {
    const std::string mended = with_null_for_nan(line);
    read = receive(mended, second);
    receiver = &second;
  }
  if (!read) return malformed(receiver->problem.empty() ? "it is not JSON" : receiver->problem);

  if (!receiver->at_s) return malformed("it has no \"t\"");
  if (!receiver->megabytes) return malformed("it has no \"rss_mb\"");
  const std::vector<double>& at_s = *receiver->at_s;
  const std::vector<double>& megabytes = *receiver->megabytes;
  if (at_s.size() != megabytes.size()) {
    return malformed(fmt::format(R"("t" has {} values and "rss_mb" has {})", at_s.size(), megabytes.size()));
  }
  if (receiver->steps && receiver->steps->size() != megabytes.size()) {
    return malformed(fmt::format(R"("step" has {} values and "rss_mb" has {})", receiver->steps->size(),
                                 megabytes.size()));
  }

  constexpr double kMostMegabytes = 9e12;  // the most that fits into 64 bits of bytes
  SeriesLine series;
  series.id_json = receiver->id_json;
  series.samples.reserve(megabytes.size());
  double begin_s = model::kUnknown;
  for (std::size_t at = 0; at < megabytes.size(); ++at) {
    const double value = megabytes[at];
    if (!(value >= 0 && value < kMostMegabytes)) {
      ++series.ignored;
      continue;
    }
    if (std::isnan(begin_s)) begin_s = at_s[at];
    const double step = receiver->steps ? (*receiver->steps)[at] : model::kUnknown;
    series.samples.push_back(
        {at_s[at] - begin_s, step, static_cast<std::uint64_t>(std::llround(value * 1e6))});
  }
  if (series.samples.empty() && series.ignored > 0) {
    return malformed("none of its readings is a valid size");
  }
  return series;
}

}  // namespace lowtide::cli
