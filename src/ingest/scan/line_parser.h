// Lines in, facts out: asks the known shapes, the formats and the events.
//
// A log is a few print statements that run millions of times. The shape of a
// line is the line with every digit replaced by '0'. The analysis (words, units,
// columns) takes microseconds and sees the shape only, so its plan is kept for
// all lines of that shape.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

#include "ingest/facts.h"
#include "ingest/formats/event_lines.h"
#include "ingest/formats/shape_plan.h"
#include "ingest/scan/line_reader.h"

namespace lowtide::ingest {

class LineParser {
 public:
  // With use_shapes off every line is analysed: the reference that the shapes are tested against.
  explicit LineParser(Registry& registry, bool use_shapes = true)
      : use_shapes_(use_shapes), registry_(&registry) {}

  // Adds what the line says. The last line counts even if it has no end, because a log is often cut off by
  // a kill. Only a memory number that the end of the file touches is ignored: "5552" may be the beginning
  // of "55520".
  void parse(const LogLine& line, Facts& facts);

  // Events that are still open at the end.
  void finish(Facts& facts);

  // Objects of a JSON array on one line are parted at '}' as if it ended a line.
  void part_objects() { part_objects_ = true; }

  [[nodiscard]] bool ignored_cut_number() const { return ignored_cut_number_; }

 private:
  void parse_line(std::string_view line, Facts& facts);
  void parse_segment(std::string_view segment, Facts& facts);
  [[nodiscard]] bool may_pass_by(std::string_view segment) const;
  ShapePlan analyse_segment(std::string_view shape, std::string_view text);
  bool is_cut(const ShapePlan& plan, std::size_t length);
  void extract(const ShapePlan& plan, std::string_view text, Facts& facts);
  void extract_marks(const ShapePlan& plan, std::string_view text, Facts& facts);
  static void add_event(const model::Event& event, Facts& facts);

  bool use_shapes_;
  bool part_objects_ = false;
  bool is_last_ = false;
  bool ignored_cut_number_ = false;
  std::uint64_t number_ = 0;  // of the line that is parsed
  std::uint16_t context_ = 0;
  Registry* registry_;
  std::unordered_map<std::string, ShapePlan> shapes_;  // by shape and context
  std::string key_;
  EventReader events_;
};

}  // namespace lowtide::ingest
