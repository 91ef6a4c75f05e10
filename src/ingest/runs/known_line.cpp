// The line of which a log has millions: a time or none, a step or none, and readings of series that are
// known, with nothing in doubt.
//
// The long way (take, settle, decide, emit) asks some forty questions about each line. Here those that
// such a line can raise are asked first, all of them, and only then is anything changed: the result is
// what the long way would give. shortcut_test.cpp holds it to that.

#include <array>
#include <cmath>

#include "ingest/formats/formats.h"
#include "ingest/runs/assembler.h"

namespace lowtide::ingest {
namespace {

constexpr double kMaxCount = 1e15;  // as in take(): more is a number of another kind

}  // namespace

ShortForm find_short_form(const ShapePlan& plan) {
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
  if (form.memories == 0) return form;
  form.usable = true;
  form.numbers = static_cast<std::uint8_t>(form.memories + (form.has_step ? 1 : 0) +
                                           (plan.time || form.has_seconds ? 1 : 0));
  return form;
}

// `number` = what the parser read of the line, as ShortForm::numbers lists them.
bool Assembler::take_short(const FactHeader& header, const double* number) {
  const ShapePlan& plan = *header.plan;
  const ShortForm& form = plan.short_form;
  if (!form.usable || doubt_ != Doubt::None || mark_ || has_partial_ || lead_rank_ >= 0) return false;
  Progress progress;
  if (form.has_step) {
    progress.step = *number++;
    if (!steps_.known() || !(progress.step >= steps_.last_step()) || !(progress.step < kMaxCount))
      return false;
  } else if (!std::isnan(carried_.step)) {
    return false;
  }
  Stamp stamp = carried_stamp_;
  if (plan.time) stamp = {Role::Date, *number++};
  if (form.has_seconds) stamp = {Role::Seconds, *number++};
  // Only as many as form.memories are set: clearing all of them costs as much as reading a line.
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-member-init): see above
  std::array<SeriesState*, ShortForm::kMaxMemories> series;
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-member-init): see above
  std::array<std::uint64_t, ShortForm::kMaxMemories> series_bytes;
  for (std::size_t i = 0; i < form.memories; ++i) {
    const Slot& slot = plan.slots[form.memory[i]];
    series[i] = plain_series_[slot.topic];
    if (series[i] == nullptr || series[i]->unit != slot.unit) return false;
    const double bytes = number[i] * series[i]->scale;
    if (!(bytes < kMaxBytes)) return false;
    // NOLINTNEXTLINE(bugprone-incorrect-roundings): as the long way rounds, and without a call
    series_bytes[i] = static_cast<std::uint64_t>(static_cast<std::int64_t>(bytes + 0.5));
  }
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
  last_bytes_ = static_cast<double>(series_bytes[form.memories - 1]);
  for (std::size_t i = 0; i < form.memories; ++i) {
    keep(*series[i], {at_s, progress.step, series_bytes[i]}, lines_before_ + header.line);
  }
  return true;
}

}  // namespace lowtide::ingest
