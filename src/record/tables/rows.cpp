#include "record/tables/rows.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <limits>

namespace lowtide::record {
namespace {

// SQLite's integers have a sign; no machine has 8 EiB.
std::int64_t stored(std::uint64_t value) {
  constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  return static_cast<std::int64_t>(std::min(value, kMost));
}

std::uint64_t bytes_at(const Row& row, std::size_t at) {
  return row.others[at] == kAbsent ? 0 : static_cast<std::uint64_t>(row.others[at]);
}

std::uint64_t mean_of(const Row& row) {
  return static_cast<std::uint64_t>(std::max(0.0, std::min(row.mean + 0.5, 9.2e18)));
}

Row make_row(std::uint64_t judged, std::initializer_list<std::int64_t> others) {
  Row row;
  row.count = 1;
  row.low = stored(judged);
  row.mean = static_cast<double>(row.low);
  row.high = row.low;
  row.others.fill(kAbsent);
  std::copy(others.begin(), others.end(), row.others.begin());
  return row;
}

}  // namespace

Row row_of(const model::TargetReading& reading) {
  return make_row(reading.bytes, {stored(reading.file_bytes), stored(reading.rss_bytes),
                                  static_cast<std::int64_t>(reading.processes), reading.exact ? 1 : 0});
}

void from_row(const Row& row, model::TargetReading& reading) {
  reading.bytes = mean_of(row);
  reading.file_bytes = bytes_at(row, 0);
  reading.rss_bytes = bytes_at(row, 1);
  reading.processes = static_cast<std::uint32_t>(
      std::min<std::uint64_t>(bytes_at(row, 2), std::numeric_limits<std::uint32_t>::max()));
  reading.exact = bytes_at(row, 3) != 0;
}

Row row_of(const model::ProcessReading& reading) {
  Row row = make_row(reading.own_bytes,
                     {stored(reading.rss_bytes), stored(reading.anon_bytes), stored(reading.file_bytes),
                      stored(reading.shmem_bytes), stored(reading.swap_bytes)});
  row.keys[0] = static_cast<std::int64_t>(reading.id);
  if (reading.pss) {
    row.others[5] = stored(reading.pss->pss_bytes);
    row.others[6] = stored(reading.pss->anon_bytes);
    row.others[7] = stored(reading.pss->shmem_bytes);
    row.others[8] = stored(reading.pss->file_bytes);
    row.others[9] = stored(reading.pss->private_dirty_bytes);
    row.others[10] = stored(reading.pss->uss_bytes);
  }
  return row;
}

void from_row(const Row& row, model::ProcessReading& reading) {
  reading.id = static_cast<model::ProcessId>(row.keys[0]);
  reading.own_bytes = mean_of(row);
  reading.rss_bytes = bytes_at(row, 0);
  reading.anon_bytes = bytes_at(row, 1);
  reading.file_bytes = bytes_at(row, 2);
  reading.shmem_bytes = bytes_at(row, 3);
  reading.swap_bytes = bytes_at(row, 4);
  if (row.others[5] != kAbsent) {
    reading.pss = model::PssReading{.pss_bytes = bytes_at(row, 5),
                                    .anon_bytes = bytes_at(row, 6),
                                    .shmem_bytes = bytes_at(row, 7),
                                    .file_bytes = bytes_at(row, 8),
                                    .private_dirty_bytes = bytes_at(row, 9),
                                    .uss_bytes = bytes_at(row, 10)};
  }
}

Row row_of(const model::CgroupReading& reading) {
  return make_row(reading.current_bytes,
                  {stored(reading.anon_bytes), stored(reading.file_bytes), stored(reading.shmem_bytes),
                   stored(reading.kernel_bytes), reading.limit_bytes ? stored(*reading.limit_bytes) : kAbsent,
                   stored(reading.oom_kills)});
}

void from_row(const Row& row, model::CgroupReading& reading) {
  reading.current_bytes = mean_of(row);
  reading.anon_bytes = bytes_at(row, 0);
  reading.file_bytes = bytes_at(row, 1);
  reading.shmem_bytes = bytes_at(row, 2);
  reading.kernel_bytes = bytes_at(row, 3);
  if (row.others[4] != kAbsent) {
    reading.limit_bytes = bytes_at(row, 4);
  }
  reading.oom_kills = bytes_at(row, 5);
}

Row row_of(const model::HostReading& reading) {
  std::int64_t pressure = kAbsent;
  if (reading.pressure_percent && *reading.pressure_percent >= 0 && *reading.pressure_percent <= 100) {
    pressure = std::llround(*reading.pressure_percent * 1000);
  }
  return make_row(reading.available_bytes,
                  {stored(reading.total_bytes), stored(reading.shm_bytes), pressure});
}

void from_row(const Row& row, model::HostReading& reading) {
  reading.available_bytes = mean_of(row);
  reading.total_bytes = bytes_at(row, 0);
  reading.shm_bytes = bytes_at(row, 1);
  if (row.others[2] != kAbsent) {
    reading.pressure_percent = static_cast<double>(row.others[2]) / 1000;
  }
}

Row row_of(const model::GpuReading& reading) {
  Row row = make_row(reading.used_bytes, {stored(reading.total_bytes)});
  row.keys[0] = reading.index;
  return row;
}

void from_row(const Row& row, model::GpuReading& reading) {
  reading.index = static_cast<int>(row.keys[0]);
  reading.used_bytes = mean_of(row);
  reading.total_bytes = bytes_at(row, 0);
}

Row row_of(const model::GpuProcessReading& reading) {
  Row row = make_row(reading.bytes, {});
  row.keys = {reading.index, static_cast<std::int64_t>(reading.id)};
  if (reading.torch) {
    row.others[0] = stored(reading.torch->allocated_bytes);
    row.others[1] = stored(reading.torch->reserved_bytes);
    row.others[2] = stored(reading.torch->inactive_split_bytes);
    row.others[3] = stored(reading.torch->retries);
    row.others[4] = stored(reading.torch->ooms);
    row.others[5] = stored(reading.torch->pinned_bytes);
  }
  return row;
}

void from_row(const Row& row, model::GpuProcessReading& reading) {
  reading.index = static_cast<int>(row.keys[0]);
  reading.id = static_cast<model::ProcessId>(row.keys[1]);
  reading.bytes = mean_of(row);
  if (row.others[0] != kAbsent) {
    reading.torch = model::TorchReading{.allocated_bytes = bytes_at(row, 0),
                                        .reserved_bytes = bytes_at(row, 1),
                                        .inactive_split_bytes = bytes_at(row, 2),
                                        .retries = bytes_at(row, 3),
                                        .ooms = bytes_at(row, 4),
                                        .pinned_bytes = bytes_at(row, 5)};
  }
}

Row row_of(const model::HeapReading& reading) {
  Row row = make_row(reading.live_bytes,
                     {stored(reading.live_samples), stored(reading.allocated_bytes), stored(reading.samples),
                      stored(reading.dropped_samples), stored(reading.interval_bytes),
                      stored(reading.sampling_ns), stored(reading.asking_ns)});
  row.keys[0] = static_cast<std::int64_t>(reading.process);
  return row;
}

void from_row(const Row& row, model::HeapReading& reading) {
  reading.process = static_cast<model::ProcessId>(row.keys[0]);
  reading.live_bytes = mean_of(row);
  reading.live_samples = bytes_at(row, 0);
  reading.allocated_bytes = bytes_at(row, 1);
  reading.samples = bytes_at(row, 2);
  reading.dropped_samples = bytes_at(row, 3);
  reading.interval_bytes = bytes_at(row, 4);
  reading.sampling_ns = bytes_at(row, 5);
  reading.asking_ns = bytes_at(row, 6);
}

Row row_of(const model::SiteReading& reading) {
  Row row = make_row(reading.live_bytes, {stored(reading.live_samples), stored(reading.allocated_bytes),
                                          stored(reading.allocated_samples), stored(reading.shared_bytes)});
  row.keys = {static_cast<std::int64_t>(reading.site), static_cast<std::int64_t>(reading.process)};
  if (reading.old) {
    row.others[4] = stored(reading.old->bytes);
    row.others[5] = stored(reading.old->samples);
    row.others[6] = stored(reading.old->freed_samples);
  }
  return row;
}

void from_row(const Row& row, model::SiteReading& reading) {
  reading.site = static_cast<model::SiteId>(row.keys[0]);
  reading.process = static_cast<model::ProcessId>(row.keys[1]);
  reading.live_bytes = mean_of(row);
  reading.live_samples = bytes_at(row, 0);
  reading.allocated_bytes = bytes_at(row, 1);
  reading.allocated_samples = bytes_at(row, 2);
  reading.shared_bytes = bytes_at(row, 3);
  if (row.others[4] != kAbsent) {
    reading.old = {.bytes = bytes_at(row, 4), .samples = bytes_at(row, 5), .freed_samples = bytes_at(row, 6)};
  }
}

Point point_of(const Row& row) {
  return {.at_s = row.at_s,
          .span_s = row.span_s,
          .count = static_cast<std::uint64_t>(row.count),
          .step = row.step,
          .low_bytes = static_cast<std::uint64_t>(row.low),
          .mean_bytes = row.mean,
          .high_bytes = static_cast<std::uint64_t>(row.high)};
}

}  // namespace lowtide::record
