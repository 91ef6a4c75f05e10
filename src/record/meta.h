// The facts about a run in table `meta`, each described once: its key, the type of its value and its meaning.
#pragma once

#include <charconv>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
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
  GpuName,
};

enum class MetaType : std::uint8_t { Text, Integer, Real, Flag };

struct MetaSpec {
  std::string_view key = {};  // N in it stands for a number
  MetaType type = MetaType::Text;
  const char* meaning = "";
};

// Empty behind the last.
constexpr MetaSpec spec_of(Meta key) {
  switch (key) {
    case Meta::Command:
      return {"command", MetaType::Text, "the command line of the job"};
    case Meta::WorkingDirectory:
      return {"working_directory", MetaType::Text, "where it was started"};
    case Meta::Host:
      return {"host", MetaType::Text, "the name of the machine"};
    case Meta::Started:
      return {"started", MetaType::Text, "when the recording began, in RFC 3339"};
    case Meta::StartedUnixS:
      return {"started_unix_s", MetaType::Real, "the same in seconds since 1970"};
    case Meta::LowtideVersion:
      return {"lowtide_version", MetaType::Text, "which lowtide wrote the recording"};
    case Meta::IntervalS:
      return {"interval_s", MetaType::Real, "seconds between two ticks"};
    case Meta::RootPid:
      return {"root_pid", MetaType::Integer, "the first process of the job"};
    case Meta::Attached:
      return {"attached", MetaType::Flag, "1: the job ran already; 0: lowtide started it"};
    case Meta::LimitBytes:
      return {"limit_bytes", MetaType::Integer, "the limit that was set with `--limit`"};
    case Meta::Closed:
      return {"closed", MetaType::Flag, "1: the monitor ended in order; 0: it runs, or was killed"};
    case Meta::ForgottenProcesses:
      return {"forgotten_processes", MetaType::Integer, "rows that were removed from `process`"};
    case Meta::EventsLeftOut:
      return {"events_left_out", MetaType::Integer, "events after the first 5,000"};
    case Meta::ShortLivedProcesses:
      return {"short_lived_processes", MetaType::Integer,
              "at least this many processes were gone before they had a reading"};
    case Meta::ShortLivedAtMost:
      return {"short_lived_at_most", MetaType::Integer, "and at most this many"};
    case Meta::StepsTold:
      return {"steps_told", MetaType::Integer, "the last step that the job reported"};
    case Meta::AgentState:
      return {"agent_state", MetaType::Text, "`on`, `off` or `switched-off`"};
    case Meta::AgentNote:
      return {"agent_note", MetaType::Text, "why the agent is off, and which samples were lost; for people"};
    case Meta::AgentSamples:
      return {"agent_samples", MetaType::Integer, "allocations that the agents sampled"};
    case Meta::AgentSamplesLost:
      return {"agent_samples_lost", MetaType::Integer, "of these, lost"};
    case Meta::AgentSeconds:
      return {"agent_seconds", MetaType::Real, "of the job's time, spent on samples"};
    case Meta::AgentMonitorSeconds:
      return {"agent_monitor_seconds", MetaType::Real, "that the monitor spent on what the agents sent"};
    case Meta::MonitorCpuShare:
      return {"monitor_cpu_share", MetaType::Real, "processor time of the monitor per second; 1: one core"};
    case Meta::MonitorRssBytes:
      return {"monitor_rss_bytes", MetaType::Integer, "the most memory that the monitor had"};
    case Meta::PssSeconds:
      return {"pss_seconds", MetaType::Real, "spent on reading PSS"};
    case Meta::PssLongestSeconds:
      return {"pss_longest_seconds", MetaType::Real, "the longest of these readings"};
    case Meta::NotSeen:
      return {"not_seen_N", MetaType::Text,
              "something that the monitor could not see, for people; N counts from 1"};
    case Meta::GpuName:
      return {"gpu_N_name", MetaType::Text, "the name of GPU N"};
  }
  return {};
}

constexpr std::size_t count_meta_keys() {
  std::size_t count = 0;
  while (!spec_of(static_cast<Meta>(count)).key.empty()) ++count;
  return count;
}

template <MetaType kType>
struct MetaTypeValue {
  using Type = std::string;
};
template <>
struct MetaTypeValue<MetaType::Integer> {
  using Type = std::uint64_t;
};
template <>
struct MetaTypeValue<MetaType::Real> {
  using Type = double;
};
template <>
struct MetaTypeValue<MetaType::Flag> {
  using Type = bool;
};
template <Meta kKey>
using MetaValue = typename MetaTypeValue<spec_of(kKey).type>::Type;

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
