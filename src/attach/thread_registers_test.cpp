#include "attach/thread_registers.h"

#include <gtest/gtest.h>
#include <linux/futex.h>
#include <sys/syscall.h>

namespace lowtide::attach {
namespace {

#if defined(__x86_64__)

RawRegisters in_call(std::int64_t number, std::int64_t result) {
  RawRegisters raw{};
  raw.rip = 0x1002;
  raw.rsp = 0x8000;
  raw.orig_rax = static_cast<std::uint64_t>(number);
  raw.rax = static_cast<std::uint64_t>(result);
  return raw;
}

TEST(ThreadRegisters, interrupted_call_is_repeated_as_the_kernel_would) {
  for (const std::int64_t result : {-512, -513, -514}) {
    const ResumePoint comeback = make_comeback(in_call(SYS_read, result));

    EXPECT_EQ(comeback.registers.rip, 0x1000U) << result;
    EXPECT_EQ(comeback.registers.rax, static_cast<std::uint64_t>(SYS_read)) << result;
  }
}

TEST(ThreadRegisters, call_with_a_time_limit_is_continued_not_begun_again) {
  const ResumePoint comeback = make_comeback(in_call(SYS_nanosleep, -516));

  EXPECT_EQ(comeback.registers.rip, 0x1000U);
  EXPECT_EQ(comeback.registers.rax, static_cast<std::uint64_t>(SYS_restart_syscall));
}

TEST(ThreadRegisters, call_that_has_ended_keeps_its_result) {
  const ResumePoint comeback = make_comeback(in_call(SYS_read, -11));

  EXPECT_EQ(comeback.registers.rip, 0x1002U);
  EXPECT_EQ(static_cast<std::int64_t>(comeback.registers.rax), -11);
  EXPECT_FALSE(find_pending_call(in_call(SYS_read, -11), 0));
}

TEST(ThreadRegisters, running_code_with_an_odd_number_in_rax_is_no_call) {
  const RawRegisters raw = in_call(-1, -512);

  EXPECT_EQ(make_comeback(raw).registers.rip, 0x1002U);
  EXPECT_FALSE(find_pending_call(raw, 0));
}

TEST(ThreadRegisters, detour_changes_place_and_stack_alone) {
  RawRegisters raw = in_call(SYS_futex, -512);
  raw.rbx = 7;
  raw.r11 = 9;

  const RawRegisters detour = redirect_to_stub(make_comeback(raw), 0x5000, 0x7000);

  EXPECT_EQ(detour.rip, 0x5000U);
  EXPECT_EQ(detour.rsp, 0x7000U);
  EXPECT_EQ(detour.rbx, 7U);
  EXPECT_EQ(detour.r11, 9U);
  EXPECT_EQ(static_cast<std::int64_t>(detour.orig_rax), -1) << "or the kernel would rewind it";
}

#else

TEST(ThreadRegisters, call_is_known_by_its_instruction) {
  RawRegisters raw{};
  raw.regs[8] = SYS_read;

  EXPECT_TRUE(find_pending_call(raw, 0xd4000001U));
  EXPECT_FALSE(find_pending_call(raw, 0xd503201fU));
}

TEST(ThreadRegisters, call_with_a_relative_time_limit_is_left_alone) {
  EXPECT_FALSE(is_waiting_call({SYS_futex, {0, FUTEX_WAIT, 0, 0x1000}}));
  EXPECT_TRUE(is_waiting_call({SYS_futex, {0, FUTEX_WAIT_BITSET, 0, 0x1000}}));
}

#endif

TEST(ThreadRegisters, only_calls_in_which_one_waits_count_as_waiting) {
  EXPECT_TRUE(is_waiting_call({SYS_futex, {}}));
  EXPECT_TRUE(is_waiting_call({SYS_read, {}}));
  EXPECT_FALSE(is_waiting_call({SYS_munmap, {}}));
  EXPECT_FALSE(is_waiting_call({SYS_clone, {}}));
  EXPECT_FALSE(is_waiting_call({SYS_rt_sigsuspend, {}}));
}

}  // namespace
}  // namespace lowtide::attach
