// How often PSS may be read.
//
// smaps_rollup walks the page tables under the target's mmap_lock: 3 ms per GiB
// of 4K pages, in which no thread of the job can map memory or fault a page in.
// Two rules, of which the stricter counts: what all readings cost stays below a
// small share of one core (a credit that fills slowly), and one process is not
// read again before 200 times what its last reading took. Whether a reading is
// worth it at all is for the caller to know.
#pragma once

#include <algorithm>
#include <optional>

namespace lowtide::observe {

class PssBudget {
 public:
  // Of one core. A run that has just begun may cost more: that is when most is
  // learnt, and most runs that are watched for a leak are short.
  static constexpr double kShare = 0.004;
  static constexpr double kFirstCreditS = 1.0;
  static constexpr double kQuietFactor = 200.0;

  // Whether a sweep may begin at `now_s`, seconds on any clock that goes on.
  [[nodiscard]] bool allows(double now_s) const {
    if (!last_end_s_) return true;
    return now_s >= *last_end_s_ + kQuietFactor * longest_s_ && credit_at(now_s) >= last_cost_s_;
  }

  // A sweep took `cost_s` in all, and the dearest process `longest_s` of it.
  void spend(double now_s, double cost_s, double longest_s) {
    credit_s_ = credit_at(now_s) - cost_s;
    last_end_s_ = now_s;
    last_cost_s_ = cost_s;
    longest_s_ = longest_s;
    spent_s_ += cost_s;
    most_s_ = std::max(most_s_, longest_s);
  }

  [[nodiscard]] double spent_s() const { return spent_s_; }
  [[nodiscard]] double longest_s() const { return most_s_; }  // that one process was read for at a time

 private:
  [[nodiscard]] double credit_at(double now_s) const {
    const double filled = credit_s_ + (last_end_s_ ? (now_s - *last_end_s_) * kShare : 0.0);
    return std::min(filled, std::max(kFirstCreditS, last_cost_s_));
  }

  std::optional<double> last_end_s_;
  double credit_s_ = kFirstCreditS;
  double last_cost_s_ = 0;
  double longest_s_ = 0;
  double spent_s_ = 0;
  double most_s_ = 0;
};

}  // namespace lowtide::observe
