#include "ingest/assembler.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/units.h"
#include "ingest/formats.h"
#include "ingest/words.h"

namespace lowtide::ingest {
namespace {

using model::Quantity;

constexpr std::size_t kMaxSeries = 512;
constexpr int kMostGpus = 16;  // a larger number beside a size is a temperature
constexpr std::size_t kMaxDoubtful = 64;
constexpr std::size_t kNewWriterReadings = 8;
// No machine has an exabyte: a larger number is not a reading.
constexpr double kMaxBytes = 1e18;

std::string_view quantity_name(Quantity quantity) {
  switch (quantity) {
    case Quantity::ProcessMemory:
      return "process memory";
    case Quantity::SystemMemory:
      return "system memory";
    case Quantity::ContainerMemory:
      return "container memory";
    case Quantity::GpuUsed:
      return "used";
    case Quantity::GpuAllocated:
      return "allocated";
    case Quantity::GpuReserved:
      return "reserved";
  }
  return "memory";
}

bool is_gpu(Quantity quantity) {
  return quantity == Quantity::GpuUsed || quantity == Quantity::GpuAllocated ||
         quantity == Quantity::GpuReserved;
}

// `free` prints no unit and its options are not in its output: the total is a
// machine's memory, and machines have between 1 GiB and a few TiB.
double free_scale_for(double total) {
  if (total < 1024) return 1024.0 * 1024.0 * 1024.0;
  if (total < 4e6) return 1024.0 * 1024.0;
  if (total < 2e10) return 1024.0;
  return 1.0;
}

// A column called "rss" and nothing more. psutil gives bytes, ps KiB, people MB or GB.
double magnitude_scale_for(double value) {
  if (value >= 1e8) return 1.0;
  if (value >= 1e5) return 1024.0;
  if (value >= 50) return 1e6;
  return 1e9;
}

std::string_view scale_name(double scale) {
  if (scale == 1.0) return "bytes";
  if (scale == 1024.0) return "KiB";
  if (scale == 1e6) return "MB";
  if (scale == 1e9) return "GB";
  if (scale == 1024.0 * 1024.0) return "MiB";
  return "GiB";
}

std::uint64_t mix(std::uint64_t hash, std::uint64_t value) {
  hash = (hash ^ (value + 0x9E3779B97F4A7C15ULL)) * 0xBF58476D1CE4E5B9ULL;
  return hash ^ (hash >> 31U);
}

// A counter beyond this is a number of another kind (an id, a hash), or no number at all.
double counter(double number) {
  return number < 1e15 ? number : model::kUnknown;
}

// The number after "process" or "pid" in the words that begin a run.
std::optional<std::int64_t> find_pid(std::string_view mark) {
  for (const std::string_view word : {"process", "pid"}) {
    const std::size_t found = find_ignoring_case(mark, word);
    if (found == std::string_view::npos) continue;
    std::size_t at = found + word.size();
    while (at < mark.size() && (is_blank(mark[at]) || mark[at] == ':' || mark[at] == '=')) ++at;
    std::int64_t pid = 0;
    const auto [stop, status] = std::from_chars(mark.data() + at, mark.data() + mark.size(), pid);
    if (status == std::errc{} && pid > 0) return pid;
  }
  return std::nullopt;
}

int small_int(double number) {
  return number >= 0 && number < 1e6 ? static_cast<int>(number) : -1;
}

std::int64_t whole(double number) {
  return number >= 0 && number < 1e15 ? static_cast<std::int64_t>(number) : -1;
}

}  // namespace

void Assembler::consume(const Facts& facts, const std::vector<Topic>& new_topics,
                        const std::vector<std::string>& new_names) {
  topics_.insert(topics_.end(), new_topics.begin(), new_topics.end());
  names_.insert(names_.end(), new_names.begin(), new_names.end());
  units_.resize(topics_.size());
  plain_series_.resize(topics_.size(), nullptr);
  for (const FactHeader& header : facts.headers) {
    const Value* values = facts.values.data() + header.first_value;
    std::size_t count = header.values;
    if (header.plan != nullptr) {
      const char* const text = facts.text + header.first_value;
      if (use_shortcuts_ && !probing_ && lanes_.empty() && take_short(header, text)) continue;
      count = read_values(*header.plan, text);
      values = values_.data();
    }
    take(facts, header, values, count, scratch_);
    settle(scratch_);
  }
}

std::size_t Assembler::read_values(const Plan& plan, const char* text) {
  if (values_.size() <= plan.slots.size()) values_.resize(2 * plan.slots.size() + 16);
  Value* next = values_.data();
  if (plan.time) *next++ = {times_.read(*plan.time, text), 0, plan.time->role(), false, 0};
  for (const Slot& slot : plan.slots) {
    const char* const at = text + slot.offset;
    *next++ = {read_slot(slot, at) * slot.scale, slot.topic, slot.role, slot.negative, slot.unit};
  }
  return static_cast<std::size_t>(next - values_.data());
}

void Assembler::take(const Facts& facts, const FactHeader& header, const Value* values, std::size_t count,
                     Record& record) {
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
  const Value* value = values;
  for (const Value* const end = value + count; value != end; ++value) {
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
        special(facts, *value, header.line);
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
          "what is told in bytes is read",
          line);
      break;
    case Role::Peak:
      warnings_.add("a peak of " + base::format_bytes(std::min(value.number, kMaxBytes)) +
                        " is reported: a peak is no reading, it does not say whether memory grows",
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
    warnings_.add("lines of two numbers among others were ignored: nothing says what they are", record.line);
  return *pairs_count_;
}

// nvidia-smi prints one row per GPU and tick. Where no column tells them apart, their order
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
        "nvidia-smi rows with three sizes and no header: which one is used is not known, they were ignored "
        "(leave out noheader)",
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

// Does this reading belong to the run, or does it begin another?
void Assembler::decide(const Record& record) {
  if (mark_) {
    resolve_doubt(doubt_ == Doubt::NewWriter);
    if (run_readings_ > 0 || !run_open_) begin_run(record.line);
    emit(record, true);
    return;
  }
  const bool has_step = !std::isnan(record.progress.step);
  if (lead_rank_ < 0) lead_rank_ = record.rank;
  const bool leads = record.rank == lead_rank_ && record.lane <= 0;
  if (doubt_ == Doubt::StepFell && has_step && leads) {
    const double fallen = doubtful_.front().progress.step;
    if (record.progress.step > steps_.last_step()) {
      resolve_doubt(false);  // the line before was out of order
    } else if (record.progress.step != fallen || doubtful_.size() >= kMaxDoubtful) {
      resolve_doubt(!memory_goes_on(doubtful_.front()));
    } else {
      doubtful_.push_back(record);
      return;
    }
  } else if (doubt_ == Doubt::NewWriter) {
    const bool old = std::find(writers_.begin(), writers_.end(), record.writer) != writers_.end();
    if (old && record.writer >= 0) {
      // Both write: two processes of one run.
      for (const Record& held : doubtful_) writers_.push_back(held.writer);
      resolve_doubt(false);
    } else if (doubtful_.size() >= kNewWriterReadings) {
      resolve_doubt(true);
    } else {
      doubtful_.push_back(record);
      return;
    }
  } else if (doubt_ != Doubt::None) {
    if (doubtful_.size() < kMaxDoubtful) {
      doubtful_.push_back(record);
      return;
    }
    resolve_doubt(true);
  }
  if (run_open_ && record.writer >= 0 && !writers_.empty() && writers_.size() < 64 &&
      std::find(writers_.begin(), writers_.end(), record.writer) == writers_.end()) {
    doubt_ = Doubt::NewWriter;
    doubtful_.push_back(record);
    return;
  }
  if (run_open_ && has_step && leads && steps_.falls(record.progress)) {
    doubt_ = Doubt::StepFell;
    doubtful_.push_back(record);
    return;
  }
  emit(record, true);
}

// A process that begins anew has less memory than the one before had in the end.
// A counter that falls while the memory goes on is another loop's (validation),
// another writer's (ranks in one file) or another epoch's.
bool Assembler::memory_goes_on(const Record& record) {
  if (record.memories == 0) return false;
  const Value& value = record.memory[record.memories - 1].value;
  return last_bytes_ > 0 && value.number * scale_of(record, value) >= 0.9 * last_bytes_;
}

void Assembler::resolve_doubt(bool new_run) {
  if (doubt_ == Doubt::None) return;
  doubt_ = Doubt::None;
  std::deque<Record> held;
  held.swap(doubtful_);
  if (new_run && !held.empty()) {
    begin_run(held.front().line);
  } else if (!held.empty() && steps_.falls(held.front().progress)) {
    warnings_.add("steps out of order", held.front().line);
  }
  for (const Record& record : held) emit(record, new_run);
}

void Assembler::begin_run(std::uint64_t line) {
  ++runs_;
  std::string name = fmt::format("run {}", runs_);
  if (mark_ && mark_->find("estarted") == std::string::npos) {
    name = *mark_;
    while (!name.empty() && (name.back() == ':' || name.back() == ' ')) name.pop_back();
  }
  run_pid_ = mark_ ? find_pid(*mark_) : std::nullopt;
  mark_.reset();
  run_open_ = true;
  run_readings_ = 0;
  writers_.clear();
  lead_rank_ = -1;
  if (runs_ > 1) {
    for (auto& [topic, lanes] : lanes_) lanes.begin_run();
  }
  steps_.begin_run();
  timeline_.begin_run();
  series_.clear();
  std::fill(plain_series_.begin(), plain_series_.end(), nullptr);
  last_at_s_ = model::kUnknown;
  sink_.begin_run(name, line);
}

void Assembler::emit(const Record& record, bool in_order) {
  if (!run_open_) begin_run(record.line);
  if (record.writer >= 0 && std::find(writers_.begin(), writers_.end(), record.writer) == writers_.end() &&
      writers_.size() < 64) {
    writers_.push_back(record.writer);
  }
  const bool has_step = !std::isnan(record.progress.step);
  Timeline::Place place = timeline_.place(record.stamp, has_step, record.line);
  if (place.verdict == Timeline::Verdict::Restart) {
    begin_run(record.line);
    place = timeline_.place(record.stamp, has_step, record.line);
  }
  if (place.verdict == Timeline::Verdict::Back && !has_step) return;
  const double at_s = place.verdict == Timeline::Verdict::Good ? place.at_s : model::kUnknown;
  double step = model::kUnknown;
  if (has_step) {
    if (lead_rank_ < 0) lead_rank_ = record.rank;
    const bool leads = record.rank == lead_rank_ && record.lane <= 0;
    // Out of order, of another loop or another writer: a step that is none of this run's counter.
    if (in_order) step = leads ? steps_.advance(record.progress) : steps_.place(record.progress);
  }
  if (!std::isnan(at_s)) last_at_s_ = at_s;
  for (std::size_t i = 0; i < record.memories; ++i) emit_reading(record, record.memory[i], at_s, step);
}

double Assembler::scale_of(const Record& record, const Value& value) {
  const Topic& topic = topics_[value.topic];
  if (topic.unit == UnitSource::Free) {
    if (free_scale_ == 0) {
      const double total = record.limits > 0 ? record.limit[0].number : carried_limit_.value_or(value.number);
      free_scale_ = free_scale_for(total);
      warnings_.add(fmt::format("free prints no unit: read as {} because the total is {:.0f}",
                                scale_name(free_scale_), total),
                    record.line);
    }
    return free_scale_;
  }
  if (topic.unit != UnitSource::Magnitude) return 1.0;
  UnitState& unit = units_[value.topic];
  if (unit.scale == 0 && !unit.ignored) {
    const std::string what = topic.label.empty() ? "the memory column" : "\"" + topic.label + "\"";
    if (record.format == BarePairFormat && value.number > 1.0) {
      unit.scale = magnitude_scale_for(value.number);
      warnings_.add(
          fmt::format("two columns without a header: the first was read as the {}, the second as memory "
                      "in {} because it starts at {:g} (a line such as time,rss_mb before them says it)",
                      std::isnan(record.progress.step) ? "time" : "step", scale_name(unit.scale),
                      value.number),
          record.line);
    } else if (record.format == BareNumbersFormat) {
      unit.scale = 1024.0;
      warnings_.add("bare numbers were read as KiB, as ps prints them", record.line);
    } else if (value.number <= 1.0) {
      unit.ignored = value.number > 0;
      if (unit.ignored) {
        warnings_.add(fmt::format("{} has no unit and starts at {:g}: taken for a fraction and ignored", what,
                                  value.number),
                      record.line);
      }
      return 0;
    } else {
      unit.scale = magnitude_scale_for(value.number);
      warnings_.add(fmt::format("{} has no unit: read as {} because it starts at {:g}", what,
                                scale_name(unit.scale), value.number),
                    record.line);
    }
  }
  return unit.ignored ? 0 : unit.scale;
}

std::optional<double> Assembler::limit_of(const Record& record, const Value& value) const {
  const Quantity quantity = topics_[value.topic].quantity;
  const Value* chosen = nullptr;
  for (std::size_t i = 0; i < record.limits; ++i) {
    const Value& limit = record.limit[i];
    if (limit.topic == value.topic) chosen = &limit;
    if (chosen == nullptr && is_gpu(topics_[limit.topic].quantity) == is_gpu(quantity)) chosen = &limit;
  }
  if (chosen != nullptr) return chosen->number;
  return record.format == FreeFormat ? carried_limit_ : std::nullopt;
}

Assembler::SeriesState* Assembler::series_of(const Record& record, const Reading& reading, double scale) {
  const Value& value = reading.value;
  const Topic& topic = topics_[value.topic];
  const bool on_gpu = is_gpu(topic.quantity);
  const bool plain = is_plain(record) && reading.gpu < 0 && record.lane < 0;
  if (plain && plain_series_[value.topic] != nullptr) return plain_series_[value.topic];
  const int told_gpu = reading.gpu >= 0 ? reading.gpu : record.gpu;
  const int gpu = told_gpu >= 0 ? told_gpu : topic.gpu;
  std::uint64_t key = mix(1, value.topic);
  key = mix(key, static_cast<std::uint64_t>(record.pid));
  key = mix(key, static_cast<std::uint64_t>(record.writer));
  key = mix(key, static_cast<std::uint64_t>(on_gpu ? gpu : -1));
  key = mix(key, static_cast<std::uint64_t>(record.rank));
  key = mix(key, record.name);
  key = mix(key, static_cast<std::uint64_t>(record.row));
  key = mix(key, static_cast<std::uint64_t>(record.lane));
  const auto found = series_.find(key);
  if (found != series_.end()) return &found->second;
  if (series_.size() >= kMaxSeries) {
    warnings_.add(
        fmt::format("more than {} series in one run: readings of the others were ignored", kMaxSeries),
        record.line);
    return nullptr;
  }
  SeriesInfo info;
  info.quantity = topic.quantity;
  if (record.pid >= 0) info.pid = record.pid;
  if (record.writer >= 0) info.pid = record.writer;
  if (!info.pid && topic.quantity == Quantity::ProcessMemory) info.pid = run_pid_;
  if (on_gpu && gpu >= 0) info.gpu_index = gpu;
  if (record.name < names_.size()) info.command = names_[record.name];
  const std::string device = on_gpu && record.pid < 0 ? info.command : "";  // a UUID or a bus, no command
  if (!device.empty()) info.command.clear();
  info.gpu_id = device;
  if (on_gpu && record.gpu_name < names_.size()) info.gpu_name = names_[record.gpu_name];
  const std::string_view what = quantity_name(topic.quantity);
  if (on_gpu) {
    info.name = gpu >= 0 ? fmt::format("GPU {} {}", gpu, what) : fmt::format("GPU {}", what);
    if (!device.empty()) info.name += " (" + device + ")";
    if (!info.command.empty()) info.name += " by " + info.command;
  } else if (!info.command.empty()) {
    info.name = info.command.substr(0, info.command.find(' '));
    info.name = info.name.substr(info.name.rfind('/') + 1);
    if (topic.quantity == Quantity::ContainerMemory) info.name = fmt::format("container {}", info.command);
  } else {
    info.name = what;
  }
  if (record.lane >= 0) {
    const bool rows = record.format == NvidiaBareFormat;
    info.name += fmt::format(" ({} {} of {})", rows ? "row" : "writer", record.lane + 1,
                             lanes_.at(record.memory[0].value.topic).count());
  }
  if (record.row > 0) info.name += fmt::format(" (row {} of each tick)", record.row + 1);
  if (record.rank >= 0) info.name = fmt::format("rank {} {}", record.rank, info.name);
  if (record.pid >= 0 || record.writer >= 0)
    info.name += fmt::format(" ({})", record.pid >= 0 ? record.pid : record.writer);
  if (!topic.label.empty() && topic.label != "bare numbers" && topic.label != "second column" &&
      topic.label != "process") {
    info.name += ": " + topic.label;
  }
  const std::optional<double> limit = limit_of(record, value);
  if (limit) {
    const double bytes = *limit * (topic.unit == UnitSource::Free ? free_scale_ : 1.0);
    if (bytes > 0 && bytes < kMaxBytes) info.limit_bytes = static_cast<std::uint64_t>(bytes);
  }
  SeriesState& state = series_[key];
  state.index = sink_.begin_series(info);
  state.unit = value.unit;
  state.scale = scale;
  if (plain) plain_series_[value.topic] = &state;
  return &state;
}

void Assembler::emit_reading(const Record& record, const Reading& reading, double at_s, double step) {
  const Value& value = reading.value;
  if (value.role == Role::NotANumber) {
    warnings_.add("memory that is not a number (nan, inf): the reading was ignored", record.line);
    return;
  }
  if (value.negative) {
    warnings_.add("memory below zero: the reading was ignored", record.line);
    return;
  }
  const double scale = scale_of(record, value);
  if (scale == 0) return;
  const double bytes = value.number * scale;
  if (!(bytes < kMaxBytes)) {
    warnings_.add("memory of an exabyte or more: the reading was ignored", record.line);
    return;
  }
  // Kernel threads have no memory of their own; a GPU or a process that is gone reads zero.
  if (bytes == 0 && record.pid >= 0) return;
  SeriesState* series = series_of(record, reading, scale);
  if (series == nullptr) return;
  if (series->unit != value.unit) {
    const bool tool_scales =
        record.format == DockerFormat || record.format == TopFormat || record.format == FreeFormat;
    if (!tool_scales) {
      warnings_.add("the unit changes within a series: each reading was taken in the unit beside it",
                    record.line);
    }
    series->unit = value.unit;
  }
  ++readings_;
  ++run_readings_;
  if (record.lane <= 0) last_bytes_ = bytes;
  // NOLINTNEXTLINE(bugprone-incorrect-roundings): never negative, and without a call
  sink_.add(series->index, {at_s, step, static_cast<std::uint64_t>(bytes + 0.5)}, record.line);
}

void Assembler::finish() {
  if (has_partial_) {
    has_partial_ = false;
    partial_.partial = false;
    Record record = partial_;
    settle(record);
  }
  end_probe();
  if (doubt_ == Doubt::None) return;
  // One line is all there is of it. A step below the first one can only be a new start.
  const bool restart =
      doubt_ == Doubt::NewWriter ||
      (doubtful_.front().progress.step <= steps_.first_step() && !memory_goes_on(doubtful_.front()));
  resolve_doubt(restart);
}

}  // namespace lowtide::ingest
