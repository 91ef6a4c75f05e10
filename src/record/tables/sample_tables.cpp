#include "record/tables/sample_tables.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "record/tables/sample_rows.h"

namespace lowtide::record {
namespace {

// Stretches that wait for the disk. No more come while it fails.
constexpr std::size_t kMostThinRows = 100'000;

}  // namespace

base::Result<SampleTables> SampleTables::create(Database& database) {
  SampleTables tables;
  for (std::size_t kind = 0; kind < kKinds; ++kind) {
    for (std::size_t level = 0; level < kLevels; ++level) {
      const TableText table = sample_table(static_cast<SeriesKind>(kind), level);
      auto prepared = database.prepare(insert_sql(table.name, table.columns.size()));
      if (!prepared.ok()) {
        return std::move(prepared).error();
      }
      tables.inserts_[kind][level] = std::move(prepared).value();
    }
  }
  return tables;
}

void SampleTables::stage(const model::Tick& tick, bool may_end_stretches) {
  if (may_end_stretches && thin_rows_.size() < kMostThinRows) {
    rolled_ = thinner_.roll(tick.at_s, thin_rows_) || rolled_;
  }
  const auto stage_one = [&]<typename Reading>(const Reading& reading) {
    SampleRow row = row_of(reading);
    row.at_s = tick.at_s;
    row.step = std::isfinite(tick.step) ? tick.step : model::kUnknown;
    thinner_.add(kind_of<Reading>(), row);
    rows_.push_back({kind_of<Reading>(), row});
  };
  const auto stage_all = [&](const auto& readings) {
    for (const auto& reading : readings) stage_one(reading);
  };
  stage_one(tick.target);
  stage_all(tick.processes);
  if (tick.cgroup) stage_one(*tick.cgroup);
  if (tick.host) stage_one(*tick.host);
  stage_all(tick.tmpfs);
  stage_all(tick.gpus);
  stage_all(tick.gpu_processes);
  stage_all(tick.heaps);
  stage_all(tick.sites);
  ++ticks_;
}

int SampleTables::write() {
  const auto put = [&](SeriesKind kind, const SampleRow& row, std::size_t level) {
    Statement& insert = inserts_[static_cast<std::size_t>(kind)][level];
    bind_row(insert, kind, level, row);
    return insert.run();
  };
  for (const StagedRow& each : rows_) {
    if (const int status = put(each.kind, each.row, 0); status != SQLITE_OK) {
      return status;
    }
  }
  for (const ThinRow& each : thin_rows_) {
    if (const int status = put(each.kind, each.row, each.level); status != SQLITE_OK) {
      return status;
    }
  }
  return SQLITE_OK;
}

void SampleTables::written() {
  drop();
  thin_rows_.clear();
  rolled_ = false;
}

void SampleTables::drop() {
  rows_.clear();
  ticks_ = 0;
}

}  // namespace lowtide::record
