#include "ingest/line_parser.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "base/text.h"
#include "ingest/formats.h"
#include "ingest/triage.h"
#include "ingest/words.h"

namespace lowtide::ingest {
namespace {

constexpr char kEscape = '\x1b';

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
  *facts.more(1) = value;
  facts.headers.push_back({line, nullptr, static_cast<std::uint32_t>(facts.values_used), 1, 0});
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

std::size_t LineParser::parse(std::string_view text, Facts& facts) {
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at < end) {
    if (last_ != nullptr && use_shapes_ && !events_.collecting()) {
      ShapeEntry* hit = nullptr;
      for (ShapeEntry* const candidate : last_->followers) {
        if (candidate == nullptr) break;
        if (candidate->length < static_cast<std::size_t>(end - at) && candidate->context == context_ &&
            matches(*candidate, at)) {
          hit = candidate;
          break;
        }
      }
      if (hit != nullptr) {
        if (!hit->plan->empty()) add_found(*hit->plan, at, facts);
        if (last_->followers[0] != hit) std::swap(last_->followers[0], last_->followers[1]);
        last_ = hit;
        at += hit->length;
        lines_ += *at == '\n' ? 1 : 0;
        ++at;
        continue;
      }
    }
    const auto left = static_cast<std::size_t>(end - at);
    const char* const stop = static_cast<const char*>(std::memchr(at, '\n', left));
    if (stop == nullptr) break;
    const std::string_view line(at, static_cast<std::size_t>(stop - at));
    const char* const bar = static_cast<const char*>(std::memchr(at, '\r', line.size()));
    if (bar != nullptr) {
      // Everything up to the carriage return is a line of its own; what follows may match a shape again.
      parse_line({at, static_cast<std::size_t>(bar - at)}, facts);
      at = bar + 1;
      continue;
    }
    parse_line(line, facts);
    at = stop + 1;
    ++lines_;
  }
  return static_cast<std::size_t>(at - text.data());
}

// A line of a new shape that no analysis would find anything in. Where shapes never come again, most
// lines are such. The line that the next one is expected to follow stays the same.
bool LineParser::may_pass_by(std::string_view line) const {
  return use_shapes_ && !registry_.at(context_).layout && triage(line) == Triage::Nothing &&
         std::memchr(line.data(), kEscape, line.size()) == nullptr;
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
  ShapeEntry* entry = use_shapes_ && segment.size() <= kMaxShape ? shapes_.find(shape_, context_) : nullptr;
  if (entry != nullptr) {
    follow(entry);
    if (!entry->plan->empty() && !is_cut(*entry->plan, segment.size()))
      add_found(*entry->plan, segment.data(), facts);
    return;
  }
  if (may_pass_by(segment)) {
    if (segment.size() <= kMaxShape && shapes_.met_before(shape_, context_)) {
      follow(shapes_.add(shape_, context_, Plan{}));
    }
    return;
  }
  const std::string shape = shape_;
  const Plan plan = analyse_segment(shape, segment);
  const bool learn = use_shapes_ && !plan.ask_each_time && !plan.next_context &&
                     segment.size() <= kMaxShape && shapes_.met_before(shape, context_);
  if (!is_cut(plan, segment.size())) extract(plan, segment.data(), facts);
  extract_marks(plan, segment, facts);
  if (plan.next_context) context_ = *plan.next_context;
  if (learn) {
    follow(shapes_.add(shape, context_, plan));
  } else {
    last_ = nullptr;
  }
}

// Does a memory number touch the end of a file that has no line end?
bool LineParser::is_cut(const Plan& plan, std::size_t length) {
  if (!is_last_) return false;
  for (const Slot& slot : plan.slots) {
    if (slot.role == Role::Memory && slot.offset + slot.length == length) ignored_cut_number_ = true;
  }
  return ignored_cut_number_;
}

Plan LineParser::analyse_segment(std::string_view shape, std::string_view text) {
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
  Plan plan = analyse({shape, text, registry_.at(context_), context_, registry_});
  for (Slot& slot : plan.slots) {
    if (slot.role == Role::Memory && slot.scale > 0)
      slot.unit = static_cast<std::uint8_t>(std::ilogb(slot.scale) + 1);
    if (slot.scale == 0) slot.scale = 1;  // not known: the assembler will find it
    if (slot.length > 0) slot.number = plan_number(shape.substr(slot.offset, slot.length), slot.form);
  }
  plan.numbers_only = std::all_of(plan.slots.begin(), plan.slots.end(), [](const Slot& slot) {
    return slot.length > 0 && slot.role != Role::Name && slot.role != Role::GpuName;
  });
  plan.short_form = find_short_form(plan);
  return plan;
}

// A line of a known shape: who takes the facts reads its numbers.
void LineParser::add_found(const Plan& plan, const char* text, Facts& facts) {
  if (facts.text == nullptr || !plan.numbers_only) {
    extract(plan, text, facts);
    return;
  }
  facts.headers.push_back({lines_ + 1, &plan, static_cast<std::uint32_t>(text - facts.text),
                           static_cast<std::uint16_t>(plan.slots.size()), plan.format});
}

void LineParser::extract(const Plan& plan, const char* text, Facts& facts) {
  Value* const first = facts.more(plan.slots.size() + 1);
  Value* next = first;
  if (plan.time) {
    *next++ = {read_time(*plan.time, text), 0, plan.time->role(), false, 0};
  }
  for (const Slot& slot : plan.slots) {
    double number = 0;
    if (slot.role == Role::Event || slot.role == Role::RunMark) continue;
    if (slot.role == Role::Name || slot.role == Role::GpuName) {
      number = static_cast<double>(registry_.name({text + slot.offset, slot.length}));
    } else if (slot.length > 0) {
      number = read_number(text + slot.offset, slot.length, slot.form);
      number *= slot.scale;
    }
    *next++ = {number, slot.topic, slot.role, slot.negative, slot.unit};
  }
  if (next != first) add_fact(plan, first, next, facts);
}

void LineParser::add_fact(const Plan& plan, const Value* first, const Value* end, Facts& facts) const {
  const auto count = static_cast<std::size_t>(end - first);
  facts.headers.push_back({lines_ + 1, nullptr, static_cast<std::uint32_t>(facts.values_used),
                           static_cast<std::uint16_t>(count), plan.format});
  facts.values_used += count;
}

// Events and marks: rare, with text of their own.
void LineParser::extract_marks(const Plan& plan, std::string_view text, Facts& facts) {
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
