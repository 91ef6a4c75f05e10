// The facts about a run in table `meta`, each described once: its key, the type of its value and its meaning.
#pragma once

#include <array>
#include <charconv>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>

namespace lowtide::record {

enum class Meta : std::uint8_t {
  Command,
  WorkingDirectory,
  Host,
  Started,
  StartedUnixS,
  LowtideVersion,
  IntervalS,
  RootPid,
  Attached,
  LimitBytes,
  Closed,
  ForgottenProcesses,
  EventsLeftOut,
  ShortLivedProcesses,
  ShortLivedAtMost,
  StepsTold,
  AgentState,
  AgentNote,
  AgentSamples,
  AgentSamplesLost,
  AgentSeconds,
  AgentMonitorSeconds,
  MonitorCpuShare,
  MonitorRssBytes,
  PssSeconds,
  PssLongestSeconds,
  NotSeen,
  NotEntered,
  NotEnteredCount,
  SharedObjects,
  NoSnapshot,
  GpuName,
  TmpfsPath,
  CudaNotFollowed,
};

inline constexpr std::size_t kMostNotEntered = 100;

enum class MetaType : std::uint8_t { Text, Integer, Real, Flag };

struct MetaSpec {
  Meta meta;
  std::string_view key;  // N stands for a number
  MetaType type;
  const char* meaning;
};

inline constexpr auto kMetaKeys = std::to_array<MetaSpec>({
    {Meta::Command, "command", MetaType::Text, "the command line of the job"},
    {Meta::WorkingDirectory, "working_directory", MetaType::Text, "the directory in which it was started"},
    {Meta::Host, "host", MetaType::Text, "the name of the machine"},
    {Meta::Started, "started", MetaType::Text, "when the recording began, in RFC 3339"},
    {Meta::StartedUnixS, "started_unix_s", MetaType::Real, "the same in seconds since 1970"},
    {Meta::LowtideVersion, "lowtide_version", MetaType::Text,
     "the version of lowtide that wrote the recording"},
    {Meta::IntervalS, "interval_s", MetaType::Real, "seconds between two ticks"},
    {Meta::RootPid, "root_pid", MetaType::Integer, "the first process of the job"},
    {Meta::Attached, "attached", MetaType::Flag,
     "1: lowtide attached to a running job; 0: lowtide started the job"},
    {Meta::LimitBytes, "limit_bytes", MetaType::Integer, "the limit that was set with `--limit`"},
    {Meta::Closed, "closed", MetaType::Flag, "1: the monitor ended normally; 0: it runs, or was killed"},
    {Meta::ForgottenProcesses, "forgotten_processes", MetaType::Integer,
     "rows that were removed from `process`"},
    {Meta::EventsLeftOut, "events_left_out", MetaType::Integer, "events after the first 5,000"},
    {Meta::ShortLivedProcesses, "short_lived_processes", MetaType::Integer,
     "at least this many processes ended before they had a reading"},
    {Meta::ShortLivedAtMost, "short_lived_at_most", MetaType::Integer, "and at most this many"},
    {Meta::StepsTold, "steps_told", MetaType::Integer, "the last step that the job reported"},
    {Meta::AgentState, "agent_state", MetaType::Text, "`on`, `off` or `switched-off`"},
    {Meta::AgentNote, "agent_note", MetaType::Text,
     "why the agent is off, and which samples were lost, as text"},
    {Meta::AgentSamples, "agent_samples", MetaType::Integer, "allocations that the agents sampled"},
    {Meta::AgentSamplesLost, "agent_samples_lost", MetaType::Integer, "how many of these samples were lost"},
    {Meta::AgentSeconds, "agent_seconds", MetaType::Real, "time that the agents took in the job"},
    {Meta::AgentMonitorSeconds, "agent_monitor_seconds", MetaType::Real,
     "time that the monitor took for the data of the agents"},
    {Meta::MonitorCpuShare, "monitor_cpu_share", MetaType::Real,
     "CPU time of the monitor per second; 1: one core"},
    {Meta::MonitorRssBytes, "monitor_rss_bytes", MetaType::Integer, "the highest memory of the monitor"},
    {Meta::PssSeconds, "pss_seconds", MetaType::Real, "time that reading PSS took"},
    {Meta::PssLongestSeconds, "pss_longest_seconds", MetaType::Real, "the longest of these readings"},
    {Meta::NotSeen, "not_seen_N", MetaType::Text,
     "something that the monitor could not read, as text; N counts from 1"},
    {Meta::NotEntered, "not_entered_N", MetaType::Text,
     "a process that the agent could not enter, and the reason, as text; N counts from 1 to 100"},
    {Meta::NotEnteredCount, "not_entered_count", MetaType::Integer,
     "number of processes that the agent could not enter"},
    {Meta::SharedObjects, "shared_objects", MetaType::Text,
     "most of the shared memory that the job made, mapped or not: the names, with * for numbers, and the "
     "size"},
    {Meta::NoSnapshot, "no_snapshot", MetaType::Text, "why a process has no snapshot, as text"},
    {Meta::GpuName, "gpu_N_name", MetaType::Text, "the name of GPU N"},
    {Meta::TmpfsPath, "tmpfs_N_path", MetaType::Text, "where tmpfs N is mounted, as the job sees it"},
    {Meta::CudaNotFollowed, "cuda_not_followed", MetaType::Text,
     "functions of the CUDA driver that allocate, that the job looked up and that the agent does not know"},
});

consteval bool are_in_order() {
  for (std::size_t at = 0; at < kMetaKeys.size(); ++at) {
    if (static_cast<std::size_t>(kMetaKeys[at].meta) != at) return false;
  }
  return true;
}
static_assert(are_in_order());

// Does not compile for a constant that is not in the list.
constexpr const MetaSpec& spec_of(Meta key) {
  return kMetaKeys[static_cast<std::size_t>(key)];
}

// In the order of MetaType.
using MetaTypes = std::tuple<std::string, std::uint64_t, double, bool>;
template <Meta Key>
using MetaValue = std::tuple_element_t<static_cast<std::size_t>(spec_of(Key).type), MetaTypes>;

// The key as it is in the table, with the number in the place of N.
std::string meta_key(Meta key, std::size_t number = 0);

std::string meta_text(std::string_view value);
std::string meta_text(double value);
template <std::integral Value>
std::string meta_text(Value value) {
  return std::to_string(value);
}

// Nothing where the text is not such a value.
template <typename Value>
std::optional<Value> parse_meta(const std::string& text) {
  if constexpr (std::is_same_v<Value, std::string>) {
    return text;
  } else if constexpr (std::is_same_v<Value, bool>) {
    return text == "1";
  } else {
    Value value{};
    const char* const end = text.data() + text.size();
    const auto parsed = std::from_chars(text.data(), end, value);
    return parsed.ec == std::errc{} && parsed.ptr == end ? std::optional(value) : std::nullopt;
  }
}

}  // namespace lowtide::record
