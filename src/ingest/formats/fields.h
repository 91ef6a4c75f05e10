// A line cut into the fields of a table.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "ingest/formats/shape_plan.h"

namespace lowtide::ingest {

struct Field {
  std::size_t begin = 0;
  std::size_t end = 0;
};

inline std::string_view text_of(std::string_view line, const Field& field) {
  return line.substr(field.begin, field.end - field.begin);
}

// Without the blanks and quotes around it.
Field trimmed(std::string_view line, Field field);

// Cuts a line. ' ' cuts at blanks, 'G' at two blanks or more, anything else at itself.
std::vector<Field> cut(std::string_view line, char delimiter, std::size_t limit);

// A number with an optional unit that fills the whole field ("24065", "23Gi", "1.6G").
// `scale` is for numbers without a unit.
bool number_in(std::string_view shape, const Field& field, double scale, Slot& slot);

}  // namespace lowtide::ingest
