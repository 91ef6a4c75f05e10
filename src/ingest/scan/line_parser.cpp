#include "ingest/scan/line_parser.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "base/text.h"
#include "ingest/formats/formats.h"
#include "ingest/words/place_finder.h"
#include "ingest/words/triage.h"
#include "ingest/words/words.h"

namespace lowtide::ingest {
namespace {

constexpr std::uint8_t kMostMisses = 4;

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

// Where the line at text[0] ends; text.size() when its end is not there yet.
std::size_t find_line_end(std::string_view text) {
  const std::size_t line = std::min(text.find('\n'), text.size());
  return std::min(text.substr(0, line).find('\r'), line);
}

void add_mark(const Value& value, std::uint64_t line, Facts& facts) {
  *facts.more(1) = value;
  facts.headers.push_back({line, static_cast<std::uint32_t>(facts.values_used), 1, 0});
  ++facts.values_used;
}

}  // namespace

ShapeEntry* LineParser::follow(ShapeEntry* entry) {
  if (last_ != nullptr && last_->followers[0] != entry) {
    last_->followers[1] = last_->followers[0];
    last_->followers[0] = entry;
  }
  last_ = entry;
  return entry;
}

// The line at `at`, if it has one of the shapes that came next the last times.
ShapeEntry* LineParser::expected_at(const char* at, const char* end) {
  if (last_ == nullptr || !use_shapes_ || events_.collecting()) return nullptr;
  for (ShapeEntry* const candidate : last_->followers) {
    if (candidate == nullptr) break;
    if (candidate->length < static_cast<std::size_t>(end - at) && candidate->context == context_ &&
        matches(*candidate, at)) {
      return candidate;
    }
  }
  return nullptr;
}

// A line ends at '\n', or at the '\r' by which a progress bar starts again.
std::size_t LineParser::parse(std::string_view text, Facts& facts) {
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at < end) {
    if (ShapeEntry* const hit = expected_at(at, end)) {
      if (!hit->plan->empty()) extract(*hit->plan, at, facts);
      if (last_->followers[0] != hit) std::swap(last_->followers[0], last_->followers[1]);
      last_ = hit;
      at += hit->length;
    } else {
      const auto left = static_cast<std::size_t>(end - at);
      scan_line(at, left, scan_);
      const bool ends = scan_.length < std::min(left, LineScan::kMost) && at[scan_.length] != kEscape;
      const std::size_t length = ends ? scan_.length : find_line_end({at, left});
      if (length == left) break;
      const std::string_view line(at, length);
      if (ends && !part_objects_ && !events_.collecting() && use_shapes_) {
        parse_scanned(line, facts);
      } else {
        parse_line(line, facts);
      }
      at += length;
    }
    lines_ += *at == '\n' ? 1 : 0;
    ++at;
  }
  return static_cast<std::size_t>(at - text.data());
}

// A whole line without escape sequences that was not expected. Where shapes never come again, most are
// lines that no analysis would find anything in: those are neither written as a shape nor hashed, and the
// line that the next one is expected to follow stays the same.
void LineParser::parse_scanned(std::string_view line, Facts& facts) {
  if (line.size() < ShapeGuesses::kLeast) {
    parse_segment(line, facts);
    return;
  }
  const std::uint64_t hash = ShapeGuesses::hash_of(line, context_);
  ShapeGuesses::Guess& guess = guesses_.at(hash);
  const bool looks_alike = guess.hash == hash;
  if (looks_alike && guess.entry != nullptr && guess.entry->length == line.size() &&
      guess.entry->context == context_ && matches(*guess.entry, line.data())) {
    follow(guess.entry);
    if (!guess.entry->plan->empty()) extract(*guess.entry->plan, line.data(), facts);
    return;
  }
  if (registry_->at(context_).layout || triage(line, scan_) != Triage::Nothing) {
    parse_segment(line, facts);
    if (last_ != nullptr && last_->length == line.size()) guess = {hash, last_, 0};
    return;
  }
  if (!looks_alike) {
    guess = {hash, nullptr, 0};
    return;
  }
  // Worth a shape of its own once it has come again, unless others look like it all the time.
  if (guess.misses >= kMostMisses) return;
  ++guess.misses;
  shape_.resize(line.size());
  write_shape(line, shape_.data());
  const ShapeKey key(shape_, context_);
  ShapeEntry* const entry = shapes_.find(key);
  guess.entry = follow(entry != nullptr ? entry : shapes_.add(key, ShapePlan{}));
}

// A segment of a new shape that no analysis would find anything in.
bool LineParser::may_pass_by(std::string_view segment) const {
  return use_shapes_ && !registry_->at(context_).layout && triage(segment) == Triage::Nothing &&
         std::memchr(segment.data(), kEscape, segment.size()) == nullptr;
}

void LineParser::parse_last(std::string_view line, Facts& facts) {
  std::size_t begin = 0;
  while (begin <= line.size()) {
    const std::size_t stop = std::min(line.find('\r', begin), line.size());
    is_last_ = stop == line.size() && lines_ > 0;
    parse_line(line.substr(begin, stop - begin), facts);
    begin = stop + 1;
  }
  ++lines_;
}

// Parts a line at what moves the cursor (watch, docker stats, top), then at objects.
void LineParser::parse_line(std::string_view line, Facts& facts) {
  if (!part_objects_ && std::memchr(line.data(), kEscape, line.size()) == nullptr) {
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
    if (const auto event = events_.read(segment, lines_ + 1)) add_event(*event, facts);
    return;
  }
  shape_.resize(segment.size());
  write_shape(segment, shape_.data());
  const bool fits = use_shapes_ && segment.size() <= kMaxShape;
  if (ShapeEntry* const entry = fits ? shapes_.find({shape_, context_}) : nullptr) {
    follow(entry);
    if (!entry->plan->empty() && !is_cut(*entry->plan, segment.size()))
      extract(*entry->plan, segment.data(), facts);
    return;
  }
  if (may_pass_by(segment)) {
    const ShapeKey key(shape_, context_);
    if (fits && shapes_.met_before(key)) follow(shapes_.add(key, ShapePlan{}));
    return;
  }
  analyse_new(segment, fits, facts);
}

void LineParser::analyse_new(std::string_view segment, bool fits, Facts& facts) {
  const std::string shape = shape_;
  const ShapeKey key(shape, context_);
  ShapePlan plan = analyse_segment(shape, segment);
  const bool learn = fits && !plan.ask_each_time && !plan.next_context && shapes_.met_before(key);
  if (!is_cut(plan, segment.size())) extract(plan, segment.data(), facts);
  extract_marks(plan, segment, facts);
  if (plan.next_context) context_ = *plan.next_context;
  if (learn) {
    follow(shapes_.add(key, std::move(plan)));
  } else {
    last_ = nullptr;
  }
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

void LineParser::extract(const ShapePlan& plan, const char* text, Facts& facts) {
  Value* const first = facts.more(plan.slots.size() + 1);
  Value* next = first;
  if (plan.time) {
    *next++ = {read_time(*plan.time, text), 0, plan.time->role(), false, 0};
  }
  for (const Slot& slot : plan.slots) {
    double number = 0;
    if (slot.role == Role::Event || slot.role == Role::RunMark) continue;
    if (slot.role == Role::Name || slot.role == Role::GpuName) {
      number = static_cast<double>(registry_->name({text + slot.offset, slot.length}));
    } else if (slot.length > 0) {
      number = read_number({text + slot.offset, slot.length}, slot.form) * slot.scale;
    }
    *next++ = {number, slot.topic, slot.role, slot.negative, slot.unit};
  }
  if (next != first) add_fact(plan, first, next, facts);
}

void LineParser::add_fact(const ShapePlan& plan, const Value* first, const Value* end, Facts& facts) const {
  const auto count = static_cast<std::size_t>(end - first);
  facts.headers.push_back({lines_ + 1, static_cast<std::uint32_t>(facts.values_used),
                           static_cast<std::uint16_t>(count), plan.format});
  facts.values_used += count;
}

// Events and marks: rare, with text of their own.
void LineParser::extract_marks(const ShapePlan& plan, std::string_view text, Facts& facts) {
  for (const Slot& slot : plan.slots) {
    if (slot.role == Role::RunMark) {
      add_mark({static_cast<double>(facts.texts.size()), 0, Role::RunMark, false, 0}, lines_ + 1, facts);
      facts.texts.push_back(base::printable(text, 120));
    }
    if (slot.role != Role::Event) continue;
    if (const auto event = events_.read(text, lines_ + 1)) add_event(*event, facts);
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
