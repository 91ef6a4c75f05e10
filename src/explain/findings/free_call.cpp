#include "explain/findings/free_call.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace lowtide::explain {
namespace {

bool is_name(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.';
  });
}

}  // namespace

std::string free_call(std::string_view callee, std::string_view source) {
  constexpr std::array<std::string_view, 5> kFreed{"malloc", "calloc", "realloc", "aligned_alloc", "strdup"};
  const std::size_t equals = source.find(" = ");
  if (std::find(kFreed.begin(), kFreed.end(), callee) == kFreed.end() || equals == std::string_view::npos)
    return "";
  const std::string_view name = source.substr(0, equals);
  const std::string_view called = source.substr(equals + 3);
  const std::size_t at = called.find(fmt::format(".{}(", callee));
  if (at == std::string_view::npos || !is_name(name) || !is_name(called.substr(0, at))) return "";
  return fmt::format("{}.free({})", called.substr(0, at), name);
}

}  // namespace lowtide::explain
