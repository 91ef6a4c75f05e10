// The training step, from what a job prints while it runs.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "ingest/facts.h"
#include "ingest/runs/progress.h"
#include "ingest/scan/line_parser.h"

namespace lowtide::ingest {

// Reads lines as they are written, in pieces of any size, and remembers the
// latest step only. A counter that falls back without a new epoch is a loop
// within the step (validation) until it has done so many times in a row.
class StepFollower {
 public:
  void feed(std::string_view bytes);

  [[nodiscard]] std::optional<double> step() const { return step_; }

 private:
  void take(const FactHeader& header);
  void advance(Progress progress);

  std::unique_ptr<Registry> registry_ = std::make_unique<Registry>();
  LineParser parser_{*registry_};
  Facts facts_;
  std::string pending_;  // the beginning of a line
  Progress carried_;
  bool named_step_seen_ = false;  // a step that is called one; bars no longer count
  StepCounter counter_;
  std::size_t falls_ = 0;
  std::optional<double> step_;
};

}  // namespace lowtide::ingest
