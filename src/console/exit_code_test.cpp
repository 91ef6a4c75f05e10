#include "console/exit_code.h"

#include <gtest/gtest.h>

namespace lowtide::console {
namespace {

TEST(ExitCode, unreadable_beats_leak_beats_inconclusive_beats_no_leak) {
  EXPECT_EQ(worse_of(ExitCode::Leak, ExitCode::Unreadable), ExitCode::Unreadable);
  EXPECT_EQ(worse_of(ExitCode::Leak, ExitCode::Inconclusive), ExitCode::Leak);
  EXPECT_EQ(worse_of(ExitCode::NoLeak, ExitCode::Inconclusive), ExitCode::Inconclusive);
  EXPECT_EQ(worse_of(ExitCode::NoLeak, ExitCode::NoLeak), ExitCode::NoLeak);
}

TEST(ExitCode, job_that_ran_out_of_memory_has_failed_whatever_its_series_did) {
  model::Report report;
  for (const auto kind :
       {model::VerdictKind::Stable, model::VerdictKind::Inconclusive, model::VerdictKind::Leak}) {
    report.verdict.kind = kind;
    report.answer.kind = model::AnswerKind::Oom;
    EXPECT_EQ(exit_code_of(report), ExitCode::Leak);
    report.answer.kind = model::AnswerKind::Stable;
    EXPECT_EQ(exit_code_of(report), exit_code_of(kind));
  }
}

}  // namespace
}  // namespace lowtide::console
