#include "ingest/runs/timeline.h"

#include <cmath>

namespace lowtide::ingest {
namespace {

constexpr double kDay = 86400.0;
constexpr double kYear = 366.0 * kDay;
// Several writers in one file are this much out of order without anything being wrong.
constexpr double kJitterSeconds = 2.0;
// So many readings in a row from the past mean that the clock was set back.
constexpr int kClockWasSet = 16;

}  // namespace

Timeline::Place Timeline::place(Stamp stamp, bool has_step, std::uint64_t line) {
  if (stamp.role == Role::None || !std::isfinite(stamp.seconds)) return {};
  Role kind = stamp.role;
  double raw = stamp.seconds;
  if (kind == Role::Seconds) {
    // A number in a time column: since 1970 in s, ms, us or ns, or since the start.
    if (raw >= 1e17) {
      raw *= 1e-9;
    } else if (raw >= 1e14) {
      raw *= 1e-6;
    } else if (raw >= 1e11) {
      raw *= 1e-3;
    }
    if (raw >= 3e8) kind = Role::Date;  // 1979 and later; nobody trains for nine years
  }
  if (origin_ && kind != kind_) {
    // Another kind of clock in the same run (a `date` among elapsed seconds) cannot be compared.
    return {};
  }
  if (!origin_) {
    kind_ = kind;
    wrap_ = 0;
    last_raw_ = raw;
    origin_ = raw;
    last_ = 0;
    back_ = 0;
    if (kind == Role::Date && !started_) started_ = raw;
    return {Verdict::Good, 0};
  }
  if (kind == Role::Clock && raw + wrap_ < last_raw_ - kDay / 2) wrap_ += kDay;
  if (kind == Role::YearlessDate && raw + wrap_ < last_raw_ - kYear / 2) wrap_ += kYear;
  raw += wrap_;
  double at = raw - *origin_;
  if (at >= last_) {
    back_ = 0;
    last_ = at;
    last_raw_ = raw;
    return {Verdict::Good, at};
  }
  if (last_ - at <= kJitterSeconds && kind != Role::Seconds) return {Verdict::Good, last_};
  // Elapsed seconds that begin again: another recording follows in the same file.
  if (kind == Role::Seconds && !has_step && raw < 0.5 * last_raw_) return {Verdict::Restart, 0};
  if (++back_ > kClockWasSet) {
    warnings_.add("the clock was set back: later times were shifted to continue", line);
    *origin_ += at - last_;
    last_raw_ = raw;
    back_ = 0;
    return {Verdict::Good, last_};
  }
  warnings_.add(has_step ? "time goes backwards: the time of these readings was ignored"
                         : "time goes backwards: these readings were ignored",
                line);
  return {Verdict::Back, 0};
}

}  // namespace lowtide::ingest
