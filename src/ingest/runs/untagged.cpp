// The part of the assembler that notices several writers in one file: the first readings are held back
// until they show how many levels each step has (lanes.h).

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "ingest/formats/formats.h"
#include "ingest/runs/assembler.h"

namespace lowtide::ingest {
namespace {

constexpr std::size_t kProbed = 96;  // readings that tell how many lanes there are
constexpr std::size_t kFewestProbed = 12;

}  // namespace

bool Assembler::is_plain(const Record& record) {
  return record.pid < 0 && record.gpu < 0 && record.rank < 0 && record.name == 0 && record.writer < 0 &&
         record.row == 0;
}

void Assembler::probe(Record& record) {
  if (probing_) {
    probed_.push_back(record);
    if (probed_.size() >= kProbed) end_probe();
    return;
  }
  place_in_lane(record);
  decide(record);
}

void Assembler::end_probe() {
  if (!probing_ || probed_.empty()) return;
  find_lanes();
  probing_ = probed_.size() < kFewestProbed;
  std::vector<Record> held;
  held.swap(probed_);
  for (Record& record : held) {
    place_in_lane(record);
    decide(record);
  }
}

void Assembler::find_lanes() {
  std::unordered_map<std::uint16_t, std::vector<LaneReading>> by_topic;
  for (const Record& record : probed_) {
    const Value& value = record.memory[0].value;
    if (is_plain(record) && value.role == Role::Memory)
      by_topic[value.topic].push_back({record.progress.step, value.number});
  }
  for (const auto& [topic, readings] : by_topic) {
    const std::size_t count = count_lanes(readings);
    if (count < 2) continue;
    const auto first = std::find_if(probed_.begin(), probed_.end(), [topic = topic](const Record& record) {
      return record.memory[0].value.topic == topic;
    });
    if (!std::isnan(readings.front().step)) {
      lanes_.emplace(topic, Writers(count, Writers::By::Level));
      warnings_.add(fmt::format("each step appears {} times, at different levels: read as {} processes that "
                                "write to one file (put a rank or pid in each line to be certain)",
                                count, count),
                    first->line);
    } else if (first->format == NvidiaBareFormat) {
      lanes_.emplace(topic, Writers(count, Writers::By::Order));
      warnings_.add(
          fmt::format("rows without a name alternate between {} levels: read as {} GPUs", count, count),
          first->line);
    } else {
      warnings_.add(
          fmt::format("readings alternate between {} levels: if several processes or GPUs are in this "
                      "file, they were judged as one",
                      count),
          first->line);
    }
  }
}

void Assembler::place_in_lane(Record& record) {
  if (lanes_.empty() || !is_plain(record)) return;
  const Value& value = record.memory[0].value;
  const auto found = lanes_.find(value.topic);
  if (found != lanes_.end())
    record.lane = static_cast<int>(found->second.place({record.progress.step, value.number}));
}

}  // namespace lowtide::ingest
