// Judges the recording of a job while it runs, in a thread of its own.
//
// The status line, the screen, /metrics and `lowtide report` must show the same verdict at the same time, so
// all take it from explain. That reads the whole recording, which takes longer the longer the run is. It must
// neither delay a tick nor cost much: it runs in parallel at low priority, and pauses for a multiple of the
// time it took.
#pragma once

#include <cstdint>
#include <future>
#include <optional>
#include <string>

#include "model/judgement.h"
#include "show/answer_words.h"

namespace lowtide::watch {

class RecordingJudge {
 public:
  RecordingJudge(std::string path, std::optional<std::uint64_t> limit_bytes);

  // Starts to judge the current contents of the file, unless it is too early or the last one still runs.
  void begin_if_due(double now_s, double now_unix_s);
  struct Result {
    model::Judgement judgement;
    show::AnswerWords answer;
    bool may_leak = false;  // the process tree or a GPU
  };
  // The new result since the last call, if there is one. None if the file could not be read.
  std::optional<Result> take(double now_s);

  // CPU seconds of the latest judgement.
  [[nodiscard]] double cost_s() const { return cost_s_; }
  // Waits for the one under way; for tests.
  void wait() const;

 private:
  struct Found {
    std::optional<Result> result;
    double cost_s = 0;
  };
  static Found judge(const std::string& path, std::optional<std::uint64_t> limit_bytes, double now_unix_s);

  std::string path_;
  std::optional<std::uint64_t> limit_bytes_;
  std::future<Found> under_way_;
  double began_s_ = 0;
  double next_s_ = 0;
  double cost_s_ = 0;
};

}  // namespace lowtide::watch
