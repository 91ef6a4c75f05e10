#include "explain/source/source_files.h"

#include <sys/stat.h>

#include <cstdio>

#include "base/text.h"

namespace lowtide::explain {
namespace {

constexpr std::size_t kLargestFile = 4U << 20U;
constexpr std::size_t kMostFiles = 64;
constexpr std::size_t kLongestLine = 400;

}  // namespace

const PythonSource* SourceFiles::find(const std::string& file) {
  if (!is_enabled_ || !file.ends_with(".py")) return nullptr;
  const auto found = files_.find(file);
  if (found != files_.end()) return found->second.get();
  if (files_.size() == kMostFiles) return nullptr;
  return files_.emplace(file, read(file)).first->second.get();
}

std::unique_ptr<PythonSource> SourceFiles::read(const std::string& file) const {
  const std::string path = file.starts_with('/') ? file : folder_ + "/" + file;
  struct stat status = {};
  // A path out of a recording may name a pipe or a device, which would block.
  if (::stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return nullptr;
  const double changed_s =
      static_cast<double>(status.st_mtim.tv_sec) + static_cast<double>(status.st_mtim.tv_nsec) / 1e9;
  if (changed_s > not_after_unix_s_ || static_cast<std::size_t>(status.st_size) > kLargestFile)
    return nullptr;
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> stream(std::fopen(path.c_str(), "re"), &std::fclose);
  if (stream == nullptr) return nullptr;
  std::string text(static_cast<std::size_t>(status.st_size), '\0');
  text.resize(std::fread(text.data(), 1, text.size(), stream.get()));
  return std::make_unique<PythonSource>(std::move(text));
}

std::optional<std::string> SourceFiles::line(const std::string& file, std::uint64_t number) {
  const PythonSource* source = find(file);
  if (source == nullptr) return std::nullopt;
  const std::string_view text = source->line(number);
  if (text.empty()) return std::nullopt;
  return base::printable(text, kLongestLine);
}

}  // namespace lowtide::explain
