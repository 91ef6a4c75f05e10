// The series of samples in a recording, each described once: its tables, what their columns are called and
// mean, and the members of the reading that they hold. All series have tables of the same build, so a row of
// any of them is a SampleRow; writer, thinning and reader work on it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include "model/sample.h"
#include "model/tick.h"
#include "record/recorded.h"

namespace lowtide::record {

enum class SeriesKind : std::uint8_t { Target, Process, Cgroup, Host, Gpu, GpuProcess, Heap, Site, Tmpfs };
inline constexpr std::size_t kKinds = 9;

// Level 0 holds single readings, the others stretches of so many seconds.
inline constexpr std::size_t kLevels = 5;
inline constexpr std::array<double, kLevels> kWidthsSeconds = {0, 8, 64, 512, 4096};

inline constexpr std::size_t kMaxKeys = 2;
inline constexpr std::size_t kMaxColumns = 12;
inline constexpr std::int64_t kAbsent = std::numeric_limits<std::int64_t>::min();

// Which value of a column stays when readings become a stretch.
enum class Keep : std::uint8_t { Last, Highest };

struct SampleColumn {
  const char* name = nullptr;
  const char* meaning = "";
  Keep keep = Keep::Last;
  bool thousandths = false;  // a real number on disk, thousandths of it in a row
  std::int64_t most = std::numeric_limits<std::int64_t>::max();
};

struct KindSpec {
  const char* name = nullptr;     // the tables are <name>_sample, <name>_8s ...
  const char* meaning = nullptr;  // of the column that is judged
  SampleColumn judged = {};       // becomes lowest, mean and highest
  std::array<SampleColumn, kMaxKeys> key_list{};
  std::array<SampleColumn, kMaxColumns> column_list{};
  std::size_t key_count = 0;
  std::size_t column_count = 0;
  bool is_late = false;                  // was added to the schema: an old recording does not have it
  std::array<double, kLevels> ages_s{};  // how long rows of a level are kept
  std::array<std::int64_t, kLevels> row_limits{};  // and how many at most

  [[nodiscard]] std::span<const SampleColumn> keys() const { return {key_list.data(), key_count}; }
  [[nodiscard]] std::span<const SampleColumn> columns() const { return {column_list.data(), column_count}; }
};

const KindSpec& spec_of(SeriesKind kind);

// A row of any table of samples.
struct SampleRow {
  double at_s = 0;
  double span_s = 0;
  std::int64_t count = 0;
  double step = model::kUnknown;
  std::array<std::int64_t, kMaxKeys> keys{};
  std::int64_t low = 0;
  double mean = 0;
  std::int64_t high = 0;
  std::array<std::int64_t, kMaxColumns> others{};  // kAbsent = NULL
};

// For every type of reading in a Tick.
template <typename Reading>
SeriesKind kind_of();
template <typename Reading>
SampleRow row_of(const Reading& reading);
// The row must have passed the reader's checks: nothing is negative.
template <typename Reading>
PointOf<Reading> point_of(const SampleRow& row);

}  // namespace lowtide::record
