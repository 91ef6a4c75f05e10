// From facts to records, one per line, joined with what earlier lines told. Which run a record belongs to
// is decided in runs.cpp, what its numbers are in readings.cpp.

#include "ingest/runs/assembler.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/units.h"
#include "ingest/formats/formats.h"

namespace lowtide::ingest {
namespace {

constexpr int kMostGpus = 16;  // a larger number beside a size is a temperature

// A counter beyond this is a number of another kind (an id, a hash), or no number at all.
double counter(double number) {
  return number < 1e15 ? number : model::kUnknown;
}

int small_int(double number) {
  return number >= 0 && number < 1e6 ? static_cast<int>(number) : -1;
}

std::int64_t whole(double number) {
  return number >= 0 && number < 1e15 ? static_cast<std::int64_t>(number) : -1;
}

}  // namespace

void Assembler::consume(const Facts& facts) {
  units_.resize(registry_.topics().size());
  for (const FactHeader& header : facts.headers) {
    take(facts, header, scratch_);
    settle(scratch_);
  }
}

void Assembler::take(const Facts& facts, const FactHeader& header, Record& record) {
  record.line = header.line;
  record.format = header.format;
  record.stamp.role = Role::None;
  record.progress = {};
  record.pid = record.writer = -1;
  record.gpu = record.rank = -1;
  record.name = record.gpu_name = 0;
  record.row = 0;
  record.lane = -1;
  record.partial = false;
  record.memories = record.limits = 0;
  const Value* value = facts.values.data() + header.first_value;
  for (const Value* const end = value + header.values; value != end; ++value) {
    switch (value->role) {
      case Role::Memory:
      case Role::NotANumber:
        if (record.memories < record.memory.size()) record.memory[record.memories++] = {*value, record.gpu};
        break;
      case Role::Limit:
        if (record.limits < record.limit.size()) record.limit[record.limits++] = *value;
        break;
      case Role::Step:
        if (!value->negative) record.progress.step = counter(value->number);
        break;
      case Role::BarStep:
        record.progress.step = counter(value->number);
        record.progress.bar = true;
        break;
      case Role::StepTotal:
      case Role::BarTotal:
        record.progress.total = counter(value->number);
        break;
      case Role::Epoch:
        record.progress.epoch = counter(value->number);
        break;
      case Role::Date:
      case Role::YearlessDate:
      case Role::Clock:
      case Role::Seconds:
        record.stamp = {value->role, value->negative ? -value->number : value->number};
        break;
      case Role::Pid:
        record.pid = whole(value->number);
        break;
      case Role::WriterPid:
        record.writer = whole(value->number);
        break;
      case Role::Gpu:
        record.gpu = small_int(value->number);
        break;
      case Role::Rank:
        record.rank = small_int(value->number);
        break;
      case Role::Name:
        record.name = static_cast<std::uint32_t>(value->number);
        break;
      case Role::GpuName:
        record.gpu_name = static_cast<std::uint32_t>(value->number);
        break;
      case Role::Partial:
        record.partial = true;
        break;
      case Role::Flush:
      case Role::RunMark:
      case Role::Event:
      case Role::Peak:
      case Role::Percent:
        special(facts, *value, record.line);
        break;
      case Role::None:
        break;
    }
  }
}

void Assembler::special(const Facts& facts, const Value& value, std::uint64_t line) {
  // Marks carry the number of their text; a peak carries bytes, perhaps more than fit.
  const bool is_number = value.role == Role::Peak || value.role == Role::Percent;
  const auto number = is_number ? std::size_t{0} : static_cast<std::size_t>(value.number);
  if (value.role == Role::RunMark || value.role == Role::Event) end_probe();
  switch (value.role) {
    case Role::Flush:
      if (has_partial_) {
        has_partial_ = false;
        partial_.partial = false;
        Record whole_object = partial_;
        settle(whole_object);
      }
      break;
    case Role::RunMark:
      resolve_doubt(doubt_ == Doubt::NewWriter);
      if (run_readings_ > 0 || !mark_ || facts.texts[number].find("estarted") == std::string::npos) {
        mark_ = facts.texts[number];
      }
      carried_ = {};
      break;
    case Role::Event: {
      ++events_;
      model::Event event = facts.events[number];
      if (!std::isnan(last_at_s_) && run_open_) event.at_s = last_at_s_;
      sink_.event(event);
      break;
    }
    case Role::Percent:
      warnings_.add_once(
          "memory as a percentage (wandb's memoryAllocated and system.memory) was ignored: only "
          "values in bytes are read",
          line);
      break;
    case Role::Peak:
      warnings_.add("a peak of " + base::format_bytes(std::min(value.number, kMaxBytes)) +
                        " is reported: a peak is not a reading and does not show whether memory grows",
                    line);
      break;
    default:
      break;
  }
}

void Assembler::merge_partial(const Record& record) {
  if (!has_partial_) {
    partial_ = record;
    has_partial_ = true;
    return;
  }
  if (record.memories > 0 && partial_.memories == 0) partial_.line = record.line;
  if (record.stamp.role != Role::None) partial_.stamp = record.stamp;
  if (!std::isnan(record.progress.step)) partial_.progress.step = record.progress.step;
  if (!std::isnan(record.progress.epoch)) partial_.progress.epoch = record.progress.epoch;
  for (std::size_t i = 0; i < record.memories && partial_.memories < partial_.memory.size(); ++i) {
    partial_.memory[partial_.memories++] = record.memory[i];
  }
  for (std::size_t i = 0; i < record.limits && partial_.limits < partial_.limit.size(); ++i) {
    partial_.limit[partial_.limits++] = record.limit[i];
  }
}

// Joins the line with what earlier lines told.
void Assembler::settle(Record& record) {
  if (record.partial) {
    merge_partial(record);
    return;
  }
  if (record.format < format_counts_.size() && (record.memories > 0 || record.limits > 0)) {
    ++format_counts_[record.format];
  }
  Progress& progress = record.progress;
  if (!std::isnan(progress.step)) {
    // Once steps are called steps, bars (of the evaluation, of a download) no longer count.
    if (progress.bar && (strong_step_seen_ || (carried_.bar && progress.total < carried_.total))) {
      progress.step = model::kUnknown;
    } else {
      strong_step_seen_ = strong_step_seen_ || !progress.bar;
    }
  }
  if (std::isnan(progress.epoch)) progress.epoch = carried_.epoch;
  if (std::isnan(progress.step)) {
    progress.step = carried_.step;
    progress.total = carried_.total;
    progress.bar = carried_.bar;
  }
  carried_ = progress;
  if (record.stamp.role == Role::None) {
    record.stamp = carried_stamp_;
  } else {
    carried_stamp_ = record.stamp;
  }
  if (record.memories == 0) {
    if (record.gpu >= 0) carried_gpu_ = record.gpu;
    if (record.limits > 0 && record.format == FreeFormat) {
      carried_limit_ = record.limit[0].number;
    }
    return;
  }
  const bool below_a_gpu = record.format == NvidiaTableFormat || record.format == SummaryFormat;
  if (below_a_gpu && record.gpu < 0) record.gpu = record.memory[0].gpu = carried_gpu_;
  if (record.format == NvidiaBareFormat && record.gpu >= kMostGpus)
    record.gpu = record.memory[0].gpu = record.memory[1].gpu = -1;
  if (record.format == BarePairFormat && !pairs_count(record)) return;
  if (record.format == NvidiaBareFormat && record.memories > 1 && !choose_nvidia_column(record)) return;
  if (record.format == NvidiaFormat || record.format == NvidiaBareFormat) count_row(record);
  probe(record);
}

// Two numbers in a line are a guess that is made only where nothing better was read before.
bool Assembler::pairs_count(const Record& record) {
  if (!pairs_count_) {
    std::uint64_t others = 0;
    for (const std::uint64_t count : format_counts_) others += count;
    pairs_count_ = others == format_counts_[BarePairFormat];
  }
  if (!*pairs_count_)
    warnings_.add("lines with two numbers were ignored because their meaning is unknown", record.line);
  return *pairs_count_;
}

// nvidia-smi prints one row per GPU and tick. Where no column identifies the GPU, their order
// does: rows of a tick are milliseconds apart, ticks a second.
void Assembler::count_row(Record& record) {
  if (record.gpu >= 0 || record.pid >= 0 || record.name != 0 || record.stamp.role != Role::Date) return;
  const bool same_tick = record.stamp.seconds - last_row_at_ < 0.1 && record.stamp.seconds >= last_row_at_;
  last_row_ = same_tick ? last_row_ + 1 : 0;
  last_row_at_ = record.stamp.seconds;
  record.row = last_row_;
}

// csv,noheader with several sizes: of two, the larger is the total. Of three no rule is sure.
bool Assembler::choose_nvidia_column(Record& record) {
  if (record.memories != 2) {
    warnings_.add(
        "nvidia-smi rows with three sizes and no header were ignored: it is unknown which one is in use "
        "(run nvidia-smi without noheader)",
        record.line);
    return false;
  }
  const std::size_t used = record.memory[0].value.number <= record.memory[1].value.number ? 0 : 1;
  warnings_.add("nvidia-smi rows without a header: the smaller size was taken as used, the larger as total",
                record.line);
  record.limit[0] = record.memory[1 - used].value;
  record.limits = 1;
  record.memory[0] = record.memory[used];
  record.memories = 1;
  return true;
}

}  // namespace lowtide::ingest
