#include "explain/source/source_files.h"

#include "base/text.h"

namespace lowtide::explain {
namespace {

constexpr std::size_t kLongestLine = 400;

}  // namespace

const PythonSource* SourceFiles::find(const std::string& file) {
  const auto found = files_.find(file);
  if (found != files_.end()) return found->second.get();
  auto text = read_ ? read_(file) : std::nullopt;
  return files_.emplace(file, text ? std::make_unique<PythonSource>(std::move(*text)) : nullptr)
      .first->second.get();
}

std::optional<std::string> SourceFiles::line(const std::string& file, std::uint64_t number) {
  const PythonSource* source = find(file);
  if (source == nullptr) return std::nullopt;
  const std::string_view text = source->line(number);
  if (text.empty()) return std::nullopt;
  return base::printable(text, kLongestLine);
}

}  // namespace lowtide::explain
