#include "record/test_ticks.h"

#include <cstdlib>
#include <system_error>
#include <utility>

#include "base/check.h"
#include "record/sqlite.h"

namespace lowtide::record {

TemporaryFolder::TemporaryFolder() {
  std::string name = (std::filesystem::temp_directory_path() / "lowtide-record-XXXXXX").string();
  LOWTIDE_CHECK(mkdtemp(name.data()) != nullptr, "no temporary folder");
  folder_ = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

Header make_header() {
  return {.command = "python train.py",
          .working_directory = "/data",
          .host = "node7",
          .started = "2026-01-02T03:04:05Z",
          .started_unix_s = 1767323045.25,
          .lowtide_version = "0.1.0",
          .interval_s = 0.5,
          .root_pid = 4711,
          .attached = true,
          .limit_bytes = 64ULL << 30U};
}

model::ProcessInfo make_process(std::uint32_t id) {
  return {.id = static_cast<model::ProcessId>(id),
          .pid = 1000 + static_cast<std::int64_t>(id),
          .ppid = 1,
          .start_ticks = 77,
          .role = model::ProcessRole::Worker,
          .index = static_cast<int>(id),
          .continues = {},
          .command = "python train.py",
          .started_s = 0.5,
          .ended_s = {},
          .exit_status = {}};
}

model::Tick make_tick(double at_s, std::uint32_t processes, std::uint64_t extra_bytes) {
  model::Tick tick;
  tick.at_s = at_s;
  tick.step = at_s * 10;
  for (std::uint32_t id = 1; id <= processes; ++id) {
    model::ProcessReading reading{.id = static_cast<model::ProcessId>(id), .pss = {}};
    reading.own_bytes = id * 1'000'000'000ULL + extra_bytes;
    reading.rss_bytes = reading.own_bytes + 5;
    reading.anon_bytes = 1;
    reading.file_bytes = 2;
    reading.shmem_bytes = 3;
    reading.swap_bytes = 4;
    reading.writable_bytes = 16;
    reading.pss = model::PssReading{10, 11, 12, 13, 14, 15};
    tick.target.bytes += reading.own_bytes;
    tick.processes.push_back(reading);
    tick.gpu_processes.push_back({0, reading.id, 500 + id});
  }
  tick.target.file_bytes = 6;
  tick.target.rss_bytes = 7;
  tick.target.processes = processes;
  tick.target.exact = true;
  tick.cgroup = model::CgroupReading{20, 21, 22, 23, 24, 25, 26};
  tick.host = model::HostReading{30, 31, 32, 12.5};
  tick.gpus.push_back({0, 41, 40});
  return tick;
}

Writer make_writer(const std::string& path, std::uint32_t processes) {
  auto made = Writer::create(path, make_header());
  LOWTIDE_CHECK(made.ok(), "no recording could be made in the temporary folder");
  Writer writer = std::move(made).value();
  for (std::uint32_t id = 1; id <= processes; ++id) {
    writer.begin_process(make_process(id));
  }
  writer.commit();
  return writer;
}

std::string record(const TemporaryFolder& folder, int ticks) {
  std::string path = folder.path("run.db");
  Writer writer = make_writer(path, 3);
  for (int at_s = 0; at_s < ticks; ++at_s) {
    writer.add(make_tick(at_s, 3));
  }
  writer.close();
  return path;
}

void change(const std::string& path, const std::string& sql) {
  auto opened = Database::open(path, SQLITE_OPEN_READWRITE);
  LOWTIDE_CHECK(opened.ok() && opened.value().execute(sql.c_str()) == SQLITE_OK,
                "the recording cannot be changed");
}

std::uint64_t count_target(Recording& recording) {
  std::uint64_t count = 0;
  recording.for_each_target([&](const TargetPoint& point) { count += point.count; });
  return count;
}

}  // namespace lowtide::record
