// One quiet line on the terminal while the job runs.
#pragma once

#include <string>

#include "model/judgement.h"
#include "model/tick.h"

namespace lowtide::watch {

// "lowtide: inconclusive, leaning leak | floor 5.12 GB | +5.80 MB/step | limit 32.0 GB in 2.1 h"
std::string status_words(const model::Judgement& judgement, const model::Tick& tick);

// Writes to standard error, and only when that is a terminal. When the job
// writes to the same terminal, a line that is drawn over would tear its output:
// then a whole line is printed, when the verdict changes and ever more rarely.
class StatusLine {
 public:
  explicit StatusLine(bool wanted);

  void show(double at_s, const model::Judgement& judgement, const model::Tick& tick);
  // Takes the line away again.
  void clear();

 private:
  bool on_ = false;
  bool shared_ = false;  // the job's output goes to the same terminal
  bool drawn_ = false;
  double next_s_ = 0;
  model::VerdictKind said_ = model::VerdictKind::Inconclusive;
};

}  // namespace lowtide::watch
