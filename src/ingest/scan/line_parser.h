// Text in, facts out: cuts blocks into lines and asks the shapes, the formats and the events.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "ingest/facts.h"
#include "ingest/formats/event_lines.h"
#include "ingest/formats/shape_plan.h"
#include "ingest/scan/shape_cache.h"
#include "ingest/words/triage.h"

namespace lowtide::ingest {

// What earlier lines leave behind that decides what later ones mean.
struct ParserState {
  std::uint16_t context = 0;
  EventReader events;
};

class LineParser {
 public:
  // With use_shapes off every line is analysed by itself: the reference that the
  // shapes are tested against.
  explicit LineParser(Registry& registry, bool use_shapes = true)
      : use_shapes_(use_shapes), registry_(&registry) {}

  // Goes on as if it had parsed what comes before, of which it may have seen nothing.
  void begin(const ParserState& state, std::uint64_t lines_before) {
    context_ = state.context;
    events_ = state.events;
    lines_ = lines_before;
  }
  [[nodiscard]] ParserState state() const { return {context_, events_}; }

  // Parses the whole lines in `text` and returns how many bytes they took. What
  // is left is the beginning of a line that has not ended yet. kSlack bytes
  // behind the text must be readable.
  std::size_t parse(std::string_view text, Facts& facts);

  // The last line, which has no end. It counts: most logs that matter were cut off by
  // a kill, and their last line is where the answer is. Only a memory number that the
  // end of the file touches is left out: "5552" may have been on its way to "55520".
  void parse_last(std::string_view line, Facts& facts);

  // A piece of a line that is too long to be held; the line goes on.
  void parse_piece(std::string_view piece, Facts& facts) { parse_line(piece, facts); }

  // Events that are still open at the end.
  void finish(Facts& facts);

  // Objects of a JSON array on one line are parted at '}' as if it ended a line.
  void part_objects() { part_objects_ = true; }

  // A line whose end was thrown away; it still counts as one.
  void skip_line() { ++lines_; }

  [[nodiscard]] bool ignored_cut_number() const { return ignored_cut_number_; }
  [[nodiscard]] std::uint64_t lines() const { return lines_; }

 private:
  ShapeEntry* expected_at(const char* at, const char* end);
  void parse_scanned(std::string_view line, Facts& facts);
  void analyse_new(std::string_view segment, bool fits, Facts& facts);
  [[nodiscard]] bool may_pass_by(std::string_view segment) const;
  void parse_line(std::string_view line, Facts& facts);
  void parse_segment(std::string_view segment, Facts& facts);
  ShapePlan analyse_segment(std::string_view shape, std::string_view text);
  bool is_cut(const ShapePlan& plan, std::size_t length);
  void extract(const ShapePlan& plan, const char* text, Facts& facts);
  void add_fact(const ShapePlan& plan, const Value* first, const Value* end, Facts& facts) const;
  void extract_marks(const ShapePlan& plan, std::string_view text, Facts& facts);
  static void add_event(const model::Event& event, Facts& facts);
  ShapeEntry* follow(ShapeEntry* entry);

  bool use_shapes_;
  bool part_objects_ = false;
  bool is_last_ = false;
  bool ignored_cut_number_ = false;
  std::uint64_t lines_ = 0;  // complete lines before the one being parsed
  std::uint16_t context_ = 0;
  Registry* registry_;
  ShapeCache shapes_;
  ShapeGuesses guesses_;
  LineScan scan_;
  EventReader events_;
  ShapeEntry* last_ = nullptr;
  std::string shape_;
  std::string padded_;
};

}  // namespace lowtide::ingest
