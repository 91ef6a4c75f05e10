// Times as logs write them: ISO, logging's comma, syslog, `date`, a bare clock.
//
// Like all of the analysis, finding a time looks only at where the digits are,
// so the place of a time is known for every line of the same shape.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "ingest/facts.h"

namespace lowtide::ingest {

enum class TimeForm : std::uint8_t {
  YearMonthDay,  // 2026-05-18 16:04:46,338   2024/06/01T11:27:05.177Z   20240601 11:27:05
  MonthDayYear,  // 05/18/2026 16:04:46
  MonthDay,      // 05/10 20:33:26   I0510 20:33:26.123
  NamedMonth,    // May 15 23:09:30   Sun Mar 30 08:24:00 2025   Sun Nov 15 02:16:46 UTC 2026
  Clock,         // 16:04:46.338   02:16:46 PM
};

// Where the parts of a time lie in its line. Zero length = the part is absent.
struct TimeText {
  TimeForm form = TimeForm::Clock;
  std::uint32_t offset = 0;  // of the whole
  std::uint32_t end = 0;
  std::uint32_t date = 0;   // of the year, or of the day for NamedMonth
  std::uint32_t clock = 0;  // of HH:MM:SS
  std::uint32_t fraction = 0;
  std::uint32_t year = 0;  // NamedMonth only
  std::uint32_t zone = 0;  // of the sign of +hh:mm
  std::uint8_t fraction_length = 0;
  std::uint8_t day_length = 0;
  std::uint8_t hour_length = 2;
  std::uint8_t month = 0;            // NamedMonth only
  std::uint8_t date_separators = 1;  // 0 for 20240601
  bool zone_colon = false;
  std::int8_t zone_sign = 0;
  std::int8_t half_day = 0;  // 1 = AM, 2 = PM

  [[nodiscard]] Role role() const;
};

// A time that starts exactly at `at`.
std::optional<TimeText> find_time(std::string_view shape, std::size_t at);

// Seconds as TimeText::role() says.
double read_time(const TimeText& time, const char* line);

// "2026-05-18T16:04:46Z".
std::string to_rfc3339(double seconds_since_1970);

}  // namespace lowtide::ingest
