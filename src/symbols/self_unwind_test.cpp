// This very process: its registers and stack at known calls, unwound and named.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <span>
#include <thread>

#include "symbols/address_space.h"
#include "symbols/symbolizer.h"
#include "symbols/test_calls.h"
#include "symbols/unwinder.h"

namespace lowtide::symbols {
namespace {

using ::testing::Contains;
using ::testing::StartsWith;

class SelfUnwind : public ::testing::Test {
 protected:
  SelfUnwind() : space_(store_, {.pid = static_cast<std::int32_t>(::getpid())}) {
    EXPECT_TRUE(space_.refresh());
  }

  // Function names from the inside out.
  std::vector<std::string> names_of(const Capture& capture) {
    Unwinder unwinder(space_);
    std::vector<std::uint64_t> addresses;
    end_ = unwinder.unwind(capture.registers, capture.stack, addresses);
    std::vector<std::string> names;
    names.reserve(addresses.size());
    for (const std::uint64_t address : addresses) {
      names.push_back(symbolizer_.symbolize(space_, address).back().function);
    }
    return names;
  }

  ImageStore store_;
  AddressSpace space_;
  Symbolizer symbolizer_;
  StackEnd end_ = StackEnd::NoRule;
  Capture capture_;
};

constexpr const char* kCapture = "lowtide::symbols::capture_here";

TEST_F(SelfUnwind, known_calls_are_found_in_their_order) {
  calls_outer(&capture_);

  const auto names = names_of(capture_);

  ASSERT_GE(names.size(), 4U);
  EXPECT_THAT(names[0], StartsWith(kCapture));
  EXPECT_EQ(names[1], "calls_inner");
  EXPECT_EQ(names[2], "calls_middle");
  EXPECT_EQ(names[3], "calls_outer");
  EXPECT_THAT(names, Contains(StartsWith("main")));
  EXPECT_EQ(end_, StackEnd::Outermost) << to_word(end_);
}

TEST_F(SelfUnwind, callback_is_unwound_through_the_c_library) {
  calls_through_qsort(&capture_);

  const auto names = names_of(capture_);

  ASSERT_GE(names.size(), 4U);
  EXPECT_EQ(names[1], "calls_compare");
  EXPECT_THAT(names, Contains("calls_through_qsort"));
  EXPECT_THAT(names, Contains(StartsWith("main")));
}

TEST_F(SelfUnwind, signal_frame_is_crossed) {
  calls_into_signal(&capture_);

  const auto names = names_of(capture_);

  ASSERT_GE(names.size(), 4U);
  EXPECT_EQ(names[1], "calls_handler");
  EXPECT_THAT(names, Contains("calls_into_signal"));
  EXPECT_THAT(names, Contains(StartsWith("main")));
}

TEST_F(SelfUnwind, frame_that_is_kept_by_another_register_is_crossed) {
  calls_realigned(&capture_);

  const auto names = names_of(capture_);

  ASSERT_GE(names.size(), 4U);
  EXPECT_EQ(names[1], "calls_inner");
  EXPECT_EQ(names[2], "calls_realigned");
  EXPECT_THAT(names, Contains(StartsWith("main")));
}

TEST_F(SelfUnwind, stack_of_a_thread_ends_whole) {
  std::thread([this] { calls_deep(&capture_, 40); }).join();

  const auto names = names_of(capture_);

  EXPECT_EQ(std::count(names.begin(), names.end(), "calls_deep"), 40);
  EXPECT_EQ(end_, StackEnd::Outermost) << to_word(end_);
}

TEST_F(SelfUnwind, copy_that_is_too_short_gives_the_frames_it_holds) {
  calls_deep(&capture_, 40);
  Unwinder unwinder(space_);
  std::vector<std::uint64_t> whole;
  ASSERT_EQ(unwinder.unwind(capture_.registers, capture_.stack, whole), StackEnd::Outermost);

  for (std::size_t length = 0; length < capture_.stack.size(); length += 40) {
    std::vector<std::uint64_t> part;
    const StackEnd end = unwinder.unwind(capture_.registers, std::span(capture_.stack).first(length), part);

    ASSERT_LE(part.size(), whole.size());
    EXPECT_TRUE(std::equal(part.begin(), part.end(), whole.begin())) << length;
    EXPECT_EQ(end, part.size() < whole.size() ? StackEnd::CopyEnded : StackEnd::Outermost) << length;
  }
}

}  // namespace
}  // namespace lowtide::symbols
