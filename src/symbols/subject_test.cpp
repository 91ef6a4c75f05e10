// Programs that captured themselves: moved, static, and of the other architecture.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <charconv>
#include <cstdio>
#include <memory>
#include <string>

#include "symbols/address_space.h"
#include "symbols/symbolizer.h"
#include "symbols/test_capture.h"
#include "symbols/test_files.h"
#include "symbols/unwinder.h"

namespace lowtide::symbols {
namespace {

using ::testing::Contains;
using ::testing::StartsWith;

struct Close {
  void operator()(std::FILE* pipe) const { ::pclose(pipe); }
};

std::string run(const std::string& command) {
  const std::unique_ptr<std::FILE, Close> pipe(::popen(command.c_str(), "r"));
  std::string text;
  std::array<char, 4096> piece{};
  for (std::size_t got = 0; (got = std::fread(piece.data(), 1, piece.size(), pipe.get())) > 0;) {
    text.append(piece.data(), got);
  }
  return text;
}

std::uint64_t take_hex(std::string_view& text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return value;
}

std::string_view take_line(std::string_view& text, std::size_t skip_bytes) {
  const std::size_t end = text.find('\n');
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return line.substr(std::min(skip_bytes, line.size()));
}

struct Subject {
  Capture capture;
  std::string maps;
};

// The text that test_subject.cpp prints.
Subject parse_subject(Arch arch, std::string_view text) {
  Subject subject;
  std::string_view pc = take_line(text, 3);
  subject.capture.registers.arch = arch;
  subject.capture.registers.pc = take_hex(pc);
  std::string_view registers = take_line(text, 9);
  while (!registers.empty()) {
    registers.remove_prefix(1);
    unsigned number = 0;
    const auto [end, error] = std::from_chars(registers.data(), registers.data() + registers.size(), number);
    registers.remove_prefix(static_cast<std::size_t>(end - registers.data()) + 1);
    subject.capture.registers.set(number, take_hex(registers));
  }
  const std::string_view stack = take_line(text, 6);
  for (std::size_t at = 0; at + 2 <= stack.size(); at += 2) {
    std::string_view byte = stack.substr(at, 2);
    subject.capture.stack.push_back(static_cast<std::byte>(take_hex(byte)));
  }
  take_line(text, 0);
  subject.maps = text;
  return subject;
}

std::vector<std::string> names_of(Arch arch, const std::string& command, StackEnd& stack_end) {
  const std::string text = run(command);
  EXPECT_THAT(text, StartsWith("pc ")) << command;
  if (!text.starts_with("pc ")) {
    return {};
  }
  const Subject subject = parse_subject(arch, text);
  ImageStore store;
  AddressSpace space(store, {.pid = static_cast<std::int32_t>(::getpid())});
  EXPECT_TRUE(space.refresh_from(subject.maps));
  Unwinder unwinder(space);
  Symbolizer symbolizer;
  std::vector<std::uint64_t> addresses;
  stack_end = unwinder.unwind(subject.capture.registers, subject.capture.stack, addresses);
  std::vector<std::string> names;
  names.reserve(addresses.size());
  for (const std::uint64_t address : addresses) {
    names.push_back(symbolizer.symbolize(space, address).back().function);
  }
  return names;
}

// Everything but what happens inside of the C library.
void expect_known_calls(Arch arch, const std::string& program) {
  StackEnd end = StackEnd::NoRule;

  const auto outer = names_of(arch, program + " outer", end);
  ASSERT_GE(outer.size(), 5U);
  EXPECT_EQ(outer[1], "calls_inner");
  EXPECT_EQ(outer[2], "calls_middle");
  EXPECT_EQ(outer[3], "calls_outer");
  EXPECT_EQ(outer[4], "main");
  EXPECT_EQ(end, StackEnd::Outermost) << to_word(end);

  const auto sorted = names_of(arch, program + " qsort", end);
  ASSERT_GE(sorted.size(), 4U);
  EXPECT_EQ(sorted[1], "calls_compare");
  EXPECT_THAT(sorted, Contains("calls_through_qsort"));
  EXPECT_THAT(sorted, Contains("main"));

  const auto realigned = names_of(arch, program + " realigned", end);
  ASSERT_GE(realigned.size(), 4U);
  EXPECT_EQ(realigned[2], "calls_realigned");
  EXPECT_EQ(realigned[3], "main");

  const auto deep = names_of(arch, program + " deep", end);
  EXPECT_EQ(std::count(deep.begin(), deep.end(), "calls_deep"), 40);
  EXPECT_THAT(deep, Contains("main"));
}

const std::string kNativeRun = std::string(LOWTIDE_NATIVE_RUN) + (*LOWTIDE_NATIVE_RUN != '\0' ? " " : "");

TEST(Subject, static_program_at_a_fixed_address_is_unwound) {
  expect_known_calls(kNativeArch, kNativeRun + kFiles + "/subject_static");
}

TEST(Subject, program_that_was_moved_is_unwound) {
#if defined(LOWTIDE_HAS_PIE_SUBJECT)
  expect_known_calls(kNativeArch, kFiles + "/subject_pie");
#else
  GTEST_SKIP() << "a cross build has no loader for it";
#endif
}

TEST(Subject, signal_is_crossed_in_a_static_program) {
  StackEnd end = StackEnd::NoRule;
  const auto names = names_of(kNativeArch, kNativeRun + kFiles + "/subject_static signal", end);

  ASSERT_GE(names.size(), 3U);
  EXPECT_EQ(names[1], "calls_handler");
  EXPECT_THAT(names, Contains("calls_into_signal"));
  EXPECT_THAT(names, Contains("main"));
}

TEST(Subject, program_of_aarch64_with_signed_return_addresses_is_unwound) {
#if defined(LOWTIDE_AARCH64_RUN)
  expect_known_calls(Arch::Aarch64, std::string(LOWTIDE_AARCH64_RUN) + " " + kFiles + "/subject_aarch64");
#else
  GTEST_SKIP() << "no compiler for aarch64 or no qemu";
#endif
}

}  // namespace
}  // namespace lowtide::symbols
