#include "watch/recording_judge.h"

#include <pthread.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <new>
#include <system_error>
#include <utility>

#include "explain/report.h"
#include "observe/cpu_time.h"
#include "record/reader.h"
#include "show/words.h"
#include "watch/setup.h"

namespace lowtide::watch {
namespace {

constexpr double kShortestPauseS = 2;
// The pause is this many times what the judgement took: 1% of one core in the first minute, then 0.25%.
constexpr double kFirstFactor = 100;
constexpr double kSteadyFactor = 400;
constexpr double kFirstS = 60;
constexpr double kNoThreadPauseS = 60;
constexpr int kLowPriority = 10;

// Signals go to the thread that watches: a thread that starts while this object exists receives none.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked(SignalsBlocked&&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(SignalsBlocked&&) = delete;
  ~SignalsBlocked() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_{};
};

}  // namespace

RecordingJudge::RecordingJudge(std::string path, std::optional<std::uint64_t> limit_bytes)
    : path_(std::move(path)), limit_bytes_(limit_bytes) {}

RecordingJudge::Found RecordingJudge::judge(const std::string& path, std::optional<std::uint64_t> limit_bytes,
                                            double now_unix_s) {
  ::setpriority(PRIO_PROCESS, 0, kLowPriority);  // on Linux: of this thread
  Found out;
  try {
    if (auto recording = record::Recording::open(path)) {
      const model::Report report = explain::make_report(recording.value(), {path, limit_bytes, now_unix_s});
      out.result = {.judgement = {.at_s = report.source.duration_s.value_or(0),
                                  .verdict = report.verdict,
                                  .forecast = report.forecast},
                    .answer = show::answer_words(report),
                    .may_leak = model::may_leak(report.verdict) || show::find_second(report) != nullptr};
    }
  } catch (const std::bad_alloc&) {  // lowtide keeps watching without it
  }
  give_memory_back();
  out.cost_s = observe::thread_cpu_seconds();
  return out;
}

void RecordingJudge::begin_if_due(double now_s, double now_unix_s) {
  if (under_way_.valid() || now_s < next_s_) return;
  began_s_ = now_s;
  const SignalsBlocked blocked;
  try {
    under_way_ = std::async(std::launch::async, &RecordingJudge::judge, path_, limit_bytes_, now_unix_s);
  } catch (const std::system_error&) {  // no thread could be started
    next_s_ = now_s + kNoThreadPauseS;
  }
}

std::optional<RecordingJudge::Result> RecordingJudge::take(double now_s) {
  if (!under_way_.valid() || under_way_.wait_for(std::chrono::seconds(0)) != std::future_status::ready) {
    return std::nullopt;
  }
  Found found = under_way_.get();
  cost_s_ = found.cost_s;
  const double factor = now_s < kFirstS ? kFirstFactor : kSteadyFactor;
  next_s_ = std::max(began_s_ + kShortestPauseS, now_s + factor * cost_s_);
  return std::move(found.result);
}

void RecordingJudge::wait() const {
  if (under_way_.valid()) under_way_.wait();
}

}  // namespace lowtide::watch
