#include "watch/entry/process_image.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <functional>
#include <string_view>

#include "base/fd.h"

namespace lowtide::watch {

std::uint64_t read_image(std::int64_t pid) {
  const base::Fd file(::open(fmt::format("/proc/{}/auxv", pid).c_str(), O_RDONLY | O_CLOEXEC));
  std::array<char, 1024> bytes{};
  const ssize_t count = file.valid() ? ::read(file.get(), bytes.data(), bytes.size()) : 0;
  if (count <= 0) return 0;
  return std::hash<std::string_view>{}({bytes.data(), static_cast<std::size_t>(count)});
}

}  // namespace lowtide::watch
