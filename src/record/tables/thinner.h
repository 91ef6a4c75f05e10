// Readings -> stretches of 8, 64, 512 and 4096 seconds with the lowest, mean and
// highest value.
//
// The stretches are summed up as the readings come by, and not later from the
// file: what is then left to do with old rows is to delete them, so thinning
// never reads, never sorts, and costs the same at every tick of a week. A
// stretch that is lost with a killed monitor does no harm: its readings are
// still in the finer table, which is kept for longer than a stretch lasts.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "record/tables/series.h"

namespace lowtide::record {

// A stretch that is complete.
struct ThinRow {
  SeriesKind kind = SeriesKind::Target;
  std::size_t level = 0;
  SampleRow row;
};

class Thinner {
 public:
  // Ends the stretches that end before now_s and appends them to `done`. True
  // when there were any. A series that was silent for the whole of the last
  // stretch of 8 s is given up: its process has ended.
  bool roll(double now_s, std::vector<ThinRow>& done);

  void add(SeriesKind kind, const SampleRow& row);

 private:
  struct Key {
    SeriesKind kind;
    std::array<std::int64_t, kMaxKeys> keys;
    bool operator==(const Key&) const = default;
  };
  struct Hash {
    std::size_t operator()(const Key& key) const;
  };
  // From level 1 on, as many as the series is old enough for: thousands of
  // processes that live for seconds must not each hold room for hours.
  using Stretches = std::vector<SampleRow>;

  std::unordered_map<Key, Stretches, Hash> series_;
  std::array<double, kLevels> current_{};  // the number of the stretch that is open, per level
};

// Adds `row` at the end of `into`.
void merge(const KindSpec& spec, SampleRow& into, const SampleRow& row);

}  // namespace lowtide::record
