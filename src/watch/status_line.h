// One line on the terminal while the job runs.
#pragma once

#include <cstddef>
#include <string>

#include "model/judgement.h"
#include "model/tick.h"
#include "show/answer_words.h"
#include "show/terminal/paint.h"

namespace lowtide::watch {

// "lowtide 0:47 step 1160  LEAK, 93% sure  377 MB, +302 kB/step  workers.py:7 -> l.seen"
//
// The words of the verdict are those of the report. At most `columns` wide: what does not fit is cut and ends
// in "...". The step, the forecast and the age of the verdict are there only if there is room for them.
show::Line status_line(const model::Judgement& judgement, const show::AnswerWords& answer,
                       const model::Tick& tick, std::size_t columns);

// Writes to standard error, and only if that is a terminal. If the job writes to the same terminal, a line
// that is drawn over would damage its output. Then a whole line is printed instead, when the verdict changes
// and at growing intervals.
class StatusLine {
 public:
  explicit StatusLine(bool wanted);

  void show(double at_s, const model::Judgement& judgement, const lowtide::show::AnswerWords& answer,
            const model::Tick& tick);
  // Erases the line.
  void clear();

 private:
  bool on_ = false;
  bool shared_ = false;  // the job's output goes to the same terminal
  bool drawn_ = false;
  double next_s_ = 0;
  model::VerdictKind last_kind_ = model::VerdictKind::Inconclusive;
};

}  // namespace lowtide::watch
