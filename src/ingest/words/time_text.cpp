#include "ingest/words/time_text.h"

#include <fmt/format.h>

#include <chrono>
#include <cmath>

#include "ingest/words/number.h"

namespace lowtide::ingest {
namespace {

// True when `text` has the pattern at `at`: '0' stands for any digit.
bool has_pattern(std::string_view text, std::size_t at, std::string_view pattern) {
  if (at > text.size() || text.size() - at < pattern.size()) return false;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    const char c = text[at + i];
    if (pattern[i] == '0' ? !is_digit(c) : c != pattern[i]) return false;
  }
  return true;
}

bool digit_at(std::string_view text, std::size_t at) {
  return at < text.size() && is_digit(text[at]);
}

constexpr std::array<std::string_view, 12> kMonths = {"jan", "feb", "mar", "apr", "may", "jun",
                                                      "jul", "aug", "sep", "oct", "nov", "dec"};
constexpr std::array<std::string_view, 7> kDays = {"mon", "tue", "wed", "thu", "fri", "sat", "sun"};

template <std::size_t N>
std::size_t find_name(const std::array<std::string_view, N>& names, std::string_view text, std::size_t at) {
  if (at > text.size() || text.size() - at < 4 || text[at + 3] != ' ') return N;
  for (std::size_t i = 0; i < N; ++i) {
    if (to_lower(text[at]) == names[i][0] && to_lower(text[at + 1]) == names[i][1] &&
        to_lower(text[at + 2]) == names[i][2]) {
      return i;
    }
  }
  return N;
}

// HH:MM:SS[.fff][ AM] and a zone; false when there is none at `at`.
bool take_clock(std::string_view shape, std::size_t at, TimeText& time) {
  std::size_t end = 0;
  if (has_pattern(shape, at, "00:00:00")) {
    time.hour_length = 2;
    end = at + 8;
  } else if (has_pattern(shape, at, "0:00:00") && !(at > 0 && digit_at(shape, at - 1))) {
    time.hour_length = 1;
    end = at + 7;
  } else {
    return false;
  }
  if (digit_at(shape, end) || (end < shape.size() && shape[end] == ':')) return false;
  time.clock = static_cast<std::uint32_t>(at);
  if (end < shape.size() && (shape[end] == '.' || shape[end] == ',') && digit_at(shape, end + 1)) {
    time.fraction = static_cast<std::uint32_t>(end + 1);
    std::size_t length = 0;
    while (digit_at(shape, end + 1 + length)) ++length;
    // A comma and one or two digits is a list ("16:04:46,12 steps"), not a fraction.
    if (shape[end] == '.' || (length >= 3 && length <= 9)) {
      time.fraction_length = static_cast<std::uint8_t>(std::min<std::size_t>(length, 9));
      end += 1 + length;
    }
  }
  if (has_pattern(shape, end, " AM") || has_pattern(shape, end, " PM")) {
    time.half_day = shape[end + 1] == 'A' ? 1 : 2;
    end += 3;
  }
  if (end < shape.size() && shape[end] == 'Z') {
    end += 1;
  } else if (end < shape.size() && (shape[end] == '+' || shape[end] == '-')) {
    const bool colon = has_pattern(shape, end + 1, "00:00");
    if (colon || (has_pattern(shape, end + 1, "0000") && !digit_at(shape, end + 5))) {
      time.zone = static_cast<std::uint32_t>(end);
      time.zone_sign = shape[end] == '+' ? 1 : -1;
      time.zone_colon = colon;
      end += colon ? 6 : 5;
    }
  }
  time.end = static_cast<std::uint32_t>(end);
  return true;
}

std::optional<TimeText> find_named_month(std::string_view shape, std::size_t at) {
  TimeText time;
  time.form = TimeForm::NamedMonth;
  time.offset = static_cast<std::uint32_t>(at);
  if (find_name(kDays, shape, at) < kDays.size()) at = skip_blanks(shape, at + 4);
  const std::size_t month = find_name(kMonths, shape, at);
  if (month == kMonths.size()) return std::nullopt;
  time.month = static_cast<std::uint8_t>(month + 1);
  at = skip_blanks(shape, at + 4);
  std::size_t days = 0;
  while (digit_at(shape, at + days)) ++days;
  if (days == 0 || days > 2) return std::nullopt;
  time.date = static_cast<std::uint32_t>(at);
  time.day_length = static_cast<std::uint8_t>(days);
  at = skip_blanks(shape, at + days);
  if (!take_clock(shape, at, time)) return std::nullopt;
  // `date` puts a zone's name between the clock and the year.
  std::size_t next = time.end;
  if (next < shape.size() && shape[next] == ' ') {
    std::size_t word = next + 1;
    while (word < shape.size() && shape[word] >= 'A' && shape[word] <= 'Z') ++word;
    if (word > next + 1 && word - next <= 6) next = word;
    if (has_pattern(shape, next, " 0000") && !digit_at(shape, next + 5)) {
      time.year = static_cast<std::uint32_t>(next + 1);
      time.end = static_cast<std::uint32_t>(next + 5);
    }
  }
  return time;
}

double seconds_of_date(int year, int month, int day) {
  const std::chrono::year_month_day date{std::chrono::year(year),
                                         std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day))};
  if (!date.ok()) return std::nan("");
  return 86400.0 * static_cast<double>(std::chrono::sys_days(date).time_since_epoch().count());
}

double fraction_of(const TimeText& time, const char* line) {
  return read_number({line + time.fraction, time.fraction_length}, NumberForm::Digits) /
         kPowersOfTen[time.fraction_length];
}

double read_clock(const TimeText& time, const char* line) {
  const char* clock = line + time.clock;
  int hour = read_small(clock, time.hour_length);
  clock += time.hour_length + 1;
  if (time.half_day != 0) hour = hour % 12 + (time.half_day == 2 ? 12 : 0);
  const int seconds = hour * 3600 + read_small(clock, 2) * 60 + read_small(clock + 3, 2);
  auto value = static_cast<double>(seconds);
  if (time.fraction_length > 0) value += fraction_of(time, line);
  if (time.zone_sign != 0) {
    const char* zone = line + time.zone + 1;
    const int minutes = read_small(zone, 2) * 60 + read_small(zone + (time.zone_colon ? 3 : 2), 2);
    value -= time.zone_sign * 60.0 * minutes;
  }
  return value;
}

}  // namespace

Role TimeText::role() const {
  switch (form) {
    case TimeForm::YearMonthDay:
    case TimeForm::MonthDayYear:
      return Role::Date;
    case TimeForm::NamedMonth:
      return year != 0 ? Role::Date : Role::YearlessDate;
    case TimeForm::MonthDay:
      return Role::YearlessDate;
    case TimeForm::Clock:
      return Role::Clock;
  }
  return Role::Clock;
}

std::optional<TimeText> find_time(std::string_view shape, std::size_t at) {
  if (at >= shape.size()) return std::nullopt;
  TimeText time;
  time.offset = static_cast<std::uint32_t>(at);
  time.date = time.offset;
  const auto with_clock = [&](TimeForm form, std::size_t clock_at) -> std::optional<TimeText> {
    time.form = form;
    if (clock_at >= shape.size()) return std::nullopt;
    const char gap = shape[clock_at];
    if (gap != ' ' && gap != 'T' && gap != '_' && gap != '-') return std::nullopt;
    std::size_t clock = clock_at + 1;
    if (gap == ' ') clock = skip_blanks(shape, clock);
    if (!take_clock(shape, clock, time)) return std::nullopt;
    return time;
  };
  if (has_pattern(shape, at, "0000-00-00") || has_pattern(shape, at, "0000/00/00")) {
    return with_clock(TimeForm::YearMonthDay, at + 10);
  }
  if (has_pattern(shape, at, "00000000") && !digit_at(shape, at + 8)) {
    time.date_separators = 0;
    return with_clock(TimeForm::YearMonthDay, at + 8);
  }
  if (has_pattern(shape, at, "00/00/0000")) return with_clock(TimeForm::MonthDayYear, at + 10);
  if (has_pattern(shape, at, "00/00 ") || has_pattern(shape, at, "00-00 ")) {
    return with_clock(TimeForm::MonthDay, at + 5);
  }
  const bool glog = shape[at] == 'I' || shape[at] == 'W' || shape[at] == 'E';
  if (glog && has_pattern(shape, at + 1, "0000 00:00:00")) {
    time.date_separators = 0;
    time.date = static_cast<std::uint32_t>(at + 1);
    return with_clock(TimeForm::MonthDay, at + 5);
  }
  if (is_digit(shape[at])) {
    time.form = TimeForm::Clock;
    if (take_clock(shape, at, time)) return time;
    return std::nullopt;
  }
  if (is_letter(shape[at])) return find_named_month(shape, at);
  return std::nullopt;
}

double read_time(const TimeText& time, const char* line) {
  const double clock = read_clock(time, line);
  const char* date = line + time.date;
  const std::size_t gap = time.date_separators;
  switch (time.form) {
    case TimeForm::YearMonthDay:
      return seconds_of_date(read_small(date, 4), read_small(date + 4 + gap, 2),
                             read_small(date + 6 + 2 * gap, 2)) +
             clock;
    case TimeForm::MonthDayYear:
      return seconds_of_date(read_small(date + 6, 4), read_small(date, 2), read_small(date + 3, 2)) + clock;
    case TimeForm::MonthDay:
      // A leap year, so that the 29th of February is a day.
      return seconds_of_date(1972, read_small(date, 2), read_small(date + 2 + gap, 2)) + clock;
    case TimeForm::NamedMonth: {
      const int year = time.year != 0 ? read_small(line + time.year, 4) : 1972;
      return seconds_of_date(year, time.month, read_small(date, time.day_length)) + clock;
    }
    case TimeForm::Clock:
      return clock;
  }
  return clock;
}

std::string to_rfc3339(double seconds_since_1970) {
  using std::chrono::seconds;
  const std::chrono::sys_seconds at{seconds(static_cast<std::int64_t>(std::floor(seconds_since_1970)))};
  const auto day = std::chrono::floor<std::chrono::days>(at);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss clock(at - day);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                     clock.hours().count(), clock.minutes().count(), clock.seconds().count());
}

}  // namespace lowtide::ingest
