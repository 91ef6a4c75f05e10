#include "watch/recording_file.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>

#include "record/reader.h"
#include "watch/temporary_folder.h"

namespace lowtide::watch {
namespace {

bool exists(const std::string& path) {
  struct stat status {};
  return ::lstat(path.c_str(), &status) == 0;
}

// "run.lowtide" becomes "run.1.lowtide", or the next number that is free.
std::string aside(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  std::size_t dot = path.rfind('.');
  if (dot == std::string::npos || (slash != std::string::npos && dot < slash + 2) || dot == 0)
    dot = path.size();
  for (int number = 1;; ++number) {
    std::string name = fmt::format("{}.{}{}", path.substr(0, dot), number, path.substr(dot));
    if (!exists(name)) return name;
  }
}

std::string joined(const std::vector<std::string>& words) {
  std::string line;
  for (const std::string& word : words) {
    if (!line.empty()) line += ' ';
    line += word;
  }
  return line;
}

std::string default_name(const record::Header& header) {
  const auto now = static_cast<std::time_t>(header.started_unix_s);
  return fmt::format("lowtide-{:%Y%m%d-%H%M%S}-{}.lowtide", fmt::localtime(now), header.root_pid);
}

// False if another kind of file is in this place.
bool clear_place(const std::string& path, RecordingFile& file) {
  if (!exists(path)) return true;
  if (auto earlier = record::Recording::open(path); !earlier) {
    file.warnings.push_back(fmt::format("{} exists and is not a recording, so it is not overwritten", path));
    return false;
  }
  const std::string moved = aside(path);
  if (std::rename(path.c_str(), moved.c_str()) != 0) return false;
  for (const char* suffix : {"-wal", "-shm"}) {
    std::rename((path + suffix).c_str(), (moved + suffix).c_str());
  }
  file.warnings.push_back(fmt::format("the older recording was renamed to {}", moved));
  return true;
}

// In a folder of all users, other users must not read the job's command and lines.
base::Result<record::Writer> create_unread(const std::string& path, const record::Header& header) {
  constexpr mode_t kOthers = S_IRWXG | S_IRWXO;
  const mode_t before = ::umask(kOthers);
  auto writer = record::Writer::create(path, header);
  ::umask(before);
  return writer;
}

}  // namespace

record::Header make_header(const std::vector<std::string>& command) {
  const auto now = std::chrono::system_clock::now();
  record::Header header;
  header.command = joined(command);
  header.started_unix_s = std::chrono::duration<double>(now.time_since_epoch()).count();
  header.started =
      fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::chrono::system_clock::to_time_t(now)));
  header.lowtide_version = LOWTIDE_VERSION;
  char text[256] = {};
  if (::gethostname(text, sizeof text - 1) == 0) header.host = text;
  if (char* folder = ::getcwd(nullptr, 0); folder != nullptr) {
    header.working_directory = folder;
    std::free(folder);  // NOLINT(cppcoreguidelines-no-malloc): getcwd's own
  }
  return header;
}

void RecordingFile::discard() {
  if (path.empty()) return;
  for (const char* suffix : {"", "-wal", "-shm"}) ::unlink((path + suffix).c_str());
  path.clear();
  unkept.reset();
}

RecordingFile make_recording(const Settings& flags, const record::Header& header) {
  RecordingFile file;
  const std::string name = default_name(header);
  std::vector<std::string> places;
  if (flags.keep_recording && flags.output) places.push_back(*flags.output);
  if (flags.keep_recording) places.push_back(name);
  if (!flags.keep_recording) {
    if (auto folder = UnkeptFolder::make(temporary_folder())) file.unkept.emplace(std::move(folder).value());
  }
  places.push_back((file.unkept ? file.unkept->path() : temporary_folder()) + "/" + name);
  for (const std::string& place : places) {
    if (!clear_place(place, file)) continue;
    const bool is_temporary = &place == &places.back();
    auto writer = is_temporary ? create_unread(place, header) : record::Writer::create(place, header);
    if (writer) {
      file.writer = std::move(writer).value();
      file.path = place;
      return file;
    }
    file.warnings.push_back(fmt::format("cannot write {}: {}", place, writer.error().message));
  }
  file.warnings.emplace_back("nothing is recorded; lowtide watches the job anyway");
  return file;
}

}  // namespace lowtide::watch
