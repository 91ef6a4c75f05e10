#include "observe/agents/site_table.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <string_view>
#include <utility>

#include "base/clock.h"
#include "base/units.h"

namespace lowtide::observe {
namespace {

constexpr std::size_t kMostSites = 8192;
constexpr std::size_t kMostStacks = 65'536;
constexpr std::size_t kMostCodes = 65'536;
constexpr std::string_view kImportSystem = "<frozen importlib._bootstrap>";
constexpr std::size_t kMostNames = 131'072;
// The verdict depends on what is live when it is read. Of the rest, which is
// most, one in so many is looked at and stands for the others.
constexpr std::uint64_t kShortLivedEvery = 8;
// A site is recorded when it has so many samples alive, or so large a part of all.
constexpr std::uint64_t kFewSamples = 4;
constexpr double kSmallShare = 0.01;
constexpr std::size_t kMostReadings = 64;  // of one process at a time
// Of all processes at a time; the others come with the next readings. Fifty frames with names take 10 kB, and
// sixty workers begin at once.
constexpr std::size_t kMostBegun = 128;
constexpr double kTellAgainS = 10;  // although nothing has changed
// When a sample is old: model::OldSamples. A step is a small part of any run that can be judged.
constexpr double kOldShare = 1.0 / 16;  // of the time that the process was watched
constexpr double kOldLeastS = 1;
constexpr double kOldMostS = 10;
constexpr std::size_t kMostYoung = 65'536;  // what comes on top of them does not grow old

std::uint64_t mix(std::uint64_t hash, std::uint64_t value) {
  hash = (hash ^ value) * 0x9E3779B97F4A7C15ULL;
  return hash ^ (hash >> 29U);
}

std::uint64_t hash_of(const std::vector<model::Frame>& frames) {
  std::uint64_t hash = 2;
  for (const model::Frame& frame : frames) {
    hash = mix(hash, std::hash<std::string>{}(frame.function));
    hash = mix(hash, std::hash<std::string>{}(frame.file) ^ std::hash<std::string>{}(frame.module));
    hash = mix(hash, frame.line);
  }
  return hash;
}

// The wire has them in the order of the agent; symbols by the numbers of DWARF.
symbols::Registers registers_of(const AgentAllocation& allocation) {
  const auto& from = allocation.registers;
#if defined(__aarch64__)
  symbols::Registers registers =
      symbols::make_registers(symbols::kNativeArch, from[0], from[1], from[2], from[3]);
  for (unsigned at = 0; at < 10; ++at) registers.set(19 + at, from[4 + at]);
#else
  symbols::Registers registers = symbols::make_registers(symbols::kNativeArch, from[0], from[1], from[2]);
  registers.set(3, from[3]);
  for (unsigned at = 0; at < 4; ++at) registers.set(12 + at, from[4 + at]);
#endif
  return registers;
}

// Of the estimate that one sample makes. A block of s bytes is sampled with the probability s / weight, so
// the variance is weight * (weight - s). Blocks that are always sampled have none.
float variance_of(const AgentAllocation& allocation) {
  const auto weight = static_cast<double>(allocation.weight_bytes);
  return static_cast<float>(weight * std::max(0.0, weight - static_cast<double>(allocation.requested_bytes)));
}

std::string_view function_of(wire::Source source) {
  switch (source) {
    case wire::Source::Malloc:
      return "malloc";
    case wire::Source::Calloc:
      return "calloc";
    case wire::Source::Realloc:
      return "realloc";
    case wire::Source::Aligned:
      return "aligned_alloc";
    case wire::Source::Mmap:
    case wire::Source::SharedMmap:
      return "mmap";
    case wire::Source::CudaAlloc:
      return "cuMemAlloc";
    case wire::Source::CudaCreate:
      return "cuMemCreate";
    case wire::Source::CudaAsync:
      return "cuMemAllocAsync";
    case wire::Source::CudaHost:
      return "cuMemHostAlloc";
    case wire::Source::CudaRegister:
      return "cuMemHostRegister";
    case wire::Source::PythonMem:
    case wire::Source::PythonObject:
      break;
  }
  return "";
}

model::SiteMemory memory_of(wire::Source source) {
  switch (source) {
    case wire::Source::CudaAlloc:
    case wire::Source::CudaCreate:
      return model::SiteMemory::Gpu;
    case wire::Source::CudaAsync:
      return model::SiteMemory::GpuPool;
    case wire::Source::CudaHost:
      return model::SiteMemory::Pinned;
    case wire::Source::CudaRegister:
      return model::SiteMemory::Registered;
    default:
      return model::SiteMemory::Host;
  }
}

}  // namespace

const std::string* SiteTools::keep(std::string_view name) {
  if (names.size() < kMostNames) return &*names.emplace(name).first;
  const auto known = names.find(std::string(name));
  return known != names.end() ? &*known : &*names.find("");  // there are too many: it has none
}

SiteTable::SiteTable(std::int32_t pid, SiteTools& tools)
    : tools_(tools), space_(tools.images, {.proc = "/proc", .pid = pid}), unwinder_(space_) {
  sites_.push_back({.id = model::SiteId{tools_.sites++}, .cut = true});
}

void SiteTable::on_code(const AgentCode& code) {
  if (code.file == kImportSystem && import_codes_.size() < kMostCodes) import_codes_.insert(code.code);
  if (codes_.size() < kMostCodes) codes_[code.code] = {tools_.keep(code.file), tools_.keep(code.function)};
}

void SiteTable::forget_places() {
  has_maps_ = false;
}

symbols::StackEnd SiteTable::unwind(const AgentAllocation& allocation) {
  addresses_.clear();
  if (!has_maps_) {
    [[maybe_unused]] const auto refreshed = space_.refresh();  // where it fails, the process is gone
    has_maps_ = true;
  }
  // Of the driver's allocations the native frames say whose they are, and there are few.
  const bool is_of_driver = memory_of(allocation.source) != model::SiteMemory::Host;
  if (tools_.unwind_credit_s <= 0 && !is_of_driver) return symbols::StackEnd::CopyEnded;
  const double began_s = base::steady_seconds();
  const auto end = unwinder_.unwind(registers_of(allocation), allocation.stack, addresses_);
  tools_.unwind_credit_s -= base::steady_seconds() - began_s;
  return end;
}

std::uint32_t SiteTable::find_site(const AgentAllocation& allocation) {
  const bool cut = unwind(allocation) != symbols::StackEnd::Outermost || allocation.frames_cut;
  const model::SiteMemory memory = memory_of(allocation.source);
  const std::uint64_t place = mix(static_cast<std::uint64_t>(memory), allocation.device);
  std::uint64_t hash = mix(1, place);
  for (const std::uint64_t address : addresses_) hash = mix(hash, address);
  for (const wire::PythonFrame& frame : allocation.frames)
    hash = mix(hash, std::uint64_t{frame.code} << 32U | frame.line);
  if (const auto known = by_stack_.find(hash); known != by_stack_.end()) {
    keep_stack(sites_[known->second], allocation);
    return known->second;
  }
  if (by_stack_.size() >= kMostStacks || sites_.size() >= kMostSites) return 0;
  const auto [found, is_new] = by_frames_.try_emplace(mix(hash_of(name(stack_of(allocation))), place),
                                                      static_cast<std::uint32_t>(sites_.size()));
  by_stack_.emplace(hash, found->second);
  if (is_new) {
    sites_.push_back({.id = model::SiteId{tools_.sites++},
                      .memory = memory,
                      .cuda_device = allocation.device,
                      .cut = cut});
  }
  keep_stack(sites_[found->second], allocation);
  return found->second;
}

SiteTable::Stack SiteTable::stack_of(const AgentAllocation& allocation) const {
  return {.addresses = addresses_,
          .calls = {allocation.frames.begin(), allocation.frames.end()},
          .source = allocation.source};
}

// Of a place that holds something. Most allocate for the moment only, and are never told of.
void SiteTable::keep_stack(Site& site, const AgentAllocation& allocation) const {
  if (allocation.is_live && !site.has_begun && site.live_samples == 0) site.stack = stack_of(allocation);
}

std::vector<model::Frame> SiteTable::name(const Stack& stack) {
  std::vector<PythonCall> calls;
  calls.reserve(stack.calls.size());
  for (const wire::PythonFrame& frame : stack.calls) {
    const auto code = codes_.find(frame.code);
    const bool known = code != codes_.end();
    calls.push_back({{.language = model::FrameLanguage::Python,
                      .function = known ? *code->second.function : "",
                      .file = known ? *code->second.file : "",
                      .line = frame.line & ~wire::kEntryFrame},
                     (frame.line & wire::kEntryFrame) != 0});
  }
  return join_stacks(tools_.symbolizer.symbolize(space_, stack.addresses), calls, function_of(stack.source));
}

// The sum that the bytes of a sample are part of, besides those of its site.
std::uint64_t& SiteTable::live_bytes_of(Site& site, bool is_shared) {
  if (site.memory != model::SiteMemory::Host) return driver_bytes_;
  return is_shared ? site.shared_bytes : live_bytes_;
}

void SiteTable::note_import(const AgentAllocation& allocation) {
  if (!allocation.is_main_thread || allocation.frames.empty()) return;
  const bool is_import =
      std::any_of(allocation.frames.begin(), allocation.frames.end(),
                  [&](const wire::PythonFrame& frame) { return import_codes_.count(frame.code) > 0; });
  sample_in_import_ = is_import ? allocation.sample : 0;
}

void SiteTable::on_allocation(const AgentAllocation& allocation) {
  note_import(allocation);
  std::uint64_t stands_for = 1;
  if (!allocation.is_live) {
    if (allocation.sample % kShortLivedEvery != 0) return;
    stands_for = kShortLivedEvery;
  }
  const std::uint32_t number = find_site(allocation);
  if (number == 0 && memory_of(allocation.source) != model::SiteMemory::Host)
    return;  // there are too many sites
  Site& site = sites_[number];
  site.allocated_bytes += allocation.weight_bytes * stands_for;
  site.allocated_samples += stands_for;
  if (!allocation.is_live) return;
  site.live_bytes += allocation.weight_bytes;
  ++site.live_samples;
  const float variance = variance_of(allocation);
  site.variance += variance;
  const bool is_shared = allocation.source == wire::Source::SharedMmap;
  live_bytes_of(site, is_shared) += allocation.weight_bytes;
  live_of_driver_ += site.memory == model::SiteMemory::Host ? 0 : 1;
  const auto phase = static_cast<std::uint8_t>(std::min(allocation.phase, wire::kMaxPhases));
  live_[allocation.sample] = {number, allocation.weight_bytes, variance, phase, is_shared};
  if (new_.size() + young_.size() < kMostYoung) new_.push_back(allocation.sample);
}

void SiteTable::on_free(std::uint64_t sample) {
  const auto found = live_.find(sample);
  if (found == live_.end()) return;
  Site& site = sites_[found->second.site];
  site.live_bytes -= found->second.weight_bytes;
  site.variance -= found->second.variance;
  if (--site.live_samples == 0) {
    site.stack = {};
    site.variance = 0;  // without what rounding left
  }
  live_bytes_of(site, found->second.is_shared) -= found->second.weight_bytes;
  live_of_driver_ -= site.memory == model::SiteMemory::Host ? 0 : 1;
  if (found->second.is_old) {
    site.old.bytes -= found->second.weight_bytes;
    --site.old.samples;
    ++site.old.freed_samples;
    if (site.memory == model::SiteMemory::Host)
      kept_in_phases_[found->second.phase] -= found->second.weight_bytes;
  }
  live_.erase(found);
}

void SiteTable::let_age(double at_s) {
  if (first_read_at_s_ < 0) first_read_at_s_ = at_s;
  for (const std::uint64_t sample : new_) young_.push_back({sample, at_s});
  new_.clear();
  const double old_after_s = std::clamp(kOldShare * (at_s - first_read_at_s_), kOldLeastS, kOldMostS);
  for (; !young_.empty() && at_s - young_.front().since_s >= old_after_s; young_.pop_front()) {
    const auto found = live_.find(young_.front().sample);
    if (found == live_.end()) continue;
    found->second.is_old = true;
    Site& site = sites_[found->second.site];
    site.old.bytes += found->second.weight_bytes;
    ++site.old.samples;
    if (site.memory == model::SiteMemory::Host)
      kept_in_phases_[found->second.phase] += found->second.weight_bytes;
  }
}

void SiteTable::read_sites(model::ProcessId process, double at_s, std::vector<model::SiteReading>& readings,
                           std::vector<model::SiteInfo>& begun) {
  let_age(at_s);
  std::vector<std::uint32_t> wanted;
  std::size_t beginning = 0;
  for (std::uint32_t number = 0; number < sites_.size(); ++number) {
    const Site& site = sites_[number];
    const std::uint64_t all_bytes = site.memory == model::SiteMemory::Host ? live_bytes_ : driver_bytes_;
    const bool large = site.live_samples >= kFewSamples ||
                       static_cast<double>(site.live_bytes) > kSmallShare * static_cast<double>(all_bytes);
    if (!site.has_begun && (!(large && site.live_bytes > 0) || begun.size() + beginning >= kMostBegun))
      continue;
    beginning += site.has_begun ? 0 : 1;
    const bool changed = site.live_bytes != site.told_bytes || site.old.bytes != site.told_old_bytes;
    if (changed || (site.live_bytes > 0 && at_s - site.told_at_s >= kTellAgainS)) wanted.push_back(number);
  }
  if (wanted.size() > kMostReadings) {
    std::nth_element(wanted.begin(), wanted.begin() + kMostReadings, wanted.end(),
                     [&](std::uint32_t left, std::uint32_t right) {
                       const auto moved = [&](std::uint32_t number) {
                         const Site& site = sites_[number];
                         return std::max(site.live_bytes, site.told_bytes);
                       };
                       return moved(left) > moved(right);
                     });
    wanted.resize(kMostReadings);
  }
  for (const std::uint32_t number : wanted) {
    Site& site = sites_[number];
    if (!site.has_begun) {
      begun.push_back({.id = site.id,
                       .process = process,
                       .memory = site.memory,
                       .cuda_device = site.cuda_device,
                       .frames = name(std::exchange(site.stack, {})),
                       .cut = site.cut});
    }
    site.has_begun = true;
    site.told_bytes = site.live_bytes;
    site.told_old_bytes = site.old.bytes;
    site.told_at_s = at_s;
    readings.push_back({.site = site.id,
                        .process = process,
                        .live_bytes = site.live_bytes,
                        .live_samples = site.live_samples,
                        .allocated_bytes = site.allocated_bytes,
                        .allocated_samples = site.allocated_samples,
                        .shared_bytes = site.shared_bytes,
                        .error_bytes = base::to_bytes(std::sqrt(std::max(0.0, site.variance))),
                        .old = site.old});
  }
}

}  // namespace lowtide::observe
