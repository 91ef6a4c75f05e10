#include "ingest/formats/figures.h"

#include <algorithm>

#include "ingest/words/words.h"

namespace lowtide::ingest {
namespace {

constexpr std::size_t kMaxNumbers = 128;

bool is_word_byte(char c) {
  return is_letter(c) || is_digit(c) || c == '_';
}

// The unit after a number: "MB", " GiB", "G", " (kb)".
void take_unit(std::string_view text, Figure& figure) {
  std::size_t at = figure.end;
  figure.unit_end = at;
  const std::size_t gap = skip_blanks(text, at);
  if (gap < text.size() && text[gap] == '%' && gap - at <= 1) {
    figure.percent = true;
    figure.unit_end = gap + 1;
    return;
  }
  if (gap - at > 1 || gap >= text.size()) return;
  const bool bracket = text[gap] == '(' || text[gap] == '[';
  const std::size_t begin = bracket ? gap + 1 : gap;
  std::size_t end = begin;
  while (end < text.size() && is_letter(text[end])) ++end;
  if (end == begin || end - begin > 6) return;
  if (end < text.size() && (is_digit(text[end]) || text[end] == '_')) return;
  if (bracket && (end >= text.size() || (text[end] != ')' && text[end] != ']'))) return;
  const std::string_view unit = text.substr(begin, end - begin);
  const bool attached = gap == at && !bracket;
  // "5 m" and "3 b" are minutes and billions as often as memory; "5.2G" is memory.
  if (unit.size() == 1 && !attached) return;
  if (unit.size() == 1 && (unit[0] == 'b' || unit[0] == 'm' || unit[0] == 'B')) return;
  const double scale = size_unit(unit);
  if (scale == 0) return;
  if (end < text.size() && text[end] == '/' && end + 1 < text.size() && to_lower(text[end + 1]) == 's') {
    figure.rate = true;
  }
  figure.unit = scale;
  figure.unit_end = bracket ? end + 1 : end;
}

bool is_not_a_number(std::string_view word) {
  return equal_ignoring_case(word, "nan") || equal_ignoring_case(word, "inf") ||
         equal_ignoring_case(word, "infinity");
}

// "GPU0", "cuda1", "gpu0_mem": how many digits its index has; 0 = no such word.
std::size_t device_digits(std::string_view word) {
  for (const std::string_view device : {"gpu", "cuda"}) {
    if (!equal_ignoring_case(word.substr(0, device.size()), device)) continue;
    std::size_t end = device.size();
    while (end < word.size() && is_digit(word[end])) ++end;
    const std::size_t digits = end - device.size();
    return digits <= 2 && (end == word.size() || word[end] == '_') ? digits : 0;
  }
  return 0;
}

std::size_t phrase_start(std::string_view text, std::size_t from, std::size_t to) {
  for (std::size_t at = to; at > from; --at) {
    const char c = text[at - 1];
    if (c == ',' || c == ';' || c == '|' || c == ']' || c == '}' || c == '{') return at;
    if (c == '-' && at >= 2 && text[at - 2] == ' ' && at < text.size() && text[at] == ' ') return at;
    if (c == '.' && at < text.size() && text[at] == ' ' && at >= 2 && is_letter(text[at - 2])) return at;
  }
  return from;
}

}  // namespace

std::size_t word_end(std::string_view text, std::size_t at) {
  while (at < text.size() && is_word_byte(text[at])) ++at;
  return at;
}

std::vector<Figure> find_figures(std::string_view text, std::size_t from) {
  std::vector<Figure> figures;
  std::size_t at = from;
  std::size_t previous = from;
  while (at < text.size() && figures.size() < kMaxNumbers) {
    const char c = text[at];
    if (is_letter(c) || c == '_') {
      const std::size_t end = word_end(text, at);
      if (end - at >= 3 && is_not_a_number(text.substr(at, end - at))) {
        Figure figure;
        figure.begin = at;
        figure.end = end;
        figure.word = true;
        figure.phrase = phrase_start(text, previous, at);
        take_unit(text, figure);
        previous = figure.unit_end;
        figures.push_back(figure);
        at = figure.unit_end;
        continue;
      }
      if (const std::size_t digits = device_digits(text.substr(at, end - at)); digits > 0) {
        Figure figure;
        figure.phrase = phrase_start(text, previous, at);
        at += text.substr(at, end - at).find_first_of("0123456789");
        figure.begin = at;
        figure.end = figure.unit_end = previous = at = at + digits;
        figures.push_back(figure);
        continue;
      }
      at = end;
      continue;
    }
    if (!is_digit(c)) {
      ++at;
      continue;
    }
    const NumberText number = scan_number(text.substr(at));
    Figure figure;
    figure.begin = at;
    figure.end = at + number.length;
    figure.form = number.form;
    if (at > from && (text[at - 1] == '+' || text[at - 1] == '-')) {
      const char before = at >= 2 ? text[at - 2] : ' ';
      if (text[at - 1] == '+' || before == '(') {
        figure.delta = true;
      } else if (before == ' ' || before == '=' || before == ':' || before == '\t') {
        figure.negative = true;
      }
    }
    figure.phrase = phrase_start(text, previous, at);
    take_unit(text, figure);
    if (figure.end < text.size() && is_word_byte(text[figure.end]) && figure.unit == 0) {
      figure.piece = true;
      figure.end = figure.unit_end = word_end(text, figure.end);
    }
    previous = figure.unit_end;
    figures.push_back(figure);
    at = std::max(figure.unit_end, figure.end);
  }
  return figures;
}

LastWord word_before(std::string_view text, std::size_t begin, std::size_t from) {
  LastWord last;
  std::size_t at = begin;
  last.adjacent = true;
  if (at > from && (text[at - 1] == '-' || text[at - 1] == '+')) --at;
  while (at > from) {
    const char c = text[at - 1];
    if (c == ':' || c == '=') last.colon = true;
    if (is_blank(c) || c == ':' || c == '=' || c == '#' || c == '[' || c == '(' || c == '"' || c == '\'') {
      --at;
      continue;
    }
    if (c == ')' && at >= 2) {  // "Epoch(train)   [1]", "memory (MB):"
      const std::size_t open = text.rfind('(', at - 1);
      if (open != std::string_view::npos && open >= from && at - open <= 12) {
        at = open;
        continue;
      }
    }
    break;
  }
  const std::size_t end = at;
  while (at > from && is_word_byte(text[at - 1])) --at;
  last.word = text.substr(at, end - at);
  std::size_t second = at;
  while (second > from && (is_blank(text[second - 1]) || text[second - 1] == '/' || text[second - 1] == '.'))
    --second;
  std::size_t start = second;
  while (start > from && is_word_byte(text[start - 1])) --start;
  last.phrase = text.substr(start < second ? start : at, end - (start < second ? start : at));
  if (last.word.empty()) last.adjacent = false;
  return last;
}

std::string_view words_after(std::string_view text, std::size_t at) {
  const std::size_t begin = skip_blanks(text, at);
  if (begin >= text.size() || begin == at || !is_letter(text[begin])) return {};
  std::size_t end = begin;
  int words = 0;
  while (end < text.size() && words < 4) {
    const std::size_t next = word_end(text, end);
    if (next == end) break;
    ++words;
    end = next;
    if (end < text.size() && text[end] == ' ' && end + 1 < text.size() && is_letter(text[end + 1])) {
      ++end;
    } else {
      break;
    }
  }
  const std::string_view phrase = text.substr(begin, end - begin);
  const std::size_t stop = skip_blanks(text, end);
  const bool ends_here = stop >= text.size() || text[stop] == ',' || text[stop] == ';' || text[stop] == '.' ||
                         text[stop] == ')' || text[stop] == '|' || text[stop] == '/' || text[stop] == '(';
  const std::string_view first = phrase.substr(0, phrase.find(' '));
  const bool tied = equal_ignoring_case(first, "of") || equal_ignoring_case(first, "used") ||
                    equal_ignoring_case(first, "free") || equal_ignoring_case(first, "available");
  return ends_here || tied ? phrase : std::string_view{};
}

bool is_bar(std::string_view text, const Figure& step, const Figure& total) {
  const std::size_t after = skip_blanks(text, total.end);
  if (after >= text.size()) return false;
  std::size_t before = step.begin;
  while (before > 0 && is_blank(text[before - 1])) --before;
  const bool bracketed = before > 0 && text[before - 1] == '[' && text[after] == ']';
  const bool bar = text[after] == '[' && text.substr(0, step.begin).find('|') != std::string_view::npos;
  return bracketed || bar;
}

bool is_whole(const Figure& figure) {
  return !figure.word && !figure.piece && figure.unit == 0 && !figure.percent && !figure.delta &&
         !figure.negative && (figure.form == NumberForm::Digits || figure.form == NumberForm::Grouped);
}

Slot slot_of(const Figure& figure, Role role) {
  Slot slot;
  slot.offset = static_cast<std::uint32_t>(figure.begin);
  slot.length = static_cast<std::uint32_t>(figure.end - figure.begin);
  slot.role = role;
  slot.form = figure.form;
  slot.negative = figure.negative;
  return slot;
}
}  // namespace lowtide::ingest
