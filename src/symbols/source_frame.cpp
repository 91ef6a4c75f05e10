#include "symbols/source_frame.h"

#include <fmt/format.h>

#include <string_view>

#include "base/text.h"

namespace lowtide::symbols {
namespace {

std::string_view last_part(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

}  // namespace

std::string to_text(const SourceFrame& frame) {
  if (frame.function.empty() && frame.module.empty()) {
    return fmt::format("0x{:x}", frame.module_offset);
  }
  const std::string module = base::printable(last_part(frame.module));
  if (frame.function.empty()) {
    return fmt::format("{}+0x{:x}", module, frame.module_offset);
  }
  const std::string function = base::printable(frame.function);
  if (!frame.file.empty()) {
    return fmt::format("{} at {}:{}", function, base::printable(last_part(frame.file)), frame.line);
  }
  return module.empty() ? function : fmt::format("{} in {}", function, module);
}

}  // namespace lowtide::symbols
