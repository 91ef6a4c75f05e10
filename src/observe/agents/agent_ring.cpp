#include "observe/agents/agent_ring.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <chrono>
#include <cstring>
#include <utility>

#include "base/text.h"

namespace lowtide::observe {
namespace {

constexpr std::uint64_t kGiveBackBytes = 32U << 10U;
constexpr std::uint64_t kTouchedByFrees = 8U << 10U;  // pages of the table, about

base::Error malformed(const char* what) {
  return {base::ErrorCode::Malformed, what};
}

bool is_known(wire::Source source) {
  return source <= wire::Source::CudaRegister;
}

bool is_python_source(wire::Source source) {
  return source == wire::Source::PythonMem || source == wire::Source::PythonObject;
}

template <typename T>
T read_from(std::span<const std::byte> bytes, std::size_t at = 0) {
  T value{};
  std::memcpy(&value, bytes.data() + at, sizeof(T));
  return value;
}

std::uint64_t now_ns() {  // CLOCK_MONOTONIC, as the agent's
  const std::chrono::nanoseconds now = std::chrono::steady_clock::now().time_since_epoch();
  return static_cast<std::uint64_t>(now.count());
}

}  // namespace

base::Result<AgentRing> AgentRing::open(const base::Fd& file) {
  struct stat info {};
  if (::fstat(file.get(), &info) != 0 || info.st_size < static_cast<off_t>(wire::kHeaderBytes) ||
      info.st_size > static_cast<off_t>(4 * wire::file_bytes())) {
    return malformed("the memory file of an agent has an invalid size");
  }
  const int seals = ::fcntl(file.get(), F_GET_SEALS);
  if (seals < 0 || (seals & F_SEAL_SHRINK) == 0) {
    return malformed("the memory file of an agent is not sealed against shrinking");
  }
  const auto bytes = static_cast<std::size_t>(info.st_size);
  void* mapped = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file.get(), 0);
  if (mapped == MAP_FAILED) {
    return base::Error{base::ErrorCode::Io, "the memory file of an agent cannot be mapped"};
  }
  AgentRing ring({static_cast<std::byte*>(mapped), bytes}, true);
  if (!ring.check_header()) {
    return malformed("the memory file of an agent has an invalid header");
  }
  return ring;
}

base::Result<AgentRing> AgentRing::over(std::span<std::byte> memory) {
  AgentRing ring(memory, false);
  if (memory.size() < wire::kHeaderBytes || !ring.check_header()) {
    return malformed("the memory file of an agent has an invalid header");
  }
  return ring;
}

AgentRing::~AgentRing() {
  if (owned_) {
    ::munmap(memory_.data(), memory_.size());
  }
}

AgentRing::AgentRing(AgentRing&& other) noexcept : memory_(other.memory_) {
  *this = std::move(other);
}

AgentRing& AgentRing::operator=(AgentRing&& other) noexcept {
  if (this != &other) {
    if (owned_) {
      ::munmap(memory_.data(), memory_.size());
    }
    memory_ = other.memory_;
    owned_ = std::exchange(other.owned_, false);
    broken_ = other.broken_;
    ring_offset_ = other.ring_offset_;
    ring_bytes_ = other.ring_bytes_;
    table_offset_ = other.table_offset_;
    tail_ = other.tail_;
    heartbeat_ = other.heartbeat_;
    seen_frees_ = other.seen_frees_;
    touched_bytes_ = other.touched_bytes_;
    pid_ = other.pid_;
    machine_ = other.machine_;
    record_ = std::move(other.record_);
    frames_ = std::move(other.frames_);
    live_ = std::move(other.live_);
  }
  return *this;
}

wire::Header& AgentRing::header() const {
  return *reinterpret_cast<wire::Header*>(memory_.data());
}

bool AgentRing::check_header() {
  wire::Header& shared = header();
  ring_offset_ = shared.ring_offset;
  ring_bytes_ = shared.ring_bytes;
  table_offset_ = shared.table_offset;
  pid_ = shared.pid;
  machine_ = shared.machine;
  record_.resize(wire::kMaxRecordBytes);
  frames_.reserve(wire::kMaxPythonFrames);
  const std::uint64_t bytes = memory_.size();
  return shared.magic == wire::kMagic && shared.version == wire::kVersion &&
         ring_offset_ >= wire::kHeaderBytes && ring_offset_ % 8 == 0 && ring_offset_ <= bytes &&
         std::has_single_bit(ring_bytes_) && ring_bytes_ >= 4096 && ring_bytes_ <= bytes - ring_offset_ &&
         table_offset_ >= ring_offset_ + ring_bytes_ && table_offset_ % alignof(wire::Bucket) == 0 &&
         table_offset_ <= bytes && (machine_ == wire::Machine::Amd64 || machine_ == wire::Machine::Aarch64);
}

// 0: there is no such slot, or nothing in it.
std::uint64_t AgentRing::sample_in(std::uint64_t slot) const {
  const std::uint64_t chunk = slot >> 56U;
  const std::uint64_t index = (slot >> 8U) & 0xffffffffffffULL;
  const std::uint64_t at = slot & 0xffU;
  if (chunk >= wire::kChunks || at >= wire::kSlotsPerBucket ||
      index >= wire::chunk_buckets(static_cast<std::uint32_t>(chunk))) {
    return 0;
  }
  const std::uint64_t begin =
      table_offset_ + wire::chunk_offset(static_cast<std::uint32_t>(chunk)) + index * sizeof(wire::Bucket);
  if (begin + sizeof(wire::Bucket) > memory_.size()) {
    return 0;
  }
  const auto& bucket = *reinterpret_cast<const wire::Bucket*>(memory_.data() + begin);
  return bucket.sample[at].load(std::memory_order_acquire);
}

void AgentRing::copy_from_ring(std::uint64_t position, std::span<std::byte> into) const {
  const std::uint64_t at = position & (ring_bytes_ - 1);
  const std::uint64_t before_end = std::min<std::uint64_t>(ring_bytes_ - at, into.size());
  std::memcpy(into.data(), memory_.data() + ring_offset_ + at, before_end);
  std::memcpy(into.data() + before_end, memory_.data() + ring_offset_, into.size() - before_end);
}

base::Result<std::size_t> AgentRing::poll(AgentSink& sink) {
  if (broken_) {
    return malformed("the ring buffer of an agent is damaged");
  }
  wire::MonitorPart& ours = header().monitor;
  ours.heartbeat.store(++heartbeat_, std::memory_order_relaxed);
  const wire::AgentPart& agent = header().agent;
  const bool hooks_lost = agent.python_state.load(std::memory_order_relaxed) ==
                          static_cast<std::uint32_t>(wire::PythonState::HooksLost);
  const std::uint64_t frees = agent.frees.load(std::memory_order_acquire);

  std::size_t records = 0;
  // Once around at most: what is written meanwhile is for the next time.
  for (const std::uint64_t end = tail_ + ring_bytes_; tail_ < end; ++records) {
    const auto* word =
        reinterpret_cast<std::uint64_t*>(memory_.data() + ring_offset_ + (tail_ & (ring_bytes_ - 1)));
    if (__atomic_load_n(word, __ATOMIC_ACQUIRE) != wire::commit_word(tail_)) {
      break;
    }
    std::uint32_t bytes = 0;
    if (!read_record(tail_, bytes, sink)) {
      broken_ = true;
      return malformed("the ring buffer of an agent has an invalid record");
    }
    tail_ += bytes;
    touched_bytes_ += bytes;
    ours.tail.store(tail_, std::memory_order_release);
  }
  const bool has_frees = frees != seen_frees_ || hooks_lost;
  if (has_frees && look_for_frees(sink)) {
    seen_frees_ = frees;
  }
  touched_bytes_ += has_frees ? kTouchedByFrees : 0;
  give_back();
  return records;
}

// The pages stay with the job. Resident here as well, those of 64 processes would be more than everything
// else of the monitor. Not after each poll: every page that is needed again costs a fault. The header is
// always needed.
void AgentRing::give_back() {
  if (!owned_ || touched_bytes_ < kGiveBackBytes) {
    return;
  }
  touched_bytes_ = 0;
  const auto after_header = memory_.subspan(std::min<std::size_t>(wire::kHeaderBytes, memory_.size()));
  ::madvise(after_header.data(), after_header.size(), MADV_DONTNEED);
}

bool AgentRing::read_record(std::uint64_t position, std::uint32_t& bytes, AgentSink& sink) {
  std::array<std::byte, sizeof(wire::RecordHeader)> start{};
  copy_from_ring(position, start);
  const auto head = read_from<wire::RecordHeader>(start);
  bytes = head.bytes;
  if (bytes % 8 != 0 || bytes < sizeof(wire::RecordHeader) || bytes > wire::kMaxRecordBytes ||
      bytes > ring_bytes_) {
    return false;
  }
  record_.resize(bytes);
  copy_from_ring(position, record_);
  switch (head.kind) {
    case wire::RecordKind::Allocation:
      return take_allocation(sink);
    case wire::RecordKind::Code:
      return take_code(sink);
  }
  return false;
}

bool AgentRing::take_allocation(AgentSink& sink) {
  if (record_.size() < sizeof(wire::AllocationRecord)) {
    return false;
  }
  const auto record = read_from<wire::AllocationRecord>(record_);
  const std::size_t frame_bytes = record.python_frames * sizeof(wire::PythonFrame);
  if (record.python_frames > wire::kMaxPythonFrames || record.stack_bytes > wire::kStackBytes ||
      sizeof(record) + frame_bytes + record.stack_bytes > record_.size() || !is_known(record.source) ||
      record.sample == 0) {
    return false;
  }
  frames_.resize(record.python_frames);
  std::memcpy(frames_.data(), record_.data() + sizeof(record), frame_bytes);

  AgentAllocation allocation;
  allocation.sample = record.sample;
  allocation.time_ns = record.time_ns;
  allocation.address = record.address;
  allocation.requested_bytes = record.requested_bytes;
  allocation.weight_bytes = record.weight_bytes;
  allocation.is_main_thread = record.tid == pid_;
  allocation.phase = record.phase;
  allocation.source = record.source;
  allocation.device = record.device;
  allocation.is_tracked = record.slot != wire::kNoSlot;
  allocation.is_live = allocation.is_tracked && sample_in(record.slot) == record.sample;
  allocation.frames_cut = record.python_cut != 0;
  std::copy(std::begin(record.registers), std::end(record.registers), allocation.registers.begin());
  allocation.frames = frames_;
  allocation.stack = std::span(record_).subspan(sizeof(record) + frame_bytes, record.stack_bytes);
  if (allocation.is_live) {
    // The slot has a new tenant: the old one is gone.
    if (const auto old = live_.find(record.slot); old != live_.end()) {
      sink.on_free(old->second.sample);
    }
    live_[record.slot] = {record.sample, record.source};
  }
  sink.on_allocation(allocation);
  return true;
}

bool AgentRing::take_code(AgentSink& sink) {
  if (record_.size() < sizeof(wire::CodeRecord)) {
    return false;
  }
  const auto record = read_from<wire::CodeRecord>(record_);
  if (record.file_bytes > wire::kMaxTextBytes || record.function_bytes > wire::kMaxTextBytes ||
      sizeof(record) + record.file_bytes + record.function_bytes > record_.size()) {
    return false;
  }
  const auto* letters = reinterpret_cast<const char*>(record_.data()) + sizeof(record);
  sink.on_code({record.code,
                record.first_line,
                {letters, record.file_bytes},
                {letters + record.file_bytes, record.function_bytes}});
  return true;
}

// An interpreter that ends frees what the job has kept to its end: the report must show that it was kept.
// One that is embedded may end long before its process does.
bool AgentRing::is_ending() const {
  constexpr std::uint64_t kEndTakesNs = 30'000'000'000;
  const std::uint64_t since_ns = header().agent.ending_ns.load(std::memory_order_relaxed);
  return since_ns != 0 && now_ns() - since_ns < kEndTakesNs;
}

// False: not to the end, since these are no longer the job's own.
bool AgentRing::look_for_frees(AgentSink& sink) {
  const bool hooks_lost = header().agent.python_state.load(std::memory_order_relaxed) ==
                          static_cast<std::uint32_t>(wire::PythonState::HooksLost);
  for (auto at = live_.begin(); at != live_.end();) {
    // Python's blocks whose frees pass the agent by are given up: a leak that is none
    // would be worse than one that is missed.
    if (sample_in(at->first) == at->second.sample && !(hooks_lost && is_python_source(at->second.source))) {
      ++at;
      continue;
    }
    // Asked after a slot was found empty: the agent reports the end before it frees.
    if (is_ending()) return false;
    sink.on_free(at->second.sample);
    at = live_.erase(at);
  }
  return true;
}

AgentStatus AgentRing::status() const {
  const wire::AgentPart& agent = header().agent;
  AgentStatus status;
  status.state = static_cast<wire::AgentState>(std::min(agent.state.load(std::memory_order_acquire),
                                                        static_cast<std::uint32_t>(wire::AgentState::Off)));
  status.reason = static_cast<wire::OffReason>(std::min(
      agent.reason.load(std::memory_order_relaxed), static_cast<std::uint32_t>(wire::OffReason::Seccomp)));
  status.python_state =
      static_cast<wire::PythonState>(std::min(agent.python_state.load(std::memory_order_relaxed),
                                              static_cast<std::uint32_t>(wire::PythonState::HooksLost)));
  status.python_version = agent.python_version.load(std::memory_order_relaxed) & 0xffffU;
  status.mean_bytes = agent.mean_bytes.load(std::memory_order_relaxed);
  status.samples = agent.samples.load(std::memory_order_relaxed);
  status.sampled_bytes = agent.sampled_bytes.load(std::memory_order_relaxed);
  status.frees = agent.frees.load(std::memory_order_relaxed);
  status.sampling_ns = agent.sampling_ns.load(std::memory_order_relaxed);
  status.asking_ns = header().marks.spent_ns.load(std::memory_order_relaxed);
  status.module_changes = agent.module_changes.load(std::memory_order_relaxed);
  for (std::size_t kind = 0; kind < status.drops.size(); ++kind) {
    status.drops[kind] = agent.drops[kind].load(std::memory_order_relaxed);
    status.dropped_bytes[kind] = agent.dropped_bytes[kind].load(std::memory_order_relaxed);
  }
  return status;
}

void AgentRing::ask_walk(std::chrono::nanoseconds patience) {
  header().monitor.walk_before_ns.store(now_ns() + static_cast<std::uint64_t>(patience.count()),
                                        std::memory_order_relaxed);
  header().monitor.asked_walk.fetch_add(1, std::memory_order_release);
}

AgentRing::WalkState AgentRing::walk() const {
  const wire::Header& head = header();
  const std::uint32_t done = head.walk.done.load(std::memory_order_acquire);
  return {.is_pending = head.monitor.asked_walk.load(std::memory_order_relaxed) != done,
          .result = head.walk.result.load(std::memory_order_acquire),
          .fork_us = head.walk.fork_us.load(std::memory_order_relaxed)};
}

void AgentRing::ask_marks() {
  header().monitor.asked_marks.fetch_add(1, std::memory_order_release);
}

void AgentRing::allow_unsolicited(std::uint32_t which) {
  header().monitor.allowed_unsolicited.store(which, std::memory_order_relaxed);
}

void AgentRing::limit_samples(std::uint32_t per_second) {
  header().monitor.most_samples.store(per_second, std::memory_order_relaxed);
}

void AgentRing::read_marks(AgentMarks& into) const {
  const wire::MarksPart& part = header().marks;
  const auto number = [](const auto& field) { return field.load(std::memory_order_relaxed); };
  const std::uint32_t state = part.state.load(std::memory_order_acquire);
  const std::uint32_t phases = std::min(part.phases.load(std::memory_order_acquire), wire::kMaxPhases);
  const std::uint32_t devices = std::min(part.devices.load(std::memory_order_acquire), wire::kMaxDevices);
  into.state = state <= static_cast<std::uint32_t>(wire::MarksState::Failed)
                   ? static_cast<wire::MarksState>(state)
                   : wire::MarksState::Failed;
  into.steps = number(part.steps) & ~wire::kOwnSteps;
  into.are_own_steps = (number(part.steps) & wire::kOwnSteps) != 0;
  into.pinned_bytes = number(part.pinned_bytes);
  into.oom_wanted_bytes = part.oom_wanted_bytes.load(std::memory_order_acquire);
  into.oom_free_bytes = number(part.oom_free_bytes);
  into.oom_stack.clear();
  if (into.oom_wanted_bytes > 0) {
    std::array<char, sizeof(part.oom_stack)> stack{};  // copied first: it may change meanwhile
    std::memcpy(stack.data(), part.oom_stack, stack.size());
    into.oom_stack.assign(stack.data(), ::strnlen(stack.data(), stack.size()));
  }
  into.phases.resize(phases);
  for (std::uint32_t at = 0; at < phases; ++at) {
    const wire::PhasePart& phase = part.phase_parts[at];
    std::array<char, sizeof(phase.name)> name{};  // copied first: it may change under us
    std::memcpy(name.data(), phase.name, name.size());
    into.phases[at].name.assign(name.data(), ::strnlen(name.data(), name.size()));
    into.phases[at].count = number(phase.count);
    into.phases[at].took_ns = number(phase.took_ns);
  }
  const std::uint32_t phase = number(part.phase);
  into.phase = phase >= 1 && phase <= phases ? std::optional<std::size_t>(phase - 1) : std::nullopt;
  into.devices.resize(devices);
  for (std::uint32_t at = 0; at < devices; ++at) {
    const wire::DevicePart& device = part.device_parts[at];
    into.devices[at] = {number(device.allocated_bytes),
                        number(device.reserved_bytes),
                        number(device.inactive_split_bytes),
                        number(device.retries),
                        number(device.ooms),
                        device.total_bytes.load(std::memory_order_acquire),
                        {number(device.uuid[0]), number(device.uuid[1])},
                        number(device.framework) == static_cast<std::uint64_t>(wire::Framework::Jax)
                            ? model::Framework::Jax
                            : model::Framework::Torch};
  }
}

void AgentRing::ask_trim() {
  header().monitor.asked_trim.store(1, std::memory_order_relaxed);
}

AgentTrial AgentRing::trial() const {
  const wire::TrialPart& part = header().trial;
  const std::uint32_t state = part.state.load(std::memory_order_acquire);
  AgentTrial out;
  if (state > static_cast<std::uint32_t>(wire::TrialState::NotPossible)) {
    return out;
  }
  out.state = static_cast<wire::TrialState>(state);
  out.rss_before_bytes = part.rss_before_bytes.load(std::memory_order_relaxed);
  out.rss_after_bytes = part.rss_after_bytes.load(std::memory_order_relaxed);
  out.trim_ns = part.trim_ns.load(std::memory_order_relaxed);
  out.inspect_ns = part.inspect_ns.load(std::memory_order_relaxed);
  out.arena_bytes = part.arena_bytes.load(std::memory_order_relaxed);
  out.free_bytes = part.free_bytes.load(std::memory_order_relaxed);
  out.mapped_bytes = part.mapped_bytes.load(std::memory_order_relaxed);
  return out;
}

AgentDriver AgentRing::driver() const {
  const wire::DriverPart& part = header().driver;
  AgentDriver out;
  const std::uint32_t state = part.state.load(std::memory_order_relaxed);
  if (state > static_cast<std::uint32_t>(wire::DriverState::Late)) return out;
  out.state = static_cast<wire::DriverState>(state);
  out.allocations = part.allocations.load(std::memory_order_relaxed);
  out.failures = part.failures.load(std::memory_order_relaxed);
  out.modules = part.modules.load(std::memory_order_relaxed);
  out.unsized = part.unsized.load(std::memory_order_relaxed);
  out.imported = part.imported.load(std::memory_order_relaxed);
  const std::uint32_t count = std::min(part.unfollowed.load(std::memory_order_acquire), wire::kMaxUnfollowed);
  for (std::uint32_t at = 0; at < count; ++at) {
    std::array<char, sizeof(part.unfollowed_names[0])> name{};  // copied first: it may change meanwhile
    std::memcpy(name.data(), part.unfollowed_names[at], name.size());
    out.unfollowed.push_back(base::printable({name.data(), ::strnlen(name.data(), name.size())}));
  }
  return out;
}

void AgentRing::ask_off() {
  header().monitor.asked_off.store(1, std::memory_order_relaxed);
  header().monitor.heartbeat.store(++heartbeat_, std::memory_order_release);
}

}  // namespace lowtide::observe
