// What the tables of a recording are called and hold; docs/recording.md tells it
// to people. Tables of samples are all of one build, so they are described by
// data: writer, thinning and reader go over the same list and cannot disagree.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>

namespace lowtide::record {

inline constexpr int kSchemaVersion = 1;
inline constexpr std::uint32_t kApplicationId = 0x6C6F7774;  // "lowt"

enum class SeriesKind : std::uint8_t { Target, Process, Cgroup, Host, Gpu, GpuProcess, Heap, Site };
inline constexpr std::size_t kKinds = 8;

// Level 0 holds single readings, the others stretches of so many seconds.
inline constexpr std::size_t kLevels = 5;
inline constexpr std::array<double, kLevels> kWidthsSeconds = {0, 8, 64, 512, 4096};

inline constexpr std::size_t kMaxKeys = 2;
inline constexpr std::size_t kMaxColumns = 11;
inline constexpr std::int64_t kAbsent = std::numeric_limits<std::int64_t>::min();

// What stays of a column when readings become a stretch.
enum class Keep : std::uint8_t { Last, Highest };

struct Column {
  const char* name = nullptr;
  Keep keep = Keep::Last;
  bool thousandths = false;  // a real number on disk, thousandths of it in a Row
};

struct KindSpec {
  const char* name = nullptr;    // the tables are <name>_sample, <name>_8s ...
  const char* judged = nullptr;  // the column that becomes lowest, mean and highest
  std::array<const char*, kMaxKeys> keys{};
  std::array<Column, kMaxColumns> columns{};
  std::array<double, kLevels> ages_s{};            // how long rows of a level are kept
  std::array<std::int64_t, kLevels> row_limits{};  // and how many at most
};

const KindSpec& spec_of(SeriesKind kind);
std::span<const char* const> keys_of(const KindSpec& spec);
std::span<const Column> columns_of(const KindSpec& spec);

// A line of any table of samples.
struct Row {
  double at_s = 0;
  double span_s = 0;
  std::int64_t count = 0;
  double step = std::numeric_limits<double>::quiet_NaN();
  std::array<std::int64_t, kMaxKeys> keys{};
  std::int64_t low = 0;
  double mean = 0;
  std::int64_t high = 0;
  std::array<std::int64_t, kMaxColumns> others{};  // kAbsent = NULL
};

std::string table_of(SeriesKind kind, std::size_t level);

// Everything that makes an empty recording of it, as one script.
std::string schema_sql();
std::string insert_sql(SeriesKind kind, std::size_t level);
// id, then the columns of a Row; parameters: ids above, at_s from, at_s below. Of the other columns
// the first `there` are in the table: a recording of an older lowtide has fewer.
std::string select_sql(SeriesKind kind, std::size_t level, std::size_t there = kMaxColumns);

}  // namespace lowtide::record
