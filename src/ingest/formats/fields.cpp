#include "ingest/formats/fields.h"

#include "ingest/words/words.h"

namespace lowtide::ingest {

Field trimmed(std::string_view line, Field field) {
  while (field.begin < field.end && (is_blank(line[field.begin]) || line[field.begin] == '"')) ++field.begin;
  while (field.end > field.begin && (is_blank(line[field.end - 1]) || line[field.end - 1] == '"'))
    --field.end;
  return field;
}

std::vector<Field> cut(std::string_view line, char delimiter, std::size_t limit) {
  std::vector<Field> fields;
  if (delimiter == ' ' || delimiter == 'G') {
    std::size_t at = 0;
    while (at < line.size() && fields.size() < limit) {
      while (at < line.size() && is_blank(line[at])) ++at;
      if (at >= line.size()) break;
      std::size_t end = at;
      while (end < line.size()) {
        const bool blank = is_blank(line[end]);
        const bool wide =
            line[end] == '\t' || (end + 1 < line.size() && is_blank(line[end + 1])) || end + 1 == line.size();
        if (blank && (delimiter == ' ' || wide)) break;
        ++end;
      }
      fields.push_back({at, end});
      at = end;
    }
    return fields;
  }
  std::size_t begin = 0;
  bool quoted = false;
  for (std::size_t at = 0; at <= line.size() && fields.size() < limit; ++at) {
    if (at < line.size() && line[at] == '"') quoted = !quoted;
    if (at == line.size() || (line[at] == delimiter && !quoted)) {
      fields.push_back(trimmed(line, {begin, at}));
      begin = at + 1;
    }
  }
  return fields;
}

bool number_in(std::string_view shape, const Field& field, double scale, Slot& slot) {
  const NumberText number = scan_number(text_of(shape, field));
  if (number.length == 0) return false;
  const std::string_view unit =
      shape.substr(field.begin + number.length, field.end - field.begin - number.length);
  slot.offset = static_cast<std::uint32_t>(field.begin);
  slot.length = static_cast<std::uint32_t>(number.length);
  slot.form = number.form;
  slot.scale = scale;
  if (!unit.empty()) slot.scale = size_unit(unit);
  return unit.empty() || slot.scale > 0;
}

}  // namespace lowtide::ingest
