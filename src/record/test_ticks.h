// Ticks and folders for the tests of this folder.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "model/tick.h"
#include "record/reader.h"
#include "record/writer.h"

namespace lowtide::record {

// A folder of its own, gone with its owner.
class TemporaryFolder {
 public:
  TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  TemporaryFolder(TemporaryFolder&&) = delete;
  TemporaryFolder& operator=(TemporaryFolder&&) = delete;
  ~TemporaryFolder();

  [[nodiscard]] std::string path(const std::string& name) const { return (folder_ / name).string(); }
  [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }

 private:
  std::filesystem::path folder_;
};

Header make_header();
model::ProcessInfo make_process(std::uint32_t id);
// Every reading is present; process n has n GB plus `extra_bytes`, the target their sum.
model::Tick make_tick(double at_s, std::uint32_t processes, std::uint64_t extra_bytes = 0);
Writer make_writer(const std::string& path, std::uint32_t processes);
// A closed recording of `ticks` ticks; returns its path.
std::string record(const TemporaryFolder& folder, int ticks);
// Runs SQL on a recording.
void change(const std::string& path, const std::string& sql);
// Readings of the target, those in stretches too.
std::uint64_t count_target(Recording& recording);

}  // namespace lowtide::record
