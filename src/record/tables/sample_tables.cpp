#include "record/tables/sample_tables.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "record/tables/rows.h"

namespace lowtide::record {
namespace {

// Stretches that wait for the disk. No more come while it fails.
constexpr std::size_t kMostThinRows = 100'000;

void bind_row(Statement& insert, SeriesKind kind, const Row& row, std::size_t level) {
  const KindSpec& spec = spec_of(kind);
  int at = 0;
  insert.bind(at++, row.at_s);
  if (level > 0) {
    insert.bind(at++, row.span_s);
    insert.bind(at++, row.count);
  }
  insert.bind(at++, row.step);  // SQLite makes NULL of NaN
  for (std::size_t key = 0; key < keys_of(spec).size(); ++key) {
    insert.bind(at++, row.keys[key]);
  }
  insert.bind(at++, row.low);
  if (level > 0) {
    insert.bind(at++, static_cast<std::int64_t>(std::llround(std::min(row.mean, 9.2e18))));
    insert.bind(at++, row.high);
  }
  const auto columns = columns_of(spec);
  for (std::size_t column = 0; column < columns.size(); ++column) {
    if (row.others[column] == kAbsent) {
      insert.bind_null(at++);
    } else if (columns[column].thousandths) {
      insert.bind(at++, static_cast<double>(row.others[column]) / 1000);
    } else {
      insert.bind(at++, row.others[column]);
    }
  }
}

}  // namespace

base::Result<SampleTables> SampleTables::create(Database& database) {
  SampleTables tables;
  for (std::size_t kind = 0; kind < kKinds; ++kind) {
    for (std::size_t level = 0; level < kLevels; ++level) {
      auto prepared = database.prepare(insert_sql(static_cast<SeriesKind>(kind), level));
      if (!prepared.ok()) {
        return std::move(prepared).error();
      }
      tables.inserts_[kind][level] = std::move(prepared).value();
    }
  }
  return tables;
}

void SampleTables::stage(SeriesKind kind, Row row, const model::Tick& tick) {
  row.at_s = tick.at_s;
  row.step = std::isfinite(tick.step) ? tick.step : model::kUnknown;
  thinner_.add(kind, row);
  rows_.push_back({kind, row});
}

void SampleTables::stage(const model::Tick& tick, bool may_end_stretches) {
  if (may_end_stretches && thin_rows_.size() < kMostThinRows) {
    rolled_ = thinner_.roll(tick.at_s, thin_rows_) || rolled_;
  }
  stage(SeriesKind::Target, row_of(tick.target), tick);
  for (const auto& reading : tick.processes) {
    stage(SeriesKind::Process, row_of(reading), tick);
  }
  if (tick.cgroup) {
    stage(SeriesKind::Cgroup, row_of(*tick.cgroup), tick);
  }
  if (tick.host) {
    stage(SeriesKind::Host, row_of(*tick.host), tick);
  }
  for (const auto& reading : tick.gpus) {
    stage(SeriesKind::Gpu, row_of(reading), tick);
  }
  for (const auto& reading : tick.gpu_processes) {
    stage(SeriesKind::GpuProcess, row_of(reading), tick);
  }
  for (const auto& reading : tick.heaps) {
    stage(SeriesKind::Heap, row_of(reading), tick);
  }
  for (const auto& reading : tick.sites) {
    stage(SeriesKind::Site, row_of(reading), tick);
  }
  ++ticks_;
}

int SampleTables::write() {
  const auto put = [&](SeriesKind kind, const Row& row, std::size_t level) {
    Statement& insert = inserts_[static_cast<std::size_t>(kind)][level];
    bind_row(insert, kind, row, level);
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
