// Python files of a running job.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace lowtide::observe {

inline constexpr std::size_t kLargestSource = 512U << 10U;

struct SourceRequest {
  std::int32_t pid = 0;
  std::string path;             // as the process sees it; relative to its working directory
  std::string folder;           // where a relative path is searched next; empty: nowhere
  double not_after_unix_s = 0;  // a file that changed later is not the one that the process has read
};

// None: the file is not there, is no regular file, has changed, or is larger than kLargestSource.
std::optional<std::string> read_source(const SourceRequest& request);

}  // namespace lowtide::observe
