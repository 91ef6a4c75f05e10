// The samples of a recording: every reading as it came, and the stretches that the thinner made of them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/result.h"
#include "model/tick.h"
#include "record/sqlite.h"
#include "record/tables/series.h"
#include "record/tables/thinner.h"

namespace lowtide::record {

class SampleTables {
 public:
  static base::Result<SampleTables> create(Database& database);

  // `may_end_stretches`: false while nothing can be written. Stretches then stay open and grow, so that the
  // lowest and highest of the outage are not lost, and memory stays bounded.
  void stage(const model::Tick& tick, bool may_end_stretches);

  [[nodiscard]] std::uint64_t ticks() const { return ticks_; }
  [[nodiscard]] std::size_t rows() const { return rows_.size(); }
  [[nodiscard]] double first_s() const { return rows_.front().row.at_s; }
  // A stretch has ended since the last written().
  [[nodiscard]] bool has_rolled() const { return rolled_; }

  // Writes what is staged; it stays staged until written() or drop() is called.
  [[nodiscard]] int write();
  void written();
  // Forgets the readings, and keeps the stretches that have ended.
  void drop();
  // A write has failed: by the next success the open stretches reach further than the tables.
  void forget_roll() { rolled_ = false; }

 private:
  struct StagedRow {
    SeriesKind kind = SeriesKind::Target;
    SampleRow row;
  };

  std::array<std::array<Statement, kLevels>, kKinds> inserts_;
  std::vector<StagedRow> rows_;
  std::vector<ThinRow> thin_rows_;
  Thinner thinner_;
  std::uint64_t ticks_ = 0;
  bool rolled_ = false;
};

}  // namespace lowtide::record
