// A recording may come from anywhere: every value is checked before it is used (tables/table_reader.h).
#include "record/reader.h"

#include <algorithm>
#include <array>
#include <limits>
#include <unordered_map>
#include <utility>

#include "record/chosen_snapshots.h"
#include "record/open.h"
#include "record/sqlite.h"
#include "record/tables/descriptions.h"
#include "record/tables/sample_rows.h"
#include "record/tables/table_reader.h"

namespace lowtide::record {
namespace {

constexpr std::size_t kMostFrames = 512;           // of one site
constexpr std::size_t kMostParts = 2'500;          // of one kind, of one snapshot
constexpr std::size_t kMostChosenSnapshots = 256;  // whose objects are read
// The writer deletes rows that are over its limit every few seconds, so that there may be more for a while.
constexpr std::int64_t kRowsBehindLimit = 2;

}  // namespace

struct Recording::State {
  TableReader tables;
  Header header;
  std::map<std::string, std::string> meta;
  double last_at_s = 0;
  std::uint64_t lost_ticks = 0;

  void load_meta();
  void load_header();
  void load_last_tick();
  std::array<double, kLevels + 1> lines_of(SeriesKind kind);

  template <typename Reading>
  void visit(const std::function<void(const PointOf<Reading>&)>& visitor,
             std::optional<std::int64_t> process = {});
};

void Recording::State::load_meta() {
  constexpr std::size_t kMostKeys = 1'000;
  constexpr std::size_t kMostBytes = 4'000'000;
  constexpr std::size_t kLongestKey = 1'000;
  constexpr std::size_t kLongestValue = 65'536;
  std::size_t bytes = 0;
  auto prepared = tables.database().prepare("SELECT key, value FROM meta");
  int status = SQLITE_ERROR;
  if (prepared.ok()) {
    Statement& row = prepared.value();
    while ((status = row.step()) == SQLITE_ROW && meta.size() < kMostKeys && bytes < kMostBytes) {
      std::string& value = meta[row.text(0, kLongestKey)];
      value = row.text(1, kLongestValue);
      bytes += value.size();
    }
  }
  if (status == SQLITE_ROW) {
    tables.warn("table meta has more rows than lowtide writes: only the first " +
                std::to_string(meta.size()) + " rows were read");
  } else if (status != SQLITE_DONE) {
    tables.warn("the table meta cannot be read: " + tables.database().error().message);
  }
}

// A value that cannot be leaves the default.
void Recording::State::load_header() {
  for_each_member(header, [&]<typename Member>(Meta key, Member& member) {
    const auto found = meta.find(meta_key(key));
    if (found == meta.end()) return;
    if constexpr (std::is_same_v<Member, std::optional<std::uint64_t>>) {
      member = parse_meta<std::uint64_t>(found->second).value_or(0);
    } else if (const auto value = parse_meta<Member>(found->second)) {
      member = *value;
    }
  });
  if (!is_time(header.started_unix_s)) header.started_unix_s = 0;
  if (!is_time(header.interval_s) || header.interval_s <= 0) header.interval_s = 1;
}

void Recording::State::load_last_tick() {
  auto last = tables.database().prepare("SELECT at_s FROM target_sample ORDER BY rowid DESC LIMIT 1");
  if (last.ok() && last.value().step() == SQLITE_ROW) {
    last_at_s = is_time(last.value().real(0)) ? last.value().real(0) : 0;
  }
}

// lines[n]..lines[n - 1] is the time for which level n speaks.
std::array<double, kLevels + 1> Recording::State::lines_of(SeriesKind kind) {
  std::array<double, kLevels + 1> lines{};
  const std::string name = spec_of(kind).name;
  auto prepared = tables.database().prepare("SELECT level, from_s FROM tier WHERE kind = '" + name + "'");
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
    tables.warn("table tier is damaged: only the latest readings of " + name + " are used");
    lines = {};
  }
  return lines;
}

template <typename Reading>
void Recording::State::visit(const std::function<void(const PointOf<Reading>&)>& visitor,
                             std::optional<std::int64_t> process) {
  const SeriesKind kind = kind_of<Reading>();
  if (spec_of(kind).is_late && tables.columns_of(sample_table(kind, 0)).empty()) return;
  // One view of the file: a writer may move the lines between two levels.
  const bool has_view = tables.database().execute("BEGIN") == SQLITE_OK;
  const auto lines = lines_of(kind);
  for (std::size_t level = kLevels; level-- > 0;) {
    const double below_s = level == 0 ? std::numeric_limits<double>::infinity() : lines[level - 1];
    const auto use = [&](const Statement& from) {
      SampleRow row;
      if (!read_row(from, kind, row)) return RowUse::Refused;
      if (process && row.keys[0] != *process) return RowUse::NotNeeded;
      visitor(point_of<Reading>(row));
      return RowUse::Kept;
    };
    const TableText table = sample_table(kind, level);
    const std::string sql = select_sql(kind, level, tables.columns_of(table));
    const ReadLimit limit{.rows = kRowsBehindLimit * spec_of(kind).row_limits[level]};
    tables.scan(table.name, sql, limit, use, lines[level], below_s);
  }
  if (has_view) static_cast<void>(tables.database().execute("COMMIT"));
}

base::Result<Recording> Recording::open(const std::string& path) {
  auto opened = open_recording(path);
  if (!opened.ok()) return std::move(opened).error();
  auto state = std::make_unique<State>();
  state->tables = TableReader(std::move(opened.value().database), std::move(opened.value().warnings));
  state->load_meta();
  state->load_header();
  state->load_last_tick();
  Recording recording(std::move(state));
  for (const Outage& outage : recording.outages()) recording.state_->lost_ticks += outage.ticks;
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
  return meta<Meta::Closed>().value_or(false);
}

double Recording::last_at_s() const {
  return state_->last_at_s;
}

std::uint64_t Recording::lost_ticks() const {
  return state_->lost_ticks;
}

const std::vector<std::string>& Recording::warnings() const {
  return state_->tables.warnings();
}

void Recording::warn(const std::string& text) {
  state_->tables.warn(text);
}

std::vector<model::ProcessInfo> Recording::processes() {
  return state_->tables.all<model::ProcessInfo>();
}

std::vector<model::SiteInfo> Recording::sites() {
  std::vector<model::SiteInfo> list;
  if (!state_->tables.has<FrameRow>()) return list;
  std::unordered_map<model::SiteId, std::size_t> places;
  state_->tables.for_each<model::SiteInfo>([&](model::SiteInfo& site) {
    places.emplace(site.id, list.size());
    list.push_back(std::move(site));
    return RowUse::Kept;
  });
  state_->tables.for_each<FrameRow>([&](FrameRow& row) {
    const auto place = places.find(row.site);
    if (place == places.end() || list[place->second].frames.size() >= kMostFrames) return RowUse::Refused;
    list[place->second].frames.push_back(std::move(row.frame));
    return RowUse::Kept;
  });
  return list;
}

std::vector<RecordedEvent> Recording::events() {
  return state_->tables.all<RecordedEvent>();
}

std::vector<Outage> Recording::outages() {
  return state_->tables.all<Outage>();
}

std::vector<model::TrimTrial> Recording::trim_trials() {
  return state_->tables.all<model::TrimTrial>();
}

std::vector<model::Phase> Recording::phases() {
  return state_->tables.all<model::Phase>();
}

std::vector<model::PhaseVisit> Recording::phase_visits() {
  return state_->tables.all<model::PhaseVisit>();
}

std::optional<std::string> Recording::source_text(const std::string& path) {
  std::optional<std::string> found;
  state_->tables.for_each<model::SourceFile>([&](model::SourceFile& source) {
    if (source.path != path) return RowUse::NotNeeded;
    found = std::move(source.text);
    return RowUse::Kept;
  });
  return found;
}

std::vector<model::LibraryVersion> Recording::libraries() {
  return state_->tables.all<model::LibraryVersion>();
}

std::vector<model::SharedGroup> Recording::shared_groups() {
  std::vector<model::SharedGroup> groups = state_->tables.all<model::SharedGroup>();
  std::erase_if(groups, [](const model::SharedGroup& group) { return group.count == 0; });
  std::sort(groups.begin(), groups.end(),
            [](const model::SharedGroup& a, const model::SharedGroup& b) { return a.place < b.place; });
  return groups;
}

std::vector<model::Judgement> Recording::judgements() {
  std::vector<model::Judgement> list;
  state_->tables.for_each<JudgementRow>([&](JudgementRow& row) {
    list.push_back(std::move(row.judgement));
    return RowUse::Kept;
  });
  return list;
}

std::vector<RecordedSnapshot> Recording::snapshots() {
  std::vector<RecordedSnapshot> list;
  if (!state_->tables.has<SnapshotRow>()) return list;
  std::unordered_map<std::int64_t, std::size_t> places;
  TableReader& tables = state_->tables;
  tables.for_each<SnapshotRow>([&](SnapshotRow& row) {
    places.emplace(row.id, list.size());
    list.push_back(std::move(row.recorded));
    return RowUse::Kept;
  });
  const std::size_t chosen = choose_snapshots(list, kMostChosenSnapshots);
  if (chosen < list.size()) {
    warn("the recording has " + std::to_string(list.size()) + " snapshots: " + std::to_string(chosen) +
         " of them are compared");
  }
  // A part belongs to a snapshot that was read.
  const auto add_to = [&]<typename Part>(std::vector<Part> model::Snapshot::*parts) {
    tables.for_each<PartRow<Part>>([&](PartRow<Part>& row) {
      const auto place = places.find(row.snapshot);
      if (place == places.end()) return RowUse::Refused;
      model::Snapshot& snapshot = list[place->second].snapshot;
      constexpr bool kIsOfWalk = !std::is_same_v<Part, model::GpuPool> &&
                                 !std::is_same_v<Part, model::GpuLine> &&
                                 !std::is_same_v<Part, model::GpuPeak>;
      if (kIsOfWalk && !snapshot.has_holders) return RowUse::NotNeeded;
      std::vector<Part>& known = snapshot.*parts;
      if (known.size() >= kMostParts) return RowUse::Refused;
      if constexpr (std::is_same_v<Part, model::HeldNode>) {
        if (row.part.holder && *row.part.holder >= known.size()) row.part.holder.reset();
      } else if constexpr (std::is_same_v<Part, model::HeldType>) {
        if (row.part.node >= snapshot.nodes.size()) return RowUse::Refused;
      } else if constexpr (std::is_same_v<Part, model::HeldUse>) {
        if (row.part.node && *row.part.node >= snapshot.nodes.size()) return RowUse::Refused;
      }
      known.push_back(std::move(row.part));
      return RowUse::Kept;
    });
  };
  add_to(&model::Snapshot::nodes);
  add_to(&model::Snapshot::tensors);
  add_to(&model::Snapshot::types);
  add_to(&model::Snapshot::contents);
  add_to(&model::Snapshot::uses);
  add_to(&model::Snapshot::gpu_pools);
  add_to(&model::Snapshot::gpu_lines);
  add_to(&model::Snapshot::gpu_peaks);
  return list;
}

void Recording::for_each_target(const std::function<void(const TargetPoint&)>& visit) {
  state_->visit<model::TargetReading>(visit);
}

void Recording::for_each_process_point(const std::function<void(const ProcessPoint&)>& visit) {
  state_->visit<model::ProcessReading>(visit);
}

void Recording::for_each_process_point(model::ProcessId process,
                                       const std::function<void(const ProcessPoint&)>& visit) {
  state_->visit<model::ProcessReading>(visit, static_cast<std::int64_t>(process));
}

void Recording::for_each_cgroup(const std::function<void(const CgroupPoint&)>& visit) {
  state_->visit<model::CgroupReading>(visit);
}

void Recording::for_each_host(const std::function<void(const HostPoint&)>& visit) {
  state_->visit<model::HostReading>(visit);
}

void Recording::for_each_tmpfs(const std::function<void(const TmpfsPoint&)>& visit) {
  state_->visit<model::TmpfsReading>(visit);
}

void Recording::for_each_gpu(const std::function<void(const GpuPoint&)>& visit) {
  state_->visit<model::GpuReading>(visit);
}

void Recording::for_each_gpu_process(const std::function<void(const GpuProcessPoint&)>& visit) {
  state_->visit<model::GpuProcessReading>(visit);
}

void Recording::for_each_heap(const std::function<void(const HeapPoint&)>& visit) {
  state_->visit<model::HeapReading>(visit);
}

void Recording::for_each_site(const std::function<void(const SitePoint&)>& visit) {
  state_->visit<model::SiteReading>(visit);
}

}  // namespace lowtide::record
