#include "record/tables/series.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>

#include "base/check.h"
#include "record/tables/columns.h"

namespace lowtide::record {
namespace {

using model::CgroupReading;
using model::GpuProcessReading;
using model::GpuReading;
using model::HeapReading;
using model::HostReading;
using model::OldSamples;
using model::ProcessReading;
using model::PssReading;
using model::SiteReading;
using model::TargetReading;
using model::TmpfsReading;
using model::TorchReading;

// A value as the integer that a row holds.
template <typename Value>
std::int64_t number_of(const Value& value) {
  if constexpr (std::is_same_v<Value, std::optional<double>>) {
    return value && *value >= 0 && *value <= 100 ? std::llround(*value * 1000) : kAbsent;
  } else if constexpr (kIsOptional<Value>) {
    return value ? number_of(*value) : kAbsent;
  } else if constexpr (std::is_enum_v<Value> || std::is_same_v<Value, bool>) {
    return static_cast<std::int64_t>(value);
  } else {
    return stored(value);
  }
}

template <typename Value>
void set_number(Value& value, std::int64_t number) {
  if constexpr (std::is_same_v<Value, std::optional<double>>) {
    value = static_cast<double>(number) / 1000;
  } else if constexpr (kIsOptional<Value>) {
    set_number(value.emplace(), number);
  } else if constexpr (std::is_same_v<Value, bool>) {
    value = number != 0;
  } else if constexpr (std::is_enum_v<Value>) {
    value = static_cast<Value>(number);
  } else {
    constexpr Value kMost = std::numeric_limits<Value>::max();
    value = std::cmp_greater(number, kMost) ? kMost : static_cast<Value>(number);
  }
}

template <typename Reading>
struct Member {
  SampleColumn column = {};
  std::int64_t (*get)(const Reading& reading) = nullptr;
  void (*set)(Reading& reading, std::int64_t number) = nullptr;
};

// In an optional struct: the column that fills it when it is not NULL.
template <auto... Path>
constexpr auto member(const char* name, const char* meaning = "", Keep keep = Keep::Last) {
  using Reading = OwnerOf<Path...>;
  using Value = ValueOf<Path...>;
  Member<Reading> made;
  made.column = {.name = name,
                 .meaning = meaning,
                 .keep = keep,
                 .thousandths = std::is_same_v<Value, std::optional<double>>};
  made.get = [](const Reading& reading) {
    const auto* value = find_member<Path...>(reading);
    return value == nullptr ? kAbsent : number_of(*value);
  };
  made.set = [](Reading& reading, std::int64_t number) {
    if (number != kAbsent) set_number(*make_member<Path...>(reading), number);
  };
  return made;
}

// A further column of an optional struct.
template <auto... Path>
constexpr auto further(const char* name, const char* meaning = "", Keep keep = Keep::Last) {
  using Reading = OwnerOf<Path...>;
  auto made = member<Path...>(name, meaning, keep);
  made.set = [](Reading& reading, std::int64_t number) {
    auto* value = find_member<Path...>(reading);
    if (value != nullptr && number != kAbsent) set_number(*value, number);
  };
  return made;
}

template <auto... Path>
constexpr auto key(const char* name, const char* meaning) {
  auto made = member<Path...>(name, meaning);
  const bool is_index = std::is_same_v<ValueOf<Path...>, int>;  // of a GPU
  made.column.most = is_index ? 255 : std::numeric_limits<std::uint32_t>::max();
  return made;
}

// How long and how many rows of each level are kept.
struct Retained {
  std::array<double, kLevels> ages_s{};
  std::array<std::int64_t, kLevels> rows{};
};

constexpr double kHourSeconds = 3600;
constexpr double kDaySeconds = 24 * kHourSeconds;
constexpr double kForeverSeconds = 1e12;
// One series per process.
constexpr std::array<double, kLevels> kShortSeconds = {kHourSeconds / 2, 4 * kHourSeconds, kDaySeconds,
                                                       14 * kDaySeconds, kForeverSeconds};

// Few series, so long memory: the verdict on the target rests on them.
constexpr Retained kLong = {
    {2 * kHourSeconds, kDaySeconds, 14 * kDaySeconds, 60 * kDaySeconds, kForeverSeconds},
    {10'000, 12'000, 20'000, 12'000, 12'000}};
constexpr Retained kOfProcesses = {kShortSeconds, {95'000, 95'000, 70'000, 70'000, 30'000}};
constexpr Retained kOfSites = {kShortSeconds, {40'000, 30'000, 30'000, 20'000, 10'000}};
constexpr Retained kOfGpus = {kShortSeconds, {20'000, 20'000, 16'000, 16'000, 10'000}};

constexpr auto kTargetColumns = std::to_array<Member<TargetReading>>({
    member<&TargetReading::file_bytes>("file_bytes", "resident pages of mapped files"),
    member<&TargetReading::rss_bytes>("rss_bytes",
                                      "the sum over all processes: shared pages are counted in each process"),
    member<&TargetReading::processes>("processes", "", Keep::Highest),
    member<&TargetReading::exact>("exact", "0: pages may have moved between processes since PSS was read"),
    member<&TargetReading::unmapped_bytes>(
        "unmapped_bytes",
        "the part of `bytes` that no process maps: files in a tmpfs, System V segments, memfds"),
});

constexpr auto kProcessKeys = std::to_array<Member<ProcessReading>>({
    key<&ProcessReading::id>("process", ""),
});
constexpr auto kProcessMembers = std::to_array<Member<ProcessReading>>({
    member<&ProcessReading::rss_bytes>("rss_bytes"),
    member<&ProcessReading::anon_bytes>("anon_bytes"),
    member<&ProcessReading::file_bytes>("file_bytes"),
    member<&ProcessReading::shmem_bytes>("shmem_bytes"),
    member<&ProcessReading::swap_bytes>("swap_bytes"),
    member<&ProcessReading::pss, &PssReading::pss_bytes>(
        "pss_bytes", "NULL, as in the columns below: not read at this tick"),
    further<&ProcessReading::pss, &PssReading::anon_bytes>("pss_anon_bytes", "the parts of PSS"),
    further<&ProcessReading::pss, &PssReading::shmem_bytes>("pss_shmem_bytes"),
    further<&ProcessReading::pss, &PssReading::file_bytes>("pss_file_bytes"),
    further<&ProcessReading::pss, &PssReading::private_dirty_bytes>("private_dirty_bytes"),
    further<&ProcessReading::pss, &PssReading::uss_bytes>("uss_bytes"),
    member<&ProcessReading::writable_bytes>(
        "writable_bytes", "private memory that the process may write, resident or not; 0: unknown"),
});

constexpr auto kCgroupColumns = std::to_array<Member<CgroupReading>>({
    member<&CgroupReading::anon_bytes>("anon_bytes"),
    member<&CgroupReading::file_bytes>("file_bytes"),
    member<&CgroupReading::shmem_bytes>("shmem_bytes"),
    member<&CgroupReading::kernel_bytes>("kernel_bytes"),
    member<&CgroupReading::limit_bytes>("limit_bytes", "the lowest limit of the cgroup and its parents"),
    member<&CgroupReading::oom_kills>("oom_kills"),
});

constexpr auto kHostColumns = std::to_array<Member<HostReading>>({
    member<&HostReading::total_bytes>("total_bytes"),
    member<&HostReading::shm_bytes>("shm_bytes", "used in /dev/shm"),
    member<&HostReading::pressure_percent>(
        "pressure_percent", "share of the last 10 s in which a task waited for memory", Keep::Highest),
});

constexpr auto kGpuKeys = std::to_array<Member<GpuReading>>({
    key<&GpuReading::index>("gpu", "its index"),
});
constexpr auto kGpuColumns = std::to_array<Member<GpuReading>>({
    member<&GpuReading::total_bytes>("total_bytes"),
});

constexpr auto kGpuProcessKeys = std::to_array<Member<GpuProcessReading>>({
    key<&GpuProcessReading::index>("gpu", "its index"),
    key<&GpuProcessReading::id>("process", ""),
});
constexpr auto framework() {
  auto made = further<&GpuProcessReading::torch, &TorchReading::framework>(
      "framework", "whose allocator these columns are of; 0: torch, 1: JAX", Keep::Highest);
  made.column.most = static_cast<std::int64_t>(model::count_of<model::Framework>() - 1);
  return made;
}

constexpr auto kGpuProcessColumns = std::to_array<Member<GpuProcessReading>>({
    member<&GpuProcessReading::torch, &TorchReading::allocated_bytes>(
        "allocated_bytes", "from torch; NULL, as in the columns below: unknown"),
    further<&GpuProcessReading::torch, &TorchReading::reserved_bytes>("reserved_bytes"),
    further<&GpuProcessReading::torch, &TorchReading::inactive_split_bytes>(
        "inactive_split_bytes", "reserved and free, but split off from larger blocks"),
    further<&GpuProcessReading::torch, &TorchReading::retries>(
        "retries", "how often torch freed its cached memory and tried again", Keep::Highest),
    further<&GpuProcessReading::torch, &TorchReading::ooms>("ooms", "", Keep::Highest),
    further<&GpuProcessReading::torch, &TorchReading::pinned_bytes>(
        "pinned_bytes", "pinned host memory, for copies to any GPU"),
    framework(),
});

constexpr auto kHeapKeys = std::to_array<Member<HeapReading>>({
    key<&HeapReading::process>("process", ""),
});
constexpr auto kHeapColumns = std::to_array<Member<HeapReading>>({
    member<&HeapReading::live_samples>("live_samples"),
    member<&HeapReading::allocated_bytes>("allocated_bytes", "since the start"),
    member<&HeapReading::samples>("samples", "since the start"),
    member<&HeapReading::dropped_samples>("dropped_samples", "samples without a site; included in `samples`"),
    member<&HeapReading::interval_bytes>("interval_bytes", "allocated between two samples"),
    member<&HeapReading::sampling_ns>("sampling_ns", "time that sampling took in the job"),
    member<&HeapReading::asking_ns>("asking_ns",
                                    "time that reading steps, phases and counters took in the job"),
    member<&HeapReading::cuda_driver>(
        "cuda_driver",
        "allocations of the CUDA driver: 0: none, 1: they are sites, 2: the driver was "
        "loaded before the agent, so they are not"),
    member<&HeapReading::cuda_modules>("cuda_modules", "modules of code loaded on GPUs"),
    member<&HeapReading::cuda_unsized>("cuda_unsized",
                                       "allocations of the driver of unknown size, since the start"),
    member<&HeapReading::cuda_dropped_bytes>("cuda_dropped_bytes", "allocated by the driver, without a site"),
});

constexpr auto kSiteKeys = std::to_array<Member<SiteReading>>({
    key<&SiteReading::site>("site", ""),
    key<&SiteReading::process>("process", ""),
});
constexpr auto kSiteMembers = std::to_array<Member<SiteReading>>({
    member<&SiteReading::live_samples>("live_samples"),
    member<&SiteReading::allocated_bytes>("allocated_bytes", "since the start"),
    member<&SiteReading::allocated_samples>("allocated_samples", "since the start"),
    member<&SiteReading::shared_bytes>("shared_bytes",
                                       "live bytes in memory that processes share; not included in `heap`"),
    member<&SiteReading::error_bytes>("error_bytes", "standard error of `live_bytes`"),
    member<&SiteReading::old, &OldSamples::bytes>(
        "old_bytes", "live for at least a sixteenth of the time watched, 1 to 10 s"),
    further<&SiteReading::old, &OldSamples::samples>("old_samples", "number of these samples"),
    further<&SiteReading::old, &OldSamples::freed_samples>("old_freed_samples",
                                                           "old samples that were freed since the start"),
});

constexpr auto kTmpfsKeys = std::to_array<Member<TmpfsReading>>({
    key<&TmpfsReading::index>("tmpfs", "its number: `tmpfs_N_path` in `meta` is its path"),
});
constexpr auto kTmpfsColumns = std::to_array<Member<TmpfsReading>>({
    member<&TmpfsReading::total_bytes>("total_bytes", "its size"),
    member<&TmpfsReading::job_bytes>("job_bytes", "in files that the job made"),
});

template <typename Reading>
struct Series {
  SeriesKind kind = SeriesKind::Target;
  const char* name = nullptr;
  const char* meaning = nullptr;
  bool is_late = false;
  Retained retained = {};
  Member<Reading> judged = {};
  std::span<const Member<Reading>> keys = {};
  std::span<const Member<Reading>> columns = {};
};

constexpr std::tuple kSeries = {
    Series<TargetReading>{
        .kind = SeriesKind::Target,
        .name = "target",
        .meaning =
            "the process tree, shared pages counted once (PSS): anonymous memory + shared memory + swap",
        .retained = kLong,
        .judged = member<&TargetReading::bytes>("bytes"),
        .columns = kTargetColumns},
    Series<ProcessReading>{
        .kind = SeriesKind::Process,
        .name = "process",
        .meaning = "memory of this process alone: private memory + shared memory that it maps + swap",
        .retained = kOfProcesses,
        .judged = member<&ProcessReading::own_bytes>("own_bytes"),
        .keys = kProcessKeys,
        .columns = kProcessMembers},
    Series<CgroupReading>{.kind = SeriesKind::Cgroup,
                          .name = "cgroup",
                          .meaning = "`memory.current`",
                          .retained = kLong,
                          .judged = member<&CgroupReading::current_bytes>("current_bytes"),
                          .columns = kCgroupColumns},
    Series<HostReading>{.kind = SeriesKind::Host,
                        .name = "host",
                        .meaning = "available memory",
                        .retained = kLong,
                        .judged = member<&HostReading::available_bytes>("available_bytes"),
                        .columns = kHostColumns},
    Series<GpuReading>{.kind = SeriesKind::Gpu,
                       .name = "gpu",
                       .meaning = "memory in use",
                       .retained = kOfGpus,
                       .judged = member<&GpuReading::used_bytes>("used_bytes"),
                       .keys = kGpuKeys,
                       .columns = kGpuColumns},
    Series<GpuProcessReading>{.kind = SeriesKind::GpuProcess,
                              .name = "gpu_process",
                              .meaning = "memory of the process on the GPU",
                              .retained = kOfGpus,
                              .judged = member<&GpuProcessReading::bytes>("bytes"),
                              .keys = kGpuProcessKeys,
                              .columns = kGpuProcessColumns},
    Series<HeapReading>{
        .kind = SeriesKind::Heap,
        .name = "heap",
        .meaning = "live bytes (allocated and not freed), as estimated by the agent in the process",
        .is_late = true,
        .retained = kOfGpus,
        .judged = member<&HeapReading::live_bytes>("live_bytes"),
        .keys = kHeapKeys,
        .columns = kHeapColumns},
    Series<SiteReading>{.kind = SeriesKind::Site,
                        .name = "site",
                        .meaning = "live bytes (allocated and not freed) of one site",
                        .is_late = true,
                        .retained = kOfSites,
                        .judged = member<&SiteReading::live_bytes>("live_bytes"),
                        .keys = kSiteKeys,
                        .columns = kSiteMembers},
    Series<TmpfsReading>{.kind = SeriesKind::Tmpfs,
                         .name = "tmpfs",
                         .meaning = "used bytes of a file system in memory, by all files in it",
                         .is_late = true,
                         .retained = kOfGpus,
                         .judged = member<&TmpfsReading::used_bytes>("used_bytes"),
                         .keys = kTmpfsKeys,
                         .columns = kTmpfsColumns},
};
static_assert(std::tuple_size_v<decltype(kSeries)> == kKinds);

template <typename Reading>
constexpr const Series<Reading>& series() {
  return std::get<Series<Reading>>(kSeries);
}

template <typename Reading>
constexpr KindSpec make_spec(const Series<Reading>& from) {
  KindSpec spec{.name = from.name,
                .meaning = from.meaning,
                .judged = from.judged.column,
                .is_late = from.is_late,
                .ages_s = from.retained.ages_s,
                .row_limits = from.retained.rows};
  for (const auto& each : from.keys) spec.key_list[spec.key_count++] = each.column;
  for (const auto& each : from.columns) spec.column_list[spec.column_count++] = each.column;
  return spec;
}

constexpr std::array<KindSpec, kKinds> kSpecs = std::apply(
    [](const auto&... each) {
      std::array<KindSpec, kKinds> specs{};
      ((specs[static_cast<std::size_t>(each.kind)] = make_spec(each)), ...);
      return specs;
    },
    kSeries);

}  // namespace

const KindSpec& spec_of(SeriesKind kind) {
  const auto at = static_cast<std::size_t>(kind);
  LOWTIDE_CHECK(at < kKinds, "a kind of series that has no tables");
  return kSpecs[at];
}

template <typename Reading>
SeriesKind kind_of() {
  return series<Reading>().kind;
}

template <typename Reading>
SampleRow row_of(const Reading& reading) {
  const Series<Reading>& from = series<Reading>();
  SampleRow row;
  row.count = 1;
  row.low = from.judged.get(reading);
  row.mean = static_cast<double>(row.low);
  row.high = row.low;
  row.others.fill(kAbsent);
  for (std::size_t at = 0; at < from.keys.size(); ++at) row.keys[at] = from.keys[at].get(reading);
  for (std::size_t at = 0; at < from.columns.size(); ++at) row.others[at] = from.columns[at].get(reading);
  return row;
}

template <typename Reading>
PointOf<Reading> point_of(const SampleRow& row) {
  const Series<Reading>& to = series<Reading>();
  PointOf<Reading> point{{.at_s = row.at_s,
                          .span_s = row.span_s,
                          .count = static_cast<std::uint64_t>(row.count),
                          .step = row.step,
                          .low_bytes = static_cast<std::uint64_t>(row.low),
                          .mean_bytes = row.mean,
                          .high_bytes = static_cast<std::uint64_t>(row.high)},
                         {}};
  to.judged.set(point.last, static_cast<std::int64_t>(std::clamp(row.mean + 0.5, 0.0, 9.2e18)));
  for (std::size_t at = 0; at < to.keys.size(); ++at) to.keys[at].set(point.last, row.keys[at]);
  for (std::size_t at = 0; at < to.columns.size(); ++at) to.columns[at].set(point.last, row.others[at]);
  return point;
}

template SeriesKind kind_of<TargetReading>();
template SampleRow row_of(const TargetReading& reading);
template PointOf<TargetReading> point_of(const SampleRow& row);
template SeriesKind kind_of<ProcessReading>();
template SampleRow row_of(const ProcessReading& reading);
template PointOf<ProcessReading> point_of(const SampleRow& row);
template SeriesKind kind_of<CgroupReading>();
template SampleRow row_of(const CgroupReading& reading);
template PointOf<CgroupReading> point_of(const SampleRow& row);
template SeriesKind kind_of<HostReading>();
template SampleRow row_of(const HostReading& reading);
template PointOf<HostReading> point_of(const SampleRow& row);
template SeriesKind kind_of<GpuReading>();
template SampleRow row_of(const GpuReading& reading);
template PointOf<GpuReading> point_of(const SampleRow& row);
template SeriesKind kind_of<GpuProcessReading>();
template SampleRow row_of(const GpuProcessReading& reading);
template PointOf<GpuProcessReading> point_of(const SampleRow& row);
template SeriesKind kind_of<HeapReading>();
template SampleRow row_of(const HeapReading& reading);
template PointOf<HeapReading> point_of(const SampleRow& row);
template SeriesKind kind_of<SiteReading>();
template SampleRow row_of(const SiteReading& reading);
template PointOf<SiteReading> point_of(const SampleRow& row);
template SeriesKind kind_of<TmpfsReading>();
template SampleRow row_of(const TmpfsReading& reading);
template PointOf<TmpfsReading> point_of(const SampleRow& row);

}  // namespace lowtide::record
