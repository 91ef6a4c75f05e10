#include "record/tables/descriptions.h"

#include <array>
#include <tuple>

namespace lowtide::record {
namespace {

using model::Forecast;
using model::Frame;
using model::GpuBlocks;
using model::GpuLine;
using model::GpuPeak;
using model::GpuPool;
using model::HeldNode;
using model::HeldType;
using model::HeldUse;
using model::Judgement;
using model::LibraryVersion;
using model::Phase;
using model::PhaseVisit;
using model::ProcessInfo;
using model::Range;
using model::Rate;
using model::SharedGroup;
using model::SiteInfo;
using model::Snapshot;
using model::SourceFile;
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

// Newlines and indentation count in Python, so the text is stored as it is.
constexpr auto source_text() {
  constexpr std::size_t kMostBytes = 1U << 20U;
  auto made = column<&SourceFile::text>("text", "its text", {.needed = true, .read_bytes = kMostBytes});
  made.bind = [](Statement& to, int at, const SourceFile& row, const Bounds&) { to.bind(at, row.text); };
  return made;
}

constexpr std::array kFlags = {&Snapshot::is_whole, &Snapshot::is_exact, &Snapshot::has_torch,
                               &Snapshot::has_tensors, &Snapshot::is_at_end};

constexpr Column<SnapshotRow> flags() {
  return {.name = "flags",
          .meaning =
              "1: every object was counted, 2: retained sizes are exact, 4: torch is loaded, 8: tensors were "
              "read, 16: taken while the interpreter ended",
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
    row_id<&ProcessInfo::id>("unique, unlike a pid"),
    column<&ProcessInfo::pid>("pid", "", {.needed = true, .low = 0}),
    column<&ProcessInfo::ppid>("ppid", "the pid of its parent"),
    column<&ProcessInfo::start_ticks>("start_ticks", "start time, in clock ticks since the boot"),
    column<&ProcessInfo::role>("role", "its role in the job"),
    column<&ProcessInfo::index>("role_index", "its number in the role: 3 for rank 3"),
    column<&ProcessInfo::continues>("continues", "the process that this one replaced"),
    column<&ProcessInfo::command>(
        "command", "its command line, cut after 4096 bytes; after 200 bytes from the 501st process on",
        kCommand),
    column<&ProcessInfo::started_s>("started_s", "negative: it started before the recording", kTime),
    column<&ProcessInfo::ended_s>("ended_s", "NULL: it is still running"),
    column<&ProcessInfo::exit_status>("exit_status", "128 + n for signal n"),
});

constexpr Bounds kStack{.text_bytes = 8'191};

// Recordings of before 2026-11-20 do not have the column: there the text says it.
constexpr auto is_refused_by_torch() {
  auto made = column<&RecordedEvent::event, &model::Event::is_refused_by_torch>(
      "is_refused_by_torch",
      "1, of a `cuda-oom`: the GPU had enough free memory, so a limit of torch probably refused it");
  made.read = [](const Statement& from, int at, RecordedEvent& row, const Bounds& bounds) {
    constexpr std::string_view kOldText = "a limit of torch";
    const bool is_in_text =
        row.event.kind == model::EventKind::CudaOom && row.event.text.find(kOldText) != std::string::npos;
    row.event.is_refused_by_torch = read_value<bool>(from, at, bounds).value_or(is_in_text);
    return true;
  };
  return made;
}

constexpr auto kEventColumns = std::to_array<Column<RecordedEvent>>({
    row_number<RecordedEvent>(),
    column<&RecordedEvent::event, &model::Event::at_s>("at_s", ""),
    column<&RecordedEvent::event, &model::Event::kind>("kind", "", kNeeded),
    column<&RecordedEvent::process>("process", "NULL: the whole job"),
    column<&RecordedEvent::event, &model::Event::text>("text", "description of the event"),
    column<&RecordedEvent::event, &model::Event::stack>(
        "stack",
        "the Python frames in which it happened, innermost first, with ` | ` between them: line, function, "
        "file",
        kStack),
    is_refused_by_torch(),
    column<&RecordedEvent::event, &model::Event::asked_bytes>("asked_bytes", "of a `cuda-oom`; 0: not known"),
    column<&RecordedEvent::event, &model::Event::free_bytes>("free_bytes", "of a `cuda-oom`, on the GPU"),
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

// For people; no reader takes it apart.
constexpr auto needs() {
  auto made =
      of_verdict<&Verdict::needs, &model::Needs::words>("needs", "what would settle an inconclusive verdict");
  made.bind = [](Statement& to, int at, const JudgementRow& row, const Bounds& bounds) {
    const auto& needs = row.judgement.verdict.needs;
    needs ? to.bind(at, base::printable(model::needs_words(*needs), bounds.text_bytes)) : to.bind_null(at);
  };
  return made;
}

constexpr auto kJudgementColumns = std::to_array<Column<JudgementRow>>({
    row_number<JudgementRow>(),
    of_judgement<&Judgement::at_s>("at_s", "", kTime),
    column<&JudgementRow::kept>("kept", "1: kept for longer than an hour"),
    of_verdict<&Verdict::kind>("kind", "the verdict", kNeeded),
    of_verdict<&Verdict::confidence>("confidence", "the probability that the verdict is right, 0 to 1",
                                     kShare),
    of_verdict<&Verdict::axis>("axis", "unit of the rates: per step or per second"),
    of_verdict<&Verdict::counted>("counted", "1: steps and times are unknown, so readings were counted"),
    of_verdict<&Verdict::samples>("samples", "number of readings"),
    estimate<&Rate::bytes, &JudgementRow::judgement, &Judgement::verdict, &Verdict::rate>(
        "rate_bytes", "growth of the floor per step or second"),
    of_verdict<&Verdict::rate, &Rate::low>("rate_low", "its 95% interval", kFollows),
    of_verdict<&Verdict::rate, &Rate::high>("rate_high", "", kFollows),
    of_verdict<&Verdict::floor, &model::Floor::first_bytes>("floor_first_bytes", "the floor at the start"),
    of_verdict<&Verdict::floor, &model::Floor::last_bytes>("floor_last_bytes", "the floor at `at_s`"),
    of_verdict<&Verdict::warmup_end, &model::Mark::step>("warmup_end_step", "where the growth ended"),
    of_verdict<&Verdict::warmup_end, &model::Mark::at_s>("warmup_end_s", ""),
    of_verdict<&Verdict::plateau_bytes>("plateau_bytes", "the level after a warmup"),
    of_verdict<&Verdict::spike_bytes>("spike_bytes", "the height of a typical spike"),
    of_verdict<&Verdict::reason>("reason", "the reason, as text"),
    needs(),
    of_verdict<&Verdict::lean, &model::Lean::kind>("lean_kind",
                                                   "the most likely kind of an inconclusive series"),
    of_verdict<&Verdict::lean, &model::Lean::confidence>("lean_confidence", "", kFollows),
    of_verdict<&Verdict::basis>("basis", "what the verdict is based on, separated by commas"),
    of_forecast<&Forecast::limit>("limit_kind", "the forecast: the limit that is reached"),
    limit_bytes(),
    estimate<&Range::estimate, &JudgementRow::judgement, &Judgement::forecast, &Forecast::step>(
        "limit_step", "the step at which the limit is reached"),
    of_forecast<&Forecast::step, &Range::low>("limit_step_low", "", kFollows),
    of_forecast<&Forecast::step, &Range::high>("limit_step_high", "NULL: possibly never", kFollows),
    estimate<&Range::estimate, &JudgementRow::judgement, &Judgement::forecast, &Forecast::seconds>(
        "limit_s", "the time at which the limit is reached"),
    of_forecast<&Forecast::seconds, &Range::low>("limit_s_low", "", kFollows),
    of_forecast<&Forecast::seconds, &Range::high>("limit_s_high", "NULL: possibly never", kFollows),
    of_forecast<&Forecast::path>("limit_path", "of a tmpfs: where it is mounted", kFollows),
});

constexpr auto kSiteColumns = std::to_array<Column<SiteInfo>>({
    row_id<&SiteInfo::id>(""),
    column<&SiteInfo::process>("process", "", kNeeded),
    column<&SiteInfo::cut>("cut", "1: the outermost frames are missing"),
    column<&SiteInfo::memory>("memory", "what it allocates; all but `host` was asked of the CUDA driver"),
    column<&SiteInfo::cuda_device>("cuda_device",
                                   "of `gpu` and `gpu-pool`: as CUDA numbers it in the process"),
});

constexpr auto kFrameColumns = std::to_array<Column<FrameRow>>({
    row_number<FrameRow>(),
    column<&FrameRow::site>("site", "", kNeeded),
    column<&FrameRow::depth>("depth", "0: the innermost"),
    column<&FrameRow::frame, &Frame::language>("language", "", kNeeded),
    column<&FrameRow::frame, &Frame::function>("function", "empty: unknown", kName),
    column<&FrameRow::frame, &Frame::file>("file", "empty: unknown", kName),
    column<&FrameRow::frame, &Frame::line>("line", "0: unknown"),
    column<&FrameRow::frame, &Frame::module>("module", "for native code: the file that contains it", kName),
});

constexpr auto kTrimTrialColumns = std::to_array<Column<TrimTrial>>({
    row_number<TrimTrial>(),
    column<&TrimTrial::at_s>("at_s", "", kTime),
    column<&TrimTrial::process>("process", "", kNeeded),
    column<&TrimTrial::outcome>("outcome", "", kNeeded),
    column<&TrimTrial::rss_before_bytes>("rss_before_bytes", ""),
    column<&TrimTrial::rss_after_bytes>("rss_after_bytes", ""),
    column<&TrimTrial::trim_s>("trim_s", "duration of malloc_trim", kTime),
    column<&TrimTrial::inspect_s>("inspect_s", "duration of mallinfo2, which runs before it"),
    column<&TrimTrial::arena_bytes>(
        "arena_bytes",
        "from mallinfo2: memory of the allocator, without blocks that are mapped on their own"),
    column<&TrimTrial::free_bytes>("free_bytes", "free memory kept by the allocator"),
    column<&TrimTrial::mapped_bytes>("mapped_bytes", "blocks that are mapped on their own"),
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
    of_snapshot<&Snapshot::objects>("objects", "number of objects"),
    of_snapshot<&Snapshot::object_bytes>("object_bytes", "their size"),
    of_snapshot<&Snapshot::storage_bytes>("storage_bytes", "tensors in host memory"),
    of_snapshot<&Snapshot::device_bytes>("device_bytes", "tensors on devices"),
    of_snapshot<&Snapshot::cuda_allocated_bytes>("cuda_allocated_bytes",
                                                 "allocated by torch on all GPUs at this moment; 0: unknown"),
    of_snapshot<&Snapshot::cuda_reserved_bytes>("cuda_reserved_bytes", "the same, reserved"),
    of_snapshot<&Snapshot::gpu_blocks, &GpuBlocks::allocator>(
        "gpu_allocator", "of torch: `native`, `cudaMallocAsync` ...; empty: not known", kObjectName),
    of_snapshot<&Snapshot::gpu_blocks, &GpuBlocks::steps>("gpu_steps",
                                                          "steps of the trainer that the agent has seen"),
    of_snapshot<&Snapshot::gpu_blocks, &GpuBlocks::recorded_steps>(
        "gpu_recorded_steps", "steps in which torch recorded the stacks of its allocations"),
    of_snapshot<&Snapshot::gpu_blocks, &GpuBlocks::peak_step>(
        "gpu_peak_step", "the step whose peak on the GPU is known by line; 0: none"),
    of_snapshot<&Snapshot::gpu_blocks, &GpuBlocks::no_stacks>(
        "gpu_no_stacks", "why no further steps are recorded", kObjectName),
    of_snapshot<&Snapshot::pause_s>("pause_s", "how long the interpreter was stopped", kNotNegative),
    of_snapshot<&Snapshot::whole_s>("whole_s", "how long the forked child took", kNotNegative),
    flags(),
});

constexpr auto kNodeColumns = std::to_array<Column<NodeRow>>({
    row_number<NodeRow>(),
    column<&NodeRow::snapshot>("snapshot", "", {.needed = true, .low = 0}),
    column<&NodeRow::part, &HeldNode::path>("path", "as a Python expression", kObjectName),
    column<&NodeRow::part, &HeldNode::type>("type", "", kObjectName),
    column<&NodeRow::part, &HeldNode::address>("address", ""),
    column<&NodeRow::part, &HeldNode::length>("length", "number of items of a container"),
    column<&NodeRow::part, &HeldNode::retained_bytes>("retained_bytes",
                                                      "host memory that is freed if this object is freed"),
    column<&NodeRow::part, &HeldNode::device_bytes>("device_bytes",
                                                    "tensors on devices that are freed with it"),
    column<&NodeRow::part, &HeldNode::retained_objects>("retained_objects", "objects that are freed with it"),
    cache(),
    column<&NodeRow::part, &HeldNode::bound>("bound", "maximum length of a bounded cache"),
    column<&NodeRow::part, &HeldNode::holder>(
        "holder", "the node of the snapshot that holds it, counted from 0 in the order of `id`"),
    column<&NodeRow::part, &HeldNode::file>(
        "file", "file of the frame in which the path starts; empty: the path starts at a module",
        kObjectName),
    column<&NodeRow::part, &HeldNode::line>("line", "current line of that frame"),
    column<&NodeRow::part, &HeldNode::depth>(
        "depth", "number of names in the path after the module, or after the function of a local variable"),
});

constexpr auto kContentColumns = std::to_array<Column<ContentRow>>({
    row_number<ContentRow>(),
    column<&ContentRow::snapshot>("snapshot", "", {.needed = true, .low = 0}),
    column<&ContentRow::part, &HeldType::node>(
        "node", "the node of the snapshot that holds them, counted from 0 in the order of `id`"),
    column<&ContentRow::part, &HeldType::type>("type", "", kObjectName),
    column<&ContentRow::part, &HeldType::count>("count", "number of objects"),
    column<&ContentRow::part, &HeldType::bytes>(
        "bytes", "their size, with the storages of tensors on host and devices"),
    column<&ContentRow::part, &HeldType::graph_functions>(
        "graph_functions", "functions of autograd graphs among them, also those without a Python object"),
});

constexpr auto kUseColumns = std::to_array<Column<UseRow>>({
    row_number<UseRow>(),
    column<&UseRow::snapshot>("snapshot", "", {.needed = true, .low = 0}),
    column<&UseRow::part, &HeldUse::node>(
        "node",
        "the node of the snapshot that holds them, counted from 0 in the order of `id`; null: none of them"),
    column<&UseRow::part, &HeldUse::use>("use", ""),
    column<&UseRow::part, &HeldUse::host_bytes>("host_bytes", "in host memory"),
    column<&UseRow::part, &HeldUse::device_bytes>("device_bytes", "on devices"),
});

constexpr auto kGpuPoolColumns = std::to_array<Column<GpuPoolRow>>({
    row_number<GpuPoolRow>(),
    column<&GpuPoolRow::snapshot>("snapshot", "", {.needed = true, .low = 0}),
    column<&GpuPoolRow::part, &GpuPool::device>("device", "as CUDA numbers it in the process", {.low = 0}),
    column<&GpuPoolRow::part, &GpuPool::name>("name", "`default`, `CUDA graph 1`, `private pool 1`",
                                              kObjectName),
    column<&GpuPoolRow::part, &GpuPool::reserved_bytes>("reserved_bytes", ""),
    column<&GpuPoolRow::part, &GpuPool::allocated_bytes>("allocated_bytes", ""),
    column<&GpuPoolRow::part, &GpuPool::requested_bytes>("requested_bytes", "before torch rounded it up"),
    column<&GpuPoolRow::part, &GpuPool::awaiting_bytes>("awaiting_bytes",
                                                        "freed, and still in use by a stream"),
    column<&GpuPoolRow::part, &GpuPool::split_bytes>("split_bytes", "free, in segments with blocks in use"),
    column<&GpuPoolRow::part, &GpuPool::whole_bytes>("whole_bytes",
                                                     "free, in segments without blocks in use"),
    column<&GpuPoolRow::part, &GpuPool::largest_free_bytes>("largest_free_bytes", "the largest free block"),
    column<&GpuPoolRow::part, &GpuPool::free_blocks>("free_blocks", "number of free blocks"),
    column<&GpuPoolRow::part, &GpuPool::beside_small_bytes>(
        "beside_small_bytes", "free, in segments above 20 MiB of which less than a quarter is in use"),
    column<&GpuPoolRow::part, &GpuPool::mappable_bytes>(
        "mappable_bytes", "free, beside blocks in use, that expandable segments could use elsewhere"),
    column<&GpuPoolRow::part, &GpuPool::segments>("segments", "number of segments"),
    column<&GpuPoolRow::part, &GpuPool::least_segment_bytes>("least_segment_bytes",
                                                             "the smallest segment above 20 MiB"),
    column<&GpuPoolRow::part, &GpuPool::most_segment_bytes>("most_segment_bytes", "the largest segment"),
    column<&GpuPoolRow::part, &GpuPool::segment_sizes>("segment_sizes",
                                                       "number of different sizes of segments above 20 MiB"),
    column<&GpuPoolRow::part, &GpuPool::is_expandable>("is_expandable", "1: its segments can grow"),
});

constexpr auto kGpuLineColumns = std::to_array<Column<GpuLineRow>>({
    row_number<GpuLineRow>(),
    column<&GpuLineRow::snapshot>("snapshot", "", {.needed = true, .low = 0}),
    column<&GpuLineRow::part, &GpuLine::device>("device", "as CUDA numbers it in the process", {.low = 0}),
    column<&GpuLineRow::part, &GpuLine::kind>("kind", ""),
    column<&GpuLineRow::part, &GpuLine::file>("file", "", kName),
    column<&GpuLineRow::part, &GpuLine::line>("line", ""),
    column<&GpuLineRow::part, &GpuLine::function>("function", "", kName),
    column<&GpuLineRow::part, &GpuLine::bytes>("bytes", "size of the live blocks with this stack"),
    column<&GpuLineRow::part, &GpuLine::blocks>("blocks", "number of these blocks"),
    column<&GpuLineRow::part, &GpuLine::is_at_peak>(
        "is_at_peak", "1: at the peak of the step `gpu_peak_step` of the snapshot, and not at its moment"),
});

constexpr auto kGpuPeakColumns = std::to_array<Column<GpuPeakRow>>({
    row_number<GpuPeakRow>(),
    column<&GpuPeakRow::snapshot>("snapshot", "", {.needed = true, .low = 0}),
    column<&GpuPeakRow::part, &GpuPeak::device>("device", "as CUDA numbers it in the process", {.low = 0}),
    column<&GpuPeakRow::part, &GpuPeak::bytes>("bytes", ""),
    column<&GpuPeakRow::part, &GpuPeak::steps>("steps", "number of these steps, at least"),
});

constexpr auto kTensorColumns = std::to_array<Column<TensorRow>>({
    row_number<TensorRow>(),
    column<&TensorRow::snapshot>("snapshot", "", {.needed = true, .low = 0}),
    column<&TensorRow::part, &TensorCount::device>("device", "", kObjectName),
    column<&TensorRow::part, &TensorCount::dtype>("dtype", "", kObjectName),
    column<&TensorRow::part, &TensorCount::shape>("shape", "separated by commas", kObjectName),
    column<&TensorRow::part, &TensorCount::requires_grad>("requires_grad", ""),
    column<&TensorRow::part, &TensorCount::count>("count",
                                                  "number of tensors with the same device, dtype and shape"),
    column<&TensorRow::part, &TensorCount::bytes>("bytes", "size of their elements"),
    column<&TensorRow::part, &TensorCount::storages>("storages", "storages that no earlier row has counted"),
    column<&TensorRow::part, &TensorCount::storage_bytes>("storage_bytes", "size of these storages"),
});

constexpr auto kTypeColumns = std::to_array<Column<TypeRow>>({
    row_number<TypeRow>(),
    column<&TypeRow::snapshot>("snapshot", "", {.needed = true, .low = 0}),
    column<&TypeRow::part, &TypeCount::type>("type", "", kObjectName),
    column<&TypeRow::part, &TypeCount::count>("count", "number of objects"),
    column<&TypeRow::part, &TypeCount::bytes>("bytes", "their size"),
});

constexpr auto kPhaseColumns = std::to_array<Column<Phase>>({
    row_number<Phase>(),
    column<&Phase::process>("process", "", kNeeded),
    column<&Phase::name>("name", "`train`, `eval`, `checkpoint`, or the name that the job gave it", kName),
    column<&Phase::count>("count", "number of visits"),
    column<&Phase::kept_bytes>("kept_bytes", "memory that was allocated in it and kept long after"),
    column<&Phase::peak_bytes>("peak_bytes",
                               "the highest resident memory at a tick in this phase; 0: no tick"),
    column<&Phase::took_s>("took_s", "total time of all visits", kTime),
});

constexpr auto kVisitColumns = std::to_array<Column<PhaseVisit>>({
    row_number<PhaseVisit>(),
    column<&PhaseVisit::process>("process", "", kNeeded),
    column<&PhaseVisit::name>("name", "", kName),
    column<&PhaseVisit::from_s>("from_s", "", kTime),
    column<&PhaseVisit::to_s>("to_s", "", kTime),
});

constexpr auto kSourceColumns = std::to_array<Column<SourceFile>>({
    row_number<SourceFile>(),
    column<&SourceFile::path>("path", "as in `frame.file`", kName),
    source_text(),
});

constexpr auto kLibraryColumns = std::to_array<Column<LibraryVersion>>({
    row_number<LibraryVersion>(),
    column<&LibraryVersion::name>("name", "of its folder: `pyarrow`", kName),
    column<&LibraryVersion::version>("version", "", kName),
});

constexpr auto kSharedColumns = std::to_array<Column<SharedGroup>>({
    row_number<SharedGroup>(),
    column<&SharedGroup::place>("place", "0: the largest", kNeeded),
    column<&SharedGroup::kind>("kind", "what the objects are", kNeeded),
    column<&SharedGroup::name>("name", "their names, with * for numbers", kName),
    column<&SharedGroup::count>("count", "number of objects; 0: the group is gone"),
    column<&SharedGroup::bytes>("bytes", "their memory, mapped or not"),
    column<&SharedGroup::link>("link",
                               "how `pid` is known; `creator`: from the kernel, `name`: it is in the names, "
                               "`open`: it has them open, "
                               "`writer`: the only process of the job that wrote that much at that time"),
    column<&SharedGroup::pid>(
        "pid", "the process that made or holds them; of several the one with most; 0: unknown"),
    column<&SharedGroup::processes>("processes", "number of processes that are known"),
    column<&SharedGroup::pid_bytes>("pid_bytes", "of `bytes`, the part of `pid`"),
});

constexpr auto kOutageColumns = std::to_array<Column<Outage>>({
    row_number<Outage>(),
    column<&Outage::from_s>("from_s", "", kTime),
    column<&Outage::to_s>("to_s", "", kTime),
    column<&Outage::ticks>("ticks", "number of ticks that were lost", kNeeded),
    column<&Outage::why>("why", "the error from the disk"),
});

constexpr auto kTierColumns = std::to_array<Column<TierRow>>({
    column<&TierRow::kind>("kind", "`target`, `process` ..."),
    column<&TierRow::level>("level", "0: single readings; a higher level is coarser"),
    column<&TierRow::samples>("samples", "the name of the table"),
    column<&TierRow::width_s>("width_s", "seconds that one row covers; 0: a single reading"),
    column<&TierRow::from_s>("from_s", "the table is valid from this time on"),
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
                       .meaning = "a process of the job",
                       .columns = kProcessColumns,
                       .limit = {25'000, 8 * kMegabyte},
                       .is_replaced = true},
    Table<RecordedEvent>{.name = "event",
                         .meaning = "an event; at most 5,000",
                         .columns = kEventColumns,
                         .limit = {5'000, 6 * kMegabyte}},
    Table<JudgementRow>{
        .name = "judgement",
        .meaning = "the verdict on the process tree at `at_s`, and the forecast. All rows of the last "
                   "hour; before that, one row per ten minutes and each change of the verdict",
        .columns = kJudgementColumns,
        .limit = {12'000, 8 * kMegabyte}},
    Table<SiteInfo>{.name = "site",
                    .meaning = "an allocation site: a stack that allocates, in one process",
                    .columns = kSiteColumns,
                    .limit = {20'000},
                    .is_replaced = true},
    Table<FrameRow>{.name = "frame",
                    .meaning = "one frame of the stack of a site",
                    .columns = kFrameColumns,
                    .limit = {250'000, 24 * kMegabyte},
                    .is_late = true},
    Table<TrimTrial>{.name = "trim_trial",
                     .meaning = "the result of `--trim-trial` in a process",
                     .columns = kTrimTrialColumns,
                     .limit = {10'000},
                     .is_late = true},
    Table<SnapshotRow>{.name = "snapshot",
                       .meaning = "the counts and sizes of all objects of a Python process at one moment",
                       .columns = kSnapshotColumns,
                       .limit = {5'000, kMegabyte},
                       .is_late = true},
    Table<NodeRow>{.name = "snapshot_node",
                   .meaning = "one of the 300 objects of a snapshot that retain the most memory",
                   .columns = kNodeColumns,
                   .limit = {100'000, 24 * kMegabyte}},
    Table<TensorRow>{
        .name = "snapshot_tensors",
        .meaning = "tensors of a snapshot with the same device, dtype and shape; the 60 largest groups",
        .columns = kTensorColumns,
        .limit = {40'000, 8 * kMegabyte}},
    Table<TypeRow>{
        .name = "snapshot_type",
        .meaning = "a type of objects in a snapshot: the 40 largest, and the types that identify a cause",
        .columns = kTypeColumns,
        .limit = {40'000, 8 * kMegabyte}},
    Table<ContentRow>{
        .name = "snapshot_content",
        .meaning = "objects of one type that a node of a snapshot holds, without those that a node below it "
                   "holds; at most six types of each node",
        .columns = kContentColumns,
        .limit = {200'000, 16 * kMegabyte},
        .is_late = true},
    Table<UseRow>{
        .name = "snapshot_use",
        .meaning =
            "storages of tensors of one use that a node of a snapshot holds, without those that a node "
            "below it holds; `saved`: found first through a function of an autograd graph",
        .columns = kUseColumns,
        .limit = {100'000, 8 * kMegabyte},
        .is_late = true},
    Table<GpuPoolRow>{.name = "snapshot_gpu_pool",
                      .meaning = "a pool of torch's CUDA allocator at the moment of a snapshot",
                      .columns = kGpuPoolColumns,
                      .limit = {100'000, 8 * kMegabyte},
                      .is_late = true},
    Table<GpuLineRow>{
        .name = "snapshot_gpu_line",
        .meaning = "live blocks of torch's CUDA allocator at the moment of a snapshot, by the innermost "
                   "line of the user in the stack that allocated them; the 48 largest lines",
        .columns = kGpuLineColumns,
        .limit = {200'000, 16 * kMegabyte},
        .is_late = true},
    Table<GpuPeakRow>{
        .name = "snapshot_gpu_peak",
        .meaning = "the most that torch had allocated in steps that ended before the one of the snapshot",
        .columns = kGpuPeakColumns,
        .limit = {100'000, 4 * kMegabyte},
        .is_late = true},
    Table<Phase>{.name = "phase",
                 .meaning = "the memory of a phase of a trainer, at the end of the recording",
                 .columns = kPhaseColumns,
                 .limit = {20'000, 4 * kMegabyte},
                 .is_replaced = true,
                 .is_late = true,
                 .constraint = ", UNIQUE(process, name)"},
    Table<PhaseVisit>{
        .name = "phase_visit",
        .meaning =
            "a time span in which a trainer was in one phase, with the precision of a tick; the first 20,000",
        .columns = kVisitColumns,
        .limit = {20'000, 6 * kMegabyte},
        .is_late = true,
        .is_sound = [](const PhaseVisit& visit) { return visit.to_s >= visit.from_s; }},
    Table<SourceFile>{.name = "source_file",
                      .meaning = "a Python file of the job that a stack goes through, as it was while the "
                                 "job ran; at most 64 files and 4 MiB",
                      .columns = kSourceColumns,
                      .limit = {64, 8 * kMegabyte},
                      .is_late = true},
    Table<LibraryVersion>{
        .name = "library",
        .meaning = "a Python package whose native code allocates memory of the job, and its version",
        .columns = kLibraryColumns,
        .limit = {64, 1 * kMegabyte},
        .is_late = true},
    Table<SharedGroup>{
        .name = "shared_memory",
        .meaning = "a group of shared memory objects of the job with similar names, at their latest reading; "
                   "the largest groups",
        .columns = kSharedColumns,
        .limit = {64, kMegabyte},
        .is_replaced = true,
        .is_late = true,
        .constraint = ", UNIQUE(place)"},
    Table<Outage>{.name = "outage",
                  .meaning = "a time span in which nothing could be written",
                  .columns = kOutageColumns,
                  .limit = {1'000, kMegabyte}},
    Table<TierRow>{.name = "tier",
                   .meaning = "the time from which a table of samples is valid, see below",
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
template const Table<ContentRow>& table();
template const Table<UseRow>& table();
template const Table<GpuPoolRow>& table();
template const Table<GpuLineRow>& table();
template const Table<GpuPeakRow>& table();
template const Table<Phase>& table();
template const Table<PhaseVisit>& table();
template const Table<SourceFile>& table();
template const Table<LibraryVersion>& table();
template const Table<SharedGroup>& table();
template const Table<Outage>& table();
template const Table<TierRow>& table();

std::vector<TableText> described_tables() {
  return std::apply([](const auto&... each) { return std::vector<TableText>{text_of(each)...}; }, kTables);
}

}  // namespace lowtide::record
