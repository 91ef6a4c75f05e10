// From the times that lines carry to seconds since the run's first reading.
#pragma once

#include <cstdint>
#include <optional>

#include "ingest/facts.h"
#include "ingest/warnings.h"

namespace lowtide::ingest {

// One time as a line gave it.
struct Stamp {
  Role role = Role::None;  // Date, YearlessDate, Clock or Seconds; None = no time
  double seconds = 0;
};

class Timeline {
 public:
  explicit Timeline(Warnings& warnings) : warnings_(warnings) {}

  void begin_run() {
    origin_.reset();
    last_ = 0;
    back_ = 0;
  }

  enum class Verdict { Good, Unknown, Back, Restart };
  struct Place {
    Verdict verdict = Verdict::Unknown;
    double at_s = 0;
  };

  // Where a reading lies. `has_step` = steps already order the readings.
  Place place(Stamp stamp, bool has_step, std::uint64_t line);

  // Seconds since 1970 of the first dated reading.
  [[nodiscard]] std::optional<double> started() const { return started_; }

 private:
  Warnings& warnings_;
  std::optional<double> origin_;
  std::optional<double> started_;
  Role kind_ = Role::None;
  double last_ = 0;  // seconds since the origin
  double wrap_ = 0;  // days or years that a clock without them has gone round
  double last_raw_ = 0;
  int back_ = 0;  // readings in a row that lie before the last one
};

}  // namespace lowtide::ingest
