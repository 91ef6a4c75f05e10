#include "watch/entry/entry_ledger.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lowtide::watch {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

const base::Error kBusy{base::ErrorCode::Io, "no thread at a safe place"};
const base::Error kStatic{base::ErrorCode::Unsupported, "static"};

SeenProcess process(std::int64_t pid, std::uint64_t image, double age_s = 100) {
  return {.program = {.pid = pid, .start_ticks = 7, .image = image}, .age_s = age_s, .name = "python job.py"};
}

void see(EntryLedger& ledger, double at_s, std::vector<SeenProcess> processes) {
  static_cast<void>(ledger.note_processes(processes, at_s));
}

TEST(EntryLedgerTest, process_that_ran_before_is_due_at_once_and_only_once) {
  EntryLedger ledger;
  see(ledger, 0, {process(1, 11)});

  EXPECT_THAT(ledger.take_due(0), ElementsAre(process(1, 11).program));
  EXPECT_THAT(ledger.take_due(100), IsEmpty());
}

TEST(EntryLedgerTest, process_is_left_alone_for_its_first_second) {
  EntryLedger ledger;
  see(ledger, 50, {process(1, 11, 0.25)});

  EXPECT_THAT(ledger.take_due(50.7), IsEmpty());
  EXPECT_THAT(ledger.take_due(50.8), ElementsAre(process(1, 11).program));
}

TEST(EntryLedgerTest, program_that_exec_has_started_is_another_one) {
  EntryLedger ledger;
  see(ledger, 0, {process(1, 11)});
  static_cast<void>(ledger.take_due(0));
  ledger.note_entered(process(1, 11).program);
  EXPECT_THAT(ledger.entered(), ElementsAre(1));

  EXPECT_THAT(ledger.note_processes(std::vector{process(1, 12)}, 5), ElementsAre(1));

  EXPECT_THAT(ledger.entered(), IsEmpty());
  EXPECT_THAT(ledger.take_due(5.5), IsEmpty());
  EXPECT_THAT(ledger.take_due(6), ElementsAre(process(1, 12).program));
}

TEST(EntryLedgerTest, outcome_of_a_program_that_is_gone_says_nothing_of_the_next) {
  EntryLedger ledger;
  see(ledger, 0, {process(1, 11)});
  static_cast<void>(ledger.take_due(0));
  see(ledger, 1, {process(1, 12)});

  ledger.note_entered(process(1, 11).program);

  EXPECT_THAT(ledger.entered(), IsEmpty());
}

TEST(EntryLedgerTest, image_that_cannot_be_read_is_no_exec) {
  EntryLedger ledger;
  see(ledger, 0, {process(1, 11)});

  EXPECT_THAT(ledger.note_processes(std::vector{process(1, 0)}, 1), IsEmpty());
}

// Runs into the given error at every attempt, and returns when these were.
std::vector<double> attempts(const base::Error& error) {
  EntryLedger ledger;
  std::vector<double> out;
  for (double at_s = 0; at_s < 10'000; ++at_s) {
    see(ledger, at_s, {process(1, 11)});
    for (const Program& program : ledger.take_due(at_s)) {
      out.push_back(at_s);
      ledger.note_failed(program, error, at_s);
    }
  }
  return out;
}

TEST(EntryLedgerTest, attempts_are_few_and_their_pauses_grow) {
  EXPECT_THAT(attempts(kBusy), ElementsAre(0, 2, 6, 14, 30, 62));
  EXPECT_THAT(attempts(kStatic), ElementsAre(0, 2));
}

TEST(EntryLedgerTest, failure_is_listed_once_and_outlives_its_process) {
  EntryLedger ledger;
  for (const double at_s : {0.0, 2.0}) {
    see(ledger, at_s, {process(1, 11)});
    for (const Program& program : ledger.take_due(at_s)) ledger.note_failed(program, kStatic, at_s);
  }
  see(ledger, 3, {});

  EXPECT_THAT(ledger.not_entered(), ElementsAre("pid 1 (python job.py): static"));
}

TEST(EntryLedgerTest, process_that_is_entered_at_last_is_not_listed) {
  EntryLedger ledger;
  see(ledger, 0, {process(1, 11)});
  ledger.note_failed(ledger.take_due(0).at(0), kBusy, 0);
  EXPECT_EQ(ledger.not_entered().size(), 1U);

  ledger.note_entered(ledger.take_due(2).at(0));

  EXPECT_THAT(ledger.not_entered(), IsEmpty());
}

TEST(EntryLedgerTest, process_that_ends_meanwhile_is_not_listed) {
  EntryLedger ledger;
  see(ledger, 0, {process(1, 11)});
  ledger.note_failed(ledger.take_due(0).at(0), {base::ErrorCode::Gone, "ended"}, 0);
  see(ledger, 1, {});

  EXPECT_THAT(ledger.not_entered(), IsEmpty());
}

TEST(EntryLedgerTest, list_is_bounded_and_the_rest_is_counted) {
  EntryLedger ledger;
  for (std::int64_t pid = 1; pid <= 150; ++pid) {
    see(ledger, 0, {process(pid, 11)});
    ledger.note_failed(ledger.take_due(0).at(0), kStatic, 0);
  }
  see(ledger, 1, {});

  EXPECT_EQ(ledger.not_entered().size(), 100U);
  EXPECT_EQ(ledger.not_listed(), 50U);
}

}  // namespace
}  // namespace lowtide::watch
