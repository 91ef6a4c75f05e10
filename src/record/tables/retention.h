// Which rows of a recording still count, and the deletion of the others.
//
// What is old goes in two moves. First the line that parts a fine table from the
// next coarser one is moved (table `tier`): one small write, and from then on
// readers take the stretches instead. The rows behind the line are deleted at
// leisure, a bounded number per commit, and their pages are used again.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/result.h"
#include "record/sqlite.h"
#include "record/tables/series.h"

namespace lowtide::record {

class Retention {
 public:
  static base::Result<Retention> create(Database& database);

  // To be called when stretches were ended at now_s and are in the tables.
  [[nodiscard]] int move_lines(double now_s);
  // Deletes at most `most_rows` rows that no longer count.
  [[nodiscard]] int sweep(Database& database, std::int64_t most_rows);
  [[nodiscard]] bool has_backlog() const { return backlog_; }
  // The transaction was rolled back: what is in memory may be ahead of the file.
  void doubt() { certain_ = false; }

 private:
  struct Table {
    SeriesKind kind = SeriesKind::Target;
    std::size_t level = 0;
    double from_s = 0;
    bool dirty = false;  // may hold rows from before from_s
    Statement bounds;    // lowest and highest id
    Statement time_of;   // at_s of an id
    Statement remove;    // ids below, at_s below
  };

  [[nodiscard]] int load();
  [[nodiscard]] int line_of(Table& table, double now_s, double& from_s);

  std::vector<Table> tables_;  // by kind, then by level
  Statement lines_;
  Statement move_;
  bool certain_ = true;
  bool backlog_ = false;
};

}  // namespace lowtide::record
