// Steps: counters that start again every epoch, bars, and real restarts.
#pragma once

#include <cstdint>
#include <limits>

#include "model/sample.h"

namespace lowtide::ingest {

// What a line told of the trainer's progress.
struct Progress {
  double step = model::kUnknown;
  double total = model::kUnknown;  // "/663"
  double epoch = model::kUnknown;
  bool bar = false;
};

// Turns what is printed into a step that only grows within a run.
//
// A counter that falls is one of three things. With the epoch gone up (or the
// bar having been full) it counts within the epoch: the epochs before are added,
// their length from the printed total or from the data. Otherwise it is a
// restart or a line out of order, and only the next line can tell: see
// RunSplitter in assembler.h.
class StepCounter {
 public:
  void begin_run() { *this = StepCounter{}; }

  // True when the step falls and no epoch explains it.
  [[nodiscard]] bool falls(const Progress& progress) const;

  // The step since the start of the run; remembers it.
  double advance(const Progress& progress);

  // The same without remembering: for a line out of order.
  [[nodiscard]] double place(const Progress& progress) const { return offset_ + progress.step; }

  [[nodiscard]] double last_step() const { return last_.step; }
  [[nodiscard]] double first_step() const { return first_; }

 private:
  [[nodiscard]] bool is_next_epoch(const Progress& progress) const;

  bool known_ = false;
  Progress last_;
  double offset_ = 0;
  double first_ = 0;  // of the run
  double first_in_epoch_ = 0;
  double stride_ = 1;  // between the last two steps
};

}  // namespace lowtide::ingest
