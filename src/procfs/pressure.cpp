#include "procfs/pressure.h"

#include <string>
#include <utility>

#include "procfs/scan.h"

namespace lowtide::procfs {
namespace {

// "avg10=0.00 avg60=0.00 avg300=0.00 total=0"
bool take_pressure_fields(std::string_view text, PressureLine& into) {
  bool has_total = false;
  for (std::string_view word = take_word(text); !word.empty(); word = take_word(text)) {
    auto pair = split_key(word, '=');
    if (!pair) {
      return false;
    }
    bool taken = true;
    if (pair->key == "total") {
      has_total = taken = take_number(pair->value, into.total_us);
    } else if (pair->key == "avg10" || pair->key == "avg60") {
      double& percent = pair->key == "avg10" ? into.avg10_percent : into.avg60_percent;
      const char* end = pair->value.data() + pair->value.size();
      taken = std::from_chars(pair->value.data(), end, percent, std::chars_format::fixed).ec == std::errc{} &&
              percent >= 0.0 && percent <= 100.0;
    }
    if (!taken) {
      return false;
    }
  }
  return has_total;
}

}  // namespace

base::Result<Pressure> parse_pressure(std::string_view text) {
  Pressure pressure;
  bool has_some = false;
  while (!text.empty()) {
    std::string_view line = take_line(text);
    const std::string_view which = take_word(line);
    if (which != "some" && which != "full") {
      continue;
    }
    if (!take_pressure_fields(line, which == "some" ? pressure.some : pressure.full)) {
      return base::Error{base::ErrorCode::Malformed, "pressure is not \"some avg10=... total=...\""};
    }
    has_some = has_some || which == "some";
  }
  if (!has_some) {
    return base::Error{base::ErrorCode::Malformed, "pressure has no line \"some\""};
  }
  return pressure;
}

KeptText pressure_file(const Roots& roots) {
  return KeptText(roots.proc + "/pressure/memory");
}

base::Result<std::optional<Pressure>> read_pressure(const Roots& roots) {
  KeptText file = pressure_file(roots);
  return read_pressure(file);
}

base::Result<std::optional<Pressure>> read_pressure(KeptText& file) {
  TextBuffer buffer;
  auto text = file.read(buffer);
  if (!text) {
    const base::ErrorCode code = text.error().code;
    if (code == base::ErrorCode::Gone || code == base::ErrorCode::Unsupported) {
      return std::optional<Pressure>();
    }
    return std::move(text).error();
  }
  auto pressure = parse_pressure(text.value());
  if (!pressure) {
    return std::move(pressure).error();
  }
  return std::optional<Pressure>(pressure.value());
}

}  // namespace lowtide::procfs
