// The line of which a log has millions: a time or none, a step or none, and readings of series that are
// known, with nothing in doubt.
//
// The long way (take, settle, decide, emit) asks some forty questions about each line. Here those that
// such a line can raise are asked first, all of them, and only then is anything changed: the result is
// what the long way would give. shortcut_test.cpp holds it to that.

#include <array>
#include <cmath>

#include "ingest/assembler.h"
#include "ingest/formats.h"

namespace lowtide::ingest {
namespace {

constexpr double kMaxCount = 1e15;  // as in take(): more is a number of another kind
constexpr double kMaxBytes = 1e18;

[[gnu::always_inline]] inline double read_slot_at(const Slot& slot, const char* text) {
  return read_slot(slot, text + slot.offset) * slot.scale;
}

}  // namespace

ShortForm find_short_form(const Plan& plan) {
  ShortForm form;
  const bool rows_are_counted =
      plan.format == NvidiaTableFormat || plan.format == NvidiaFormat || plan.format == NvidiaBareFormat;
  if (rows_are_counted || !plan.numbers_only || plan.slots.size() > 255) return form;
  if (plan.time && plan.time->role() != Role::Date) return form;
  for (std::size_t i = 0; i < plan.slots.size(); ++i) {
    const Slot& slot = plan.slots[i];
    const auto number = static_cast<std::uint8_t>(i);
    switch (slot.role) {
      case Role::Memory:
        if (slot.negative || form.memories == ShortForm::kMaxMemories) return form;
        form.memory[form.memories++] = number;
        break;
      case Role::Step:
        if (slot.negative || form.has_step) return form;
        form.has_step = true;
        form.step = number;
        break;
      case Role::Seconds:
        if (slot.negative || form.has_seconds || plan.time) return form;
        form.has_seconds = true;
        form.seconds = number;
        break;
      case Role::Limit:    // matters to a new series only
      case Role::Percent:  // was said once
        break;
      default:
        return form;
    }
  }
  form.usable = form.memories > 0;
  return form;
}

bool Assembler::take_short(const FactHeader& header, const char* text) {
  const Plan& plan = *header.plan;
  const ShortForm& form = plan.short_form;
  if (!form.usable || doubt_ != Doubt::None || mark_ || has_partial_ || lead_rank_ >= 0) return false;
  Progress progress;
  if (form.has_step) {
    progress.step = read_slot_at(plan.slots[form.step], text);
    if (!steps_.known() || !(progress.step >= steps_.last_step()) || !(progress.step < kMaxCount))
      return false;
  } else if (!std::isnan(carried_.step)) {
    return false;
  }
  struct Known {
    SeriesIndex series{};
    std::uint64_t bytes = 0;
  };
  std::array<Known, ShortForm::kMaxMemories> readings;
  for (std::size_t i = 0; i < form.memories; ++i) {
    const Slot& slot = plan.slots[form.memory[i]];
    const SeriesState* const series = plain_series_[slot.topic];
    if (series == nullptr || series->unit != slot.unit) return false;
    const double bytes = read_slot_at(slot, text) * series->scale;
    if (!(bytes < kMaxBytes)) return false;
    // NOLINTNEXTLINE(bugprone-incorrect-roundings): as the long way rounds, and without a call
    readings[i] = {series->index, static_cast<std::uint64_t>(static_cast<std::int64_t>(bytes + 0.5))};
  }
  Stamp stamp = carried_stamp_;
  if (plan.time) stamp = {Role::Date, times_.read(*plan.time, text)};
  if (form.has_seconds) stamp = {Role::Seconds, read_slot_at(plan.slots[form.seconds], text)};
  double at_s = model::kUnknown;
  if (stamp.role != Role::None && !timeline_.place_forward(stamp, at_s)) return false;

  // Nothing speaks against it: from here on the state changes.
  if (form.has_step) {
    strong_step_seen_ = true;
    progress.epoch = carried_.epoch;
    carried_ = progress;
    progress.step = steps_.advance_plainly(progress);
  }
  if (stamp.role != Role::None) {
    carried_stamp_ = stamp;
    last_at_s_ = at_s;
  }
  ++format_counts_[header.format];
  readings_ += form.memories;
  run_readings_ += form.memories;
  if (form.memories > 0) last_bytes_ = static_cast<double>(readings[form.memories - 1].bytes);
  for (std::size_t i = 0; i < form.memories; ++i) {
    sink_.add(readings[i].series, {at_s, progress.step, readings[i].bytes}, header.line);
  }
  return true;
}

}  // namespace lowtide::ingest
