// The rows of a table whose header was seen: cut at the delimiter, and read as the header says.

#include <algorithm>
#include <vector>

#include "ingest/formats/analysers.h"
#include "ingest/formats/fields.h"
#include "ingest/words/words.h"

namespace lowtide::ingest {
namespace {

class RowReader {
 public:
  RowReader(const Line& line, const Layout& layout, ShapePlan& plan)
      : line_(line), layout_(layout), plan_(plan) {}

  bool read() {
    const std::size_t columns = layout_.columns.size();
    std::vector<Field> fields = cut(line_.shape, layout_.delimiter, columns + 2);
    if (layout_.last_takes_rest && fields.size() > columns) {
      fields.resize(columns);
      fields.back().end = line_.shape.size();
    }
    if (fields.size() != columns) return false;
    // Resident columns come before the command: a row that does not fit is no row.
    bool memory = false;
    for (std::size_t i = 0; i < columns; ++i) {
      const Column& column = layout_.columns[i];
      if (column.role == Role::None) continue;
      const Field field = trimmed(line_.shape, fields[i]);
      switch (column.role) {
        case Role::Memory:
        case Role::Limit:
          memory = take_memory(column, field) || memory;
          break;
        case Role::Seconds:
        case Role::Clock:
        case Role::Date:
          take_time(column, field);
          break;
        case Role::Name:
        case Role::GpuName:
          take_name(column.role, field);
          break;
        default:
          if (!take_number(column, field) && column.role == Role::Pid) return false;
      }
    }
    plan_.format = layout_.format;
    return memory;
  }

 private:
  bool take_memory(const Column& column, Field field) {
    if (field.begin == field.end) return false;
    const std::string_view text = text_of(line_.shape, field);
    Slot slot;
    slot.role = column.role;
    slot.topic = column.topic;
    slot.scale = column.scale;
    if (equal_ignoring_case(text, "nan") || equal_ignoring_case(text, "inf") ||
        equal_ignoring_case(text, "-inf")) {
      slot.role = Role::NotANumber;
      plan_.slots.push_back(slot);
      return true;
    }
    std::size_t begin = field.begin;
    if (line_.shape[begin] == '-') {
      slot.negative = true;
      ++begin;
    }
    const NumberText number =
        scan_number(line_.shape.substr(begin, field.end - begin), layout_.decimal_comma);
    if (number.length == 0) return false;
    slot.offset = static_cast<std::uint32_t>(begin);
    slot.length = static_cast<std::uint32_t>(number.length);
    slot.form = number.form;
    std::size_t at = begin + number.length;
    const std::size_t unit_end = take_unit(at, field.end, slot);
    if (unit_end == 0) return false;
    // The cell says what the header did not.
    if (column.unit == UnitSource::Magnitude && slot.scale > 0) slot.topic = column.written_topic;
    plan_.slots.push_back(slot);
    take_limit(unit_end, field.end, slot);
    return true;
  }

  // A unit in the cell beats the one of the header. Returns where it ends, 0 = it is no unit.
  std::size_t take_unit(std::size_t at, std::size_t end, Slot& slot) const {
    while (at < end && is_blank(line_.shape[at])) ++at;
    std::size_t stop = at;
    while (stop < end && is_letter(line_.shape[stop])) ++stop;
    if (stop == at) return at < end && line_.shape[at] != '/' ? 0 : std::max<std::size_t>(at, 1);
    const double scale = size_unit(line_.shape.substr(at, stop - at));
    if (scale == 0) return 0;
    slot.scale = scale;
    return stop;
  }

  // docker: "1.268GiB / 3.5GiB".
  void take_limit(std::size_t at, std::size_t end, const Slot& memory) {
    while (at < end && is_blank(line_.shape[at])) ++at;
    if (at >= end || line_.shape[at] != '/') return;
    ++at;
    while (at < end && is_blank(line_.shape[at])) ++at;
    const NumberText number = scan_number(line_.shape.substr(at, end - at));
    if (number.length == 0) return;
    Slot slot = memory;
    slot.role = Role::Limit;
    slot.offset = static_cast<std::uint32_t>(at);
    slot.length = static_cast<std::uint32_t>(number.length);
    slot.form = number.form;
    if (take_unit(at + number.length, end, slot) != 0) plan_.slots.push_back(slot);
  }

  void take_time(const Column& column, Field field) {
    if (plan_.time && column.role == Role::Clock) {  // dmon prints day and clock apart
      const auto both = find_time(line_.shape, plan_.time->offset);
      if (both && both->end >= field.end) return;
    }
    if (plan_.time) return;
    const auto time = find_time(line_.shape, field.begin);
    if (time) {
      plan_.time = time;
      return;
    }
    if (column.role != Role::Seconds) return;
    Column number = column;
    take_number(number, field);
  }

  bool take_number(const Column& column, Field field) {
    if (field.begin == field.end) return false;
    Slot slot;
    slot.role = column.role;
    std::size_t begin = field.begin;
    if (line_.shape[begin] == '-') {
      slot.negative = true;
      ++begin;
    }
    const NumberText number =
        scan_number(line_.shape.substr(begin, field.end - begin), layout_.decimal_comma);
    if (number.length == 0 || begin + number.length != field.end) return false;
    slot.offset = static_cast<std::uint32_t>(begin);
    slot.length = static_cast<std::uint32_t>(number.length);
    slot.form = number.form;
    slot.scale = column.role == Role::Seconds ? column.scale : 1.0;
    plan_.slots.push_back(slot);
    return true;
  }

  void take_name(Role role, Field field) {
    if (field.begin == field.end) return;
    Slot slot;
    slot.role = role;
    slot.offset = static_cast<std::uint32_t>(field.begin);
    slot.length = static_cast<std::uint32_t>(std::min<std::size_t>(field.end - field.begin, 80));
    plan_.slots.push_back(slot);
  }

  const Line& line_;
  const Layout& layout_;
  ShapePlan& plan_;
};

}  // namespace

bool analyse_row(const Line& line, ShapePlan& plan) {
  if (!line.context.layout) return false;
  return RowReader(line, *line.context.layout, plan).read();
}

}  // namespace lowtide::ingest
