#include "ingest/scan/line_parser.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "base/text.h"
#include "ingest/formats/formats.h"
#include "ingest/words/triage.h"
#include "ingest/words/words.h"

namespace lowtide::ingest {
namespace {

constexpr char kEscape = '\x1b';
constexpr std::size_t kMaxShape = 1024;  // longer lines are analysed each time
constexpr std::size_t kMostShapes = 4096;

// Length of the escape sequence at text[0] == ESC, and whether it moves the cursor.
struct EscapeSequence {
  std::size_t length = 1;
  bool moves = false;
};

EscapeSequence escape_at(std::string_view text) {
  if (text.size() < 2) return {};
  if (text[1] == ']') {  // a title: up to BEL
    const std::size_t bell = text.find('\a');
    return {bell == std::string_view::npos ? 2 : bell + 1, false};
  }
  if (text[1] != '[') return {2, false};
  std::size_t at = 2;
  while (at < text.size() && at < 32 && !(text[at] >= '@' && text[at] <= '~')) ++at;
  if (at >= text.size()) return {at, false};
  const char final = text[at];
  // H, f, J, d, E, F, B, A: another place on the screen, so another line.
  const bool moves = std::strchr("HfJdEFBA", final) != nullptr;
  return {at + 1, moves};
}

// Escape sequences become blanks, so that offsets stay.
void blank_escapes(std::string& shape, std::string_view text) {
  std::size_t at = text.find(kEscape);
  while (at != std::string_view::npos) {
    const std::size_t length = escape_at(text.substr(at)).length;
    std::fill_n(shape.begin() + static_cast<std::ptrdiff_t>(at), std::min(length, shape.size() - at), ' ');
    at = text.find(kEscape, at + length);
  }
}

void add_mark(const Value& value, std::uint64_t line, Facts& facts) {
  facts.headers.push_back({line, static_cast<std::uint32_t>(facts.values.size()), 1, 0});
  facts.values.push_back(value);
}

}  // namespace

void LineParser::parse(const LogLine& line, Facts& facts) {
  number_ = line.number;
  is_last_ = !line.ends && line.number > 1;
  parse_line(line.text, facts);
}

// Parts a line at what moves the cursor (watch, docker stats, top), then at objects.
void LineParser::parse_line(std::string_view line, Facts& facts) {
  if (!part_objects_ && line.find(kEscape) == std::string_view::npos) {
    parse_segment(line, facts);
    return;
  }
  std::size_t begin = 0;
  std::size_t at = 0;
  while (at < line.size()) {
    if (line[at] == kEscape) {
      const EscapeSequence escape = escape_at(line.substr(at));
      if (escape.moves) {
        if (at > begin) parse_segment(line.substr(begin, at - begin), facts);
        begin = at + escape.length;
      }
      at += escape.length;
    } else if (part_objects_ && line[at] == '}') {
      parse_segment(line.substr(begin, at + 1 - begin), facts);
      begin = ++at;
    } else {
      ++at;
    }
  }
  if (begin < line.size() || begin == 0) parse_segment(line.substr(begin), facts);
}

void LineParser::parse_segment(std::string_view segment, Facts& facts) {
  if (events_.collecting()) {
    if (const auto event = events_.read(segment, number_)) add_event(*event, facts);
    return;
  }
  if (use_shapes_ && may_pass_by(segment)) return;
  key_ = segment;
  for (char& c : key_) c = is_digit(c) ? '0' : c;
  key_ += static_cast<char>(context_);
  key_ += static_cast<char>(context_ >> 8U);
  const bool fits = use_shapes_ && segment.size() <= kMaxShape;
  const auto known = fits ? shapes_.find(key_) : shapes_.end();
  if (known != shapes_.end()) {
    extract(known->second, segment, facts);
    return;
  }
  ShapePlan plan = analyse_segment(std::string_view(key_).substr(0, segment.size()), segment);
  extract(plan, segment, facts);
  extract_marks(plan, segment, facts);
  if (plan.next_context) {
    context_ = *plan.next_context;
  } else if (fits && !plan.ask_each_time) {
    if (shapes_.size() >= kMostShapes) shapes_.clear();
    shapes_.emplace(key_, std::move(plan));
  }
}

// No analysis would find anything in it.
bool LineParser::may_pass_by(std::string_view segment) const {
  return !registry_->at(context_).layout && triage(segment) == Triage::Nothing &&
         segment.find(kEscape) == std::string_view::npos;
}

// Does a memory number touch the end of a file that has no line end?
bool LineParser::is_cut(const ShapePlan& plan, std::size_t length) {
  if (!is_last_) return false;
  for (const Slot& slot : plan.slots) {
    if (slot.role == Role::Memory && slot.offset + slot.length == length) ignored_cut_number_ = true;
  }
  return ignored_cut_number_;
}

ShapePlan LineParser::analyse_segment(std::string_view shape, std::string_view text) {
  std::string blanked;
  std::string plain;
  if (text.find(kEscape) != std::string_view::npos) {
    blanked = shape;
    plain = text;
    blank_escapes(blanked, text);
    blank_escapes(plain, text);
    shape = blanked;
    text = plain;
  }
  ShapePlan plan = analyse({shape, text, registry_->at(context_), context_, *registry_});
  for (Slot& slot : plan.slots) {
    if (slot.role == Role::Memory && slot.scale > 0)
      slot.unit = static_cast<std::uint8_t>(std::ilogb(slot.scale) + 1);
    if (slot.scale == 0) slot.scale = 1;  // not known: the assembler will find it
  }
  return plan;
}

void LineParser::extract(const ShapePlan& plan, std::string_view text, Facts& facts) {
  if (is_cut(plan, text.size())) return;
  const std::size_t first = facts.values.size();
  if (plan.time) {
    facts.values.push_back({read_time(*plan.time, text.data()), 0, plan.time->role(), false, 0});
  }
  for (const Slot& slot : plan.slots) {
    if (slot.role == Role::Event || slot.role == Role::RunMark) continue;
    const std::string_view written = text.substr(slot.offset, slot.length);
    double number = 0;
    if (slot.role == Role::Name || slot.role == Role::GpuName) {
      number = static_cast<double>(registry_->name(written));
    } else if (slot.length > 0) {
      number = read_number(written, slot.form) * slot.scale;
    }
    facts.values.push_back({number, slot.topic, slot.role, slot.negative, slot.unit});
  }
  const std::size_t count = facts.values.size() - first;
  if (count == 0) return;
  facts.headers.push_back(
      {number_, static_cast<std::uint32_t>(first), static_cast<std::uint16_t>(count), plan.format});
}

// Events and marks: rare, with text of their own.
void LineParser::extract_marks(const ShapePlan& plan, std::string_view text, Facts& facts) {
  for (const Slot& slot : plan.slots) {
    if (slot.role == Role::RunMark) {
      add_mark({static_cast<double>(facts.texts.size()), 0, Role::RunMark, false, 0}, number_, facts);
      facts.texts.push_back(base::printable(text, 120));
    }
    if (slot.role != Role::Event) continue;
    if (const auto event = events_.read(text, number_)) add_event(*event, facts);
  }
}

void LineParser::add_event(const model::Event& event, Facts& facts) {
  add_mark({static_cast<double>(facts.events.size()), 0, Role::Event, false, 0}, event.line, facts);
  facts.events.push_back(event);
}

void LineParser::finish(Facts& facts) {
  while (const auto event = events_.finish()) add_event(*event, facts);
}

}  // namespace lowtide::ingest
