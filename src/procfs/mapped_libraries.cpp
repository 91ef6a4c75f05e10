// /proc/PID/maps of a torch job has 5,000 lines; those of one library follow
// each other, so only a path that differs from the one before is looked at.
#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string>

#include "procfs/process_info.h"
#include "procfs/text_file.h"

namespace lowtide::procfs {
namespace {

constexpr std::size_t kMostMapsBytes = 8U << 20U;

// "python3", "python3.11", "python"; not "python-config".
bool is_interpreter(std::string_view file) {
  if (!file.starts_with("python")) {
    return false;
  }
  return file.find_first_not_of("0123456789.t", 6) == std::string_view::npos;
}

// The lines of a piece that are whole; returns how many bytes they were.
std::size_t take_whole_lines(std::string_view text, std::string& last_path, MappedLibraries& found) {
  std::size_t taken = 0;
  for (std::size_t end = text.find('\n'); end != std::string_view::npos; end = text.find('\n', taken)) {
    const std::string_view line = text.substr(taken, end - taken);
    const std::size_t slash = line.find('/');
    const std::string_view path = slash == std::string_view::npos ? std::string_view() : line.substr(slash);
    if (!path.empty() && path != last_path) {
      last_path = path;
      note_library(path, found);
    }
    taken = end + 1;
  }
  return taken;
}

}  // namespace

void note_library(std::string_view path, MappedLibraries& found) {
  const std::string_view file = path.substr(path.rfind('/') + 1);
  found.torch = found.torch || file.starts_with("libtorch") || file.starts_with("libc10.so");
  found.jax =
      found.jax || path.find("/jaxlib/") != std::string_view::npos || file.starts_with("xla_extension");
  found.tensorflow =
      found.tensorflow || file.starts_with("libtensorflow") || file.starts_with("_pywrap_tensorflow");
  found.python = found.python || file.starts_with("libpython") || is_interpreter(file);
}

base::Result<MappedLibraries> read_mapped_libraries(const Roots& roots, std::int32_t pid) {
  const std::string path = roots.proc + "/" + std::to_string(pid) + "/maps";
  auto fd = open_text(AT_FDCWD, path.c_str());
  if (!fd) {
    return std::move(fd).error();
  }
  MappedLibraries found;
  std::string last_path;
  std::array<char, 65536> piece{};
  std::size_t carried = 0;
  std::size_t total = 0;
  while (total < kMostMapsBytes) {
    const ssize_t got = ::read(fd.value().get(), piece.data() + carried, piece.size() - carried);
    if (got < 0 && errno == EINTR) {
      continue;
    }
    if (got < 0) {
      return make_system_error(errno, path);
    }
    if (got == 0) {
      return found;
    }
    total += static_cast<std::size_t>(got);
    const std::string_view text(piece.data(), carried + static_cast<std::size_t>(got));
    const std::size_t taken = take_whole_lines(text, last_path, found);
    carried = text.size() - taken;
    if (carried == piece.size()) {
      carried = 0;  // a line of 64 KiB is no line of the kernel's
    }
    std::copy(text.begin() + static_cast<std::ptrdiff_t>(taken),
              text.begin() + static_cast<std::ptrdiff_t>(taken + carried), piece.begin());
  }
  found.cut = true;
  return found;
}

}  // namespace lowtide::procfs
