#include "procfs/rights.h"

#include <optional>
#include <utility>

#include "procfs/scan.h"
#include "procfs/text_file.h"

namespace lowtide::procfs {
namespace {

base::Result<int> read_kernel_setting(const Roots& roots, const std::string& name,
                                      const std::string& when_absent) {
  auto text = read_text(roots.proc + "/sys/kernel/" + name, 64);
  if (!text) {
    if (text.error().code == base::ErrorCode::Gone) {
      return base::Error{base::ErrorCode::Unsupported, when_absent};
    }
    return std::move(text).error();
  }
  std::string_view rest = text.value();
  int value = 0;
  if (!take_number(rest, value)) {
    return base::Error{base::ErrorCode::Malformed, "kernel." + name + " is not a number"};
  }
  return value;
}

base::Result<std::uint64_t> read_capabilities(const Roots& roots) {
  auto text = read_text(roots.proc + "/self/status");
  if (!text) {
    return std::move(text).error();
  }
  return parse_capabilities(text.value());
}

base::Result<std::string> read_kernel(const Roots& roots) {
  auto text = read_text(roots.proc + "/sys/kernel/osrelease", 256);
  if (!text) {
    return std::move(text).error();
  }
  return std::string(trim_end(text.value()));
}

// A number in /proc/PID/status.
std::optional<std::uint64_t> find_number(std::string_view status, std::string_view name, int base) {
  while (!status.empty()) {
    auto pair = split_key(take_line(status));
    std::uint64_t number = 0;
    if (pair && pair->key == name && take_number(pair->value, number, base)) {
      return number;
    }
  }
  return std::nullopt;
}

std::optional<std::uint64_t> find_bits(std::string_view status, std::string_view name) {
  return find_number(status, name, 16);
}

}  // namespace

base::Result<std::uint64_t> parse_capabilities(std::string_view status) {
  if (const auto bits = find_bits(status, "CapEff")) {
    return *bits;
  }
  return base::Error{base::ErrorCode::Malformed, "status has no CapEff"};
}

bool would_die_of(std::string_view status, int signal) {
  const std::uint64_t bit = 1ULL << static_cast<unsigned>(signal - 1);
  const auto caught = find_bits(status, "SigCgt");
  const auto ignored = find_bits(status, "SigIgn");
  return caught && ignored && ((*caught | *ignored) & bit) == 0;
}

std::uint64_t count_seccomp_filters(std::string_view status) {
  const bool has_any = find_number(status, "Seccomp", 10).value_or(0) != 0;
  return find_number(status, "Seccomp_filters", 10).value_or(has_any ? 1 : 0);
}

Rights read_rights(const Roots& roots) {
  return {.ptrace_scope = read_kernel_setting(roots, "yama/ptrace_scope",
                                              "the kernel has no Yama, so there is no further restriction"),
          .perf_event_paranoid = read_kernel_setting(
              roots, "perf_event_paranoid", "the kernel has no perf events, or they are hidden here"),
          .capabilities = read_capabilities(roots),
          .kernel = read_kernel(roots)};
}

}  // namespace lowtide::procfs
