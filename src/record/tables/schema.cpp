#include "record/tables/schema.h"

#include "base/check.h"

namespace lowtide::record {
namespace {

constexpr double kHourSeconds = 3600;
constexpr double kDaySeconds = 24 * kHourSeconds;
constexpr double kForeverSeconds = 1e12;

// Few series, so long memory: the verdict of the target rests on them.
constexpr std::array<double, kLevels> kLongSeconds = {2 * kHourSeconds, kDaySeconds, 14 * kDaySeconds,
                                                      60 * kDaySeconds, kForeverSeconds};
constexpr std::array<std::int64_t, kLevels> kFewRows = {10'000, 12'000, 20'000, 12'000, 12'000};
// One series per process.
constexpr std::array<double, kLevels> kShortSeconds = {kHourSeconds / 2, 4 * kHourSeconds, kDaySeconds,
                                                       14 * kDaySeconds, kForeverSeconds};
constexpr std::array<std::int64_t, kLevels> kManyRows = {95'000, 95'000, 70'000, 70'000, 30'000};
constexpr std::array<std::int64_t, kLevels> kSiteRows = {40'000, 30'000, 30'000, 20'000, 10'000};
constexpr std::array<std::int64_t, kLevels> kGpuRows = {20'000, 20'000, 16'000, 16'000, 10'000};

constexpr std::array<KindSpec, kKinds> kSpecs = {{
    {.name = "target",
     .judged = "bytes",
     .keys = {},
     .columns = {{{"file_bytes"}, {"rss_bytes"}, {"processes", Keep::Highest}, {"exact"}}},
     .ages_s = kLongSeconds,
     .row_limits = kFewRows},
    {.name = "process",
     .judged = "own_bytes",
     .keys = {"process"},
     .columns = {{{"rss_bytes"},
                  {"anon_bytes"},
                  {"file_bytes"},
                  {"shmem_bytes"},
                  {"swap_bytes"},
                  {"pss_bytes"},
                  {"pss_anon_bytes"},
                  {"pss_shmem_bytes"},
                  {"pss_file_bytes"},
                  {"private_dirty_bytes"},
                  {"uss_bytes"}}},
     .ages_s = kShortSeconds,
     .row_limits = kManyRows},
    {.name = "cgroup",
     .judged = "current_bytes",
     .keys = {},
     .columns = {{{"anon_bytes"},
                  {"file_bytes"},
                  {"shmem_bytes"},
                  {"kernel_bytes"},
                  {"limit_bytes"},
                  {"oom_kills"}}},
     .ages_s = kLongSeconds,
     .row_limits = kFewRows},
    {.name = "host",
     .judged = "available_bytes",
     .keys = {},
     .columns = {{{"total_bytes"}, {"shm_bytes"}, {"pressure_percent", Keep::Highest, true}}},
     .ages_s = kLongSeconds,
     .row_limits = kFewRows},
    {.name = "gpu",
     .judged = "used_bytes",
     .keys = {"gpu"},
     .columns = {{{"total_bytes"}}},
     .ages_s = kShortSeconds,
     .row_limits = kGpuRows},
    {.name = "gpu_process",
     .judged = "bytes",
     .keys = {"gpu", "process"},
     .columns = {{{"allocated_bytes"},
                  {"reserved_bytes"},
                  {"inactive_split_bytes"},
                  {"retries", Keep::Highest},
                  {"ooms", Keep::Highest},
                  {"pinned_bytes"}}},
     .ages_s = kShortSeconds,
     .row_limits = kGpuRows},
    {.name = "heap",
     .judged = "live_bytes",
     .keys = {"process"},
     .columns = {{{"live_samples"},
                  {"allocated_bytes"},
                  {"samples"},
                  {"dropped_samples"},
                  {"interval_bytes"},
                  {"sampling_ns"},
                  {"asking_ns"}}},
     .ages_s = kShortSeconds,
     .row_limits = kGpuRows},
    {.name = "site",
     .judged = "live_bytes",
     .keys = {"site", "process"},
     .columns = {{{"live_samples"},
                  {"allocated_bytes"},
                  {"allocated_samples"},
                  {"shared_bytes"},
                  {"old_bytes"},
                  {"old_samples"},
                  {"old_freed_samples"}}},
     .ages_s = kShortSeconds,
     .row_limits = kSiteRows},
}};

// No STRICT, no generated columns: SQLite 3.26, of RHEL 8, must open it.
constexpr const char* kFixedTables = R"(
CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;
CREATE TABLE process(id INTEGER PRIMARY KEY, pid INTEGER, ppid INTEGER, start_ticks INTEGER, role TEXT,
  role_index INTEGER, continues INTEGER, command TEXT, started_s REAL, ended_s REAL, exit_status INTEGER);
CREATE TABLE event(id INTEGER PRIMARY KEY, at_s REAL, kind TEXT, process INTEGER, text TEXT);
CREATE TABLE judgement(id INTEGER PRIMARY KEY, at_s REAL, kept INTEGER, kind TEXT, confidence REAL, axis TEXT,
  counted INTEGER, samples INTEGER, rate_bytes REAL, rate_low REAL, rate_high REAL, floor_first_bytes INTEGER,
  floor_last_bytes INTEGER, warmup_end_step REAL, warmup_end_s REAL, plateau_bytes INTEGER, spike_bytes INTEGER,
  reason TEXT, needs TEXT, lean_kind TEXT, lean_confidence REAL, basis TEXT, limit_kind TEXT, limit_bytes INTEGER,
  limit_step REAL, limit_step_low REAL, limit_step_high REAL, limit_s REAL, limit_s_low REAL, limit_s_high REAL);
CREATE TABLE site(id INTEGER PRIMARY KEY, process INTEGER, cut INTEGER);
CREATE TABLE frame(id INTEGER PRIMARY KEY, site INTEGER, depth INTEGER, language TEXT, function TEXT, file TEXT,
  line INTEGER, module TEXT);
CREATE TABLE trim_trial(id INTEGER PRIMARY KEY, at_s REAL, process INTEGER, outcome TEXT, rss_before_bytes INTEGER,
  rss_after_bytes INTEGER, trim_s REAL, inspect_s REAL, arena_bytes INTEGER, free_bytes INTEGER, mapped_bytes INTEGER);
CREATE TABLE snapshot(id INTEGER PRIMARY KEY, at_s REAL, process INTEGER, python TEXT, objects INTEGER,
  object_bytes INTEGER, storage_bytes INTEGER, device_bytes INTEGER, pause_s REAL, whole_s REAL, flags INTEGER);
CREATE TABLE snapshot_node(id INTEGER PRIMARY KEY, snapshot INTEGER, path TEXT, type TEXT, address INTEGER, length INTEGER,
  retained_bytes INTEGER, device_bytes INTEGER, retained_objects INTEGER, cache TEXT, bound INTEGER, holder INTEGER, file TEXT, line INTEGER,
  depth INTEGER);
CREATE TABLE snapshot_tensors(id INTEGER PRIMARY KEY, snapshot INTEGER, device TEXT, dtype TEXT, shape TEXT,
  requires_grad INTEGER, count INTEGER, bytes INTEGER, storages INTEGER, storage_bytes INTEGER);
CREATE TABLE snapshot_type(id INTEGER PRIMARY KEY, snapshot INTEGER, type TEXT, count INTEGER, bytes INTEGER);
CREATE TABLE phase(id INTEGER PRIMARY KEY, process INTEGER, name TEXT, count INTEGER, kept_bytes INTEGER,
  peak_bytes INTEGER, took_s REAL, UNIQUE(process, name));
CREATE TABLE phase_visit(id INTEGER PRIMARY KEY, process INTEGER, name TEXT, from_s REAL, to_s REAL);
CREATE TABLE outage(id INTEGER PRIMARY KEY, from_s REAL, to_s REAL, ticks INTEGER, why TEXT);
CREATE TABLE tier(kind TEXT, level INTEGER, samples TEXT, width_s REAL, from_s REAL, PRIMARY KEY(kind, level)) WITHOUT ROWID;
)";

// The columns after the measured ones: ", rss_bytes INTEGER, anon_bytes INTEGER".
std::string typed_others(const KindSpec& spec) {
  std::string list;
  for (const Column& column : columns_of(spec)) {
    list += std::string(", ") + column.name + (column.thousandths ? " REAL" : " INTEGER");
  }
  return list;
}

// The same without types; NULL for those behind the first `there`.
std::string others_of(const KindSpec& spec, std::size_t there) {
  std::string list;
  for (const Column& column : columns_of(spec)) {
    list += std::string(", ") + (there > 0 ? column.name : "NULL");
    there -= there > 0 ? 1 : 0;
  }
  return list;
}

std::string key_list(const KindSpec& spec, const char* suffix) {
  std::string list;
  for (const char* key : keys_of(spec)) {
    list += std::string(", ") + key + suffix;
  }
  return list;
}

// The columns of a Row in their order, as this level has them.
std::string row_columns(const KindSpec& spec, std::size_t level, std::size_t there = kMaxColumns) {
  const std::string judged = spec.judged;
  if (level == 0) {
    return "at_s, 0 AS span_s, 1 AS count, step" + key_list(spec, "") + ", " + judged + " AS low_bytes, " +
           judged + " AS mean_bytes, " + judged + " AS high_bytes" + others_of(spec, there);
  }
  return "at_s, span_s, count, step" + key_list(spec, "") + ", low_bytes, mean_bytes, high_bytes" +
         others_of(spec, there);
}

std::string from_s_of(const KindSpec& spec, std::size_t level) {
  return std::string("(SELECT from_s FROM tier WHERE kind = '") + spec.name +
         "' AND level = " + std::to_string(level) + ")";
}

std::string kind_sql(SeriesKind kind) {
  const KindSpec& spec = spec_of(kind);
  std::string sql;
  std::string view = std::string("CREATE VIEW ") + spec.name + "_memory AS ";
  for (std::size_t level = 0; level < kLevels; ++level) {
    const std::string table = table_of(kind, level);
    const std::string keys = key_list(spec, " INTEGER");
    sql += "CREATE TABLE " + table + "(id INTEGER PRIMARY KEY, at_s REAL";
    sql += level == 0 ? ", step REAL" + keys + ", " + spec.judged + " INTEGER"
                      : ", span_s REAL, count INTEGER, step REAL" + keys +
                            ", low_bytes INTEGER, mean_bytes INTEGER, high_bytes INTEGER";
    sql += typed_others(spec) + ");\n";
    sql += std::string("INSERT INTO tier VALUES('") + spec.name + "', " + std::to_string(level) + ", '" +
           table + "', " + std::to_string(kWidthsSeconds[level]) + ", 0);\n";
  }
  for (std::size_t level = kLevels; level-- > 0;) {
    view += "SELECT " + row_columns(spec, level) + " FROM " + table_of(kind, level) +
            " WHERE at_s >= " + from_s_of(spec, level);
    view += level > 0 ? " AND at_s < " + from_s_of(spec, level - 1) + " UNION ALL " : ";\n";
  }
  return sql + view;
}

}  // namespace

const KindSpec& spec_of(SeriesKind kind) {
  const auto at = static_cast<std::size_t>(kind);
  LOWTIDE_CHECK(at < kKinds, "a kind of series that has no tables");
  return kSpecs[at];
}

std::span<const char* const> keys_of(const KindSpec& spec) {
  std::size_t size = 0;
  while (size < kMaxKeys && spec.keys[size] != nullptr) {
    ++size;
  }
  return {spec.keys.data(), size};
}

std::span<const Column> columns_of(const KindSpec& spec) {
  std::size_t size = 0;
  while (size < kMaxColumns && spec.columns[size].name != nullptr) {
    ++size;
  }
  return {spec.columns.data(), size};
}

std::string table_of(SeriesKind kind, std::size_t level) {
  const std::string name = spec_of(kind).name;
  return level == 0 ? name + "_sample"
                    : name + "_" + std::to_string(static_cast<int>(kWidthsSeconds[level])) + "s";
}

std::string schema_sql() {
  std::string sql = "PRAGMA application_id = " + std::to_string(kApplicationId) + ";\n";
  sql += "PRAGMA user_version = " + std::to_string(kSchemaVersion) + ";\n";
  sql += kFixedTables;
  for (std::size_t kind = 0; kind < kKinds; ++kind) {
    sql += kind_sql(static_cast<SeriesKind>(kind));
  }
  return sql;
}

std::string insert_sql(SeriesKind kind, std::size_t level) {
  const KindSpec& spec = spec_of(kind);
  std::size_t columns = keys_of(spec).size() + columns_of(spec).size();
  columns += level == 0 ? 3U : 7U;
  std::string sql = "INSERT INTO " + table_of(kind, level) + " VALUES(NULL";
  for (std::size_t at = 0; at < columns; ++at) {
    sql += ", ?";
  }
  return sql + ")";
}

std::string select_sql(SeriesKind kind, std::size_t level, std::size_t there) {
  return "SELECT id, " + row_columns(spec_of(kind), level, there) + " FROM " + table_of(kind, level) +
         " WHERE id > ? AND at_s >= ? AND at_s < ? ORDER BY id";
}

}  // namespace lowtide::record
