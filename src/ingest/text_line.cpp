// Free text: "Step 10: 6529 tensors (CPU: 330, GPU: 6199), Process RAM: 5552 MB".
//
// There is no grammar to such lines, but people write them by the same habits:
// a phrase, then ':' or '=' or a blank, then the number, then its unit, and
// sometimes what it is after that ("5.2 GB used"). So every number gets its
// phrase (back to the last comma, bar or number), its unit and its trailing
// words; the vocabulary says what that is; and of several numbers for one
// quantity the one with the strongest words is taken.

#include "ingest/text_line.h"

#include <algorithm>
#include <array>
#include <vector>

#include "ingest/formats.h"
#include "ingest/words.h"

namespace lowtide::ingest {
namespace {

constexpr std::size_t kMaxNumbers = 128;
constexpr std::size_t kMaxSubject = 160;
constexpr std::size_t kMaxText =
    std::size_t{16} * 1024;  // words beyond this belong to no number a person reads

struct Figure {
  std::size_t begin = 0;
  std::size_t end = 0;       // of the digits
  std::size_t unit_end = 0;  // of the unit; = end when there is none
  std::size_t phrase = 0;    // where its phrase begins
  NumberForm form = NumberForm::Digits;
  double unit = 0;
  bool percent = false;
  bool rate = false;
  bool delta = false;
  bool negative = false;
  bool word = false;  // "nan", "inf"
};

bool is_word_byte(char c) {
  return is_letter(c) || is_digit(c) || c == '_';
}

std::size_t word_end(std::string_view text, std::size_t at) {
  while (at < text.size() && is_word_byte(text[at])) ++at;
  return at;
}

std::size_t skip_blanks(std::string_view text, std::size_t at) {
  while (at < text.size() && is_blank(text[at])) ++at;
  return at;
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

std::size_t phrase_start(std::string_view text, std::size_t from, std::size_t to) {
  for (std::size_t at = to; at > from; --at) {
    const char c = text[at - 1];
    if (c == ',' || c == ';' || c == '|' || c == ']' || c == '}' || c == '{') return at;
    if (c == '-' && at >= 2 && text[at - 2] == ' ' && at < text.size() && text[at] == ' ') return at;
    if (c == '.' && at < text.size() && text[at] == ' ' && at >= 2 && is_letter(text[at - 2])) return at;
  }
  return from;
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
    // "1.2.3", "12:30:05", "0x00": a piece of something else.
    if (figure.end < text.size() && is_word_byte(text[figure.end]) && figure.unit == 0) {
      figure.end = word_end(text, figure.end);
      figure.unit_end = figure.end;
      // "38it [00:03" is a bar without a total, kept as a number by its form alone.
    }
    previous = figure.unit_end;
    figures.push_back(figure);
    at = std::max(figure.unit_end, figure.end);
  }
  return figures;
}

struct LastWord {
  std::string_view word;
  std::string_view phrase;  // the last two words
  bool colon = false;       // ':' or '=' stands between it and the number
  bool adjacent = false;    // nothing but blanks and one mark stands between
};

// The word directly before a number.
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

// Words after a number that say what it was: "5.2 GB used", "0.2GB of RSS RAM after 64".
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

// "10/663 [" of a bar and "[  300/14659]" of mmengine.
bool is_bar(std::string_view text, const Figure& step, const Figure& total) {
  const std::size_t after = skip_blanks(text, total.end);
  if (after >= text.size()) return false;
  std::size_t before = step.begin;
  while (before > 0 && is_blank(text[before - 1])) --before;
  const bool bracketed = before > 0 && text[before - 1] == '[' && text[after] == ']';
  const bool bar = text[after] == '[' && text.substr(0, step.begin).find('|') != std::string_view::npos;
  return bracketed || bar;
}

// The kernel's own names: in /proc "kB" has always been 1024 bytes (proc(5)).
bool is_proc_name(std::string_view word) {
  constexpr std::array<std::string_view, 11> kNames = {"VmRSS",  "VmHWM",    "VmSize",      "VmPeak",
                                                       "VmData", "RssAnon",  "RssFile",     "Rss",
                                                       "Pss",    "MemTotal", "MemAvailable"};
  return std::find(kNames.begin(), kNames.end(), word) != kNames.end();
}

bool is_whole(const Figure& figure) {
  return !figure.word && figure.unit == 0 && !figure.percent && !figure.delta && !figure.negative &&
         (figure.form == NumberForm::Digits || figure.form == NumberForm::Grouped);
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

struct Candidate {
  std::size_t figure = 0;
  Role role = Role::Memory;
  model::Quantity quantity = model::Quantity::ProcessMemory;
  int rank = 0;
  double scale = 0;
  UnitSource unit = UnitSource::Written;
  std::string label;
  std::size_t limit = 0;  // 1 + the figure that is its limit
  std::size_t gpu = 0;    // 1 + the figure that is its GPU's index
};

class TextReader {
 public:
  TextReader(const Line& line, Plan& plan)
      : registry_(line.registry), text_(line.shape.substr(0, kMaxText)), plan_(plan) {}

  bool read() {
    from_ = take_prefix(text_, plan_);
    figures_ = find_figures(text_, from_);
    for (Figure& figure : figures_) {
      if (figure.unit != 1000 || text_.substr(0, figure.unit_end).substr(figure.unit_end - 2) != "kB")
        continue;
      if (is_proc_name(word_before(text_, figure.begin, from_).word)) figure.unit = 1024;
    }
    used_.assign(figures_.size(), false);
    find_progress();
    convention_ = find_convention(text_);
    for (std::size_t i = 0; i < figures_.size(); ++i) consider(i);
    const bool memory = choose();
    if (step_ != nullptr || epoch_ != nullptr || memory || said_pid_) {
      if (plan_.format == 0) plan_.format = convention_ != nullptr ? convention_->format : WordsFormat;
      return true;
    }
    return false;
  }

 private:
  void find_progress() {
    int best = 0;
    for (std::size_t i = 0; i < figures_.size(); ++i) {
      Figure& figure = figures_[i];
      if (!is_whole(figure) && !(figure.unit == 0 && figure.form == NumberForm::Decimal)) continue;
      const std::size_t floor = i == 0 ? 0 : figures_[i - 1].unit_end;
      const LastWord last = word_before(text_, figure.begin, std::min(floor, figure.begin));
      const Figure* total = nullptr;
      if (i + 1 < figures_.size() && is_whole(figures_[i + 1]) && is_whole(figure)) {
        const std::size_t slash = skip_blanks(text_, figure.end);
        if (slash < text_.size() && text_[slash] == '/' &&
            skip_blanks(text_, slash + 1) == figures_[i + 1].begin) {
          total = &figures_[i + 1];
        }
      }
      const Meaning meaning = last.word.empty() ? Meaning{} : meaning_of(last.phrase);
      if (meaning.role == Role::Epoch && figure.unit == 0 && !figure.percent) {
        if (epoch_ == nullptr) {
          epoch_ = &figure;
          plan_.slots.push_back(slot_of(figure, Role::Epoch));
        }
        used_[i] = true;
        if (total != nullptr) used_[i + 1] = true;
        continue;
      }
      if (!is_whole(figure)) continue;
      if (meaning.role == Role::Step) {
        const bool plural = last.word.back() == 's' || last.word.back() == 'S';
        used_[i] = true;
        if (total != nullptr) used_[i + 1] = true;
        if ((!plural || total != nullptr) && meaning.rank > best)
          take_step(figure, total, meaning.rank, best);
        continue;
      }
      if (meaning.role == Role::Pid || equal_ignoring_case(last.word, "process")) {
        used_[i] = true;
        said_pid_ = true;
        plan_.slots.push_back(slot_of(figure, Role::WriterPid));
        continue;
      }
      if (meaning.role == Role::Gpu && figure.end - figure.begin <= 2) {
        used_[i] = true;
        gpu_indices_.push_back(i);
        continue;
      }
      if (equal_ignoring_case(last.word, "rank")) {
        used_[i] = true;
        plan_.slots.push_back(slot_of(figure, Role::Rank));
        continue;
      }
      if (total != nullptr && is_bar(text_, figure, *total)) {
        used_[i] = used_[i + 1] = true;
        if (best < 1) take_bar(figure, *total, best);
        continue;
      }
      // "after 64 batches", "(after 100 iterations)".
      if (equal_ignoring_case(last.word, "after") && best < 2) {
        const std::size_t word = skip_blanks(text_, figure.end);
        const Meaning after = meaning_of(text_.substr(word, word_end(text_, word) - word));
        if (after.role == Role::Step) {
          used_[i] = true;
          take_step(figure, nullptr, 2, best);
        }
      }
    }
  }

  void take_step(const Figure& figure, const Figure* total, int rank, int& best) {
    forget_steps();
    best = rank;
    step_ = &figure;
    plan_.slots.push_back(slot_of(figure, Role::Step));
    if (total != nullptr) plan_.slots.push_back(slot_of(*total, Role::StepTotal));
  }

  void take_bar(const Figure& figure, const Figure& total, int& best) {
    forget_steps();
    best = 1;
    step_ = &figure;
    plan_.slots.push_back(slot_of(figure, Role::BarStep));
    plan_.slots.push_back(slot_of(total, Role::BarTotal));
  }

  void forget_steps() {
    std::erase_if(plan_.slots, [](const Slot& slot) {
      return slot.role == Role::Step || slot.role == Role::StepTotal || slot.role == Role::BarStep ||
             slot.role == Role::BarTotal;
    });
  }

  // Is this number memory, and what kind?
  void consider(std::size_t i) {
    const Figure& figure = figures_[i];
    if (used_[i] || figure.percent || figure.rate || figure.delta) return;
    std::size_t begin = figure.phrase;
    // The index belongs to the phrase: "GPU 0: 5.1 GB".
    const bool after_gpu =
        i > 0 && std::find(gpu_indices_.begin(), gpu_indices_.end(), i - 1) != gpu_indices_.end();
    if (after_gpu) begin = std::min(begin, figures_[i - 1].phrase);
    const std::string_view near = text_.substr(begin, figure.begin - begin);
    // What is farther away than this is no longer the subject; it also bounds the work.
    const std::size_t subject_from = begin - from_ > kMaxSubject ? begin - kMaxSubject : from_;
    const Meaning subject = meaning_of(text_.substr(subject_from, begin - subject_from));
    Meaning meaning = meaning_of(near, subject);
    const bool bare = !has_letter(near);
    const std::string_view after = words_after(text_, figure.unit_end);
    if (!after.empty() && figure.unit > 0) {
      const Meaning trailing = meaning_of(after, meaning);
      if (trailing.denied || trailing.role == Role::Peak || trailing.percent) return;
      if (trailing.role == Role::Limit && !meaning.says_memory) return;
      if (!meaning.says_memory && !meaning.denied && trailing.role == Role::Memory) {
        meaning = meaning_of(std::string(near) + " " + std::string(after), subject);
      }
    }
    Candidate candidate;
    candidate.figure = i;
    candidate.quantity = meaning.quantity;
    candidate.rank = meaning.rank;
    candidate.role = meaning.role;
    candidate.label = tidy_label(near);
    if (bare && figure.unit > 0) {
      // "Step 10:  5,552 MB" says no word for memory and needs none.
      if (!subject.says_memory && !(step_ != nullptr && step_ < &figure) && !alone(figure)) return;
      if (near.find('/') != std::string_view::npos) return;  // what a share is of
      if (begin > from_ && text_[begin - 1] == '|') return;  // a further column of a table
      if (subject.denied && !subject.says_memory) return;
      candidate.role = Role::Memory;
      candidate.rank = 1;
      if (subject.says_memory) candidate.quantity = subject.quantity;
    }
    if (candidate.role != Role::Memory && candidate.role != Role::Limit) return;
    const LastWord last = word_before(text_, figure.begin, begin);
    if (figure.unit > 0) {
      candidate.scale = figure.unit;
      // "used 5 GB of disk": a use of something that is never called memory.
      if (!meaning.says_memory && !subject.says_memory && !bare && !meaning.says_gpu && !subject.says_gpu)
        return;
      if (meaning.scale > 0 && meaning.scale == figure.unit) candidate.scale = figure.unit;
    } else {
      if (!last.adjacent || !last.colon || figure.end < text_.size()) {
        const bool followed =
            figure.end < text_.size() && (is_letter(text_[figure.end]) || text_[figure.end] == '/' ||
                                          text_[figure.end] == ':' || text_[figure.end] == '.');
        if (!last.adjacent || followed) return;
        if (!last.colon && meaning.scale == 0) return;
      }
      if (meaning.scale > 0) {
        candidate.scale = meaning.scale;
      } else if (subject.scale > 0 && subject.says_memory && (meaning.says_used || meaning.says_memory)) {
        candidate.scale = subject.scale;
      } else if (convention_ != nullptr && convention_->scale > 0 && meaning.says_memory) {
        candidate.scale = convention_->scale;
        candidate.unit = UnitSource::Convention;
      } else if (meaning.says_memory && candidate.role == Role::Memory) {
        candidate.unit = UnitSource::Magnitude;
      } else {
        return;
      }
      if (!meaning.says_memory && !(subject.says_memory && meaning.says_used)) return;
    }
    if (convention_ != nullptr && convention_->sets_quantity && candidate.label == "memory") {
      candidate.quantity = convention_->quantity;
    }
    if (after_gpu) candidate.gpu = i;  // 1 + (i - 1)
    take_limit(i, candidate);
    candidates_.push_back(std::move(candidate));
  }

  // "5.2 GB / 16 GB": what follows the slash is the limit.
  void take_limit(std::size_t i, Candidate& candidate) {
    if (i + 1 >= figures_.size()) return;
    const std::size_t slash = skip_blanks(text_, figures_[i].unit_end);
    if (slash >= text_.size() || text_[slash] != '/') return;
    if (skip_blanks(text_, slash + 1) != figures_[i + 1].begin) return;
    const double unit = figures_[i + 1].unit;
    used_[i + 1] = true;
    if (unit == 0 && figures_[i].unit == 0) return;
    candidate.limit = i + 2;
    // "5.2/16.0 GB" says the unit once.
    if (figures_[i].unit == 0) {
      candidate.scale = unit;
      candidate.unit = UnitSource::Written;
    }
  }

  static bool has_letter(std::string_view text) { return std::any_of(text.begin(), text.end(), is_letter); }

  // Nothing stands in the line but this number with its unit.
  [[nodiscard]] bool alone(const Figure& figure) const {
    return figures_.size() == 1 && !has_letter(text_.substr(from_, figure.begin - from_)) &&
           !has_letter(text_.substr(figure.unit_end));
  }

  bool choose() {
    bool memory = false;
    for (std::size_t i = 0; i < candidates_.size(); ++i) {
      const Candidate& mine = candidates_[i];
      bool beaten = false;
      for (std::size_t j = 0; j < candidates_.size(); ++j) {
        const Candidate& other = candidates_[j];
        if (i == j || other.quantity != mine.quantity || other.role != mine.role) continue;
        if (mine.gpu != 0 && other.gpu != 0) continue;
        if (other.rank > mine.rank || (other.rank == mine.rank && j < i)) beaten = true;
      }
      if (beaten) continue;
      memory = emit(mine) || memory;
    }
    return memory;
  }

  bool emit(const Candidate& candidate) {
    const Figure& figure = figures_[candidate.figure];
    if (candidate.gpu != 0) plan_.slots.push_back(slot_of(figures_[candidate.gpu - 1], Role::Gpu));
    const std::uint16_t topic = registry_.topic({candidate.quantity, candidate.label, candidate.unit});
    Slot slot = slot_of(figure, figure.word ? Role::NotANumber : candidate.role);
    slot.scale = candidate.scale;
    slot.topic = topic;
    if (figure.word) slot.length = 0;
    plan_.slots.push_back(slot);
    if (candidate.limit != 0) {
      const Figure& limit = figures_[candidate.limit - 1];
      Slot limit_slot = slot_of(limit, Role::Limit);
      limit_slot.scale = limit.unit > 0 ? limit.unit : candidate.scale;
      limit_slot.topic = topic;
      plan_.slots.push_back(limit_slot);
    }
    return true;
  }

  Registry& registry_;
  std::string_view text_;
  Plan& plan_;
  std::size_t from_ = 0;
  std::vector<Figure> figures_;
  std::vector<char> used_;
  std::vector<std::size_t> gpu_indices_;
  std::vector<Candidate> candidates_;
  const Figure* step_ = nullptr;
  const Figure* epoch_ = nullptr;
  const Convention* convention_ = nullptr;
  bool said_pid_ = false;
};

}  // namespace

std::size_t take_prefix(std::string_view shape, Plan& plan) {
  std::size_t at = 0;
  for (int pieces = 0; pieces < 8; ++pieces) {
    at = skip_blanks(shape, at);
    if (at >= shape.size()) return at;
    if (!plan.time) {
      const auto time = find_time(shape, at);
      if (time) {
        plan.time = time;
        at = time->end;
        if (at < shape.size() && (shape[at] == ':' || shape[at] == ',')) ++at;
        continue;
      }
    }
    const char open = shape[at];
    if (open != '[' && open != '(') return at;
    const std::size_t close = shape.find(open == '[' ? ']' : ')', at + 1);
    if (close == std::string_view::npos || close - at > 80) return at;
    const std::string_view inside = shape.substr(at + 1, close - at - 1);
    if (!plan.time) {
      const std::size_t start = skip_blanks(shape, at + 1);
      const auto time = find_time(shape, start);
      if (time && time->end <= close) plan.time = time;
    }
    const std::size_t rank = find_ignoring_case(inside, "rank");
    const std::size_t pid = find_ignoring_case(inside, "pid");
    const bool tag = rank != std::string_view::npos || pid != std::string_view::npos;
    if (tag) {
      std::size_t digits = (rank != std::string_view::npos ? rank + 4 : pid + 3);
      while (digits < inside.size() &&
             (inside[digits] == ' ' || inside[digits] == ':' || inside[digits] == '='))
        ++digits;
      const NumberText number = scan_number(inside.substr(std::min(digits, inside.size())));
      if (number.length > 0 && number.form == NumberForm::Digits) {
        Slot slot;
        slot.offset = static_cast<std::uint32_t>(at + 1 + digits);
        slot.length = static_cast<std::uint32_t>(number.length);
        // "(Worker pid=123)" is Ray naming one of several; "[PID:123]" is the writer naming itself.
        slot.role = rank != std::string_view::npos ? Role::Rank : open == '(' ? Role::Pid : Role::WriterPid;
        plan.slots.push_back(slot);
      }
    } else if (open == '(' || (!plan.time && std::none_of(inside.begin(), inside.end(), is_letter))) {
      return at;  // "[  300/14659]" is not a tag
    }
    at = close + 1;
    if (at < shape.size() && shape[at] == ':') ++at;
  }
  return at;
}

bool analyse_text(const Line& line, Plan& plan) {
  return TextReader(line, plan).read();
}

}  // namespace lowtide::ingest
