// A recording may come from anywhere: every value is looked at before it is
// believed. A row that cannot be is left out and counted; a table that cannot be
// read on is entered again further down.
#include "record/reader.h"

#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <string_view>
#include <utility>

#include "record/open.h"
#include "record/reader_state.h"
#include "record/sqlite.h"
#include "record/tables/rows.h"
#include "record/tables/schema.h"
#include "record/tables/values.h"

namespace lowtide::record {
namespace {

constexpr std::size_t kMostWarnings = 100;

template <typename Number>
Number number_of(const std::map<std::string, std::string>& meta, const char* key, Number fallback) {
  const auto found = meta.find(key);
  if (found == meta.end()) {
    return fallback;
  }
  Number value{};
  const std::string& text = found->second;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
  if (parsed.ec != std::errc() || parsed.ptr != text.data() + text.size()) {
    return fallback;
  }
  return value;
}

std::string text_of(const std::map<std::string, std::string>& meta, const char* key) {
  const auto found = meta.find(key);
  return found == meta.end() ? std::string() : found->second;
}

// False where the row holds what no reading can have been.
bool read_row(const Statement& from, const KindSpec& spec, Row& row) {
  int at = 1;
  const double at_s = from.real(at++);
  const double span_s = from.real(at++);
  row.at_s = at_s;
  row.span_s = span_s;
  row.count = from.integer(at++);
  row.step = from.is_null(at) ? model::kUnknown : from.real(at);
  bool sound = is_time(at_s) && is_time(span_s) && span_s >= 0 && row.count >= 1 && !std::isinf(row.step) &&
               (from.is_null(at) || from.is_number(at));
  ++at;
  for (std::size_t key = 0; key < keys_of(spec).size(); ++key, ++at) {
    row.keys[key] = from.integer(at);
    const bool is_gpu = std::string_view(spec.keys[key]) == "gpu";
    const std::int64_t most = is_gpu ? 65'535 : std::numeric_limits<std::uint32_t>::max();
    sound = sound && from.is_integer(at) && row.keys[key] >= 0 && row.keys[key] <= most;
  }
  row.low = from.integer(at);
  const std::int64_t mean = from.integer(at + 1);
  row.high = from.integer(at + 2);
  row.mean = static_cast<double>(mean);
  sound = sound && from.is_integer(at) && from.is_integer(at + 1) && from.is_integer(at + 2) &&
          row.low >= 0 && row.low <= mean && mean <= row.high;
  at += 3;
  const auto columns = columns_of(spec);
  for (std::size_t column = 0; column < columns.size(); ++column, ++at) {
    std::int64_t& value = row.others[column];
    if (from.is_null(at)) {
      value = kAbsent;
    } else if (columns[column].thousandths) {
      const double real = from.real(at);
      sound = sound && from.is_number(at) && real >= 0 && real <= 100;
      value = sound ? std::llround(real * 1000) : 0;
    } else {
      value = from.integer(at);
      sound = sound && from.is_integer(at) && value >= 0;
    }
  }
  return sound;
}

}  // namespace

void Recording::State::warn(const std::string& text) {
  if (warnings.size() < kMostWarnings) {
    warnings.push_back(text);
  }
}

bool Recording::State::has_table(const char* name) {
  auto prepared = database.prepare("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?");
  if (!prepared.ok()) {
    return true;  // damaged: whoever reads the table will say how
  }
  prepared.value().bind(0, std::string_view(name));
  return prepared.value().step() != SQLITE_DONE;
}

std::size_t Recording::State::columns_there(SeriesKind kind) {
  const KindSpec& spec = spec_of(kind);
  constexpr std::int64_t kAlways = 4;  // id, at_s, step, and what is judged
  auto prepared = database.prepare("SELECT count(*) FROM pragma_table_info(?)");
  if (!prepared.ok()) {
    return kMaxColumns;  // damaged: whoever reads the table will say how
  }
  const std::string table = table_of(kind, 0);
  prepared.value().bind(0, std::string_view(table));
  if (prepared.value().step() != SQLITE_ROW) {
    return kMaxColumns;
  }
  const std::int64_t others =
      prepared.value().integer(0) - kAlways - static_cast<std::int64_t>(keys_of(spec).size());
  return others < 0 ? kMaxColumns : static_cast<std::size_t>(others);
}

void Recording::State::load() {
  auto prepared = database.prepare("SELECT key, value FROM meta");
  int status = SQLITE_ERROR;
  if (prepared.ok()) {
    while ((status = prepared.value().step()) == SQLITE_ROW && meta.size() < 10'000) {
      meta[prepared.value().text(0, 1'000)] = prepared.value().text(1, kTextBytes);
    }
  }
  if (status != SQLITE_DONE) {
    warn("what the recording says about itself cannot be read: " + database.error().message);
  }
  header.command = text_of(meta, "command");
  header.working_directory = text_of(meta, "working_directory");
  header.host = text_of(meta, "host");
  header.started = text_of(meta, "started");
  header.lowtide_version = text_of(meta, "lowtide_version");
  const double started_s = number_of(meta, "started_unix_s", 0.0);
  header.started_unix_s = is_time(started_s) ? started_s : 0;
  const double interval_s = number_of(meta, "interval_s", 1.0);
  header.interval_s = interval_s > 0 && is_time(interval_s) ? interval_s : 1;
  header.root_pid = number_of(meta, "root_pid", std::int64_t{0});
  header.attached = text_of(meta, "attached") == "1";
  if (meta.contains("limit_bytes")) {
    header.limit_bytes = number_of(meta, "limit_bytes", std::uint64_t{0});
  }
  auto last = database.prepare("SELECT at_s FROM target_sample ORDER BY id DESC LIMIT 1");
  if (last.ok() && last.value().step() == SQLITE_ROW) {
    last_at_s = is_time(last.value().real(0)) ? last.value().real(0) : 0;
  }
}

// lines[n]..lines[n - 1] is the time for which level n speaks.
std::array<double, kLevels + 1> Recording::State::lines_of(SeriesKind kind) {
  std::array<double, kLevels + 1> lines{};
  const std::string name = spec_of(kind).name;
  auto prepared = database.prepare("SELECT level, from_s FROM tier WHERE kind = '" + name + "'");
  std::size_t found = 0;
  if (prepared.ok()) {
    Statement& row = prepared.value();
    while (row.step() == SQLITE_ROW && found < kLevels) {
      const std::int64_t level = row.integer(0);
      if (level >= 0 && level < static_cast<std::int64_t>(kLevels) && row.is_number(1) &&
          is_time(row.real(1))) {
        lines[static_cast<std::size_t>(level)] = row.real(1);
        ++found;
      }
    }
  }
  if (found != kLevels) {
    warn("table tier is damaged: only the latest readings of " + name + " are used");
    lines = {};
  }
  return lines;
}

template <typename P>
void Recording::State::visit(SeriesKind kind, const std::function<void(const P&)>& visitor,
                             std::optional<std::int64_t> process) {
  const KindSpec& spec = spec_of(kind);
  // One view of the file: a writer may move the lines between two levels.
  const bool snapshot = database.execute("BEGIN") == SQLITE_OK;
  const auto lines = lines_of(kind);
  const std::size_t there = columns_there(kind);
  for (std::size_t level = kLevels; level-- > 0;) {
    const double below_s = level == 0 ? std::numeric_limits<double>::infinity() : lines[level - 1];
    const auto use = [&](const Statement& from) {
      Row row;
      if (!read_row(from, spec, row)) {
        return false;
      }
      if (!process || row.keys[0] == *process) {
        P point{};
        static_cast<Point&>(point) = point_of(row);
        from_row(row, point.last);
        visitor(point);
      }
      return true;
    };
    scan(table_of(kind, level), select_sql(kind, level, there), use, lines[level], below_s);
  }
  if (snapshot) {
    static_cast<void>(database.execute("COMMIT"));
  }
}

base::Result<Recording> Recording::open(const std::string& path) {
  auto opened = open_recording(path);
  if (!opened.ok()) {
    return std::move(opened).error();
  }
  auto state = std::make_unique<State>();
  state->path = path;
  state->database = std::move(opened.value().database);
  state->warnings = std::move(opened.value().warnings);
  state->load();
  Recording recording(std::move(state));
  for (const Outage& outage : recording.outages()) {
    recording.state_->lost_ticks += outage.ticks;
  }
  return recording;
}

Recording::Recording(std::unique_ptr<State> state) : state_(std::move(state)) {}
Recording::Recording(Recording&& other) noexcept = default;
Recording& Recording::operator=(Recording&& other) noexcept = default;
Recording::~Recording() = default;

const Header& Recording::header() const {
  return state_->header;
}

const std::map<std::string, std::string>& Recording::meta() const {
  return state_->meta;
}

bool Recording::closed_cleanly() const {
  return text_of(state_->meta, "closed") == "1";
}

double Recording::last_at_s() const {
  return state_->last_at_s;
}

std::uint64_t Recording::lost_ticks() const {
  return state_->lost_ticks;
}

const std::vector<std::string>& Recording::warnings() const {
  return state_->warnings;
}

void Recording::for_each_target(const std::function<void(const TargetPoint&)>& visit) {
  state_->visit(SeriesKind::Target, visit);
}

void Recording::for_each_process_point(const std::function<void(const ProcessPoint&)>& visit) {
  state_->visit(SeriesKind::Process, visit);
}

void Recording::for_each_process_point(model::ProcessId process,
                                       const std::function<void(const ProcessPoint&)>& visit) {
  state_->visit(SeriesKind::Process, visit, static_cast<std::int64_t>(process));
}

void Recording::for_each_cgroup(const std::function<void(const CgroupPoint&)>& visit) {
  state_->visit(SeriesKind::Cgroup, visit);
}

void Recording::for_each_host(const std::function<void(const HostPoint&)>& visit) {
  state_->visit(SeriesKind::Host, visit);
}

void Recording::for_each_gpu(const std::function<void(const GpuPoint&)>& visit) {
  state_->visit(SeriesKind::Gpu, visit);
}

void Recording::for_each_gpu_process(const std::function<void(const GpuProcessPoint&)>& visit) {
  state_->visit(SeriesKind::GpuProcess, visit);
}

void Recording::for_each_heap(const std::function<void(const HeapPoint&)>& visit) {
  if (state_->has_table("heap_sample")) state_->visit(SeriesKind::Heap, visit);
}

void Recording::for_each_site(const std::function<void(const SitePoint&)>& visit) {
  if (state_->has_table("site_sample")) state_->visit(SeriesKind::Site, visit);
}

}  // namespace lowtide::record
