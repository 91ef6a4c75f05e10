#include "observe/source_text.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <climits>

#include "symbols/target_files.h"

namespace lowtide::observe {
namespace {

std::string working_directory_of(std::int32_t pid) {
  std::array<char, PATH_MAX> path{};
  const ssize_t length = ::readlink(fmt::format("/proc/{}/cwd", pid).c_str(), path.data(), path.size());
  return length > 0 ? std::string(path.data(), static_cast<std::size_t>(length)) : "";
}

base::Fd open_source(const SourceRequest& request) {
  const symbols::TargetFiles files{.pid = request.pid};
  if (request.path.starts_with('/')) return files.open(request.path);
  for (const std::string& folder : {working_directory_of(request.pid), request.folder}) {
    if (folder.empty()) continue;
    if (base::Fd file = files.open(folder + "/" + request.path); file.valid()) return file;
  }
  return {};
}

}  // namespace

std::optional<std::string> read_source(const SourceRequest& request) {
  const base::Fd file = open_source(request);
  struct stat status = {};
  if (!file.valid() || ::fstat(file.get(), &status) != 0) return std::nullopt;
  const double changed_s =
      static_cast<double>(status.st_mtim.tv_sec) + static_cast<double>(status.st_mtim.tv_nsec) / 1e9;
  if (changed_s > request.not_after_unix_s || std::cmp_greater(status.st_size, kLargestSource))
    return std::nullopt;
  return symbols::read_start(file, static_cast<std::size_t>(status.st_size));
}

}  // namespace lowtide::observe
