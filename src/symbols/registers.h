// The registers of one thread at one moment, by the numbers that DWARF gives them.
#pragma once

#include <array>
#include <cstdint>

namespace lowtide::symbols {

enum class Arch : std::uint8_t { Amd64, Aarch64 };

#if defined(__aarch64__)
inline constexpr Arch kNativeArch = Arch::Aarch64;
#else
inline constexpr Arch kNativeArch = Arch::Amd64;
#endif

inline constexpr unsigned kRegisterCount = 32;

// Which number the registers with a role have.
struct RegisterRoles {
  unsigned sp = 0;
  unsigned fp = 0;
  unsigned return_address = 0;  // x86_64: a column of its own, no register; aarch64: x30
};

constexpr RegisterRoles roles_of(Arch arch) {
  return arch == Arch::Amd64 ? RegisterRoles{.sp = 7, .fp = 6, .return_address = 16}
                             : RegisterRoles{.sp = 31, .fp = 29, .return_address = 30};
}

// x86_64: 0 rax, 1 rdx, 2 rcx, 3 rbx, 4 rsi, 5 rdi, 6 rbp, 7 rsp, 8..15 r8..r15.
// aarch64: 0..30 x0..x30 (29 the frame pointer, 30 the link register), 31 sp.
struct Registers {
  Arch arch = kNativeArch;
  std::uint64_t pc = 0;
  std::array<std::uint64_t, kRegisterCount> general{};
  std::uint32_t known = 0;  // bit n: general[n] holds something

  void set(unsigned number, std::uint64_t value) {
    general[number] = value;
    known |= 1U << number;
  }
  [[nodiscard]] bool has(unsigned number) const {
    return number < kRegisterCount && ((known >> number) & 1U) != 0;
  }
  [[nodiscard]] std::uint64_t sp() const { return general[roles_of(arch).sp]; }
  [[nodiscard]] std::uint64_t fp() const { return general[roles_of(arch).fp]; }
};

// The least with which a stack can be unwound. rbx and r12..r15 (x19..x28) help
// with the few functions that keep their frame by them: add what there is.
inline Registers make_registers(Arch arch, std::uint64_t pc, std::uint64_t sp, std::uint64_t fp,
                                std::uint64_t lr = 0) {
  Registers registers{.arch = arch, .pc = pc};
  registers.set(roles_of(arch).sp, sp);
  registers.set(roles_of(arch).fp, fp);
  if (arch == Arch::Aarch64) {
    registers.set(roles_of(arch).return_address, lr);
  }
  return registers;
}

}  // namespace lowtide::symbols
