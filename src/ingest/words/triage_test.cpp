#include "ingest/words/triage.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

namespace lowtide::ingest {
namespace {

TEST(a_line, that_holds_no_word_of_memory_passes_by_wherever_it_is_cut) {
  const std::string line = "INFO loading shard from the bucket after a third retry of the synced config 123";

  for (std::size_t length = 41; length <= line.size(); ++length) {
    EXPECT_EQ(triage(line.substr(0, length)), Triage::Nothing) << line.substr(0, length);
  }
}

TEST(a_word_that_matters, is_found_at_every_place_of_a_line) {
  for (std::size_t before = 0; before < 80; ++before) {
    const std::string left(before, '.');
    const std::string right(80 - before, '.');
    EXPECT_EQ(triage(fmt::format("{}{}{}", left, " RSS 12 ", right)), Triage::Matters) << before;
    EXPECT_EQ(triage(left + " 12MB"), before > 35 ? Triage::Matters : triage(left + " 12MB")) << before;
    EXPECT_EQ(triage(fmt::format("{}{}{}", left, " step 12 ", right)), Triage::Progress) << before;
    EXPECT_EQ(triage(fmt::format("{}{}{}", left, " Killed ", right)), Triage::MayBeEvent) << before;
    EXPECT_EQ(triage(fmt::format("{}{}{}", left, " terminated with code ", right)), Triage::MayBeEvent)
        << before;
  }
}

}  // namespace
}  // namespace lowtide::ingest
