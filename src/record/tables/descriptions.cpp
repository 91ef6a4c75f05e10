#include "record/tables/descriptions.h"

#include <array>
#include <tuple>

namespace lowtide::record {
namespace {

using model::Forecast;
using model::Frame;
using model::HeldNode;
using model::Judgement;
using model::Phase;
using model::PhaseVisit;
using model::ProcessInfo;
using model::Range;
using model::Rate;
using model::SiteInfo;
using model::Snapshot;
using model::TensorCount;
using model::TrimTrial;
using model::TypeCount;
using model::Verdict;

constexpr Bounds kCommand{.text_bytes = 4'096};
constexpr Bounds kName{.text_bytes = 300};  // of a function, a file or a phase
constexpr Bounds kObjectName{.text_bytes = 400, .read_bytes = 400};

// The estimate of an interval fills it. Without a low bound that is the estimate; without a high one, never.
template <auto Estimate, auto... Interval>
constexpr auto estimate(const char* name, const char* meaning) {
  auto made = column<Interval..., Estimate>(name, meaning);
  using Row = OwnerOf<Interval...>;
  made.read = [](const Statement& from, int at, Row& row, const Bounds& bounds) {
    const auto value = read_value<double>(from, at, bounds);
    auto* interval = find_member<Interval...>(row);
    if (value && interval != nullptr) *interval = {*value, *value, kInfinity};
    return true;
  };
  return made;
}

// Without the bytes of the limit there is no forecast.
constexpr auto limit_bytes() {
  auto made = column<&JudgementRow::judgement, &Judgement::forecast, &Forecast::limit_bytes>("limit_bytes",
                                                                                             "the limit");
  made.read = [](const Statement& from, int at, JudgementRow& row, const Bounds& bounds) {
    auto& forecast = row.judgement.forecast;
    const auto value = read_value<std::uint64_t>(from, at, bounds);
    if (forecast && value) forecast->limit_bytes = *value;
    if (!value) forecast.reset();
    return true;
  };
  return made;
}

// No cache is empty text.
constexpr auto cache() {
  auto made =
      column<&NodeRow::part, &HeldNode::cache>("cache", "`bounded`, `unbounded`, or empty: not a cache");
  made.names = nullptr;
  made.bind = [](Statement& to, int at, const NodeRow& row, const Bounds&) {
    to.bind(at, row.part.cache == model::CacheKind::None ? "" : to_string(row.part.cache));
  };
  return made;
}

constexpr std::array kFlags = {&Snapshot::is_whole, &Snapshot::is_exact, &Snapshot::has_torch,
                               &Snapshot::has_tensors, &Snapshot::is_at_end};

constexpr Column<SnapshotRow> flags() {
  return {.name = "flags",
          .meaning =
              "1 every object was counted, 2 what is retained is exact, 4 torch is loaded, 8 torch answered, "
              "16 the interpreter was about to end",
          .type = "INTEGER",
          .bind =
              [](Statement& to, int at, const SnapshotRow& row, const Bounds&) {
                std::int64_t flags = 0;
                for (std::size_t bit = 0; bit < kFlags.size(); ++bit) {
                  flags |= std::int64_t{row.recorded.snapshot.*kFlags[bit] ? 1 : 0} << bit;
                }
                to.bind(at, flags);
              },
          .read =
              [](const Statement& from, int at, SnapshotRow& row, const Bounds& bounds) {
                const auto flags = read_value<std::uint64_t>(from, at, bounds).value_or(0);
                for (std::size_t bit = 0; bit < kFlags.size(); ++bit) {
                  row.recorded.snapshot.*kFlags[bit] = (flags >> bit & 1U) != 0;
                }
                return true;
              }};
}

constexpr auto kMetaColumns = std::to_array<Column<MetaRow>>({
    with_type("TEXT PRIMARY KEY", column<&MetaRow::key>("key", "see below", kNeeded)),
    column<&MetaRow::value>("value", "as text", {.text_bytes = 65'536}),
});

constexpr auto kProcessColumns = std::to_array<Column<ProcessInfo>>({
    row_id<&ProcessInfo::id>("used once, unlike a pid"),
    column<&ProcessInfo::pid>("pid", "", {.needed = true, .low = 0}),
    column<&ProcessInfo::ppid>("ppid", "the pid of its parent"),
    column<&ProcessInfo::start_ticks>("start_ticks", "when it started, in clock ticks since the boot"),
    column<&ProcessInfo::role>("role", "what it is there for"),
    column<&ProcessInfo::index>("role_index", "rank 3, worker 0"),
    column<&ProcessInfo::continues>("continues", "the process whose place this one took"),
    column<&ProcessInfo::command>(
        "command", "its command line, cut after 4096 bytes; of the 501st process on after 200", kCommand),
    column<&ProcessInfo::started_s>("started_s", "negative: it ran before the recording began", kTime),
    column<&ProcessInfo::ended_s>("ended_s", "NULL: it runs"),
    column<&ProcessInfo::exit_status>("exit_status", "128 + n for signal n"),
});

constexpr auto kEventColumns = std::to_array<Column<RecordedEvent>>({
    row_number<RecordedEvent>(),
    column<&RecordedEvent::event, &model::Event::at_s>("at_s", ""),
    column<&RecordedEvent::event, &model::Event::kind>("kind", "", kNeeded),
    column<&RecordedEvent::process>("process", "NULL: of the whole job"),
    column<&RecordedEvent::event, &model::Event::text>("text", "what happened, for people"),
});

template <auto... Path>
constexpr auto of_judgement(const char* name, const char* meaning, Bounds bounds = {}) {
  return column<&JudgementRow::judgement, Path...>(name, meaning, bounds);
}
template <auto... Path>
constexpr auto of_verdict(const char* name, const char* meaning, Bounds bounds = {}) {
  return of_judgement<&Judgement::verdict, Path...>(name, meaning, bounds);
}
template <auto... Path>
constexpr auto of_forecast(const char* name, const char* meaning, Bounds bounds = {}) {
  return of_judgement<&Judgement::forecast, Path...>(name, meaning, bounds);
}

constexpr auto kJudgementColumns = std::to_array<Column<JudgementRow>>({
    row_number<JudgementRow>(),
    of_judgement<&Judgement::at_s>("at_s", "", kTime),
    column<&JudgementRow::kept>("kept", "1: stays longer than an hour"),
    of_verdict<&Verdict::kind>("kind", "the verdict", kNeeded),
    of_verdict<&Verdict::confidence>("confidence", "the chance that the verdict is right, 0 to 1", kShare),
    of_verdict<&Verdict::axis>("axis", "what the rates are per: a step or a second"),
    of_verdict<&Verdict::counted>("counted",
                                  "1: neither steps nor times were known, and readings were counted"),
    of_verdict<&Verdict::samples>("samples", "readings that were judged"),
    estimate<&Rate::bytes, &JudgementRow::judgement, &Judgement::verdict, &Verdict::rate>(
        "rate_bytes", "growth of the floor per step or second"),
    of_verdict<&Verdict::rate, &Rate::low>("rate_low", "its 95 % interval", kFollows),
    of_verdict<&Verdict::rate, &Rate::high>("rate_high", "", kFollows),
    of_verdict<&Verdict::floor, &model::Floor::first_bytes>("floor_first_bytes", "the floor at the start"),
    of_verdict<&Verdict::floor, &model::Floor::last_bytes>("floor_last_bytes", "and now"),
    of_verdict<&Verdict::warmup_end, &model::Mark::step>("warmup_end_step", "where the growth ended"),
    of_verdict<&Verdict::warmup_end, &model::Mark::at_s>("warmup_end_s", ""),
    of_verdict<&Verdict::plateau_bytes>("plateau_bytes", "the level after a warmup"),
    of_verdict<&Verdict::spike_bytes>("spike_bytes", "the height of a typical spike"),
    of_verdict<&Verdict::reason>("reason", "why, for people"),
    of_verdict<&Verdict::needs>("needs", "what would settle an inconclusive verdict"),
    of_verdict<&Verdict::lean, &model::Lean::kind>("lean_kind", "what an inconclusive series looks like"),
    of_verdict<&Verdict::lean, &model::Lean::confidence>("lean_confidence", "", kFollows),
    of_verdict<&Verdict::basis>("basis", "what the verdict rests on, with commas between"),
    of_forecast<&Forecast::limit>("limit_kind", "the forecast: which limit is reached"),
    limit_bytes(),
    estimate<&Range::estimate, &JudgementRow::judgement, &Judgement::forecast, &Forecast::step>(
        "limit_step", "at which step"),
    of_forecast<&Forecast::step, &Range::low>("limit_step_low", "", kFollows),
    of_forecast<&Forecast::step, &Range::high>("limit_step_high", "NULL: perhaps never", kFollows),
    estimate<&Range::estimate, &JudgementRow::judgement, &Judgement::forecast, &Forecast::seconds>(
        "limit_s", "and when"),
    of_forecast<&Forecast::seconds, &Range::low>("limit_s_low", "", kFollows),
    of_forecast<&Forecast::seconds, &Range::high>("limit_s_high", "NULL: perhaps never", kFollows),
});

constexpr auto kSiteColumns = std::to_array<Column<SiteInfo>>({
    row_id<&SiteInfo::id>(""),
    column<&SiteInfo::process>("process", "", kNeeded),
    column<&SiteInfo::cut>("cut", "1: there were more frames outside"),
});

constexpr auto kFrameColumns = std::to_array<Column<FrameRow>>({
    row_number<FrameRow>(),
    column<&FrameRow::site>("site", "", kNeeded),
    column<&FrameRow::depth>("depth", "0: the innermost"),
    column<&FrameRow::frame, &Frame::language>("language", "", kNeeded),
    column<&FrameRow::frame, &Frame::function>("function", "empty: not known", kName),
    column<&FrameRow::frame, &Frame::file>("file", "empty: not known", kName),
    column<&FrameRow::frame, &Frame::line>("line", "0: not known"),
    column<&FrameRow::frame, &Frame::module>("module", "of native code: the file it is in", kName),
});

constexpr auto kTrimTrialColumns = std::to_array<Column<TrimTrial>>({
    row_number<TrimTrial>(),
    column<&TrimTrial::at_s>("at_s", "", kTime),
    column<&TrimTrial::process>("process", "", kNeeded),
    column<&TrimTrial::outcome>("outcome", "", kNeeded),
    column<&TrimTrial::rss_before_bytes>("rss_before_bytes", ""),
    column<&TrimTrial::rss_after_bytes>("rss_after_bytes", ""),
    column<&TrimTrial::trim_s>("trim_s", "in malloc_trim", kTime),
    column<&TrimTrial::inspect_s>("inspect_s", "in mallinfo2, before it"),
    column<&TrimTrial::arena_bytes>("arena_bytes",
                                    "of mallinfo2: what the allocator had, without single mappings"),
    column<&TrimTrial::free_bytes>("free_bytes", "of these, in no block"),
    column<&TrimTrial::mapped_bytes>("mapped_bytes", "in blocks that are mappings of their own"),
});

template <auto... Path>
constexpr auto of_snapshot(const char* name, const char* meaning, Bounds bounds = {}) {
  return column<&SnapshotRow::recorded, &RecordedSnapshot::snapshot, Path...>(name, meaning, bounds);
}

constexpr auto kSnapshotColumns = std::to_array<Column<SnapshotRow>>({
    row_id<&SnapshotRow::id>(""),
    of_snapshot<&Snapshot::at_s>("at_s", "", kTime),
    column<&SnapshotRow::recorded, &RecordedSnapshot::process>("process", "", kNeeded),
    of_snapshot<&Snapshot::python>("python", "its version: 3.11", kObjectName),
    of_snapshot<&Snapshot::objects>("objects", "how many there were"),
    of_snapshot<&Snapshot::object_bytes>("object_bytes", "their size"),
    of_snapshot<&Snapshot::storage_bytes>("storage_bytes", "of tensors in host memory"),
    of_snapshot<&Snapshot::device_bytes>("device_bytes", "of tensors on devices"),
    of_snapshot<&Snapshot::pause_s>("pause_s", "for which the interpreter stood still", kNotNegative),
    of_snapshot<&Snapshot::whole_s>("whole_s", "that the forked child took", kNotNegative),
    flags(),
});

constexpr auto kNodeColumns = std::to_array<Column<NodeRow>>({
    row_number<NodeRow>(),
    column<&NodeRow::snapshot>("snapshot", "", {.needed = true, .low = 0}),
    column<&NodeRow::part, &HeldNode::path>("path", "as Python would write it", kObjectName),
    column<&NodeRow::part, &HeldNode::type>("type", "", kObjectName),
    column<&NodeRow::part, &HeldNode::address>("address", ""),
    column<&NodeRow::part, &HeldNode::length>("length", "of a container"),
    column<&NodeRow::part, &HeldNode::retained_bytes>("retained_bytes",
                                                      "of host memory, that would go with it"),
    column<&NodeRow::part, &HeldNode::device_bytes>("device_bytes", "of tensors on devices, the same"),
    column<&NodeRow::part, &HeldNode::retained_objects>("retained_objects", "objects that would go with it"),
    cache(),
    column<&NodeRow::part, &HeldNode::bound>("bound", "of a bounded cache"),
    column<&NodeRow::part, &HeldNode::holder>(
        "holder", "the node of the snapshot that keeps it, counted from 0 in the order of `id`"),
    column<&NodeRow::part, &HeldNode::file>("file", "of the frame in which the path begins; empty: a module",
                                            kObjectName),
    column<&NodeRow::part, &HeldNode::line>("line", "where that frame stood"),
    column<&NodeRow::part, &HeldNode::depth>(
        "depth", "names in the path behind the module, or the function of a local variable"),
});

constexpr auto kTensorColumns = std::to_array<Column<TensorRow>>({
    row_number<TensorRow>(),
    column<&TensorRow::snapshot>("snapshot", "", {.needed = true, .low = 0}),
    column<&TensorRow::part, &TensorCount::device>("device", "", kObjectName),
    column<&TensorRow::part, &TensorCount::dtype>("dtype", "", kObjectName),
    column<&TensorRow::part, &TensorCount::shape>("shape", "with commas between", kObjectName),
    column<&TensorRow::part, &TensorCount::requires_grad>("requires_grad", ""),
    column<&TensorRow::part, &TensorCount::count>("count", "how many look alike"),
    column<&TensorRow::part, &TensorCount::bytes>("bytes", "of their elements"),
    column<&TensorRow::part, &TensorCount::storages>("storages", "that no row before this one has counted"),
    column<&TensorRow::part, &TensorCount::storage_bytes>("storage_bytes", "of these"),
});

constexpr auto kTypeColumns = std::to_array<Column<TypeRow>>({
    row_number<TypeRow>(),
    column<&TypeRow::snapshot>("snapshot", "", {.needed = true, .low = 0}),
    column<&TypeRow::part, &TypeCount::type>("type", "", kObjectName),
    column<&TypeRow::part, &TypeCount::count>("count", "objects of it"),
    column<&TypeRow::part, &TypeCount::bytes>("bytes", "their size"),
});

constexpr auto kPhaseColumns = std::to_array<Column<Phase>>({
    row_number<Phase>(),
    column<&Phase::process>("process", "", kNeeded),
    column<&Phase::name>("name", "`train`, `eval`, `checkpoint`, or the name that the job gave it", kName),
    column<&Phase::count>("count", "visits"),
    column<&Phase::kept_bytes>("kept_bytes", "allocated in it and alive long after"),
    column<&Phase::peak_bytes>("peak_bytes",
                               "the most that was resident at a tick in it; 0: no tick fell into it"),
    column<&Phase::took_s>("took_s", "all visits together", kTime),
});

constexpr auto kVisitColumns = std::to_array<Column<PhaseVisit>>({
    row_number<PhaseVisit>(),
    column<&PhaseVisit::process>("process", "", kNeeded),
    column<&PhaseVisit::name>("name", "", kName),
    column<&PhaseVisit::from_s>("from_s", "", kTime),
    column<&PhaseVisit::to_s>("to_s", "", kTime),
});

constexpr auto kOutageColumns = std::to_array<Column<Outage>>({
    row_number<Outage>(),
    column<&Outage::from_s>("from_s", "", kTime),
    column<&Outage::to_s>("to_s", "", kTime),
    column<&Outage::ticks>("ticks", "that were lost", kNeeded),
    column<&Outage::why>("why", "the error of the disk"),
});

constexpr auto kTierColumns = std::to_array<Column<TierRow>>({
    column<&TierRow::kind>("kind", "`target`, `process` ..."),
    column<&TierRow::level>("level", "0: single readings; a higher level is coarser"),
    column<&TierRow::samples>("samples", "the name of the table"),
    column<&TierRow::width_s>("width_s", "seconds in a row; 0: a single reading"),
    column<&TierRow::from_s>("from_s", "from when on the table counts"),
});

constexpr std::int64_t kMegabyte = 1'000'000;

// The limits are above what the writer keeps (staged_tables.cpp, kept_snapshot.cpp).
constexpr std::tuple kTables = {
    Table<MetaRow>{.name = "meta",
                   .meaning = "a fact about the run",
                   .columns = kMetaColumns,
                   .is_replaced = true,
                   .options = " WITHOUT ROWID"},
    Table<ProcessInfo>{.name = "process",
                       .meaning = "a process of the target",
                       .columns = kProcessColumns,
                       .limit = {25'000, 8 * kMegabyte},
                       .is_replaced = true},
    Table<RecordedEvent>{.name = "event",
                         .meaning = "something that happened; at most 5,000",
                         .columns = kEventColumns,
                         .limit = {5'000, 6 * kMegabyte}},
    Table<JudgementRow>{.name = "judgement",
                        .meaning = "the verdict on the target at `at_s`, and the forecast. All of the last "
                                   "hour; before that one in ten "
                                   "minutes, and changes of the verdict",
                        .columns = kJudgementColumns,
                        .limit = {12'000, 8 * kMegabyte}},
    Table<SiteInfo>{.name = "site",
                    .meaning = "a stack that allocates, in one process",
                    .columns = kSiteColumns,
                    .limit = {20'000},
                    .is_replaced = true},
    Table<FrameRow>{.name = "frame",
                    .meaning = "one call of a site",
                    .columns = kFrameColumns,
                    .limit = {250'000, 24 * kMegabyte},
                    .is_late = true},
    Table<TrimTrial>{.name = "trim_trial",
                     .meaning = "the result of `--trim-trial` in a process",
                     .columns = kTrimTrialColumns,
                     .limit = {10'000},
                     .is_late = true},
    Table<SnapshotRow>{.name = "snapshot",
                       .meaning = "all objects of a Python process, counted at one moment",
                       .columns = kSnapshotColumns,
                       .limit = {5'000, kMegabyte},
                       .is_late = true},
    Table<NodeRow>{.name = "snapshot_node",
                   .meaning = "one of the 300 objects of a snapshot that keep the most alive",
                   .columns = kNodeColumns,
                   .limit = {100'000, 24 * kMegabyte}},
    Table<TensorRow>{.name = "snapshot_tensors",
                     .meaning = "tensors of a snapshot that look alike; the 60 largest groups",
                     .columns = kTensorColumns,
                     .limit = {40'000, 8 * kMegabyte}},
    Table<TypeRow>{.name = "snapshot_type",
                   .meaning = "a type of objects in a snapshot: the 40 largest, and those that name a cause",
                   .columns = kTypeColumns,
                   .limit = {40'000, 8 * kMegabyte}},
    Table<Phase>{.name = "phase",
                 .meaning = "what a phase of a trainer did with memory, as last known",
                 .columns = kPhaseColumns,
                 .limit = {20'000, 4 * kMegabyte},
                 .is_replaced = true,
                 .is_late = true,
                 .constraint = ", UNIQUE(process, name)"},
    Table<PhaseVisit>{
        .name = "phase_visit",
        .meaning = "a stretch in which a trainer was in one phase, as seen at ticks; the first 20,000",
        .columns = kVisitColumns,
        .limit = {20'000, 6 * kMegabyte},
        .is_late = true,
        .is_sound = [](const PhaseVisit& visit) { return visit.to_s >= visit.from_s; }},
    Table<Outage>{.name = "outage",
                  .meaning = "a stretch in which nothing could be written",
                  .columns = kOutageColumns,
                  .limit = {1'000, kMegabyte}},
    Table<TierRow>{.name = "tier",
                   .meaning = "from when on a table of samples counts, see below",
                   .columns = kTierColumns,
                   .constraint = ", PRIMARY KEY(kind, level)",
                   .options = " WITHOUT ROWID"},
};

}  // namespace

template <typename Row>
const Table<Row>& table() {
  return std::get<Table<Row>>(kTables);
}

template const Table<MetaRow>& table();
template const Table<ProcessInfo>& table();
template const Table<RecordedEvent>& table();
template const Table<JudgementRow>& table();
template const Table<SiteInfo>& table();
template const Table<FrameRow>& table();
template const Table<TrimTrial>& table();
template const Table<SnapshotRow>& table();
template const Table<NodeRow>& table();
template const Table<TensorRow>& table();
template const Table<TypeRow>& table();
template const Table<Phase>& table();
template const Table<PhaseVisit>& table();
template const Table<Outage>& table();
template const Table<TierRow>& table();

std::vector<TableText> described_tables() {
  return std::apply([](const auto&... each) { return std::vector<TableText>{text_of(each)...}; }, kTables);
}

}  // namespace lowtide::record
